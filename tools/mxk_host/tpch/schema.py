"""The tables and columns of TPC-H that the queries need: what each column is in a column file, and how DuckDB makes its
values of what the data generator writes."""

from dataclasses import dataclass

from mxk_host.tpch.column_file import Column, Meaning, Type


@dataclass(frozen=True)
class Source:
    """A column, and the expression of SQL for its values as integers."""

    column: Column
    expression: str

    @property
    def name(self) -> str:
        """The same in both."""
        return self.column.name


def _number(name: str) -> Source:
    """Keys fit in 32 bits up to scale 300: a cast of one that does not is an error."""
    return Source(Column(name, Type.I32), f"{name}::INTEGER")


def _decimal(name: str) -> Source:
    """DECIMAL(15,2), of which TPC-H's values fit in 32 bits."""
    return Source(Column(name, Type.I32, Meaning.DECIMAL, scale=2), f"({name} * 100)::INTEGER")


def _date(name: str) -> Source:
    return Source(Column(name, Type.I32, Meaning.DATE), f"({name} - DATE '1970-01-01')::INTEGER")


def _character(name: str) -> Source:
    return Source(Column(name, Type.U8, Meaning.CHARACTER), f"ascii({name})::UTINYINT")


def _dictionary(name: str, texts: tuple[str, ...]) -> Source:
    codes = " ".join(f"WHEN '{text}' THEN {code}" for code, text in enumerate(texts))
    # Another text has no code: NULL, which is refused.
    return Source(Column(name, Type.U8, Meaning.DICTIONARY, dictionary=texts), f"(CASE {name} {codes} END)::UTINYINT")


# TPC-H 3.0.1, section 4.2.2.13; in alphabetical order, so that codes compare as texts do.
SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")

TABLES = {
    "lineitem": (
        _number("l_orderkey"),
        *map(_decimal, ("l_quantity", "l_extendedprice", "l_discount", "l_tax")),
        *map(_character, ("l_returnflag", "l_linestatus")),
        _date("l_shipdate"),
    ),
    "orders": (*map(_number, ("o_orderkey", "o_custkey")), _date("o_orderdate"), _number("o_shippriority")),
    "customer": (_number("c_custkey"), _dictionary("c_mktsegment", SEGMENTS)),
}
