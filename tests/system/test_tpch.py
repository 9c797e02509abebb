"""`tools/mxk tpch`: the column file holds what the Parquet files hold, and MXK's results are DuckDB's."""

import datetime
import json
import re
import statistics
import struct
import sys
import zlib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pytest

from helpers import LINUX_BUILD, drive, run_linux
from mxk_host.errors import DriverError, UsageError
from mxk_host.tpch import comparison, data, groups, schema
from mxk_host.tpch.cells import Answer, as_rows, difference, text_of
from mxk_host.tpch.column_file import Column, Meaning, Table, Type, Writer
from mxk_host.tpch.queries import MEASURED, QUERIES
from mxk_host.tpch.reference import Reference

SCALE = data.Scale(0.01)
TYPES = {1: "u1", 2: "<i4", 3: "<i8"}


@pytest.fixture(scope="module")
def kept() -> data.Data:
    """Data of the smallest scale at which every query has rows; kept from run to run."""
    found = data.Data(SCALE)
    data.provide_column_file(found)
    return found


@pytest.fixture(scope="module")
def reference(kept: data.Data) -> Iterator[Reference]:
    with Reference(kept, tuple(QUERIES)) as opened:
        yield opened


def read_columns(path: Path) -> dict[str, np.ndarray]:
    """The values of all columns, read as the documentation says and not as the writer does."""
    content = path.read_bytes()
    head = struct.unpack_from("<8sIIQQIIII", content)
    values_at, tables, columns, check_sum, zero = head[4:]
    assert (*head[:4], zero) == (b"MXKCOLUM", 0x01020304, 1, len(content), 0)
    assert check_sum == zlib.crc32(content[48:values_at], zlib.crc32(content[:40]))
    found, column_at = {}, 48 + 48 * tables
    for number in range(tables):
        _, rows, of_table, _ = struct.unpack_from("<32sQII", content, 48 + 48 * number)
        for _ in range(of_table):
            name, kind, _, _, _, values_sum, at, _, _, _ = struct.unpack_from("<32sBBBBIQQII", content, column_at)
            values = np.frombuffer(content, TYPES[kind], rows, at)
            assert at % 64 == 0
            assert values_sum == zlib.crc32(values)
            found[name.rstrip(b"\0").decode()] = values
            column_at += 64
    assert len(found) == columns
    return found


def test_the_column_file_has_the_values_of_the_parquet_files(kept: data.Data) -> None:
    columns = read_columns(kept.column_file)
    assert list(columns) == [source.name for sources in schema.TABLES.values() for source in sources]
    with duckdb.connect(":memory:") as connection:
        for table, names in (("lineitem", ("l_orderkey", "l_quantity", "l_shipdate")), ("customer", ("c_mktsegment",))):
            expected = connection.execute(f"SELECT {', '.join(names)} FROM '{kept.parquet(table)}'").fetchall()
            for name, values in zip(names, zip(*expected, strict=True), strict=True):
                got = columns[name].tolist()
                match values[0]:
                    case Decimal():
                        assert got == [int(value * 100) for value in values]
                    case datetime.date():
                        assert got == [(value - datetime.date(1970, 1, 1)).days for value in values]
                    case str():
                        assert [schema.SEGMENTS[code] for code in got] == list(values)
                    case _:
                        assert got == list(values)


def test_make_says_what_it_has_written(kept: data.Data, tmp_path: Path) -> None:
    output = tmp_path / "some.mxkc"
    ended = drive("tpch", "make", "--scale", str(SCALE), str(output))
    assert ended.code == 0, ended.complaint
    assert f"{output}: scale 0.01: lineitem 60,175 rows, orders 15,000 rows, customer 1,500 rows" in ended.complaint
    assert output.read_bytes() == kept.column_file.read_bytes()
    assert list(tmp_path.iterdir()) == [output]


