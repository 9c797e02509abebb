"""The tables of others, as `make compare` drives them: every peer is verified in every phase, gaps are named."""

import re
from pathlib import Path
from typing import Any

import pytest

from helpers import Ended, run_linux

ALL = {
    "tbb-hash-map",
    "tbb-hash-map-growing",
    "tbb-hash-map-stock",
    "tbb-unordered-map",
    "urcu-lfht",
    "urcu-lfht-growing",
    "ck-ht",
    "ck-ht-growing",
    "cuckoo",
    "cuckoo-growing",
    "sharded-map",
    "mxk-table",
    "mxk-table-growing",
    "mxk-shared",
    "mxk-shared-prefetch",
    "mxk-shared-growing",
    "mxk-shared-chains",
    "mxk-shared-chains-growing",
    "reference-prefetch",
    "reference-random",
    "reference-buckets-ring",
}
KINDS = {"reference-prefetch": "reference", "reference-random": "reference", "reference-buckets-ring": "bound"}


def peers(commands: str, code: int = 0, cores: int = 2) -> Ended:
    """Runs mxk-peers with these commands and expects this exit code."""
    return run_linux("--cores", str(cores), commands, name="mxk-peers", code=code)


def listed() -> list[dict[str, Any]]:
    """What `--list --json` says of each peer."""
    (line,) = peers("bench peer --list --json").rows
    return line["peers"]


def test_the_list_names_every_peer_and_its_library() -> None:
    people = peers("bench peer --list").output
    for peer in listed():
        assert peer["name"] in people
        assert peer["library"]
        assert peer["kind"] == KINDS.get(peer["name"], "peer")
        assert peer["built"], f"{peer['name']}: {peer['reason']}; run tools/setup"
    assert {peer["name"] for peer in listed()} == ALL


@pytest.mark.long(reason="runs every peer there is")
def test_every_peer_is_verified_in_every_phase() -> None:
    ended = peers("bench peer --mix insert,find,erase --cores 1,2 --ops 100K --json")
    rows = [row for row in ended.rows if row["benchmark"] == "peer"]
    seen = {(row["peer"], row["cores"], row["mix"]) for row in rows}
    assert seen == {(peer, cores, mix) for peer in ALL for cores in (1, 2) for mix in ("insert", "find", "erase")}
    for row in rows:
        if (row["peer"], row["mix"]) == ("tbb-unordered-map", "erase"):
            assert row["supported"] is False
            assert "unsafe_erase" in row["reason"]
            assert "throughput" not in row
            continue
        assert row["verified"] is True, row
        assert row["operations"] == 100_000
        throughput = row["throughput"]
        assert throughput["n"] == 1
        assert 0 < throughput["min"] == throughput["median"] == throughput["max"]
        assert row["seconds"] == pytest.approx(row["operations"] / throughput["median"], rel=1e-6)
        assert row["machine"]["cores"] == 2
    assert "tbb-unordered-map" in ended.output
    assert "not supported: " in ended.output


def test_the_table_of_mxk_runs_the_same_phases() -> None:
    ended = peers("bench table --mix insert,find,erase --cores 1,2 --ops 100K --repeat 2 --json")
    phases = ["insert", "find", "erase"]
    assert [(row["mix"], row["cores"]) for row in ended.rows] == [(mix, cores) for cores in (1, 2) for mix in phases]
    for row in ended.rows:
        assert row["verified"] is True
        assert row["throughput"]["n"] == 2
        assert row["drift"] == ended.rows[phases.index(row["mix"])]["drift"] > 0
    assert ended.output.count("drift: ") == len(phases)


def test_tables_give_their_memory_back() -> None:
    run = "bench peer --mix insert,find --cores 2 --ops 200K"
    output = peers(f"bench peer --peer cuckoo --cores 2 --ops 200K; memory; {run}; {run} --repeat 2; memory").output
    used = re.findall(r"^ *0 .*", output, re.MULTILINE)
    assert len(used) == 2, output
    assert used[0] == used[1]


def test_repeated_runs_begin_with_a_new_table() -> None:
    ended = peers("bench peer --peer cuckoo,urcu-lfht --mix insert,find --cores 2 --ops 50K --repeat 3 --json")
    assert [(row["mix"], row["throughput"]["n"], row["verified"]) for row in ended.rows] == [
        ("insert", 3, True),
        ("find", 3, True),
    ] * 2


@pytest.mark.parametrize(
    "peer", ["urcu-lfht-growing", "cuckoo-growing", "mxk-shared-growing", "mxk-shared-chains-growing"]
)
@pytest.mark.long(reason="a table grows to the size at which its memory counts")
def test_the_memory_that_a_table_asks_for_while_it_is_measured_is_there(peer: str) -> None:
    # Of a program of one thread: with several, liburcu's own thread may be given an arena that another one has begun.
    (row,) = peers(f"bench peer --peer {peer} --mix insert --cores 1 --ops 600K --json", cores=1).rows
    assert row["verified"] is True
    assert row["page_faults"] < 48, "some are the program's own, such as of what it shows meanwhile"


