// What `bench rcu-read` compares: ways to protect a reader. Each is a constant that registers itself where it is
// defined (read_kinds.cpp; those of others in peers/):
//
//     constexpr ReadKind qsbr{.name = "qsbr", .summary = "...", .run = &run_qsbr};
//     MXK_REGISTER(mxk_read_kinds, ReadKind, qsbr);
//
// and is measured by the same loop (read_until()), an instance for each, in a task of each core of a set
// (read_in_tasks()) or in a thread of each (read_kinds.cpp). A way has what its readers share, Shared, with
//
//     typename Shared::Reader     one core's, made on it: Reader(Shared&, std::size_t place)
//     Reader::Section             a section: its constructor takes the reader, its destructor leaves it
//     reader.must_look()          after each section: whether the loop is to look at the time, as sections may wait
//     reader.quiescent()          after every so many sections: the reader uses nothing
//     bool is_sound(turns)        afterwards: nobody is left inside, and what counts has counted each core's sections
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/registry.hpp"
#include "base/result.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/kind_names.hpp"
#include "bench/frame/progress.hpp"
#include "bench/frame/steps.hpp"
#include "bench/rcu/sorted_list.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

// What a reader does in its section: nothing, or it follows a pointer, which takes the time of a load from the
// first-level cache, one after the other, or it walks the run's list.
enum class ReadBody : std::uint8_t { Empty, Pointer, Walk };

// One run: on each of the cores for about this time.
struct ReadRun {
    std::span<CoreId const> cores;
    Cycles time;
    ReadBody body;
    Progress& progress;
    SortedList const* list = nullptr; // of listed_keys
};
inline constexpr std::uint64_t listed_keys = 5;

struct ReadKind {
    std::string_view name;
    std::string_view summary;
    std::string_view library{}; // with its version; empty: MXK's
    std::string_view missing{}; // why it was not built; empty: it was
    // Operations per second of all cores together. Errors: no memory, no thread, Ctrl-C. The console's task.
    Result<Sample> (*run)(ReadRun const& run) = nullptr;
};

MXK_REGISTRY(mxk_read_kinds, ReadKind, registered_read_kinds)

// What HelenOS' one figure compares, in threads (list_figure.hpp): no protection, A-RCU, Podzimek's RCU, one spin lock.
std::span<ReadKind const> figure_kinds();

// As an option's value (kind_names.hpp).
template <> struct KindRegistry<ReadKind> {
    static constexpr auto all = &registered_read_kinds;
    static constexpr std::string_view what = "kind";
    static constexpr std::string_view list = "help bench rcu-read";
    static constexpr std::string_view none_given = "all";
};

// Sections between two quiescent points, as in the peers' tables.
inline constexpr unsigned sections_per_quiescent_point = 1024;

// What one core has done.
struct alignas(cache_line_bytes) ReadTurn : TimedPart {
    std::uint64_t sections = 0;
};

// An object that a reader finds by way of the one before, which is the same one.
struct alignas(cache_line_bytes) ReadCell {
    std::atomic<ReadCell const*> next{this};
};

// Sections until this time, or until `stop()`: asked now and then, or when the reader must look.
template <ReadBody body, typename Reader, typename Stop>
[[gnu::noinline]] void read_until(Reader& reader, SortedList const* list, Cycles until, Stop const& stop,
                                  ReadTurn& turn) {
    constexpr unsigned points_per_look = 8;
    ReadCell const cell;
    [[maybe_unused]] ReadCell const* at = &cell;
    std::uint64_t walked = 0;
    std::uint64_t const before = turn.sections;
    do {
        bool must_look = false;
        for (unsigned point = 0; point < points_per_look && !must_look; ++point) {
            unsigned left = sections_per_quiescent_point;
            do {
                [[maybe_unused]] typename Reader::Section const section(reader);
                if constexpr (body == ReadBody::Pointer) at = at->next.load(std::memory_order_acquire);
                if constexpr (body == ReadBody::Walk)
                    list->visit_while([&](ListItem const& item) {
                        walked += item.key.load(std::memory_order_relaxed);
                        return true;
                    });
                asm volatile("" ::: "memory"); // nothing is moved out of the section, and none is left out
                must_look = reader.must_look();
            } while (--left != 0 && !must_look);
            reader.quiescent();
            turn.sections += sections_per_quiescent_point - left;
        }
        turn.end = clock::timestamp();
    } while (turn.end < until && !stop());
    std::uint64_t const keys = body == ReadBody::Walk ? listed_keys * (listed_keys + 1) / 2 : 0;
    if (at != &cell || walked != (turn.sections - before) * keys) turn.sections = 0; // it has read what was not there
}
template <typename Reader, typename Stop>
void read_sections(ReadRun const& run, Reader& reader, Stop const& stop, ReadTurn& turn) {
    Cycles const until = turn.start + run.time;
    switch (run.body) {
    case ReadBody::Empty: return read_until<ReadBody::Empty>(reader, run.list, until, stop, turn);
    case ReadBody::Pointer: return read_until<ReadBody::Pointer>(reader, run.list, until, stop, turn);
    case ReadBody::Walk: return read_until<ReadBody::Walk>(reader, run.list, until, stop, turn);
    }
}

// Of all cores together. `shared`: what judges them.
template <typename Shared> Sample read_sample(std::span<ReadTurn const> turns, Shared& shared) {
    TimeSpan span;
    std::uint64_t sections = 0;
    bool all_have = true;
    for (ReadTurn const& turn : turns) {
        span.cover(turn.start, turn.end);
        sections += turn.sections;
        all_have = all_have && turn.sections != 0;
    }
    return {.value = static_cast<double>(sections) / span.seconds(),
            .operations = sections,
            .verified = all_have && shared.is_sound(turns)};
}

inline Result<NodeVector<ReadTurn>> turns_of(std::size_t cores) {
    auto turns = MXK_TRY(NodeVector<ReadTurn>::create(cores, Worker::current().node()));
    for (std::size_t place = 0; place < cores; ++place) turns.emplace();
    return turns;
}

// One run in tasks, a reader on each core.
template <typename Shared> Result<Sample> read_in_tasks(ReadRun const& run, Shared& shared) {
    auto const turns = MXK_TRY(turns_of(run.cores.size()));
    CoreBarrier barrier(run.cores.size());
    MXK_TRY(run_steps(run.cores, run.progress, [&](Worker&, std::size_t place) {
        return turns[place].turn(barrier, run.time, run.progress, [&] {
            typename Shared::Reader reader(shared, place);
            auto const stop = [&] { return arch::needs_attention() || run.progress.interrupted(); };
            read_sections(run, reader, stop, turns[place]);
        });
    }));
    return read_sample(turns.span(), shared);
}

} // namespace mxk::bench
