// `bench query q1 | q3 | q6`: queries of TPC-H over a column file (docs/query.md), as graphs of boxes. What is measured
// is a query from its submission until its answer is there; the file is read, and the model made, before.
#include <array>
#include <optional>
#include <string_view>

#include "bench/dataflow/discipline_names.hpp"
#include "bench/dataflow/waited.hpp"
#include "bench/frame/benchmark.hpp"
#include "bench/frame/core_set_experiment.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_object.hpp"
#include "kernel/memory/scratch_memory.hpp"
#include "query/column_file.hpp"
#include "query/tpch/queries.hpp"

namespace mxk::bench {
namespace {

struct QueryOptions : CoreSetOptions {
    std::string_view data{};
    std::uint64_t parts = 0; // 0: by the cores of a set
    std::uint64_t rows = 0;  // of an envelope; 0: recommended
    std::uint64_t capacity = dataflow::Model::default_capacity;
    Discipline discipline = Discipline::Requests;
};
constexpr auto query_schema = console::schema<QueryOptions>(
    console::option<&QueryOptions::data>("data", "the column file, or the module (tools/mxk tpch make)"),
    core_set_option::cores,
    console::option<&QueryOptions::parts>("parts",
                                          "scans of each large table, side by side; 0: twice as many as cores, or "
                                          "one on one core",
                                          console::between(0, 256)),
    console::option<&QueryOptions::rows>("rows", "of an envelope; 0: as many as are recommended for their size",
                                         console::between(0, 1 << 30)),
    console::option<&QueryOptions::capacity>("capacity", "envelopes that may wait at an input",
                                             console::between(1, dataflow::Edge::max_capacity)),
    console::option<&QueryOptions::discipline>("discipline", "of the scheduler"), run_option::repeat,
    run_option::warm_up, run_option::json);

// The file's bytes, while the benchmark runs.
struct Loaded {
    memory::ScratchMemory memory{Worker::current().node()};
    Arena arena{memory};
    std::optional<query::ColumnFile> file;
};

// Whether two runs gave the same answer: of all cells.
std::uint64_t hash_of(query::tpch::TpchQuery const& query) {
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
    for (std::size_t row = 0; row < query.rows(); ++row) {
        for (std::size_t column = 0; column < query.columns(); ++column) {
            query::tpch::Cell const cell = query.cell(row, column);
            for (char const character : cell.view())
                hash = (hash ^ static_cast<unsigned char>(character)) * 0x100'0000'01b3;
        }
    }
    return hash;
}

template <typename QueryType> struct QueryName;
template <> struct QueryName<query::tpch::PricingSummary> {
    static constexpr std::string_view name = "q1";
    static constexpr std::string_view benchmark = "query q1";
};
template <> struct QueryName<query::tpch::ShippingPriority> {
    static constexpr std::string_view name = "q3";
    static constexpr std::string_view benchmark = "query q3";
};
template <> struct QueryName<query::tpch::RevenueChange> {
    static constexpr std::string_view name = "q6";
    static constexpr std::string_view benchmark = "query q6";
};

template <typename QueryType> struct QueryExperiment final : CoreSetExperiment<QueryOptions> {
    using CoreSetExperiment::CoreSetExperiment;
    static constexpr std::string_view name = QueryName<QueryType>::benchmark;

    static Result<QueryExperiment> create(Options const& options) {
        if (options.data.empty()) return Error("--data: expected a column file, as tools/mxk tpch make writes one");
        QueryExperiment experiment(options, MXK_TRY(sets_of(options)));
        experiment.loaded_ = MXK_TRY(NodeObject<Loaded>::create(Worker::current().node()));
        auto read = query::ColumnFile::read(options.data, experiment.loaded_->arena);
        if (!read) return Error::of("--data: {}", read.error().message());
        experiment.loaded_->file = read.value();
        // What is wrong with the file is said before anything runs.
        experiment.query_ = MXK_TRY(experiment.made(1));
        return experiment;
    }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) override {
        auto const set = cores(configuration);
        std::size_t const parts =
            options().parts != 0 ? static_cast<std::size_t>(options().parts) : (set.size() == 1 ? 1 : 2 * set.size());
        query_ = MXK_TRY(made(parts));
        auto scheduler = MXK_TRY(dataflow::Scheduler::create(set, {.discipline = options().discipline}));
        Ends ends(1);
        WaitedQuery query(query_->model(), ends);
        Cycles const start = clock::timestamp();
        scheduler->submit(query);
        MXK_TRY(ends.wait(progress, [&] { query.cancel(); }));
        Cycles const taken = clock::timestamp() - start;
        MXK_TRY(query.result());
        std::uint64_t const hash = hash_of(*query_);
        if (!answer_) answer_ = hash;
        samples[0].value =
            static_cast<double>(query_->rows_read()) * 1e9 / static_cast<double>(raw(clock::to_nanoseconds(taken)));
        samples[0].operations = query_->rows_read();
        samples[0].verified = hash == *answer_;
        samples[0].findings.add("envelopes", static_cast<double>(query.edge_counts().envelopes));
        samples[0].findings.add("rejected", static_cast<double>(query.edge_counts().rejected));
        return {};
    }
    [[nodiscard]] std::string_view failure() const override { return "two runs gave different answers"; }

