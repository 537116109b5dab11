"""`python -m ctxlab.cli`."""

from ctxlab.cli import main

raise SystemExit(main())
