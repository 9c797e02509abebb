"""Random plans over random tables give what DuckDB gives for the same steps in SQL, or are refused by name."""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from helpers import linux_program, run
from mxk_host.tpch.cells import text_of

PLANS = 500
NEAR = 1e-9  # of sums of floating-point numbers, and of averages
# What DuckDB says where a result has more digits than its type: it has 38 decimal ones, MXK 127 bits.
TOO_LARGE = (duckdb.OutOfRangeException, duckdb.ConversionException)

Cell = str | float
Row = tuple[Cell, ...]


def plans(first: int, count: int) -> Iterator[dict[str, Any]]:
    """Plans as `random-plans` writes them."""
    ended = run(linux_program("mxk-test"), "--cores", "2", f"random-plans --first {first} --count {count}")
    assert ended.code == 0, f"random-plans ended with {ended.code}:\n{ended.output[-2000:]}{ended.complaint[-2000:]}"
    return (json.loads(line) for line in ended.output.splitlines() if line.startswith("{"))


def fill(database: duckdb.DuckDBPyConnection, table: dict[str, Any]) -> None:
    """Makes a table of a plan."""
    columns = table["columns"]
    cast = {"DATE": "DATE '1970-01-01' + CAST({} AS INTEGER)"}
    values = ", ".join(
        f"{cast.get(column['type'], 'CAST({} AS {})').format(f'v{at}', column['type'])} AS {column['name']}"
        for at, column in enumerate(columns)
    )
    lists = ", ".join(f"unnest(CAST(? AS VARCHAR[])) AS v{at}" for at in range(len(columns)))
    database.execute(
        f"CREATE OR REPLACE TABLE {table['name']} AS SELECT {values} FROM (SELECT {lists})",
        [[None if value == "NULL" else value for value in column["values"]] for column in columns],
    )


