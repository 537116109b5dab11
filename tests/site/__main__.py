"""`python -m tests.site build/docs`: what is wrong with the built site; 1 where anything is."""

import sys

from tests.gallery.pages import NoBrowser

from .whole_site import say_what_is_wrong

if __name__ == "__main__":
    try:
        sys.exit(say_what_is_wrong(*sys.argv[1:]))
    except NoBrowser as none:
        sys.exit(str(none))
