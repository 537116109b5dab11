"""ctxlab behind the suite's protocol: a case a line on stdin, its answer a line on stdout."""

import json
import sys

from ctxlab.testing.conformance import answer

for line in sys.stdin:
    if line.strip():
        sys.stdout.write(json.dumps(answer(json.loads(line)), ensure_ascii=False) + "\n")
        sys.stdout.flush()
