// `bench memory --part matrix`: what a load costs between each node with cores and each node with memory, and how many
// bytes a node's cores move per second.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "arch/machine.hpp"
#include "base/log.hpp"
#include "bench/frame/steps.hpp"
#include "bench/machine/byte_text.hpp"
#include "bench/machine/chase.hpp"
#include "bench/machine/matrix.hpp"
#include "bench/machine/measured_memory.hpp"
#include "bench/machine/memory_options.hpp"
#include "bench/machine/word_stream.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {
namespace {

// Memory to be measured on a node, or why there is none.
struct NodeMemory {
    static Result<NodeVector<NodeMemory>> create(std::span<NodeId const> nodes, std::size_t bytes) {
        auto all = MXK_TRY(NodeVector<NodeMemory>::create(nodes.size(), Worker::current().node()));
        for (NodeId const node : nodes) {
            auto memory = MeasuredMemory::create(bytes, node);
            NodeMemory& made = all.emplace();
            if (memory)
                made.memory = std::move(memory).value();
            else
                made.lacking = memory.error();
        }
        return all;
    }
    MeasuredMemory memory;
    std::optional<Error> lacking;
};

// A configuration is a pair of nodes. Of latency: the first core of the one waits for its loads from the other's
// memory. Of bandwidth: a transfer and a pair; all cores of the one at once, each a part of the other's memory.
class NodeMatrixExperiment final : public MatrixExperiment {
  public:
    NodeMatrixExperiment(MemoryOptions const& options, bool is_bandwidth)
        : options_(options)
        , is_bandwidth_(is_bandwidth)
        , set_(set_of(options)) {}
    Result<void> set_up() {
        NodeId const here = Worker::current().node();
        auto const& nodes = system_topology().nodes;
        rows_ = MXK_TRY(NodeVector<NodeId>::create(nodes.size(), here));
        columns_ = MXK_TRY(NodeVector<NodeId>::create(nodes.size(), here));
        for (topology::Node const& node : nodes) {
            if (!node.cores.empty()) rows_.emplace(node.id);
            if (memory::use(node.id).total != 0) columns_.emplace(node.id);
        }
        sources_ = MXK_TRY(NodeMemory::create(columns_.span(), set_));
        if (is_bandwidth_) targets_ = MXK_TRY(NodeMemory::create(columns_.span(), set_));
        return {};
    }

    [[nodiscard]] Unit unit() const override {
        return is_bandwidth_ ? Unit::BytesPerSecond : Unit::NanosecondsPerOperation;
    }
    [[nodiscard]] std::size_t configurations() const override {
        return pairs() * (is_bandwidth_ ? value_names(Transfer{}).size() : 1);
    }
    [[nodiscard]] std::optional<Error> unsupported(std::size_t configuration, std::size_t /*phase*/) const override {
        return lacking(configuration % columns_.size());
    }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        samples[0] =
            MXK_TRY(is_bandwidth_ ? run_transfer(configuration, progress) : run_chase(configuration, progress));
        return {};
    }
    [[nodiscard]] std::string_view failure() const override {
        return is_bandwidth_ ? "bytes that were moved are not what they were"
                             : "the chain did not visit each line once";
    }

    void print_head(TextSink& out) const override {
        if (is_bandwidth_)
            format(out, "memory bandwidth, GB/s: all cores of a node, memory of a node, {} of it; {} runs\n",
                   byte_text(set_).view(), options_.repeat.text().view());
        else
            format(out, "memory latency, ns per load: first core of a node, memory of a node, {} each; {} runs\n",
                   byte_text(set_).view(), options_.repeat.text().view());
        print_emulated(out, set_, options_.set.has_value());
    }
    // The matrices; latency warns where the firmware's distances are in another order.
    void conclude(TextSink& out, std::span<Row const> rows) override {
        for (std::size_t first = 0; first < rows.size(); first += pairs()) {
            if (is_bandwidth_) format(out, "{}:\n", name_of(transfer_of(first)));
            auto const cells = rows.subspan(first, pairs());
            print_matrix<NodeId>(out, "cores\\memory", rows_.span(), columns_.span(),
                                 [&](std::size_t row, std::size_t column) {
                                     return cell_of(cells[row * columns_.size() + column], is_bandwidth_ ? 1e9 : 1);
                                 });
        }
        for (std::size_t column = 0; column < columns_.size(); ++column)
            if (auto const error = lacking(column)) format(out, "not measured: {}\n", error->message());
        // An emulator has the distances that it was told, and one memory.
        if (!is_bandwidth_ && !arch::describe_machine().is_emulated()) compare_with_slit(rows);
    }
    void print_title(TextSink& out, Row const& row) const override {
        format(out, "{}, cores of node {}, memory of node {}",
               is_bandwidth_ ? name_of(transfer_of(row.configuration)) : "latency", from(row.configuration),
               to(row.configuration));
    }
    void write_settings(JsonWriter& json, Row const& row) const override;

  private:
    // One transfer after the other, each matrix row by row.
    [[nodiscard]] std::size_t pairs() const { return rows_.size() * columns_.size(); }
    [[nodiscard]] Transfer transfer_of(std::size_t configuration) const {
        return static_cast<Transfer>(configuration / pairs());
    }
    [[nodiscard]] NodeId from(std::size_t configuration) const {
        return rows_[configuration % pairs() / columns_.size()];
    }
    [[nodiscard]] NodeId to(std::size_t configuration) const { return columns_[configuration % columns_.size()]; }
    [[nodiscard]] std::span<CoreId const> cores(std::size_t configuration) const {
        return system_topology().nodes[index(from(configuration))].cores;
    }
    [[nodiscard]] std::optional<Error> lacking(std::size_t column) const {
        return sources_[column].lacking || !is_bandwidth_ ? sources_[column].lacking : targets_[column].lacking;
    }