def test_what_cannot_be_made_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("0", "1000", "-1", "nan", "large"):
        with pytest.raises(UsageError, match=f"expected --scale as a number from 0.001 to 100, got {text}"):
            data.Scale.checked(text)
    (tmp_path / "file").touch()
    ended = drive("tpch", "make", "--scale", str(SCALE), str(tmp_path / "file/out.mxkc"))
    assert ended.code == 1
    assert "out.mxkc to be written: Not a directory" in ended.complaint
    monkeypatch.setattr(data, "PARQUET_BYTES", 10**18)
    empty = data.Data(SCALE, tmp_path / "cache")
    with pytest.raises(DriverError, match=r"expected 10000000.0 GB of free disc in .*cache, got "):
        data.provide_parquet(empty)
    monkeypatch.setattr(data, "GENERATOR", "no-such-generator")
    with pytest.raises(UsageError, match="expected the Python package no-such-generator: tools/setup installs it"):
        data.provide_parquet(empty)


def test_a_file_is_there_as_a_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_writer: Writer, _values: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Writer, "add", refuse)
    found = data.Data(SCALE)
    data.provide_parquet(found)
    with pytest.raises(DriverError, match="to be written: No space left on device"):
        data.make_column_file(found, tmp_path / "out.mxkc")
    assert list(tmp_path.iterdir()) == []


def test_a_writer_expects_as_many_values_as_the_table_has_rows(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file:
        writer = Writer(file, [Table("t", 3, (Column("a", Type.I32),))])
        with pytest.raises(ValueError, match=r"t\.a: expected 3 values, got 8 bytes"):
            writer.add(bytes(8))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7, "7"),
        (Decimal("1234.5600"), "1234.5600"),
        (Decimal("0E-6"), "0.000000"),
        (datetime.date(1995, 3, 15), "1995-03-15"),
        (0.1 + 0.2, "0.30000000000000004"),
        ("A", "A"),
        (None, "NULL"),
    ],
)
def test_cells_as_mxk_prints_them(value: object, text: str) -> None:
    answer = Answer(("cell",), ((value,),))
    assert text_of(value) == text
    assert difference(answer, [[text]]) is None


@pytest.mark.parametrize(
    ("got", "said"),
    [
        ([["1.50", "0.1"], ["2.00", "0.25"]], None),
        ([["1.50", "0.1"], ["2.00", "2.5e-1"]], None),
        ([["1.50", "0.10000000000000001"], ["2.00", "0.25"]], None),
        ([["1.5", "0.1"], ["2.00", "0.25"]], "row 1, price: expected 1.50, got 1.5"),
        ([["1.50", "0.1"], ["2.00", "0.2500000000000004"]], "row 2, share: expected 0.25, got 0.2500000000000004"),
        ([["1.50", "0.1"], ["2.00", 0.25]], "row 2, share: expected 0.25, got 0.25"),
        ([["1.50", "0.1"], ["2.00", "none"]], "row 2, share: expected 0.25, got none"),
        ([["1.50", "0.1"]], "expected the number of rows to be 2, got 1"),
        ([["1.50", "0.1", "1"], ["2.00", "0.25"]], "row 1: expected 2 cells, got 3"),
        (None, "expected a result as a list of rows, got none"),
    ],
)
def test_the_first_difference(got: object, said: str | None) -> None:
    answer = Answer(("price", "share"), ((Decimal("1.50"), 0.1), (Decimal("2.00"), 0.25)))
    assert difference(answer, got) == said


# ---- Values that TPC-H does not have

INT32 = (-(2**31), 2**31 - 1)
SHIPPED = 9205  # the day behind q3's, long before q1's last one
ITEM = {"l_quantity": 100, "l_extendedprice": 1000, "l_discount": 5, "l_tax": 0, "l_returnflag": ord("A"),
        "l_linestatus": ord("F"), "l_shipdate": SHIPPED, "l_orderkey": 1}  # fmt: skip


