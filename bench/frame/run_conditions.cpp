#include "bench/frame/run_conditions.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace mxk::bench {
namespace {

// What an interrupt handler, or memory that is far away, cannot take; SMIs take some 50 us and more.
constexpr std::uint64_t max_quiet_gap = 20'000; // ns

constexpr double max_lost = 0.01; // of the time

struct NamedThrottling {
    arch::Throttling what;
    std::string_view name;
};
constexpr NamedThrottling throttlings[] = {
    {arch::Throttling::Thermal, "temperature"},           {arch::Throttling::External, "PROCHOT"},
    {arch::Throttling::Critical, "critical temperature"}, {arch::Throttling::PowerLimit, "power limit"},
    {arch::Throttling::CurrentLimit, "current limit"},    {arch::Throttling::OtherDomain, "limit of another domain"},
};

template <typename Function> void for_each_throttling(std::uint32_t set, Function function) {
    for (NamedThrottling const& each : throttlings)
        if ((set & bit_of(each.what)) != 0) function(each.name);
}

template <typename T, typename Combine> void merge(std::optional<T>& into, std::optional<T> const& value, Combine how) {
    if (value) into = into ? how(*into, *value) : *value;
}

constexpr auto larger = [](auto a, auto b) { return std::max(a, b); };
constexpr auto added = [](std::uint64_t a, std::uint64_t b) { return a + b; };
constexpr auto both = [](std::uint32_t a, std::uint32_t b) { return a | b; };

} // namespace

bool Conditions::are_disturbed() const {
    return smis.value_or(0) != 0 || throttled.value_or(0) != 0 || max_gap.value_or(0) > max_quiet_gap ||
           evidence.waited.value_or(0) > max_lost || evidence.stolen.value_or(0) > max_lost ||
           evidence.memory_stall.value_or(0) > max_lost || evidence.moved.value_or(0) != 0 ||
           evidence.stopped.value_or(0) != 0;
}

bool Conditions::are_watched() const {
    return evidence.waited || smis || max_gap;
}

bool is_disturbed(RunConditions const& run) {
    Conditions only;
    add_run(only, run);
    return only.are_disturbed();
}

void add_run(Conditions& all, RunConditions const& run) {
    merge(all.smis, run.smis, added);
    merge(all.throttled, run.throttled, both);
    merge(all.max_gap, run.max_gap, larger);
    merge(all.evidence.waited, run.evidence.waited, larger);
    merge(all.evidence.stolen, run.evidence.stolen, larger);
    merge(all.evidence.memory_stall, run.evidence.memory_stall, larger);
    merge(all.evidence.switches, run.evidence.switches, added);
    merge(all.evidence.moved, run.evidence.moved, added);
    merge(all.evidence.stopped, run.evidence.stopped, added);
}

void print_disturbances(TextSink& out, Conditions const& conditions) {
    std::string_view separator;
    auto const begin = [&] {
        out.write(separator);
        separator = ", ";
    };
    if (std::uint64_t const smis = conditions.smis.value_or(0); smis != 0) {
        begin();
        format(out, "{} SMI{}", smis, smis == 1 ? "" : "s");
    }
    if (std::uint64_t const gap = conditions.max_gap.value_or(0); gap > max_quiet_gap) {
        begin();
        format(out, "no core ran for {:.1} us, as in an SMI", static_cast<double>(gap) / 1000);
    }
    auto const print_share = [&](std::optional<double> const& share, std::string_view what) {
        if (share.value_or(0) <= max_lost) return;
        begin();
        format(out, "{:.1} % of the time {}", *share * 100, what);
    };
    auto const print_count = [&](std::optional<std::uint64_t> const& count, std::string_view what) {
        if (count.value_or(0) == 0) return;
        begin();
        format(out, "{} {}", *count, what);
    };
    print_share(conditions.evidence.waited, "a core had no processor");
    print_share(conditions.evidence.stolen, "a processor was the hypervisor's");
    print_share(conditions.evidence.memory_stall, "the system was short of memory");
    print_count(conditions.evidence.moved, "times on another processor than the core's");
    print_count(conditions.evidence.stopped, "times stopped by a signal");
    if (conditions.throttled.value_or(0) == 0) return;
    begin();
    out.write("throttled: ");
    separator = "";
    for_each_throttling(*conditions.throttled, [&](std::string_view name) {
        begin();
        out.write(name);
    });
}

void write_conditions(JsonWriter& json, Conditions const& conditions) {
    json.begin_object("conditions");
    auto const write = [&](std::string_view name, auto const& value) {
        if (value)
            json.field(name, *value);
        else
            json.null_field(name);
    };
    write("smis", conditions.smis);
    write("max_gap_ns", conditions.max_gap);
    if (conditions.frequency)
        write_summary(json, "frequency", *conditions.frequency);
    else
        json.null_field("frequency");
    if (conditions.throttled) {
        json.begin_array("throttled");
        for_each_throttling(*conditions.throttled, [&](std::string_view name) { json.element(name); });
        json.end_array();
    } else {
        json.null_field("throttled");
    }
    write("waited", conditions.evidence.waited);
    write("stolen", conditions.evidence.stolen);
    write("memory_stall", conditions.evidence.memory_stall);
    write("switches", conditions.evidence.switches);
    write("moved", conditions.evidence.moved);
    write("stopped", conditions.evidence.stopped);
    json.end_object();
}

RunConditions conditions_between(std::span<arch::CoreCounters const> before,
                                 std::span<arch::CoreCounters const> after) {
    RunConditions result;
    std::uint64_t actual = 0;
    std::uint64_t reference = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        arch::CoreCounters const& first = before[i];
        arch::CoreCounters const& last = after[i];
        if (first.smis && last.smis) merge(result.smis, std::optional(*last.smis - *first.smis), larger);
        merge(result.throttled, last.throttled, both);
        if (!first.actual || !last.actual) continue;
        actual += *last.actual - *first.actual;
        reference += last.reference - first.reference;
    }
    if (reference != 0) result.frequency = static_cast<double>(actual) / static_cast<double>(reference);
    return result;
}

} // namespace mxk::bench
