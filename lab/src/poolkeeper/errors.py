"""Errors that a person can mend.

PoolkeeperError
├── InputError        what was given is wrong: a file, a setting, a command     exit code 2
└── RunError          what was started did not work: a process, the machine    exit code 1
"""


class PoolkeeperError(Exception):
    """Something a person can mend; its message is one clear line."""

    exit_code = 1


class InputError(PoolkeeperError):
    """Wrong input: the message names the setting, the value and the rule."""

    exit_code = 2


class RunError(PoolkeeperError):
    """Failure of a process or the machine: the message names the process and its last output."""


class DataError(InputError, ValueError):
    """Data that cannot answer the question: the message names the data, the mistake and its place."""


class TooFewError(DataError):
    """So little data that an answer would be a guess."""

    def __init__(self, name: str, count: int, least: int) -> None:
        """Say how many values there are of `name`, and how many are needed at least."""
        values = f"{count} value{'' if count == 1 else 's'}"
        super().__init__(f"{name}: {values}, but at least {least} {'is' if least == 1 else 'are'} needed")
        self.count = count
        self.least = least
