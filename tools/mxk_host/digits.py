"""Numbers as a table shows them."""


def number(value: float) -> str:
    """Three digits that count: 0.731, 7.31, 73.1, 731; or more of them, up to 99999; then 1.23M."""
    magnitude = abs(value)
    if magnitude >= 1e5:
        return f"{number(value / 1e6)}M"
    digits = 3 if magnitude < 1 else 2 if magnitude < 10 else 1 if magnitude < 100 else 0
    return f"{value:.{digits}f}"


def cores_text(count: float) -> str:
    """1 core, 2 cores."""
    return f"{count:g} core{'' if count == 1 else 's'}"


def bytes_text(count: float) -> str:
    """With the largest unit that fits: 64 bytes, 6 KiB, 1.5 MiB, 1 GiB."""
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count >= 1 << shift:
            return f"{count / (1 << shift):g} {unit}"
    return f"{count:g} bytes"
