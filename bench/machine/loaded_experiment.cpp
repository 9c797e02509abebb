#include "bench/machine/loaded_experiment.hpp"

#include <algorithm>
#include <atomic>

#include "bench/frame/steps.hpp"
#include "bench/machine/byte_text.hpp"
#include "bench/machine/chase_measure.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {
Result<LoadedExperiment> LoadedExperiment::create(MemoryOptions const& options) {
    NodeId const here = Worker::current().node();
    auto const place = MXK_TRY(MemoryPlace::choose(system_topology(), options));
    auto const neighbours = system_topology().nodes[index(system_topology().cores[index(place.core)].node)].cores;
    LoadedExperiment experiment(options, place);
    experiment.set_ = align_down(options.set.value_or(default_set_bytes()), cache_line_bytes);
    experiment.cores_ = MXK_TRY(NodeVector<CoreId>::create(neighbours.size(), here));
    experiment.cores_.emplace(place.core);
    for (CoreId const core : neighbours)
        if (core != place.core) experiment.cores_.emplace(core);
    experiment.skipped_ = MXK_TRY(NodeVector<Skipped>::create(1, here));
    if (experiment.readers() == 0)
        experiment.skipped_.emplace("loads above 0", Error::of("needs another core of core {}'s node", place.core));
    experiment.chain_ = MXK_TRY(MeasuredMemory::create(experiment.set_, place.node));
    experiment.words_ = MXK_TRY(MeasuredMemory::create(experiment.set_, place.node));
    experiment.bandwidths_ = MXK_TRY(NodeVector<double>::create(experiment.configurations() * options.repeat, here));
    for (std::size_t i = 0; i < experiment.configurations() * options.repeat; ++i) experiment.bandwidths_.emplace();
    return experiment;
}

Result<void> LoadedExperiment::prepare(Progress const& progress) {
    return run_steps(cores_.span().first(1), progress, [&](Worker&, std::size_t) {
        link_places({chain_.start(), set_ / cache_line_bytes}, chase_seed);
        write_words(words_.words(), 0);
        return Step::Done;
    });
}

Result<void> LoadedExperiment::run(std::size_t configuration, std::span<Sample> samples, Progress& progress) {
    MXK_TRY(prepare(progress));
    bool const is_loaded = loads[configuration] > 0;
    auto load_readers = MXK_TRY(NodeVector<LoadReader>::create(cores_.size(), Worker::current().node()));
    Words const all = words_.words();
    for (std::size_t place = 1; place < cores_.size(); ++place) {
        Words const part = part_of(all, place - 1, readers());
        load_readers.emplace(part, static_cast<std::uint64_t>(part.data() - all.data()), loads[configuration]);
    }

    ChaseRun chase({chain_.start(), set_ / cache_line_bytes}, options_.loads);
    std::atomic<bool> is_over{false}; // relaxed: nothing else is read because of it
    auto const cores = cores_.span().first(is_loaded ? cores_.size() : 1);
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t place) {
        if (place == 0) {
            if (chase.advance() && !progress.interrupted()) return Step::Again;
            is_over.store(true, std::memory_order_relaxed);
            return Step::Done;
        }
        // A piece at a time, so that the chain's core gets its turn where both share a processor.
        load_readers[place - 1].read_piece();
        return is_over.load(std::memory_order_relaxed) ? Step::Done : Step::Again;
    }));
    samples[0] = sample_of(chase);
    last_ = 0;
    for (LoadReader const& reader : load_readers) {
        last_ += reader.bytes_per_second();
        samples[0].verified = samples[0].verified && reader.verified();
    }
    return {};
}

void LoadedExperiment::keep(std::size_t configuration) {
    bandwidths_[configuration * options_.repeat + kept_[configuration]++] = last_;
}

Summary LoadedExperiment::read_of(std::size_t configuration) const {
    return summarise(bandwidths_.span().subspan(configuration * options_.repeat, kept_[configuration]));
}

void LoadedExperiment::print_head(TextSink& out) const {
    format(out,
           "loaded memory latency: core {} waits for its loads, {} other cores of its node read, memory of node {}",
           place_.core, readers(), place_.node);
    format(out, ", {} each; {} runs per row\n", byte_text(set_).view(), options_.repeat);
    print_emulated(out, set_, options_.set.has_value());
}

void LoadedExperiment::print_label_heading(TextSink& out) const {
    format(out, "{:>12}", "load");
}

void LoadedExperiment::print_label(TextSink& out, Row const& row) const {
    format(out, "{:12.3}", loads[row.configuration]);
}

void LoadedExperiment::print_title(TextSink& out, Row const& row) const {
    format(out, "latency at load {:.3}", loads[row.configuration]);
}

void LoadedExperiment::print_details(TextSink& out, Row const& row) const {
    format(out, "  the others read {:.2} GB/s\n", read_of(row.configuration).median / 1e9);
}

void LoadedExperiment::write_settings(JsonWriter& json, Row const& row) const {
    json.field("measure", "loaded-latency");
    json.field("load", loads[row.configuration]);
    json.field("core", place_.core);
    json.field("memory_node", place_.node);
    json.field("readers", readers());
    json.field("bytes", set_);
}

void LoadedExperiment::write_details(JsonWriter& json, Row const& row) const {
    write_summary(json, "bytes_per_second", read_of(row.configuration));
}

} // namespace mxk::bench
