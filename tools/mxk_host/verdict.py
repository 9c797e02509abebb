"""What an ended run means: QEMU's status as the driver's exit code, with one line that explains it."""

from dataclasses import dataclass

from mxk_host.errors import ExitCode
from mxk_host.runner import Outcome

# isa-debug-exit: QEMU's status is 2 * byte + 1, so that the kernel cannot fake a plain success.
SUCCEEDED = 2 * 0x10 + 1
COMMAND_FAILED = 2 * 0x11 + 1
PANICKED = 2 * 0x12 + 1


@dataclass(frozen=True)
class Verdict:
    """The exit code, and why it is not 0."""

    code: ExitCode
    reason: str = ""


def judge(outcome: Outcome, timeout: float | None) -> Verdict:
    """The verdict on a run that was given `timeout` seconds."""
    match outcome.status:
        case status if status == SUCCEEDED:
            return Verdict(ExitCode.SUCCESS)
        case status if status == COMMAND_FAILED:
            return Verdict(ExitCode.COMMAND_FAILED, "a command failed (its message is in the output)")
        case status if status == PANICKED:
            return Verdict(ExitCode.PANIC, "the kernel panicked")
        case None:
            return Verdict(ExitCode.TIMEOUT, f"no end after {timeout:g} s: QEMU was killed")
        case 0:
            return Verdict(ExitCode.NO_VERDICT, "the machine was reset or closed without a verdict")
        case status:
            return Verdict(ExitCode.NO_VERDICT, f"QEMU ended with status {status}: {outcome.complaint or 'no message'}")