def made_file(path: Path, columns: dict[str, list[int]], **others: Column) -> Path:
    """A column file of TPC-H's tables, of which these columns have these values; those that are not named are of ITEM,
    or 0. Some columns are others."""
    tables, values = [], []
    for name, sources in schema.TABLES.items():
        rows = max((len(columns.get(source.name, [])) for source in sources), default=0)
        made = [others.get(source.name, source.column) for source in sources]
        tables.append(Table(name, rows, tuple(made)))
        for column in made:
            of_rows = columns.get(column.name, [ITEM.get(column.name, 0)] * rows)
            values.append(np.array(of_rows, TYPES[column.type]).tobytes())
    with path.open("wb") as file:
        writer = Writer(file, tables)
        for each in values:
            writer.add(each)
        writer.finish()
    return path


def asked(query: str, file: Path, cores: str = "1") -> list[list[str]]:
    """The answer."""
    row = run_linux("--cores", "3", "--memory", "2G", "--", f"bench query {query} --data {file} --cores {cores} --json")
    return json.loads(row.output.splitlines()[-1])["result"]


def refused(query: str, file: Path) -> str:
    """What is said."""
    return run_linux("--cores", "3", "--", f"bench query {query} --data {file} --cores 1", code=1).output


def test_an_average_may_be_small(tmp_path: Path) -> None:
    rows = 1_000_000
    file = made_file(
        tmp_path / "small.mxkc",
        {"l_discount": [1] + [0] * (rows - 1), "l_quantity": [0] * rows, "l_extendedprice": [-1] + [0] * (rows - 1)},
    )
    (cells,) = asked("q1", file, cores="1,2")
    assert cells[2:4] == ["0.00", "-0.01"]
    assert cells[6:] == ["0.0", "-1.0e-8", "1.0e-8", str(rows)]


def test_keys_and_values_may_be_any(tmp_path: Path) -> None:
    keys = [-1, 0, *INT32, 1, -2]
    file = made_file(
        tmp_path / "keys.mxkc",
        {
            "l_orderkey": keys,
            "l_extendedprice": [100 * (at + 1) for at in range(6)],
            "l_discount": [0] * 6,
            "o_orderkey": keys,
            "o_custkey": keys[::-1],
            "o_orderdate": list(range(6)),
            "c_custkey": keys,
            "c_mktsegment": [1] * 6,
        },
    )
    expected = [[str(key), f"{at + 1}.0000", f"1970-01-0{at + 1}", "0"] for at, key in enumerate(keys)]
    assert asked("q3", file) == expected[::-1]
    file = made_file(tmp_path / "none.mxkc", {"l_orderkey": [1], "o_orderkey": [1], "c_custkey": [1]})
    assert asked("q3", file) == []


def test_products_are_exact(tmp_path: Path) -> None:
    columns = {"l_extendedprice": [INT32[1]] * 2, "l_discount": [INT32[0]] * 2, "l_tax": [INT32[1], INT32[0]]}
    (cells,) = asked("q1", made_file(tmp_path / "q1.mxkc", columns))
    price = 2147483647 * (2147483648 + 100)
    charge = price * (2147483647 + 100) + price * (-2147483648 + 100)
    assert cells[4] == f"{2 * price // 10**4}.{2 * price % 10**4:04}"
    assert cells[5] == f"{charge // 10**6}.{charge % 10**6:06}"
    columns = {"l_extendedprice": INT32[0], "l_discount": 7, "l_quantity": INT32[0], "l_shipdate": 8800}
    (cells,) = asked("q6", made_file(tmp_path / "q6.mxkc", {name: [value] * 3 for name, value in columns.items()}))
    product = 3 * 7 * 2**31
    assert cells == [f"-{product // 10**4}.{product % 10**4:04}"]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (
            Column("l_quantity", Type.U8, Meaning.CHARACTER),
            "box 'groups': column 'sum_qty': expected numbers for sum, got character",
        ),
        (
            Column("l_shipdate", Type.I32),
            "box 'shipped': expected values of one type, got i32 and date",
        ),
        (
            Column("l_discount", Type.I32, Meaning.DATE),
            "box 'groups': column 'sum_disc_price': expected a date and a number of days, or the difference of two "
            "dates, got i64 and date",
        ),
    ],
)
def test_what_values_stand_for_is_looked_at(tmp_path: Path, column: Column, said: str) -> None:
    file = made_file(tmp_path / "other.mxkc", {"l_quantity": [65]}, **{column.name: column})
    assert f"{said}; the file is {tmp_path.parent.parent}" in refused("q1", file)


