#include "bench/machine/overlap_experiment.hpp"

#include <bit>

#include "bench/frame/steps.hpp"
#include "bench/machine/byte_text.hpp"
#include "bench/machine/chase_measure.hpp"
#include "bench/machine/overlap.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {

Result<OverlapExperiment> OverlapExperiment::create(MemoryOptions const& options) {
    auto const place = MXK_TRY(MemoryPlace::choose(system_topology(), options));
    // A power of two: the walk wants one, and both ways are to have the same set.
    std::size_t const set = std::bit_floor(options.set.value_or(default_set_bytes()));
    return OverlapExperiment(options, place, MXK_TRY(MeasuredMemory::create(set, place.node)));
}

template <typename Group, typename Follow>
Result<Sample> OverlapExperiment::measure(Group& group, Progress const& progress, Follow follow) const {
    std::size_t const laps = (options_.loads + group.loads() - 1) / group.loads();
    std::array const cores{place_.core};
    TimeSpan const time = MXK_TRY(time_on(cores, progress, [&](std::size_t) {
        for (std::size_t lap = 0; lap < laps; ++lap) follow();
    }));
    std::size_t const loads = laps * group.loads();
    return Sample{
        .value = time.seconds() * 1e9 / static_cast<double>(loads), .operations = loads, .verified = group.verified()};
}

Result<void> OverlapExperiment::run(std::size_t configuration, std::span<Sample> samples, Progress& progress) {
    auto const [way, count] = cases[configuration];
    std::size_t const lines = memory_.bytes() / cache_line_bytes;
    ChainGroup chains({memory_.start(), lines}, way == Way::Chains ? count : 1);
    ForeseenWalk walk(memory_.words(), lines);
    // By the core that is measured, so that it is where its writes leave it.
    std::array const cores{place_.core};
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t) {
        way == Way::Chains ? chains.link(chase_seed) : walk.write();
        return Step::Done;
    }));
    samples[0] = way == Way::Chains ? MXK_TRY(measure(chains, progress, [&] { chains.follow(); }))
                                    : MXK_TRY(measure(walk, progress, [&] { walk.follow(count); }));
    return {};
}

void OverlapExperiment::print_head(TextSink& out) const {
    format(out, "overlapping loads of core {}, memory of node {}, {}: ns per load, ", place_.core, place_.node,
           byte_text(memory_.bytes()).view());
    format(out, "by chains followed at a time and by how many loads ahead a place is prefetched; {} runs\n",
           options_.repeat);
    print_emulated(out, memory_.bytes(), options_.set.has_value());
}

void OverlapExperiment::print_label_heading(TextSink& out) const {
    format(out, "{:>9} {:>5}", "", "");
}

void OverlapExperiment::print_label(TextSink& out, Row const& row) const {
    format(out, "{:>9} {:5}", case_of(row).way == Way::Chains ? "chains" : "prefetch", case_of(row).count);
}

void OverlapExperiment::print_title(TextSink& out, Row const& row) const {
    if (case_of(row).way == Way::Chains)
        format(out, "{} chains at a time", case_of(row).count);
    else
        format(out, "prefetched {} loads ahead", case_of(row).count);
}

void OverlapExperiment::write_settings(JsonWriter& json, Row const& row) const {
    bool const are_chains = case_of(row).way == Way::Chains;
    json.field("measure", are_chains ? "chains" : "prefetch");
    json.field("core", place_.core);
    json.field("memory_node", place_.node);
    json.field("bytes", memory_.bytes());
    json.field(are_chains ? "chains" : "distance", case_of(row).count);
}

} // namespace mxk::bench
