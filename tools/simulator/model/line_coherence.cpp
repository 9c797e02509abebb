#include "tools/simulator/model/line_coherence.hpp"

#include <algorithm>
#include <bit>

namespace mxk::simulator {

Coherence::Coherence(Machine const& machine, std::vector<PrivateCaches>& cores)
    : machine_(machine)
    , cores_(cores)
    , fabric_(machine)
    , statistics_(directory_) {
    while (((machine.cores - 1) >> group_bits_) >= 64) ++group_bits_;
    auto const sets = static_cast<std::uint32_t>(machine.l3.bytes / Machine::line_bytes / machine.l3.ways);
    for (unsigned node = 0; node != machine.nodes; ++node) l3_.emplace_back(sets, machine.l3.ways);
}

namespace {
Time waited(LineRequest const& asked, Time done) {
    return asked.waited_for ? done - asked.start : 0;
}
} // namespace

/// Calls visit(core) for each core but one that may have the line.
template <class Visit> void Coherence::for_sharers(std::uint64_t sharers, unsigned except, Visit visit) const {
    for (; sharers != 0; sharers &= sharers - 1) {
        unsigned const first = static_cast<unsigned>(std::countr_zero(sharers)) << group_bits_;
        unsigned const end = std::min(first + (1U << group_bits_), machine_.cores);
        for (unsigned core = first; core != end; ++core)
            if (core != except) visit(core);
    }
}

Coherence::Grant Coherence::request(LineRequest const& asked) {
    DirectoryLine& entry = directory_[asked.line];
    return asked.exclusive ? write(asked, entry) : read(asked, entry);
}

/// The owner's copy, which it keeps for now.
Coherence::Found Coherence::from_owner(LineRequest const& asked, DirectoryLine& entry) {
    unsigned const node = machine_.node_of(asked.core);
    unsigned const owner_node = machine_.node_of(entry.owner - 1U);
    Time const written = cores_[entry.owner - 1U].last_written(asked.line);
    Time const begin = std::max({asked.start, entry.available, written});
    Time const done = begin + machine_.transfer(node, owner_node) + fabric_.move(owner_node, node, begin);
    entry.available = done;
    return {done, Source::OtherCore};
}

Coherence::Found Coherence::from_l3_or_memory(LineRequest const& asked, DirectoryLine& entry, Time start) {
    unsigned const node = machine_.node_of(asked.core);
    if ((entry.l3_nodes >> node & 1) != 0) {
        l3_[node].touch(asked.line, asked.line);
        return {std::max(start + machine_.l3.latency, entry.available), Source::L3};
    }
    unsigned const home = directory_.home(asked.line);
    Time min_transfer = machine_.memory_latency[machine_.pair(node, home)];
    unsigned from = machine_.nodes; // the L3 that answers before memory does, or must because its data is newer
    for (std::uint32_t nodes = entry.l3_nodes; nodes != 0; nodes &= nodes - 1) {
        auto const other = static_cast<unsigned>(std::countr_zero(nodes));
        Time const transfer = machine_.transfer(node, other);
        if (transfer >= min_transfer && !(entry.dirty && from == machine_.nodes)) continue;
        min_transfer = transfer;
        from = other;
    }
    Found found{};
    if (from != machine_.nodes) {
        found = {std::max(start, entry.available) + min_transfer + fabric_.move(from, node, start), Source::OtherCore};
    } else {
        found = {fabric_.read(home, asked.line, node, start),
                 home == node ? Source::LocalMemory : Source::RemoteMemory};
    }
    if (asked.into_l3) into_l3(node, asked.line, entry, start);
    return found;
}

bool Coherence::has_others(DirectoryLine const& entry, LineRequest const& asked) const {
    if ((entry.l3_nodes & ~(std::uint32_t{1} << machine_.node_of(asked.core))) != 0) return true;
    bool others = false;
    for_sharers(entry.sharers, asked.core,
                [&](unsigned core) { others = others || group_bits_ == 0 || cores_[core].has(asked.line); });
    return others;
}

Coherence::Grant Coherence::read(LineRequest const& asked, DirectoryLine& entry) {
    unsigned const node = machine_.node_of(asked.core);
    Found found{};
    State state = State::Shared;
    if (entry.owner != 0) {
        unsigned const owner = entry.owner - 1U;
        unsigned const owner_node = machine_.node_of(owner);
        found = from_owner(asked, entry);
        entry.owner = 0;
        statistics_.count(asked.line, asked.virtual_address, 1, 0, waited(asked, found.done));
        bool const modified = cores_[owner].share(asked.line, entry.statistics != 0) == State::Modified;
        if (modified && node != owner_node)
            fabric_.write_back(directory_.home(asked.line), asked.line, owner_node, found.done);
        entry.dirty = modified && node == owner_node;
        into_l3(owner_node, asked.line, entry, found.done);
        into_l3(node, asked.line, entry, found.done);
    } else {
        found = from_l3_or_memory(asked, entry, asked.start);
        bool const shared = has_others(entry, asked);
        if (!shared) {
            entry.owner = static_cast<std::uint16_t>(asked.core + 1);
            state = entry.dirty ? State::Modified : State::Exclusive;
            entry.dirty = false;
        }
        if (!shared || found.source != Source::L3) entry.available = std::max(entry.available, found.done);
    }
    entry.sharers |= group_bit(asked.core);
    return {found.done, found.source, state, entry.statistics != 0};
}

Coherence::Invalidated Coherence::invalidate_others(LineRequest const& asked, DirectoryLine& entry) {
    unsigned const node = machine_.node_of(asked.core);
    Invalidated result{0, 0};
    auto const answers = [&](unsigned other) {
        result.latency = std::max(result.latency, machine_.invalidate[machine_.pair(node, other)]);
    };
    for_sharers(entry.sharers, asked.core, [&](unsigned core) {
        if (cores_[core].remove(asked.line) == State::Invalid) return;
        ++result.copies;
        answers(machine_.node_of(core));
    });
    std::uint32_t const own_l3 = std::uint32_t{1} << node;
    for (std::uint32_t nodes = entry.l3_nodes & ~own_l3; nodes != 0; nodes &= nodes - 1)
        answers(static_cast<unsigned>(std::countr_zero(nodes)));
    entry.l3_nodes &= own_l3;
    return result;
}

Coherence::Grant Coherence::write(LineRequest const& asked, DirectoryLine& entry) {
    Found found{};
    bool newer_than_memory = entry.dirty;
    unsigned transfers = 0;
    unsigned invalidations = 0;
    if (entry.owner != 0) {
        found = from_owner(asked, entry);
        newer_than_memory = cores_[entry.owner - 1U].remove(asked.line) == State::Modified;
        transfers = invalidations = 1;
        entry.l3_nodes &= std::uint32_t{1} << machine_.node_of(asked.core);
    } else {
        Time const begin = std::max(asked.start, entry.available);
        if (cores_[asked.core].has(asked.line))
            found = {begin + machine_.l3.latency, Source::L3}; // the directory is as far away
        else
            found = from_l3_or_memory(asked, entry, begin);
        Invalidated const others = invalidate_others(asked, entry);
        if (begin + others.latency > found.done) found = {begin + others.latency, Source::OtherCore};
        invalidations = others.copies;
    }
    entry.owner = static_cast<std::uint16_t>(asked.core + 1);
    entry.sharers = group_bit(asked.core);
    entry.dirty = false;
    entry.available = found.done;
    if (transfers + invalidations != 0)
        statistics_.count(asked.line, asked.virtual_address, transfers, invalidations, waited(asked, found.done));
    return {found.done, found.source, newer_than_memory ? State::Modified : State::Exclusive, entry.statistics != 0};
}

void Coherence::into_l3(unsigned node, LineNumber line, DirectoryLine& entry, Time when) {
    entry.l3_nodes |= std::uint32_t{1} << node;
    if (l3_[node].touch(line, line)) return; // perhaps it was invalid there
    LineNumber const victim = l3_[node].insert(line, line);
    if (victim == 0) return;
    DirectoryLine& left = directory_[victim];
    left.l3_nodes &= ~(std::uint32_t{1} << node);
    if (left.l3_nodes != 0 || !left.dirty) return;
    fabric_.write_back(directory_.home(victim), victim, node, when);
    left.dirty = false;
}

void Coherence::evicted(unsigned core, LineNumber line, bool modified, Time written, Time when) {
    DirectoryLine& entry = directory_[line];
    entry.available = std::max(entry.available, written);
    if (entry.owner == core + 1) entry.owner = 0;
    bool group_has_it = false;
    if (group_bits_ != 0)
        for_sharers(group_bit(core), core,
                    [&](unsigned other) { group_has_it = group_has_it || cores_[other].has(line); });
    if (!group_has_it) entry.sharers &= ~group_bit(core);
    if (!modified) return;
    entry.dirty = true;
    into_l3(machine_.node_of(core), line, entry, when);
}

bool Coherence::is_consistent(LineNumber line) {
    DirectoryLine const& entry = directory_[line];
    if (entry.dirty && (entry.owner != 0 || entry.l3_nodes == 0)) return false;
    if (entry.owner != 0) {
        unsigned const owner = entry.owner - 1U;
        std::uint32_t const own_l3 = std::uint32_t{1} << machine_.node_of(owner);
        if (!cores_[owner].has(line) || (entry.l3_nodes & ~own_l3) != 0) return false;
    }
    for (unsigned core = 0; core != machine_.cores; ++core) {
        CacheLine const* const second = cores_[core].second.peek(line);
        CacheLine const* const first = cores_[core].data.peek(line);
        if (second == nullptr && first != nullptr) return false;
        if (second == nullptr) continue;
        if ((entry.sharers & group_bit(core)) == 0) return false;
        bool const has_right =
            second->state >= State::Exclusive || (first != nullptr && first->state >= State::Exclusive);
        if (has_right != (entry.owner == core + 1)) return false;
        if (entry.owner != 0 && entry.owner != core + 1) return false;
    }
    return true;
}

void Coherence::reset_statistics() {
    fabric_.reset_statistics();
    statistics_.reset();
}

} // namespace mxk::simulator