def test_a_column_that_is_missing_is_named(tmp_path: Path) -> None:
    file = made_file(tmp_path / "other.mxkc", {"l_tax": [1]}, l_quantity=Column("l_quantities", Type.I64))
    said = refused("q1", file)
    assert "box 'lineitem': expected a column of lineitem: l_orderkey, l_quantities, " in said
    assert f"; got 'l_quantity'; the file is {tmp_path.parent.parent}" in said  # as much of it as has room


def test_a_damaged_file_is_refused_by_its_name(tmp_path: Path) -> None:
    whole = made_file(tmp_path / "whole.mxkc", {"l_quantity": [100] * 3, "c_custkey": [1]}).read_bytes()
    tables, columns = struct.unpack_from("<II", whole, 32)
    columns_at = 48 + 48 * tables
    dictionary_at = columns_at + 64 * columns
    (values_at,) = struct.unpack_from("<Q", whole, 24)
    damaged = {f"cut-{at}": (whole[:at], at) for at in (0, 8, 40, 48, columns_at, dictionary_at, len(whole) - 1)}
    for name, at, value in (("rows", 80, 2**64 - 1), ("values", columns_at + 40, 2**63), ("text", dictionary_at, 0xFF)):
        changed = bytearray(whole)
        struct.pack_into("<B" if value == 0xFF else "<Q", changed, at, value)
        struct.pack_into("<I", changed, 40, zlib.crc32(changed[48:values_at], zlib.crc32(changed[:40])))
        damaged[name] = bytes(changed), at
    for name, (content, offset) in damaged.items():
        file = tmp_path / name
        file.write_bytes(content)
        said = refused("q3", file)
        assert re.search(rf"error: --data: offset {offset}: expected .*; the file is {file}$", said, re.MULTILINE), said
    assert f"expected a regular file, got something else: '{tmp_path}'" in refused("q3", tmp_path)


def test_a_query_takes_columns_of_any_type_that_fits(tmp_path: Path) -> None:
    columns = {"l_extendedprice": [10], "l_discount": [250], "l_tax": [3], "l_quantity": [2**40]}
    others = {
        "l_quantity": Column("l_quantity", Type.I64),
        "l_discount": Column("l_discount", Type.I32, Meaning.DECIMAL, scale=3),
        "l_tax": Column("l_tax", Type.I64),
        "l_returnflag": Column("l_returnflag", Type.U8),
    }
    (cells,) = asked("q1", made_file(tmp_path / "other.mxkc", columns, **others))
    assert cells[0] == str(ITEM["l_returnflag"])
    assert cells[2:6] == [str(2**40), "0.10", "0.07500", "0.30000"]


@pytest.mark.parametrize("character", [0x1F, 0x7F, 0xC3])
def test_characters_are_printable(tmp_path: Path, character: int) -> None:
    file = made_file(tmp_path / "other.mxkc", {"l_returnflag": [65, character]})
    assert f"expected printable ASCII of l_returnflag, got 0x{character:02x}" in refused("q1", file)


def test_forty_cores_share_a_query(tmp_path: Path) -> None:
    rows = 10_000
    file = made_file(tmp_path / "some.mxkc", {"l_quantity": list(range(rows))})
    command = f"bench query q1 --data {file} --cores 40 --json"
    ended = run_linux("--cores", "41", "--nodes", "4", "--memory", "4G", "--", command)
    ((*_, count),) = json.loads(ended.output.splitlines()[-1])["result"]
    assert count == str(rows)


