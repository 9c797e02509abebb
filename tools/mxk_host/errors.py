"""What the driver ends with: one exit code per reason, and the error that carries one to the command line."""

import signal
from enum import IntEnum


class ExitCode(IntEnum):
    """The driver's exit codes; scripts and tests rely on them. Ended by signal N: 128 + N."""

    SUCCESS = 0
    COMMAND_FAILED = 1
    USAGE = 2
    PANIC = 3
    TIMEOUT = 4
    NO_VERDICT = 5


class DriverError(Exception):
    """The run cannot start or its result cannot be used; the message says what was expected."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class UsageError(DriverError):
    """An option, or this machine, does not allow what was asked for."""

    def __init__(self, message: str) -> None:
        super().__init__(message, ExitCode.USAGE)


def signal_name(number: int) -> str:
    """SIGINT, or what there is of a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
