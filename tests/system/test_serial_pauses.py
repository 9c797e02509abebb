"""The other end of the serial line takes nothing for a while: a terminal server, a reader without a processor."""

import re
import time
from pathlib import Path

import pytest
from saved_machine import booted

pytestmark = pytest.mark.usefixtures("images")

PROMPT = rb"mxk> $"


def test_a_pause_costs_nothing_and_what_a_long_one_costs_is_told(tmp_path: Path) -> None:
    with booted(tmp_path) as machine:

        def help_after(pause: float, wanted: bytes) -> None:
            machine.go_back()
            machine.line.sendall(b"help\r")
            machine.expect(rb"help\r\n")
            time.sleep(pause)
            machine.expect(wanted)

        help_after(0, PROMPT)
        whole = machine.said
        assert len(whole) > 2000
        help_after(1, PROMPT)
        assert machine.said == whole

        help_after(10, b"")
        machine.take_rest()  # what was on its way: then the line takes characters again
        machine.line.sendall(b"topology\r")
        machine.expect(rb"cores \d+")
        note = re.search(rb"\r\n\[(\d+) characters are lost: this line took none\]\r\n", machine.said)
        assert note, machine.said
        # What is echoed before the line is read is lost, too.
        lost_of_echo = note.start() + int(note[1]) - len(whole)
        assert 0 <= lost_of_echo < len(b"topology")
        assert machine.said[note.end() :].startswith(b"topology"[lost_of_echo:])
        assert whole.startswith(machine.said[: note.start()])
