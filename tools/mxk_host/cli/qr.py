"""The options of qr."""

from pathlib import Path
from typing import Annotated

import typer

from mxk_host import qr as photographed


def qr(
    photos: Annotated[
        list[Path], typer.Argument(metavar="PHOTO", help="Pictures of the codes, in any order, one or more in each.")
    ],
    output: Annotated[
        Path | None, typer.Option(metavar="LOG", help="Default: qr.log in the first photo's folder.", dir_okay=False)
    ] = None,
) -> None:
    """Joins photos of the QR codes that the console's `show qr` puts on a screen into a log, which report takes.

    Exit codes: 0 written, 1 a code is missing, damaged, or of another summary, 2 wrong usage.
    """
    photographed.join(photos, output or photos[0].parent / "qr.log")
