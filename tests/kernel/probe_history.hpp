// What a table of probed regions must have answered: each operation's record has its place in the order in which those
// on its key came to the key's owner; replayed key by key in this order, each must have had the result that it got.
// That an insert is Full cannot be known beforehand; it must only have left the key as it was, which was not there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/panic.hpp"
#include "hashtable/table/travelling_probe.hpp"

namespace mxk::probing {

enum class Kind : std::uint8_t { Put, Find, Erase, Update, Modify };
constexpr std::uint64_t kinds = 5;

// What a modify makes of a value.
constexpr std::uint64_t modified(std::uint64_t value) {
    return value + (std::uint64_t{1} << 32);
}

struct Record {
    std::uint64_t key;
    std::uint64_t value;  // a put's or an update's, or what a find or a modify has found
    std::uint32_t place;  // among those on its key, in order of arrival
    std::uint32_t client; // who sent it
    std::uint32_t number; // of the client's, in order of sending
    Kind kind;
    Probed result;
};

// One key, in one operation after the other.
struct KeyState {
    bool is_there = false;
    std::uint64_t value = 0;

    // Whether the operation may have had this result.
    bool follow(Record const& record) {
        bool const was_there = is_there;
        if (record.kind == Kind::Put && record.result == Probed::Full) return !was_there;
        switch (record.kind) {
        case Kind::Put: *this = {true, record.value}; break;
        case Kind::Find:
            if (was_there && record.value != value) return false;
            break;
        case Kind::Erase: is_there = false; break;
        case Kind::Update:
            if (was_there) value = record.value;
            break;
        case Kind::Modify:
            if (was_there && record.value != value) return false;
            value = modified(value);
            break;
        }
        return record.result == (was_there ? Probed::There : Probed::NotThere);
    }
};

struct Outcome {
    std::size_t wrong = 0; // results
    std::size_t lost = 0;  // keys that are missing in the end, or there and should not be, or with a wrong value
    std::size_t full = 0;  // puts without a place
    std::size_t in_table = 0;
    std::size_t expected_in_table = 0;
};

// Table: what a TravellingProbe travels through.
template <typename Table> Probed visit(TravellingProbe& probe, Kind kind, Table& table, std::size_t at) {
    switch (kind) {
    case Kind::Put: return probe.put(table, at);
    case Kind::Find: return probe.find(table, at);
    case Kind::Update: return probe.update(table, at);
    case Kind::Modify: return probe.modify(table, at, &modified);
    case Kind::Erase: break;
    }
    return probe.erase(table, at);
}

// All visits, one after the other.
template <typename Table> Probed run(TravellingProbe& probe, Kind kind, Table& table) {
    std::size_t at = table.owner(probe.key());
    for (;; at = TravellingProbe::next(table, at)) {
        Probed const probed = visit(probe, kind, table, at);
        if (probed != Probed::EndOfRegion) return probed;
    }
}

template <typename Table>
void check_last_state(Outcome& outcome, Table& table, std::uint64_t key, KeyState const& expected) {
    TravellingProbe probe(key);
    bool const is_there = run(probe, Kind::Find, table) == Probed::There;
    if (is_there != expected.is_there || (is_there && probe.value() != expected.value)) ++outcome.lost;
    if (expected.is_there) ++outcome.expected_in_table;
}

// Sorts the records of a table that began empty. While nobody works on it.
template <typename Table> Outcome replay(std::span<Record> records, Table& table) {
    std::sort(records.begin(), records.end(),
              [](Record const& a, Record const& b) { return a.key != b.key ? a.key < b.key : a.place < b.place; });
    Outcome outcome;
    KeyState state;
    for (std::size_t i = 0; i < records.size(); ++i) {
        Record const& record = records[i];
        bool const is_first = i == 0 || records[i - 1].key != record.key;
        if (is_first) state = {};
        expect(record.place == (is_first ? 0 : records[i - 1].place + 1), "operations arrive one by one");
        bool const overtook =
            !is_first && records[i - 1].client == record.client && records[i - 1].number > record.number;
        if (!state.follow(record) || overtook) ++outcome.wrong;
        if (record.result == Probed::Full) ++outcome.full;
        if (i + 1 == records.size() || records[i + 1].key != record.key)
            check_last_state(outcome, table, record.key, state);
    }
    for (std::size_t at = 0; at < table.region_count(); ++at)
        table.region(at).for_each([&](std::uint64_t, std::uint64_t) { ++outcome.in_table; });
    if (table.size() != outcome.in_table) ++outcome.wrong;
    return outcome;
}

} // namespace mxk::probing