    void print_head(TextSink& out) const override {
        format(out, "{}: {} rows of {}\n", name, query_->rows_read(), options().data);
    }
    void conclude(TextSink& out, std::span<Row const> /*rows*/) override {
        for (std::size_t row = 0; row < query_->rows(); ++row) {
            for (std::size_t column = 0; column < query_->columns(); ++column)
                format(out, "{}{}", column == 0 ? "" : " | ", query_->cell(row, column).view());
            out.write("\n");
        }
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        json.field("query", QueryName<QueryType>::name);
        json.field("discipline", name_of(options().discipline));
        json.begin_array("result");
        for (std::size_t at = 0; at < query_->rows(); ++at) {
            json.begin_array();
            for (std::size_t column = 0; column < query_->columns(); ++column)
                json.element(query_->cell(at, column).view());
            json.end_array();
        }
        json.end_array();
        CoreSetExperiment::write_settings(json, row);
    }

  private:
    [[nodiscard]] Result<NodeObject<QueryType>> made(std::size_t parts) const {
        auto query = MXK_TRY(NodeObject<QueryType>::create(Worker::current().node()));
        MXK_TRY(query->prepare(*loaded_->file, {.parts = parts,
                                                .rows_per_envelope = static_cast<std::uint32_t>(options().rows),
                                                .capacity = static_cast<std::uint32_t>(options().capacity)}));
        return query;
    }

    NodeObject<Loaded> loaded_;
    NodeObject<QueryType> query_; // of the run before; it refers to the file
    std::optional<std::uint64_t> answer_;
};

constexpr console::Command query_group{.name = "query",
                                       .summary = "queries of TPC-H over a column file: 'bench query' lists them",
                                       .parent = "bench",
                                       .nested = "benchmark"};
MXK_REGISTER(mxk_commands, console::Command, query_group);

constexpr auto q1 = benchmark<QueryExperiment<query::tpch::PricingSummary>, query_schema>(
    {.summary = "TPC-H q1, pricing summary: filter, two maps, groups",
     .notes = "Example: bench query q1 --data tpch-1.mxkc --cores 1,2 --json\n",
     .parent = "bench query"});
constexpr auto q3 = benchmark<QueryExperiment<query::tpch::ShippingPriority>, query_schema>(
    {.summary = "TPC-H q3, shipping priority: two hash joins, groups, the first ten",
     .notes = "Example: bench query q3 --data tpch-1.mxkc --cores 1,2 --json\n",
     .parent = "bench query"});
constexpr auto q6 = benchmark<QueryExperiment<query::tpch::RevenueChange>, query_schema>(
    {.summary = "TPC-H q6, forecast of a change of revenue: filter, map, sum",
     .notes = "Example: bench query q6 --data tpch-1.mxkc --cores 1,2 --json\n",
     .parent = "bench query"});
MXK_REGISTER(mxk_commands, console::Command, q1);
MXK_REGISTER(mxk_commands, console::Command, q3);
MXK_REGISTER(mxk_commands, console::Command, q6);

} // namespace
} // namespace mxk::bench