def test_what_boxes_have_done_is_explained(kept: data.Data) -> None:
    command = f"bench query q3 --data {kept.column_file} --cores 2 --explain"
    row = json.loads(run_linux("--cores", "2", "--", f"{command} --json").output.splitlines()[-1])
    boxes = {(box["name"], box["kind"]): box for box in row["boxes"]}
    assert boxes["lineitem", "scan"]["rows"] == 60_175
    assert boxes["order", "merge"]["rows"] == len(row["result"]) == 10
    assert all(box["turns"] and box["cores"] and box["seconds"] > 0 for box in boxes.values())
    assert row["max_memory_bytes"] > 0
    table = run_linux("--cores", "2", "--", command).output
    assert re.search(r"^lineitem +scan +4 +[12] +\d+ +60175 +\d", table, re.MULTILINE), table
    assert re.search(r"^memory: up to \d+\.\d MiB$", table, re.MULTILINE), table


def test_memory_has_a_limit(kept: data.Data) -> None:
    limited = f"bench query q3 --data {kept.column_file} --cores 2 --parts 64 --rows 100 --memory-limit"
    said = run_linux("--cores", "2", "--", f"{limited} 1", code=1).output
    assert re.search(r"error: box '.*': out of memory: the query has more than its limit of 1048576 bytes", said), said
    run_linux("--cores", "2", "--", f"{limited} 64")


def test_no_order_depends_on_ties(reference: Reference) -> None:
    answer = reference.answer("q3")
    keys = [(row[answer.names.index("revenue")], row[answer.names.index("o_orderdate")]) for row in answer.rows]
    assert len(keys) == len(set(keys)) == 10


# Stands in for mxk: prints what told.json says for the query.
FAKE = """#!{python}
import json, pathlib, sys
words = sys.argv[-1].split()
assert words[:2] == ["bench", "query"] and words[3] == "--data" and sys.argv[2] == words[6]
told = json.loads((pathlib.Path(__file__).parent / "told.json").read_text())[words[2]]
if isinstance(told, str):
    sys.exit(told)
row = {{"benchmark": f"query {{words[2]}}", "query": words[2], "verified": True, "seconds": 0.001, "result": told}}
print(json.dumps(row))
"""


def made_program(folder: Path, told: dict[str, object]) -> Path:
    """The folder with a program that says what it was told."""
    program = folder / "mxk"
    program.write_text(FAKE.format(python=sys.executable))
    program.chmod(0o755)
    (folder / "told.json").write_text(json.dumps(told))
    return folder


def test_rounds_of_both(tmp_path: Path, reference: Reference) -> None:
    told = {query: as_rows(reference.answer(query)) for query in QUERIES}
    folder = made_program(tmp_path, told)
    command = ["tpch", "compare", "--scale", str(SCALE), "--queries", "q3,q6", "--json", "--build", str(folder)]
    ended = drive(*command, "--rounds", "2")
    assert ended.code == 0, ended.output + ended.complaint
    rows = json.loads(ended.output.splitlines()[-1])["tpch"]["rows"]
    assert [(row["query"], row["cores"]) for row in rows] == [
        (query, cores) for query in ("q3", "q6") for cores in (1, 2)
    ]
    for row in rows:
        assert row["equal"]
        assert row["mxk"] == {"median": 0.001, "seconds": [0.001] * 2}
        ratios = [seconds / 0.001 for seconds in row["duckdb"]["seconds"]]
        assert row["ratio"] == pytest.approx(statistics.median(ratios))
    assert "medians of 2 rounds; a quick look: fewer than 5 rounds" in ended.output
    told["q3"][9][1] = "0.0001"
    made_program(tmp_path, told)
    ended = drive(*command, "--rounds", "1", "--cores", "1")
    assert ended.code == 1
    assert "DIFFERENT" in ended.output
    assert "tools/mxk: expected DuckDB's results; q3 on 1: row 10, revenue: expected " in ended.complaint


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ("error: no such thing", "exit status 1: "),
        ([], "expected DuckDB's results; q6 on 1: expected the number of rows to be 1, got 0"),
    ],
)
def test_a_run_that_fails_is_named(tmp_path: Path, told: object, complaint: str) -> None:
    folder = made_program(tmp_path, {"q6": told})
    options = ["--scale", str(SCALE), "--queries", "q6", "--cores", "1", "--rounds", "1", "--build", str(folder)]
    ended = drive("tpch", "compare", *options)
    assert ended.code == 1
    assert complaint in ended.complaint


