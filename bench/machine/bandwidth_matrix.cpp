#include "bench/machine/bandwidth_matrix.hpp"

#include <algorithm>

#include "bench/frame/steps.hpp"
#include "bench/machine/byte_text.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {
Result<BandwidthMatrixExperiment> BandwidthMatrixExperiment::create(MemoryOptions const& options) {
    std::size_t const set = align_down(options.set.value_or(default_set_bytes()), cache_line_bytes);
    auto matrix = MXK_TRY(NodeMatrix::create(system_topology()));
    auto sources = MXK_TRY(MatrixMemory::create(matrix, set));
    auto targets = MXK_TRY(MatrixMemory::create(matrix, set));
    return BandwidthMatrixExperiment(options, set, std::move(matrix), std::move(sources), std::move(targets));
}

std::optional<Error> BandwidthMatrixExperiment::unsupported(std::size_t configuration, std::size_t /*phase*/) const {
    std::size_t const column = matrix_.column(configuration % matrix_.size());
    auto const no_source = sources_.lacking(column);
    return no_source ? no_source : targets_.lacking(column);
}

Result<void> BandwidthMatrixExperiment::run(std::size_t configuration, std::span<Sample> samples, Progress& progress) {
    std::size_t const column = matrix_.column(configuration % matrix_.size());
    auto const cores = system_topology().nodes[index(pair_of(configuration).from)].cores;
    ++run_;
    auto parts = MXK_TRY(NodeVector<TransferPart>::create(cores.size(), Worker::current().node()));
    for (std::size_t place = 0; place < cores.size(); ++place)
        parts.emplace(transfer_of(configuration), part_of(sources_.of(column).words(), place, cores.size()),
                      part_of(targets_.of(column).words(), place, cores.size()), run_);

    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t place) {
        parts[place].prepare();
        return Step::Done;
    }));
    auto const time = MXK_TRY(time_on(cores, progress, [&](std::size_t place) {
        for (std::size_t pass = 0; pass < passes(); ++pass) parts[place].pass();
    }));
    std::atomic<bool> verified{true};
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t place) {
        if (!parts[place].verified()) verified.store(false, std::memory_order_relaxed); // read after all have ended
        return Step::Done;
    }));

    std::size_t bytes = 0;
    for (TransferPart const& part : parts) bytes += part.bytes_per_pass() * passes();
    samples[0] = {.value = static_cast<double>(bytes) / time.seconds(), .operations = bytes, .verified = verified};
    return {};
}

// As many as make the number of lines that is to be moved.
std::size_t BandwidthMatrixExperiment::passes() const {
    std::size_t const lines = set_ / cache_line_bytes;
    return (options_.loads + lines - 1) / lines;
}

void BandwidthMatrixExperiment::print_head(TextSink& out) const {
    format(out, "memory bandwidth, GB/s: all cores of a node, memory of a node, {} of it; {} runs\n",
           byte_text(set_).view(), options_.repeat);
    print_emulated(out, set_, options_.set.has_value());
}

void BandwidthMatrixExperiment::conclude(TextSink& out, std::span<Row const> rows) {
    for (auto const& [transfer, name] : value_names(Transfer{})) {
        format(out, "{}:\n", name);
        matrix_.print(out, rows.subspan(static_cast<std::size_t>(transfer) * matrix_.size(), matrix_.size()), 1e9);
    }
    for (std::size_t column = 0; column < matrix_.columns().size(); ++column)
        if (auto const error = unsupported(column, 0)) format(out, "not measured: {}\n", error->message());
}

void BandwidthMatrixExperiment::print_title(TextSink& out, Row const& row) const {
    auto const [from, to] = pair_of(row.configuration);
    format(out, "{}, cores of node {}, memory of node {}", name_of(transfer_of(row.configuration)), from, to);
}

void BandwidthMatrixExperiment::write_settings(JsonWriter& json, Row const& row) const {
    json.field("measure", name_of(transfer_of(row.configuration)));
    NodeMatrix::write(json, pair_of(row.configuration));
    json.field("bytes", set_);
    json.field("cores", system_topology().nodes[index(pair_of(row.configuration).from)].cores.size());
}

} // namespace mxk::bench
