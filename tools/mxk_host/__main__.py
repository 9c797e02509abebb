"""`python -m mxk_host`: what tools/mxk starts."""

import sys
from io import TextIOWrapper

from mxk_host.cli import app
from mxk_host.errors import DriverError, ExitCode


def main(arguments: list[str] | None = None) -> int:
    """Runs the command of these words, by default of the command line; how it ended. What is wrong is one message,
    whatever the system refuses: a full disc, no memory, a name that is too long."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files may be any bytes
    try:
        try:
            app(arguments, prog_name="tools/mxk")
        finally:
            sys.stdout.flush()  # here, where a full disc is a message
    except DriverError as error:
        return told(str(error), error.code)
    except OSError as error:
        named = f"{error.filename}: " if error.filename is not None else ""
        return told(f"the system refused what is needed: {named}{error.strerror or error}", ExitCode.COMMAND_FAILED)
    except ModuleNotFoundError as error:
        return told(f"expected Python's {error.name}: `tools/setup` installs it (tools/requirements)", ExitCode.USAGE)
    except MemoryError:
        return told("expected more memory than there is: the input is too large for it", ExitCode.COMMAND_FAILED)
    return ExitCode.SUCCESS


def told(message: str, code: int) -> int:
    """Says it on standard error; the code."""
    print(f"tools/mxk: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
