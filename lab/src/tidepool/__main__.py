"""`python -m tidepool` is the command `tidepool`, from its first import on a command that can be interrupted."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from tidepool.cli import main as command_line
    except KeyboardInterrupt:
        sys.stderr.write("tidepool: interrupted\n")
        sys.exit(130)
    command_line()


if __name__ == "__main__":
    main()
