"""Whether the figures that were promised are reached: `tools/mxk figures-check`."""

from typing import Any

from mxk_host.compare.figures import wanted
from mxk_host.errors import DriverError, ExitCode


def expect_figures(summary: dict[str, Any]) -> None:
    """Raises, with a list, unless every figure was measured and is reached."""
    figures = summary["figures"]
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
