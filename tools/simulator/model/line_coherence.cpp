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
    for (unsigned count = machine.l3_count(); count != 0; --count) l3_.emplace_back(sets, machine.l3.ways);
}

namespace {

constexpr Time time_to_write = cycles(64); // of who has got a line to write it
constexpr Time min_wait = cycles(16);

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

/// The owner's copy, which it keeps for now. Of a node, a request that has to wait for the owner has come half of the
/// way by then; one of another node has to begin anew. (David, Guerraoui, Trigonakis, SOSP 2013: additions to one word
/// by all cores of a Xeon's socket take less than a transfer each, those of two sockets about one.)
Coherence::Found Coherence::from_owner(LineRequest const& asked, DirectoryLine& entry) {
    unsigned const owner = entry.owner - 1U;
    Time const way = machine_.transfer(machine_.l3_of(asked.core), machine_.l3_of(owner));
    Time const waits = std::max(entry.available, cores_[owner].last_written(asked.line));
    Time const come = machine_.node_of(asked.core) == machine_.node_of(owner) ? way / 2 : 0;
    Time const begin = std::max(asked.start + come, waits);
    Time const done = begin + way - come + fabric_.move(machine_.node_of(owner), machine_.node_of(asked.core), begin);
    entry.available = done;
    return {done, Source::OtherCore};
}

Coherence::Found Coherence::from_l3_or_memory(LineRequest const& asked, DirectoryLine& entry, Time start) {
    unsigned const own = machine_.l3_of(asked.core);
    if ((entry.l3s >> own & 1) != 0) {
        l3_[own].touch(asked.line, asked.line);
        return {std::max(start + machine_.l3.latency, entry.available), Source::L3};
    }
    unsigned const node = machine_.node_of(asked.core);
    unsigned const home = directory_.home(asked.line);
    Time min_transfer = machine_.memory_latency[machine_.pair(node, home)];
    unsigned from = no_l3; // the one that answers before memory does, or must because its data is newer
    for (std::uint32_t l3s = entry.l3s; l3s != 0; l3s &= l3s - 1) {
        auto const other = static_cast<unsigned>(std::countr_zero(l3s));
        Time const transfer = machine_.transfer(own, other);
        if (transfer >= min_transfer && !(entry.dirty && from == no_l3)) continue;
        min_transfer = transfer;
        from = other;
    }
    Found found{};
    if (from != no_l3) {
        Time const moved = fabric_.move(machine_.node_of_l3(from), node, start);
        found = {std::max(start, entry.available) + min_transfer + moved, Source::OtherCore};
    } else {
        found = {from_memory(asked, entry, home, start), home == node ? Source::LocalMemory : Source::RemoteMemory};
    }
    if (asked.into_l3) into_l3(own, asked.line, entry, start);
    return found;
}

/// With a directory in memory: what another node reads there is noted, which is a write; what is noted so is asked for
/// at that node before it is given to a core of its own node. What moves from cache to cache is not noted.
Time Coherence::from_memory(LineRequest const& asked, DirectoryLine& entry, unsigned home, Time start) {
    unsigned const node = machine_.node_of(asked.core);
    Time const done = fabric_.read(home, asked.line, node, start);
    if (!machine_.directory_in_memory || entry.is_remote == (home != node)) return done;
    entry.is_remote = home != node;
    if (entry.is_remote) {
        fabric_.write_back(home, asked.line, home, done);
        return done;
    }
    Time answered = done;
    for (unsigned other = 0; other != machine_.nodes; ++other)
        if (other != home) answered = std::max(answered, start + machine_.invalidate[machine_.pair(home, other)]);
    return answered;
}

bool Coherence::has_others(DirectoryLine const& entry, LineRequest const& asked) const {
    if ((entry.l3s & ~l3_bit(asked.core)) != 0) return true;
    bool others = false;
    for_sharers(entry.sharers, asked.core,
                [&](unsigned core) { others = others || group_bits_ == 0 || cores_[core].has(asked.line); });
    return others;
}

Coherence::Grant Coherence::read(LineRequest const& asked, DirectoryLine& entry) {
    if (entry.owner != 0) return read_from_owner(asked, entry);
    State state = State::Shared;
    Found const found = from_l3_or_memory(asked, entry, asked.start);
    bool const shared = has_others(entry, asked);
    if (!shared) {
        entry.owner = static_cast<std::uint16_t>(asked.core + 1);
        state = entry.dirty ? State::Modified : State::Exclusive;
        entry.dirty = false;
    }
    if (!shared || found.source != Source::L3) entry.available = std::max(entry.available, found.done);
    entry.taker = 0;
    entry.sharers |= group_bit(asked.core);
    return {found.done, found.source, state, entry.statistics != 0};
}

/// A line that was read to be written before is given to be written at once, until somebody got one so and did not
/// write it. Who asks before the owner can have written it gets no copy: its processor would hold the request back, but
/// the program has loaded the old value already, and so has to ask again.
Coherence::Grant Coherence::read_from_owner(LineRequest const& asked, DirectoryLine& entry) {
    unsigned const owner = entry.owner - 1U;
    unsigned const owner_node = machine_.node_of(owner);
    bool const was_written = cores_[owner].last_written(asked.line) != 0;
    if (entry.migratory && !was_written && asked.start < entry.available + time_to_write)
        return {std::max(asked.start, entry.available) + min_wait, Source::OtherCore, State::Invalid, false};
    Found const found = from_owner(asked, entry);
    if (entry.migratory && was_written) {
        bool const modified = cores_[owner].remove(asked.line) == State::Modified;
        statistics_.count(asked.line, asked.virtual_address, 1, 1, waited(asked, found.done));
        belongs_to(asked.core, entry);
        return {found.done, found.source, modified ? State::Modified : State::Exclusive, entry.statistics != 0};
    }
    entry.owner = 0;
    entry.migratory = false;
    statistics_.count(asked.line, asked.virtual_address, 1, 0, waited(asked, found.done));
    bool const modified = cores_[owner].share(asked.line, entry.statistics != 0) == State::Modified;
    bool const same_node = machine_.node_of(asked.core) == owner_node;
    if (modified && !same_node) fabric_.write_back(directory_.home(asked.line), asked.line, owner_node, found.done);
    entry.dirty = modified && same_node;
    into_l3(machine_.l3_of(owner), asked.line, entry, found.done);
    into_l3(machine_.l3_of(asked.core), asked.line, entry, found.done);
    entry.taker = modified ? static_cast<std::uint16_t>(asked.core + 1) : 0;
    entry.sharers |= group_bit(asked.core);
    return {found.done, found.source, State::Shared, entry.statistics != 0};
}

/// It is the only one that has the line from now on.
void Coherence::belongs_to(unsigned core, DirectoryLine& entry) {
    entry.owner = static_cast<std::uint16_t>(core + 1);
    entry.sharers = group_bit(core);
    entry.l3s &= l3_bit(core);
    entry.dirty = false;
}

Coherence::Invalidated Coherence::invalidate_others(LineRequest const& asked, DirectoryLine& entry) {
    unsigned const own = machine_.l3_of(asked.core);
    Invalidated result{0, 0};
    auto const answers = [&](unsigned l3) {
        result.latency = std::max(result.latency, machine_.invalidation(own, l3));
    };
    for_sharers(entry.sharers, asked.core, [&](unsigned core) {
        if (cores_[core].remove(asked.line) == State::Invalid) return;
        ++result.copies;
        answers(machine_.l3_of(core));
    });
    for (std::uint32_t l3s = entry.l3s & ~l3_bit(asked.core); l3s != 0; l3s &= l3s - 1)
        answers(static_cast<unsigned>(std::countr_zero(l3s)));
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
    } else {
        Time const begin = std::max(asked.start, entry.available);
        if (cores_[asked.core].has(asked.line)) {
            found = {begin + machine_.l3.latency, Source::L3}; // the directory is as far away
            entry.migratory = machine_.migratory && entry.taker == asked.core + 1;
        } else {
            found = from_l3_or_memory(asked, entry, begin);
        }
        Invalidated const others = invalidate_others(asked, entry);
        if (begin + others.latency > found.done) found = {begin + others.latency, Source::OtherCore};
        invalidations = others.copies;
    }
    belongs_to(asked.core, entry);
    entry.available = found.done;
    if (transfers + invalidations != 0)
        statistics_.count(asked.line, asked.virtual_address, transfers, invalidations, waited(asked, found.done));
    return {found.done, found.source, newer_than_memory ? State::Modified : State::Exclusive, entry.statistics != 0};
}

void Coherence::into_l3(unsigned number, LineNumber line, DirectoryLine& entry, Time when) {
    entry.l3s |= std::uint32_t{1} << number;
    if (l3_[number].touch(line, line)) return; // perhaps it was invalid there
    LineNumber const victim = l3_[number].insert(line, line);
    if (victim == 0) return;
    DirectoryLine& left = directory_[victim];
    left.l3s &= ~(std::uint32_t{1} << number);
    if (left.l3s != 0 || !left.dirty) return;
    fabric_.write_back(directory_.home(victim), victim, machine_.node_of_l3(number), when);
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
    into_l3(machine_.l3_of(core), line, entry, when);
}

bool Coherence::is_consistent(LineNumber line) {
    DirectoryLine const& entry = directory_[line];
    if (entry.dirty && (entry.owner != 0 || entry.l3s == 0)) return false;
    if (entry.owner != 0) {
        unsigned const owner = entry.owner - 1U;
        if (!cores_[owner].has(line) || (entry.l3s & ~l3_bit(owner)) != 0) return false;
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