def test_results_are_those_of_duckdb() -> None:
    ended = drive("tpch", "compare", "--scale", str(SCALE), "--rounds", "2", "--json", "--build", str(LINUX_BUILD))
    assert ended.code == 0, ended.output + ended.complaint
    compared = json.loads(ended.output.splitlines()[-1])["tpch"]
    assert [(row["query"], row["cores"]) for row in compared["rows"]] == [(q, n) for q in QUERIES for n in (1, 2)]
    for row in compared["rows"]:
        assert row["equal"], row
        assert len(row["mxk"]["seconds"]) == len(row["duckdb"]["seconds"]) == 2
        assert row["ratio"] > 0


def test_groups_are_those_of_duckdb() -> None:
    options = ["--rows", "20K", "--groups", "5,3K", "--rounds", "1", "--json", "--build", str(LINUX_BUILD)]
    ended = drive("tpch", "groups", *options)
    assert ended.code == 0, ended.output + ended.complaint
    compared = json.loads(ended.output.splitlines()[-1])["tpch"]
    asked = [(f"groups of {number}", cores) for number in ("5", "3,000") for cores in (1, 2)]
    assert [(row["query"], row["cores"]) for row in compared["rows"]] == asked
    assert all(row["equal"] for row in compared["rows"])


def test_groups_that_differ_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "QUERY", groups.QUERY.replace("max(total)", "min(total)"))
    settings = comparison.Settings(SCALE, (), (1,), 1, LINUX_BUILD, "1G", 60)
    with pytest.raises(DriverError, match=r"DuckDB's results; groups of 7 on 1: row 1, largest: expected -?\d+, got"):
        groups.compare(1000, [7], settings, as_json=False)


def test_another_result_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(QUERIES, "q6", QUERIES["q6"].replace("l_quantity < 24", "l_quantity < 23"))
    settings = comparison.Settings(SCALE, ("q6",), (1,), 1, LINUX_BUILD, "1G", 60)
    with pytest.raises(DriverError, match=r"q6: expected one answer of DuckDB's, in decimals and in integers: row 1"):
        comparison.compare(settings, as_json=False)
    monkeypatch.setitem(MEASURED, "q6", MEASURED["q6"].replace("l_quantity < 2400", "l_quantity < 2300"))
    with pytest.raises(DriverError, match=r"DuckDB's results; q6 on 1: row 1, revenue: expected \d+\.\d{4}, got"):
        comparison.compare(settings, as_json=False)
    assert "DIFFERENT" in capsys.readouterr().out


def test_a_file_that_is_none_is_refused(kept: data.Data, tmp_path: Path) -> None:
    cut = tmp_path / "cut.mxkc"
    size = kept.column_file.stat().st_size
    cut.write_bytes(kept.column_file.read_bytes()[:-64])
    ended = run_linux(f"bench query q6 --data {cut} --cores 1", code=1)
    assert f"offset {size - 64}: expected {size} bytes, got the end of the file" in ended.output


@pytest.mark.usefixtures("images")
def test_the_kernel_has_the_same_results() -> None:
    ended = drive("tpch", "check", "--scale", str(SCALE), "--no-build", timeout=120)
    assert ended.code == 0, ended.output + ended.complaint
    assert [line.partition(",")[0] for line in ended.output.splitlines()] == [f"{query}: equal" for query in QUERIES]