@pytest.mark.long(reason="a table doubles often under threads that stop")
def test_a_growing_table_stands_threads_that_stop_for_some_doublings() -> None:
    ended = peers("bench peer --peer cuckoo-growing --mix insert --cores 16 --ops 300K --repeat 40 --json", cores=16)
    assert [(row["throughput"]["n"], row["verified"]) for row in ended.rows] == [(40, True)]


@pytest.mark.parametrize("mix", ["find", "erase", "find,erase", "mixed:50/40/10", "loaded:20/60/20"])
def test_other_phases_than_all(mix: str) -> None:
    chosen = ALL - {"tbb-unordered-map"}
    ended = peers(f"bench peer --peer {','.join(sorted(chosen))} --mix {mix} --cores 2 --ops 50K --json")
    assert {row["peer"] for row in ended.rows} == chosen
    assert all(row["verified"] for row in ended.rows)
    assert {row["mix"] for row in ended.rows} == ({mix} if ":" in mix else set(mix.split(",")))


def test_keys_by_zipfs_law() -> None:
    ended = peers("bench peer --mix insert,find,erase --dist zipf:0.99 --cores 2 --ops 50K --json")
    assert {row["peer"] for row in ended.rows} == ALL
    for row in ended.rows:
        assert row["dist"] == "zipf:0.99"
        if row["peer"] == "reference-random":
            assert row["supported"] is False
            assert "holds no keys" in row["reason"]
        else:
            assert row.get("verified") is True or "unsafe_erase" in row["reason"], row


@pytest.mark.long(reason="runs every peer there is")
def test_every_peer_finds_by_zipfs_law() -> None:
    ended = peers("bench peer --mix find --dist zipf:0.99 --cores 1,2 --ops 50K --json")
    assert {row["peer"] for row in ended.rows} == ALL
    assert all(row["verified"] for row in ended.rows)


@pytest.mark.long(reason="runs every peer there is")
def test_every_peer_runs_the_workloads_of_ycsb_or_says_why_not() -> None:
    commands = "; ".join(f"bench peer --workload ycsb-{letter} --cores 2 --ops 20K --json" for letter in "abcdf")
    rows = [row for row in peers(commands).rows if row["benchmark"] == "peer"]
    refused = {(row["peer"], row["workload"]): row["reason"] for row in rows if row["supported"] is False}
    workloads = [f"ycsb-{letter}" for letter in "abcdf"]
    not_here = {(peer, name) for peer in KINDS for name in workloads if name != "ycsb-d"}
    assert set(refused) == not_here | {("reference-random", "ycsb-d")}
    assert all("own keys" in reason or "holds no keys" in reason for reason in refused.values())
    measured = [row for row in rows if row["supported"]]
    assert {(row["peer"], row["workload"], row["mix"]) for row in measured} == {
        (peer, name, phase)
        for peer in ALL
        for name in workloads
        for phase in ("load", "run")
        if (peer, name) not in refused
    }
    for row in measured:
        assert row["verified"] is True, row
        assert row["dist"] == ("latest" if row["workload"] == "ycsb-d" else "zipf:0.99")
        assert row["operations"] == 20_000


def test_a_mix_with_erases_is_not_faked() -> None:
    (row,) = peers("bench peer --peer tbb-unordered-map --mix mixed:50/40/10 --cores 1 --ops 10K --json").rows
    assert row["supported"] is False


def test_more_cores_than_operations_and_than_processors() -> None:
    ended = peers("bench peer --mix insert,find --cores 4 --ops 3 --json", cores=4)
    assert all(row["verified"] for row in ended.rows)
    assert len(ended.rows) == 2 * len(ALL)


