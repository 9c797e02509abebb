"""What points are called in a plot: by what tells them apart there, and no more."""

from collections.abc import Collection, Iterable, Sequence

from mxk_host.digits import bytes_text, cores_text
from mxk_host.runs.point import Point, Setting, number_of

# Named first where it says enough. The name that a comparison gave is the best there is.
_NAMES = ("series", "process", "peer", "engine")
_KINDS = ("kind", "layout", "submit")
_NEVER = ("command", "build")
_LAST = "cores"


def series_names(points: Sequence[Point], apart: Collection[str] = (), begin: Sequence[str] | None = None) -> list[str]:
    """One for each: those that differ in nothing but `apart`, which are the plot's axes, have the same. `begin`: what
    the names begin with, if that is known."""
    order = [*_NAMES, *_KINDS, *dict.fromkeys(name for point in points for name in point.settings)]
    order = [name for name in dict.fromkeys(order) if name not in (*apart, *_NEVER, _LAST)]
    order += [_LAST] if _LAST not in apart else []
    parts: list[tuple[str, ...]] = [() for _ in points] if begin is None else [(text,) for text in begin]
    for name in order:
        values = [_words(name, point.settings.get(name)) for point in points]
        # Rows that are not named, such as MXK's among peers, say at once what they are.
        wanted = name in _KINDS and any(values) and begin is None and not all(map(_is_named, points))
        if wanted or _splits(parts, values):
            parts = [(*part, value) if value else part for part, value in zip(parts, values, strict=True)]
    return [", ".join(part) or point.benchmark for part, point in zip(parts, points, strict=True)]


def _is_named(point: Point) -> bool:
    return any(name in point.settings for name in _NAMES)


def _splits(parts: Iterable[tuple[str, ...]], values: Iterable[str]) -> bool:
    """Whether points that have had the same name so far differ in this."""
    seen: dict[tuple[str, ...], str] = {}
    return any(seen.setdefault(part, value) != value for part, value in zip(parts, values, strict=True))


def setting_text(value: Setting | None) -> str:
    """As it would be typed."""
    if isinstance(value, tuple):
        return ",".join(map(setting_text, value))
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value)


def _words(name: str, value: Setting | None) -> str:
    """With its name, where a value does not say what it is."""
    text = setting_text(value)
    if name == "cores" and (count := number_of(value)) is not None:
        return cores_text(count)
    if name.endswith("_bytes") and (size := number_of(value)) is not None:
        return f"{bytes_text(size)} {name.removesuffix('_bytes').replace('_', ' ')}s"
    if value is None or name in _NAMES or (isinstance(value, str) and not text.isdecimal()):
        return text
    return f"{name.replace('_', ' ')} {text}"


def count_text(value: float) -> str:
    """Operations, as they are typed: 24M."""
    for factor, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "K")):
        if value >= factor and value % (factor / 1000) == 0:
            return f"{value / factor:g}{suffix}"
    return f"{value:g}"
