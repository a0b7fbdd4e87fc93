"""`python -m poolkeeper` is the command `poolkeeper`, from its first import on a command that can be interrupted."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from poolkeeper.cli import main as command_line
    except KeyboardInterrupt:
        sys.stderr.write("poolkeeper: interrupted\n")
        sys.exit(130)
    command_line()


if __name__ == "__main__":
    main()
