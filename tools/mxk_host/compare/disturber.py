"""A process that keeps one processor busy while something is measured: what shares a processor with another program."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from mxk_host.errors import UsageError

# Ends by itself when its parent has.
_BUSY = "import os; os.sched_setaffinity(0, {{{cpu}}})\nwhile os.getppid() == {parent}: pass"


def processor() -> int:
    """The processor that is kept busy: the second one of those that the program may use, its core 1. Raises where there
    is only one."""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        raise UsageError("a disturbed run needs two processors: expected --only without disturbed")
    return usable[1]


@contextmanager
def _busy() -> Iterator[None]:
    code = _BUSY.format(cpu=processor(), parent=os.getpid())
    with subprocess.Popen([sys.executable, "-I", "-c", code], stdin=subprocess.DEVNULL) as child:
        try:
            yield
        finally:
            child.kill()


def disturbing(disturbed: bool) -> AbstractContextManager[None]:
    """While the block runs, another process is busy on one of its processors, if `disturbed`. It never outlives it."""
    return _busy() if disturbed else nullcontext()
