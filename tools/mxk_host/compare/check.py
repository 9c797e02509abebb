"""Whether the figures that were promised are reached: `tools/mxk figures-check`."""

from collections.abc import Container
from typing import Any

from mxk_host.compare.figures import wanted
from mxk_host.errors import DriverError, ExitCode


def expect_figures(summary: dict[str, Any], names: Container[str]) -> None:
    """Raises, with a list, unless each of the figures with these names was measured and is reached."""
    figures = [figure for figure in summary["figures"] if figure["figure"] in names]
    missed = [figure for figure in figures if figure["reached"] is not True]
    if not missed:
        print(f"figures-check: all {len(figures)} figures reached")
        return
    lines = "".join(f"\n  {figure['figure']}: {_why(figure)}" for figure in missed)
    raise DriverError(f"{len(missed)} of {len(figures)} figures are not reached:{lines}", ExitCode.COMMAND_FAILED)


def _why(figure: dict[str, Any]) -> str:
    if "measured" not in figure:
        return figure["reason"]
    factor = 100 if figure["unit"] == "%" else 1
    return f"{figure['measured']['median'] * factor:.3g} {figure['unit']}, wanted {wanted(figure)}"
