#include "bench/frame/event_counts.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "bench/frame/experiment.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

struct Name {
    std::string_view text;
    std::string_view key; // in JSON
};
constexpr std::array<Name, arch::events> event_names{{{"cycles", "cycles"},
                                                      {"instructions", "instructions"},
                                                      {"L2 misses", "l2_misses"},
                                                      {"L3 misses", "l3_misses"},
                                                      {"remote lines", "remote_lines"},
                                                      {"branch misses", "branch_misses"},
                                                      {"page faults", "page_faults"},
                                                      {"switches", "switches"},
                                                      {"migrations", "migrations"}}};

constinit EventSource event_source{};

constinit std::atomic<EventWatch*> active{nullptr};

} // namespace

void set_event_source(EventSource const& wanted) {
    event_source = wanted;
}

EventWatch::~EventWatch() {
    EventWatch* self = this;
    active.compare_exchange_strong(self, nullptr, std::memory_order_relaxed);
}

Result<void> EventWatch::start() {
    constexpr std::size_t max_parts = 4096; // of a run
    parts_ = MXK_TRY(NodeVector<arch::EventCounts>::create(max_parts, Worker::current().node()));
    while (parts_.size() < max_parts) parts_.emplace();
    event_source.why_not_counted(arch::Event::Cycles); // the first one to ask finds out what there is
    active.store(this, std::memory_order_release);
    return {};
}

void EventWatch::begin_run() {
    // Never that of a part which another measurement has left open.
    static constinit std::uint64_t last_run = 0; // the console's
    run_ = ++last_run;
    ended_.store(0, std::memory_order_relaxed);
}

void EventWatch::add(arch::EventCounts const& counts) {
    std::size_t const number = ended_.fetch_add(1, std::memory_order_relaxed);
    if (number < parts_.size()) parts_[number] = counts;
}

// Parts of a phase have all ended before any of the next one begins.
void EventWatch::end_run(std::span<Sample> samples, double unit, bool is_part) {
    std::size_t const parts = ended_.load(std::memory_order_relaxed);
    auto const has_operations = [](Sample const& sample) { return sample.operations > 0; };
    auto const phases = static_cast<std::size_t>(std::ranges::count_if(samples, has_operations));
    if (phases == 0 || parts == 0 || parts % phases != 0 || parts > parts_.size() || (is_part && phases > 1)) return;
    std::size_t next = 0;
    for (Sample& sample : samples) {
        if (!has_operations(sample)) continue;
        auto const of_phase = parts_.span().subspan(next, parts / phases);
        next += of_phase.size();
        for (std::size_t event = 0; event < arch::events; ++event) {
            double sum = 0;
            bool is_counted = true;
            for (arch::EventCounts const& part : of_phase) {
                is_counted = is_counted && part[event].has_value();
                sum += static_cast<double>(part[event].value_or(0));
            }
            if (is_counted) sample.counted[event] = sum * unit / static_cast<double>(sample.operations);
        }
    }
}

bool are_events_counted() {
    return active.load(std::memory_order_relaxed) != nullptr;
}

void events_part_begins() {
    EventWatch const* const watch = active.load(std::memory_order_acquire);
    if (watch == nullptr) return;
    arch::EventPart& part = arch::event_part();
    if (part.run != watch->run()) {
        part.run = watch->run();
        part.depth.store(0, std::memory_order_relaxed);
    }
    if (part.depth.fetch_add(1, std::memory_order_relaxed) == 0) part.start = event_source.read();
}

void events_part_ends() {
    EventWatch* const watch = active.load(std::memory_order_acquire);
    if (watch == nullptr) return;
    arch::EventPart& part = arch::event_part();
    if (part.run != watch->run() || part.depth.load(std::memory_order_relaxed) == 0) return;
    if (part.depth.fetch_sub(1, std::memory_order_relaxed) == 1)
        watch->add(event_source.between(part.start, event_source.read()));
}

void print_events(TextSink& out, EventsPerOperation const& counts) {
    std::string_view separator;
    for (std::size_t event = 0; event < arch::events; ++event) {
        if (!counts[event]) continue;
        format(out, "{}{:.3} {}", separator, *counts[event], event_names[event].text);
        separator = ", ";
    }
}

void print_not_counted(TextSink& out) {
    std::optional<Error> last;
    for (std::size_t event = 0; event < arch::events; ++event) {
        auto reason = event_source.why_not_counted(static_cast<arch::Event>(event));
        if (!reason) continue;
        if (last && last->message() == reason->message())
            out.write(", ");
        else if (last)
            format(out, ": {}; ", last->message());
        out.write(event_names[event].text);
        last = reason;
    }
    if (last) format(out, ": {}", last->message());
}

void write_events(JsonWriter& json, EventsPerOperation const& counts, std::string_view per) {
    json.begin_object("counters");
    json.field("per", per);
    for (std::size_t event = 0; event < arch::events; ++event) {
        if (counts[event])
            json.field(event_names[event].key, *counts[event]);
        else
            json.null_field(event_names[event].key);
    }
    FixedText<400> reasons;
    print_not_counted(reasons);
    if (reasons.view().empty())
        json.null_field("not_counted");
    else
        json.field("not_counted", reasons.view());
    json.end_object();
}

} // namespace mxk::bench
