// `bench query q1 | q3 | q6`: queries of TPC-H over a column file (docs/query.md), as graphs of boxes. What is measured
// is a query from its submission until its answer is there; the file is read, and the model made, before.
#include <array>
#include <optional>
#include <string_view>

#include "bench/dataflow/discipline_names.hpp"
#include "bench/dataflow/requests.hpp"
#include "bench/frame/grid.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_object.hpp"
#include "kernel/memory/scratch_memory.hpp"
#include "query/column_file.hpp"
#include "query/tpch/queries.hpp"

namespace mxk::bench {
namespace {

struct QueryOptions : CoreSetOptions {
    QueryOptions()
        : CoreSetOptions{{.repeat = 1, .warm_up = 1}, {}} {} // as in bench table

    std::string_view data{};
    std::uint64_t parts = 0; // 0: by the cores of a set
    std::uint64_t rows = 0;  // of an envelope; 0: recommended
    std::uint64_t capacity = dataflow::Model::default_capacity;
    Discipline discipline = Discipline::Requests;
    bool shares_late = false;
};
constexpr auto query_schema = console::schema<QueryOptions>(
    console::option<&QueryOptions::data>("data", "the column file, or the module (tools/mxk tpch make)",
                                         console::file_name),
    core_set_option::cores,
    console::option<&QueryOptions::parts>("parts",
                                          "scans of each large table, side by side; 0: twice as many as cores, or "
                                          "one on one core",
                                          console::between(0, 256)),
    console::option<&QueryOptions::rows>("rows", "of an envelope; 0: as many as are recommended for their size",
                                         console::between(0, 1 << 30)),
    console::option<&QueryOptions::capacity>("capacity", "envelopes that may wait at an input",
                                             console::between(1, dataflow::Edge::max_capacity)),
    console::option<&QueryOptions::discipline>("discipline", "of the scheduler"),
    console::flag<&QueryOptions::shares_late>("share-late",
                                              "other nodes' cores take part after some looks, as in the thesis"),
    run_option::all);

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

// What all queries have in common. `name`: as in "query q1".
class QueryExperiment : public GridExperiment {
  public:
    using Options = QueryOptions;

    Result<void> set_up() final {
        if (options_.data.empty()) return Error("--data: expected a column file, as tools/mxk tpch make writes one");
        MXK_TRY(add_cores(options_.cores));
        auto read = query::ColumnFile::read(options_.data, loaded_.arena);
        if (!read) return Error::of("--data: {}", read.error().message());
        loaded_.file = read.value();
        MXK_TRY(prepare(1)); // what is wrong with the file is said before anything runs
        if (latest().rows_read() == 0)
            return Error::of("--data: expected rows in the tables of {}, got none in {}", name_, options_.data);
        return {};
    }
    [[nodiscard]] Unit unit() const final { return Unit::OperationsPerSecond; }
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) final {
        auto const set = cores(point);
        MXK_TRY(prepare(options_.parts != 0 ? static_cast<std::size_t>(options_.parts)
                                            : (set.size() == 1 ? 1 : 2 * set.size())));
        auto scheduler = MXK_TRY(dataflow::Scheduler::create(
            set, {.discipline = options_.discipline, .shares_at_once = !options_.shares_late}));
        std::array<dataflow::Query, 1> queries{dataflow::Query(latest().model())};
        dataflow::Query const& query = queries[0];
        Cycles const start = clock::timestamp();
        MXK_TRY(run_all(*scheduler, queries, progress));
        Cycles const taken = clock::timestamp() - start;
        MXK_TRY(query.result());
        std::uint64_t const hash = hash_of(latest());
        if (!answer_) answer_ = hash;
        samples[0].operations = latest().rows_read();
        samples[0].value = static_cast<double>(samples[0].operations) / seconds_of(taken);
        samples[0].verified = hash == *answer_;
        samples[0].findings.add("envelopes", static_cast<double>(query.edge_counts().envelopes));
        samples[0].findings.add("rejected", static_cast<double>(query.edge_counts().rejected));
        return {};
    }
    [[nodiscard]] std::string_view failure() const final { return "two runs gave different answers"; }