def days_since_1970(text: str) -> str:
    """Of YYYY-MM-DD, proleptic Gregorian with a year 0, of any number of digits."""
    found = re.fullmatch(r"(-?\d{4,})-(\d\d)-(\d\d)", text)
    assert found, text
    year, month, day = map(int, found.groups())
    years = year - (month <= 2)
    of_year = (153 * ((month - 3) % 12) + 2) // 5 + day - 1
    return str(365 * years + years // 4 - years // 100 + years // 400 + of_year - 719_468)


def cell_of_mxk(text: str, kind: str) -> Cell:
    """As DuckDB's, below."""
    if text == "NULL":
        return text
    if kind == "DATE":
        return days_since_1970(text)
    return cell_of(float(text)) if kind == "DOUBLE" else text


def cell_of(value: object) -> Cell:
    """What is equal where values are: NaN is itself, -0.0 is 0.0. All others are texts, decimals with their scale."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value + 0.0
    return text_of(value).lower() if isinstance(value, bool) else text_of(value)


def are_near(one: Row, other: Row) -> bool:
    """Floating-point numbers but for their last digits."""
    return all(
        a == b or (isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=NEAR))
        for a, b in zip(one, other, strict=True)
    )


def difference(plan: dict[str, Any], names: list[str], expected: list[Row]) -> str | None:
    """Where MXK's rows are not DuckDB's. In which order rows with equal keys come is open, and with a limit which."""
    columns = plan["columns"]
    wanted = [column["name"] for column in columns]
    if plan["names"] != wanted or names != wanted:
        return f"expected columns {wanted}, got {plan['names']} and from DuckDB {names}"
    got = [
        tuple(cell_of_mxk(*each) for each in zip(row, [of["type"] for of in columns], strict=True))
        for row in plan["rows"]
    ]
    if len(got) != min(plan["limit"], len(expected)):
        return f"expected {plan['limit']} of {len(expected)} rows, got {len(got)}"
    for number, (row, its_key) in enumerate(zip(got, expected, strict=False)):
        for at in plan["order"]:
            if row[at] != its_key[at]:
                return f"row {number}, ordered by {wanted[at]}: expected {its_key[at]}, got {row[at]}"
    exact = [at for at, column in enumerate(columns) if not column["is_near"]]
    near = [at for at, column in enumerate(columns) if column["is_near"]]
    left: dict[Row, list[Row]] = defaultdict(list)
    for row in expected:
        left[tuple(row[at] for at in exact)].append(tuple(row[at] for at in near))
    for row in got:
        candidates = left[tuple(row[at] for at in exact)]
        its_near = tuple(row[at] for at in near)
        found = next((at for at, other in enumerate(candidates) if are_near(its_near, other)), None)
        if found is None:
            return (
                f"got {row}, expected one of {len(expected)} others, such as {its_near} {candidates[:3]} {expected[:3]}"
            )
        candidates.pop(found)
    return None


def outcome(database: duckdb.DuckDBPyConnection, plan: dict[str, Any]) -> str:
    """`equal`, who refused the plan and why, or how the answers differ."""
    refusal = plan.get("error")
    if refusal and ": overflow: " not in refusal:
        return f"different: expected rows or an overflow, got {refusal}"
    try:
        for table in plan["tables"]:
            fill(database, table)
        answer = database.execute(plan["sql"])
        rows = [tuple(map(cell_of, row)) for row in answer.fetchall()]
    except TOO_LARGE as error:
        reason = re.split(r"[\d(\"]", str(error))[0]
        return "both refuse: overflow" if refusal else f"DuckDB refuses: {reason.strip()}"
    if refusal:
        return "MXK refuses: overflow"
    differs = difference(plan, [name for name, *_ in answer.description], rows)
    return f"different: {differs}" if differs else "equal"


def outcomes(first: int, count: int) -> Counter[str]:
    """How many plans had which outcome."""
    counted: Counter[str] = Counter()
    with duckdb.connect(config={"threads": 1}) as database:
        for plan in plans(first, count):
            found = outcome(database, plan)
            if found.startswith("different"):
                found = (
                    f"{found}\nplan {plan['number']} (random-plans --first {plan['number']} --count 1): {plan['sql']}"
                )
            counted[found] += 1
    return counted


def test_random_plans_give_what_duckdb_gives() -> None:
    counted = outcomes(0, PLANS)
    assert sum(counted.values()) == PLANS
    assert not [found for found in counted if found.startswith("different")], counted
    assert counted["equal"] >= 0.9 * PLANS, counted


PLAN = {
    "columns": [
        {"name": "day", "type": "DATE", "is_near": False},
        {"name": "price", "type": "DECIMAL(38, 2)", "is_near": False},
        {"name": "mean", "type": "DOUBLE", "is_near": True},
    ],
    "names": ["day", "price", "mean"],
    "order": [0],
    "limit": 3,
    "rows": [["1970-01-02", "1.50", "0.1"], ["1970-01-02", "NULL", "nan"], ["NULL", "1.50", "-0.0"]],
}
ROWS: list[Row] = [("1", "NULL", "nan"), ("1", "1.50", 0.1 + 1e-12), ("NULL", "1.50", 0.0), ("NULL", "7.00", 1.0)]


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({}, None),
        ({"limit": 2}, "expected 2 of 4 rows, got 3"),
        ({"limit": 4}, "expected 4 of 4 rows, got 3"),
        ({"names": ["day", "mean", "price"]}, "expected columns"),
        ({"rows": PLAN["rows"][::-1]}, "row 0, ordered by day: expected 1, got NULL"),
        ({"rows": [["1970-01-02", "1.5", "0.1"], *PLAN["rows"][1:]]}, "got ('1', '1.5', 0.1)"),
        ({"rows": [["1970-01-02", "1.50", "0.1001"], *PLAN["rows"][1:]]}, "got ('1', '1.50', 0.1001)"),
        ({"rows": [PLAN["rows"][0], *PLAN["rows"][::2]]}, "got ('1', '1.50', 0.1)"),
    ],
)
def test_rows_that_differ_are_told(changed: dict[str, Any], complaint: str | None) -> None:
    found = difference({**PLAN, **changed}, ["day", "price", "mean"], ROWS)
    assert found is None if complaint is None else found and found.startswith(complaint), found


@pytest.mark.parametrize(
    ("text", "days"),
    [("1970-01-01", 0), ("2000-03-01", 11017), ("1969-12-31", -1), ("0001-01-01", -719162), ("0000-12-31", -719163)],
)
def test_dates_are_read(text: str, days: int) -> None:
    assert days_since_1970(text) == str(days)
