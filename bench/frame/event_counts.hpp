// `--counters`: what processor and system count in the measured part of a run (measured_part.hpp), per operation of
// each phase. A run's parts are told apart by the order in which they end: as many for each phase.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "arch/event_counters.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

struct Sample;

// By arch::Event; what is not counted on this machine is not there.
using EventsPerOperation = std::array<std::optional<double>, arch::events>;

// Where counts come from: the machine, or a test. Before any benchmark runs.
struct EventSource {
    std::optional<Error> (*why_not_counted)(arch::Event) = &arch::why_not_counted;
    arch::EventReading (*read)() = &arch::read_events;
    arch::EventCounts (*between)(arch::EventReading const&, arch::EventReading const&) = &arch::counted_between;
};
void set_event_source(EventSource const& wanted);

// One measurement at a time.
class EventWatch {
  public:
    EventWatch() = default;
    ~EventWatch();
    EventWatch(EventWatch const&) = delete;
    EventWatch& operator=(EventWatch const&) = delete;

    // Counts from now on. Errors: no memory. The console's task, as the two below.
    Result<void> start();

    void begin_run();
    // Fills in `counted` of those samples that have operations, for each `unit` operations. `is_part`: all of the run
    // is what is measured, of one phase.
    void end_run(std::span<Sample> samples, double unit, bool is_part);

    // A part has ended. Any core or thread.
    void add(arch::EventCounts const& counts);
    [[nodiscard]] std::uint64_t run() const { return run_; }

  private:
    NodeVector<arch::EventCounts> parts_; // of this run, in the order of their ends
    std::atomic<std::size_t> ended_{0};
    std::uint64_t run_ = 0;
};

// Whether a measurement counts. Any core.
bool are_events_counted();
// Any core, or thread of Linux; in pairs. Nothing while nobody counts.
void events_part_begins();
void events_part_ends();

// "12.3 cycles, 20.1 instructions"; nothing where nothing is counted.
void print_events(TextSink& out, EventsPerOperation const& counts);
// "L2 misses, L3 misses: why not; page faults: why not". The console's task.
void print_not_counted(TextSink& out);
// An object "counters" in the object that is open, `per` a unit; what is not counted is null.
void write_events(JsonWriter& json, EventsPerOperation const& counts, std::string_view per);

} // namespace mxk::bench