    [[nodiscard]] Result<Sample> run_chase(std::size_t configuration, Progress const& progress) const {
        auto const& memory = sources_[configuration % columns_.size()].memory;
        return measure_chase(cores(configuration).front(), {memory.start(), set_ / cache_line_bytes}, options_.loads,
                             progress);
    }
    [[nodiscard]] Result<Sample> run_transfer(std::size_t configuration, Progress const& progress);
    void compare_with_slit(std::span<Row const> rows) const;

    MemoryOptions options_;
    bool is_bandwidth_;
    std::size_t set_; // bytes, of all cores of a node together
    NodeVector<NodeId> rows_;
    NodeVector<NodeId> columns_;
    NodeVector<NodeMemory> sources_; // read, written to, and what copies are made of; of the chain
    NodeVector<NodeMemory> targets_; // of copies
    std::uint64_t run_ = 0;
};

Result<Sample> NodeMatrixExperiment::run_transfer(std::size_t configuration, Progress const& progress) {
    std::size_t const column = configuration % columns_.size();
    auto const cores = this->cores(configuration);
    ++run_;
    auto parts = MXK_TRY(NodeVector<TransferPart>::create(cores.size(), Worker::current().node()));
    for (std::size_t place = 0; place < cores.size(); ++place)
        parts.emplace(transfer_of(configuration), part_of(sources_[column].memory.words(), place, cores.size()),
                      part_of(targets_[column].memory.words(), place, cores.size()), run_);

    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t place) {
        parts[place].prepare();
        return Step::Done;
    }));
    // As many as make the number of lines that is to be moved.
    std::size_t const lines = set_ / cache_line_bytes;
    std::size_t const passes = (options_.loads + lines - 1) / lines;
    auto const time = MXK_TRY(time_on(cores, progress, [&](std::size_t place) {
        for (std::size_t pass = 0; pass < passes; ++pass) parts[place].pass();
    }));
    std::atomic<bool> verified{true};
    MXK_TRY(run_steps(cores, progress, [&](Worker&, std::size_t place) {
        if (!parts[place].verified()) verified.store(false, std::memory_order_relaxed); // read after all have ended
        return Step::Done;
    }));

    std::size_t bytes = 0;
    for (TransferPart const& part : parts) bytes += part.bytes_per_pass() * passes;
    return Sample{.value = static_cast<double>(bytes) / time.seconds(), .operations = bytes, .verified = verified};
}

void NodeMatrixExperiment::compare_with_slit(std::span<Row const> rows) const {
    auto slit = NodeArray<std::uint8_t>::create(columns_.size(), Worker::current().node());
    auto measured = NodeArray<Range>::create(columns_.size(), Worker::current().node());
    if (!slit || !measured) return log::warn("memory: latencies are not compared with SLIT: no memory for that");
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        for (std::size_t column = 0; column < columns_.size(); ++column) {
            slit.value()[column] = system_topology().distance(rows_[row], columns_[column]);
            Summary const& value = rows[row * columns_.size() + column].value;
            measured.value()[column] = {value.minimum, value.maximum}; // 0 where there is none
        }
        auto const found = find_slit_contradiction(slit.value().span(), measured.value().span());
        if (!found) continue;
        auto const [nearer, farther] = *found;
        log::warn("SLIT: node {} has node {} at distance {} and node {} at {}, but loads take {:.0} ns or more and "
                  "{:.0} ns or less",
                  rows_[row], columns_[nearer], slit.value()[nearer], columns_[farther], slit.value()[farther],
                  measured.value()[nearer].min, measured.value()[farther].max);
    }
}

// And what the firmware's HMAT says of the pair.
void NodeMatrixExperiment::write_settings(JsonWriter& json, Row const& row) const {
    topology::Topology const& topology = system_topology();
    NodeId const from = this->from(row.configuration);
    NodeId const to = this->to(row.configuration);
    json.field("measure", is_bandwidth_ ? name_of(transfer_of(row.configuration)) : "latency-matrix");
    json.field("core_node", from);
    json.field("memory_node", to);
    json.field("slit", topology.distance(from, to));
    if (!topology.performance.empty()) {
        auto const& hmat = topology.performance[index(from) * topology.nodes.size() + index(to)];
        auto const write_known = [&](std::string_view name, std::uint64_t value, double unit) {
            if (value != topology::unknown_performance && value != topology::unreachable)
                json.field(name, static_cast<double>(value) * unit);
        };
        write_known("hmat_read_nanoseconds", hmat.read_latency, 1e-3);
        write_known("hmat_write_nanoseconds", hmat.write_latency, 1e-3);
        write_known("hmat_read_bytes_per_second", hmat.read_bandwidth, 1e6);
        write_known("hmat_write_bytes_per_second", hmat.write_bandwidth, 1e6);
    }
    json.field("bytes", set_);
    if (is_bandwidth_) json.field("cores", cores(row.configuration).size());
}

} // namespace

console::Outcome measure_latency_matrix(console::Invocation& invocation, MemoryOptions const& options) {
    return measure_part<NodeMatrixExperiment>(invocation, options, false);
}
console::Outcome measure_bandwidth_matrix(console::Invocation& invocation, MemoryOptions const& options) {
    return measure_part<NodeMatrixExperiment>(invocation, options, true);
}

} // namespace mxk::bench