def test_keys_of_every_kind(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("".join(f"{7 * number}\n" for number in range(1, 5001)))
    run = "bench peer --peer cuckoo,urcu-lfht --mix insert,find,erase --cores 2 --ops 5K --json"
    for keys in ("sequential", "strided:64", f"file:{file}", "random:10", "random:40"):
        rows = peers(f"{run} --keys {keys}").rows
        assert [(row["keys"], row["verified"]) for row in rows] == [(keys, True)] * 6


def test_a_row_for_each_number_of_keys() -> None:
    rows = peers("bench peer --peer cuckoo,mxk-table --mix find --cores 2 --sweep 64Ki --ops 100K --json").rows
    sizes = [(512, 195), (1024, 97), (2048, 48)]
    assert [(r["peer"], r["operations"], r["passes"], r["verified"]) for r in rows] == [
        (peer, keys, passes, True) for peer in ("cuckoo", "mxk-table") for keys, passes in sizes
    ]
    for row in rows:
        made = row["seconds"] * row["throughput"]["median"]
        assert made == pytest.approx(row["operations"] * row["passes"], rel=1e-6), "all passes count"


def test_a_table_of_mxk_takes_turns_with_the_peers() -> None:
    how = "--layout bucketed --submit batch"
    run = f"bench peer --table='{how}' --peer cuckoo --mix insert,find --cores 1,2 --ops 50K --repeat 2 --json"
    rows = peers(run).rows
    assert [(r["peer"], r["kind"], r["cores"], r["mix"]) for r in rows] == [
        (peer, kind, cores, mix)
        for peer, kind in (("bench-table", "mxk"), ("cuckoo", "peer"))
        for cores in (1, 2)
        for mix in ("insert", "find")
    ]
    assert all(row["verified"] and row["operations"] == 50_000 for row in rows)
    assert rows[0]["setup"] == how
    assert rows[0]["table_bytes"] > 50_000 * 16
    traced = peers(f"bench peer --table='{how}' --peer cuckoo --workload ycsb-c --cores 1 --ops 20K --json").rows
    assert [row["verified"] for row in traced] == [True] * 4


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("--table='--layout bogus'", "expected"),
        ("--table='--ops 5'", "--table: expected how, such as '--layout bucketed --submit batch', got --ops"),
        ("--table='--cores=1'", "got --cores=1, which is bench peer's"),
        ("--table='' --sweep auto --mix find", "--table: expected no --sweep besides"),
        ("--sweep auto", "--sweep: expected --mix find, whose instructions can be run again and again"),
        ("--sweep auto --mix find --queue shared", "--sweep: expected no --queue shared"),
        ("--keys random:20 --queue shared", "--keys random:BITS: expected --queue node-local or per-core"),
        ("--peer bogus", "unknown peer 'bogus'"),
        ("--peer cukoo", "did you mean cuckoo?"),
        ("--peer cuckoo,", "unknown peer ''"),
        ("--mix find,insert", "in the order insert,find,erase"),
        ("--mix insert,mixed:50/40/10", "expected a phase with shares alone"),
        ("--workload ycsb-e", "got 'ycsb-e', which scans ranges of keys"),
        ("--workload ycsb-a --mix insert", "--workload: expected no --mix besides"),
        ("--cores 3", "expected up to 2, the cores of this machine, got 3"),
        ("--ops 0", "expected a count such as 24M"),
        ("--buckets 1", "unknown option --buckets"),
        ("--dist zipf:x", "expected uniform, latest, zipf:THETA"),
        (
            "--keys strided:0",
            "expected random, random:BITS (keys of 8 to 62 bits, which may come again), sequential",
        ),
        ("--keys strided:1000G", "--keys strided:N: expected N of up to 768614336404, so that 24000000 keys fit"),
        ("--keys file:/nowhere/keys", "--keys file: cannot open: No such file or directory: '/nowhere/keys'"),
    ],
)
def test_bad_options_say_what_is_expected_and_nothing_runs(options: str, complaint: str) -> None:
    ended = peers(f"bench peer {options} --json", code=1)
    assert complaint in ended.output + ended.complaint
    assert not ended.rows


def test_peers_take_packed_slices() -> None:
    rows = peers("bench peer --peer tbb-hash-map --mix insert,find --cores 2 --ops 50K --slices packed --json").rows
    ours = [(row["queue"], row["slices"], row["verified"]) for row in rows if row.get("benchmark") == "peer"]
    assert ours == [("per-core", "packed", True)] * 2


def test_from_a_shared_queue_every_peer_takes_one_instruction_after_the_other() -> None:
    ended = peers("bench peer --mix insert,find --cores 2 --ops 50K --queue shared --json")
    rows = [row for row in ended.rows if row["benchmark"] == "peer"]
    assert {row["queue"] for row in rows} == {"shared"}
    not_one_by_one = {row["peer"]: row["reason"] for row in rows if not row["supported"]}
    assert set(not_one_by_one) == {"mxk-table", "mxk-table-growing", *KINDS}
    assert set(not_one_by_one.values()) == {
        "it takes several instructions at once",
        "each core has its own keys, in its own slice",
    }
    measured = [row for row in rows if row["supported"]]
    assert {(row["peer"], row["mix"]) for row in measured} == {
        (peer, mix) for peer in ALL - set(not_one_by_one) for mix in ("insert", "find")
    }
    assert all(row["verified"] for row in measured)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--latency", "expected no --queue shared"),
        ("--mix mixed:50/40/10", "expected phases whose results do not depend on which core"),
    ],
)
def test_what_a_shared_queue_does_not_go_with(options: str, expected: str) -> None:
    assert expected in peers(f"bench peer --queue shared {options} --ops 2K", code=1).output
