"""`python -m tidepool` is the command `tidepool`."""

from tidepool.cli import main

main()