    void print_head(TextSink& out) const final {
        format(out, "{}: {} rows of {}\n", name_, latest().rows_read(), options_.data);
    }
    void conclude(TextSink& out, std::span<Row const> /*rows*/) final {
        for (std::size_t row = 0; row < latest().rows(); ++row) {
            for (std::size_t column = 0; column < latest().columns(); ++column)
                format(out, "{}{}", column == 0 ? "" : " | ", latest().cell(row, column).view());
            out.write("\n");
        }
    }

  protected:
    QueryExperiment(std::string_view name, Options const& options)
        : name_(name)
        , options_(options) {}
    ~QueryExperiment() = default;

    // The query of the next run, made anew; it refers to the file.
    virtual Result<void> make(query::ColumnFile const& file, query::tpch::Plan const& options) = 0;
    [[nodiscard]] virtual query::tpch::TpchQuery& latest() const = 0;

  private:
    Result<void> prepare(std::size_t parts) {
        return make(*loaded_.file, {.parts = parts,
                                    .rows_per_envelope = static_cast<std::uint32_t>(options_.rows),
                                    .capacity = static_cast<std::uint32_t>(options_.capacity)});
    }
    void write_options(JsonWriter& json, Point const& /*point*/) const final {
        json.field("query", name_.substr(name_.rfind(' ') + 1));
        json.field("discipline", name_of(options_.discipline));
        json.begin_array("result");
        for (std::size_t at = 0; at < latest().rows(); ++at) {
            json.begin_array();
            for (std::size_t column = 0; column < latest().columns(); ++column)
                json.element(latest().cell(at, column).view());
            json.end_array();
        }
        json.end_array();
    }

    std::string_view name_;
    Options options_;
    Loaded loaded_;
    std::optional<std::uint64_t> answer_;
};

constexpr console::Command query_group{.name = "query",
                                       .summary = "queries of TPC-H over a column file: 'bench query' lists them",
                                       .parent = "bench",
                                       .nested = "benchmark"};
MXK_REGISTER(mxk_commands, console::Command, query_group);

constexpr std::array<std::string_view, 3> query_names{"query q1", "query q3", "query q6"};

template <typename QueryType, std::size_t number> class QueryBench final : public QueryExperiment {
  public:
    static constexpr std::string_view name = query_names[number];
    explicit QueryBench(Options const& options)
        : QueryExperiment(name, options) {}

  private:
    Result<void> make(query::ColumnFile const& file, query::tpch::Plan const& plan) override {
        query_ = MXK_TRY(NodeObject<QueryType>::create(Worker::current().node()));
        return query_->prepare(file, plan);
    }
    [[nodiscard]] query::tpch::TpchQuery& latest() const override { return *query_; }
    NodeObject<QueryType> query_;
};

constexpr auto q1 = benchmark<QueryBench<query::tpch::PricingSummary, 0>, query_schema>(
    {.summary = "TPC-H q1, pricing summary: filter, map, groups",
     .notes = "Example: bench query q1 --data tpch-1.mxkc --cores 1,2 --json\n",
     .parent = "bench query"});
constexpr auto q3 = benchmark<QueryBench<query::tpch::ShippingPriority, 1>, query_schema>(
    {.summary = "TPC-H q3, shipping priority: two hash joins, groups, the first ten",
     .notes = "Example: bench query q3 --data tpch-1.mxkc --cores 1,2 --json\n",
     .parent = "bench query"});
constexpr auto q6 = benchmark<QueryBench<query::tpch::RevenueChange, 2>, query_schema>(
    {.summary = "TPC-H q6, forecast of a change of revenue: filter, map, sum",
     .notes = "Example: bench query q6 --data tpch-1.mxkc --cores 1,2 --json\n",
     .parent = "bench query"});
MXK_REGISTER(mxk_commands, console::Command, q1);
MXK_REGISTER(mxk_commands, console::Command, q3);
MXK_REGISTER(mxk_commands, console::Command, q6);

} // namespace
} // namespace mxk::bench
