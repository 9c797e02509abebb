"""What may become a trace."""

from enum import StrEnum


class Source(StrEnum):
    """What an input is."""

    AUTO = "auto"
    TRACE = "trace"
    YCSB = "ycsb"
    CSV = "csv"
    KEYS = "keys"
    KEYS_64 = "keys64"
