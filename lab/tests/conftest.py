"""What all tests of the lab share."""

import os

# pytest-xdist gives its processes the width of the terminal, and answers would be as wide as that.
# A test of widths sets its own.
os.environ.pop("COLUMNS", None)
