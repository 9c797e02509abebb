#include "tools/simulator/model/memory_model.hpp"

namespace mxk::simulator {
namespace {

/// What the first access of a line asks of the first level.
Cache& first_level(PrivateCaches& own, Kind kind) {
    return kind == Kind::Fetch ? own.code : own.data;
}

/// A hit that does not wait: stores are written a cycle later, and prefetches and fetches wait for nothing.
Time hit_latency(Machine const& machine, Kind kind) {
    if (kind == Kind::Load || kind == Kind::LockedLoad) return machine.l1.latency;
    return kind == Kind::Fetch ? 0 : per_cycle;
}

std::uint64_t mixed(std::uint64_t value) {
    value *= 0x9e3779b97f4a7c15;
    return value ^ value >> 32;
}

} // namespace

Memory::Memory(Machine const& machine)
    : machine_(machine)
    , cores_(machine.cores, PrivateCaches(machine))
    , coherence_(machine, cores_) {
    for (unsigned processor = 0; processor != machine.processors(); ++processor)
        own_.push_back(&cores_[machine.core_of(processor)]);
}

Answer Memory::any_access(unsigned processor, Access const& asked, Time start, std::uint64_t code) {
    unsigned const core = machine_.core_of(processor);
    if (!coherence_.directory().is_memory(asked.physical_address)) return device(core, start);
    if (asked.physical_address % Machine::line_bytes + asked.bytes > Machine::line_bytes)
        return two_lines(processor, asked, start, code);
    Time translated = start;
    if (!cores_[core].tlb.is_last(asked.virtual_address, asked.page_bits)) translated = translate(core, asked, start);
    Answer answer = line_access(core, asked, translated, code);
    answer.translation = translated - start;
    count_place(processor, asked, code);
    return answer;
}

Answer Memory::two_lines(unsigned processor, Access const& asked, Time start, std::uint64_t code) {
    auto const before = static_cast<std::uint32_t>(Machine::line_bytes - asked.physical_address % Machine::line_bytes);
    Access part = asked;
    Answer all{start, start, 0, Source::L1, false};
    for (std::uint32_t begin = 0; begin < asked.bytes;) {
        std::uint32_t const max_bytes = begin == 0 ? before : std::uint32_t{Machine::line_bytes};
        part.bytes = std::min(asked.bytes - begin, max_bytes);
        part.physical_address = asked.physical_address + begin;
        part.virtual_address = asked.virtual_address + begin;
        Answer const answer = access(processor, part, start, code);
        if (answer.done >= all.done) all = answer;
        begin += part.bytes;
    }
    return all;
}

Answer Memory::device(unsigned core, Time start) const {
    unsigned const node = machine_.node_of(core);
    return {start + machine_.memory_latency[machine_.pair(node, node)], start, 0, Source::LocalMemory, false};
}

/// How long a write keeps the line to itself: a locked instruction for all its time.
Time Memory::held(Kind kind) const {
    bool const locked = kind == Kind::LockedLoad || kind == Kind::LockedStore;
    return locked && machine_.core.atomic > machine_.l1.latency ? machine_.core.atomic - machine_.l1.latency : 0;
}

Answer Memory::line_access(unsigned core, Access const& asked, Time start, std::uint64_t code) {
    PrivateCaches& own = cores_[core];
    LineNumber const line = line_of(asked.physical_address);
    if (asked.kind == Kind::PrefetchL2) {
        if (own.has(line)) return {start, start, 0, Source::L2, false};
        return beyond_first_level(core, asked, start, code);
    }
    CacheLine* const hit = first_level(own, asked.kind).find(line);
    if (hit == nullptr || (for_writing(asked.kind) && hit->state < State::Exclusive))
        return beyond_first_level(core, asked, start, code);
    if (for_writing(asked.kind) && asked.kind != Kind::PrefetchForWrite) {
        hit->state = State::Modified;
        hit->written = std::max(hit->written, std::max(start, hit->ready) + held(asked.kind));
    }
    return first_level_hit(*hit, start, hit_latency(machine_, asked.kind), 0);
}

Answer Memory::beyond_first_level(unsigned core, Access const& asked, Time start, std::uint64_t code) {
    PrivateCaches& own = cores_[core];
    LineNumber const line = line_of(asked.physical_address);
    bool const exclusive = for_writing(asked.kind);
    bool const first_too = asked.kind != Kind::PrefetchL2;
    Buffers::Booking fill{0, start};
    if (first_too && asked.kind != Kind::Fetch) fill = own.line_fill_buffers.begin(start);
    Answer answer{0, fill.begin, 0, Source::L2, false};
    CacheLine entered{.line = line};

    CacheLine* const second = own.second.find(line);
    if (second != nullptr && (!exclusive || second->state >= State::Exclusive)) {
        answer.done = fill.begin + machine_.l2.latency;
        if (second->ready > answer.done) {
            answer.done = second->ready;
            answer.source = second->source;
            answer.hit_under_way = true;
        }
        entered.state = second->state;
        entered.watched = second->watched;
    } else {
        Buffers::Booking const wait = own.l2_buffers.begin(fill.begin);
        Coherence::Grant const grant = coherence_.request({.core = core,
                                                           .line = line,
                                                           .exclusive = exclusive,
                                                           .into_l3 = asked.kind != Kind::PrefetchNonTemporal,
                                                           .waited_for = !is_prefetch(asked.kind),
                                                           .virtual_address = asked.virtual_address,
                                                           .start = wait.begin});
        own.l2_buffers.end(wait, grant.done);
        if (!first_too) answer.accepted = wait.begin;
        answer.done = grant.done;
        answer.source = grant.source;
        if (grant.state == State::Invalid) {
            if (first_too && asked.kind != Kind::Fetch) own.line_fill_buffers.end(fill, answer.done);
            return answer;
        }
        entered.state = grant.state;
        entered.watched = grant.watched;
        entered.ready = grant.done;
        entered.source = grant.source;
        if (second != nullptr)
            *second = entered;
        else
            insert_second(core, entered, wait.begin);
    }
    if (!first_too) return answer;

    if (asked.kind != Kind::Fetch) own.line_fill_buffers.end(fill, answer.done);
    entered.ready = answer.done;
    entered.source = answer.source;
    if (exclusive && asked.kind != Kind::PrefetchForWrite) {
        entered.state = State::Modified;
        entered.written = answer.done + held(asked.kind);
    }
    if (asked.kind == Kind::Fetch) entered.state = State::Shared; // nobody writes by way of that cache
    Cache& first = first_level(own, asked.kind);
    if (CacheLine* const shared = first.peek(line))
        *shared = entered;
    else
        own.insert_first(first, entered);
    if (asked.kind == Kind::Load || asked.kind == Kind::Store)
        prefetch_for(core, asked, start, code, second == nullptr);
    return answer;
}

/// What the prefetchers ask for after a miss of the first level; pairs are completed of what the second level fetches.
void Memory::prefetch_for(unsigned core, Access const& asked, Time start, std::uint64_t code, bool fetched) {
    PrivateCaches& own = cores_[core];
    LineNumber const line = line_of(asked.physical_address);
    Streams::Lines const stream = own.streams.missed(line);
    for (LineNumber next = stream.begin; next != stream.end; ++next)
        if (!prefetch(core, next, asked, start)) break;
    if (LineNumber const next = own.strides.missed(code, line); next != 0) prefetch(core, next, asked, start);
    // Not under load: processors throttle it (dynamic prefetch throttling, Xeons since Sapphire Rapids).
    if (fetched && machine_.core.prefetch_neighbours && coherence_.has_time_for(line ^ 1, start))
        prefetch(core, line ^ 1, asked, start);
}

/// Into the second level. False if no buffer of it is free: the prefetcher drops what it cannot ask for.
bool Memory::prefetch(unsigned core, LineNumber line, Access const& by, Time start) {
    PrivateCaches& own = cores_[core];
    std::uint64_t const physical = std::uint64_t{line} * Machine::line_bytes;
    if (line == 0 || own.has(line) || !coherence_.directory().is_memory(physical)) return true;
    Buffers::Booking const wait = own.l2_buffers.begin(start);
    if (wait.begin > start) return false;
    Coherence::Grant const grant =
        coherence_.request({.core = core,
                            .line = line,
                            .exclusive = false,
                            .into_l3 = true,
                            .waited_for = false,
                            .virtual_address = by.virtual_address + physical - by.physical_address,
                            .start = start});
    own.l2_buffers.end(wait, grant.done);
    if (grant.state == State::Invalid) return true;
    CacheLine const entered{
        .ready = grant.done, .line = line, .state = grant.state, .source = grant.source, .watched = grant.watched};
    insert_second(core, entered, start);
    return true;
}

void Memory::insert_second(unsigned core, CacheLine const& line, Time when) {
    PrivateCaches& own = cores_[core];
    CacheLine const victim = own.second.insert(line);
    if (victim.state == State::Invalid) return;
    Time const written = own.last_written(victim.line);
    State const first = own.data.remove(victim.line);
    own.code.remove(victim.line);
    coherence_.evicted(core, victim.line, std::max(first, victim.state) == State::Modified,
                       std::max(written, victim.written), when);
}

Time Memory::translate(unsigned core, Access const& asked, Time start) {
    Tlb::Found const found = cores_[core].tlb.look_up(asked.virtual_address, asked.page_bits);
    if (found == Tlb::Found::First) return start;
    Time const second = start + machine_.tlb.l2_latency;
    return found == Tlb::Found::Second ? second : walk(core, asked, second);
}

Time Memory::walk(unsigned core, Access const& asked, Time start) {
    Tlb::Walk const walk = cores_[core].tlb.walk(asked.virtual_address, asked.page_bits);
    Time when = start;
    for (unsigned level = walk.first + 1; level-- != walk.last;) {
        std::uint64_t const entry = asked.virtual_address >> mapped_bits(level);
        std::uint64_t const table = mixed((entry >> 9) * 8 + level) % Directory::page_table_pages;
        std::uint64_t const address = coherence_.directory().page_tables() + table * 4096 + entry % 512 * 8;
        Access const load{.virtual_address = address, .physical_address = address, .bytes = 8, .kind = Kind::Load};
        when = line_access(core, load, when, 0).done;
    }
    return when;
}

void Memory::count_place(unsigned processor, Access const& asked, std::uint64_t code) {
    if (is_prefetch(asked.kind)) return;
    LineNumber const line = line_of(asked.physical_address);
    CacheLine const* const first = first_level(*own_[processor], asked.kind).peek(line);
    if (first == nullptr || !first->watched) return;
    coherence_.statistics().count(coherence_.directory()[line].statistics,
                                  {.code = code,
                                   .core = machine_.core_of(processor),
                                   .offset = static_cast<unsigned>(asked.physical_address % Machine::line_bytes),
                                   .bytes = asked.bytes,
                                   .reads = !writes(asked.kind),
                                   .writes = writes(asked.kind) || asked.kind == Kind::LockedLoad});
}

} // namespace mxk::simulator
