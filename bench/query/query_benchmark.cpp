// `bench query q1 | q3 | q6`: queries of TPC-H over a column file (docs/query.md), as graphs of boxes. What is measured
// is a query from its submission until its answer is there; the file is read, and the model made, before.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "bench/dataflow/discipline_names.hpp"
#include "bench/dataflow/requests.hpp"
#include "bench/frame/grid.hpp"
#include "bench/machine/measured_memory.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_object.hpp"
#include "kernel/memory/scratch_memory.hpp"
#include "query/column_file.hpp"
#include "query/tpch/queries.hpp"
#include "tasks/dataflow/graph/growing_array.hpp"
#include "tasks/dataflow/graph/query_monitor.hpp"

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
    bool is_on_one_node = false;
    bool explains = false;
    std::uint64_t memory_limit = 0; // MiB; 0: none
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
    console::flag<&QueryOptions::is_on_one_node>("one-node",
                                                 "the tables stay on the node that reads the file; else each of the "
                                                 "cores' nodes has a part"),
    console::flag<&QueryOptions::explains>("explain", "what each box has done in the last run: rows, cores, time"),
    console::option<&QueryOptions::memory_limit>("memory-limit", "MiB that a query may have; 0: no limit",
                                                 console::between(0, 1 << 30)),
    run_option::all);

// The file's bytes and tables, while the benchmark runs.
struct Loaded {
    memory::ScratchMemory memory{Worker::current().node()};
    Arena arena{memory};
    query::tpch::Tables tables;
};

// Whether two runs gave the same answer: of all cells.
class HashSink final : public TextSink {
  public:
    void write(std::string_view text) override {
        for (char const character : text) hash_ = (hash_ ^ static_cast<unsigned char>(character)) * 0x100'0000'01b3;
    }
    [[nodiscard]] std::uint64_t hash() const { return hash_; }

  private:
    std::uint64_t hash_ = 0xcbf2'9ce4'8422'2325;
};
std::uint64_t hash_of(query::Answer const& answer) {
    HashSink sink;
    for (std::size_t row = 0; row < answer.rows(); ++row)
        for (std::size_t column = 0; column < answer.schema().fields().size(); ++column)
            answer.write_cell(sink, row, column);
    return sink.hash();
}

// A query over a file: its plan, and its answer once it has run.
struct PreparedQuery {
    explicit PreparedQuery(query::PlanOptions const& options)
        : plan(options) {}

    query::Answer answer;
    query::Plan plan;
};

// What all queries have in common. `name`: as in "query q1".
class QueryExperiment : public GridExperiment {
  public:
    using Options = QueryOptions;

    Result<void> set_up() final {
        if (options_.data.empty()) return Error("--data: expected a column file, as tools/mxk tpch make writes one");
        MXK_TRY(add_cores(options_.cores));
        auto read = query::ColumnFile::read(options_.data, loaded_.arena);
        if (!read) return Error::of("--data: {}", read.error().message());
        if (auto const added = loaded_.tables.add(read.value()); !added) return with_file(added.error());
        MXK_TRY(spread_tables());
        // What is wrong with the file is said before anything runs.
        if (auto const prepared = prepare(1); !prepared) return with_file(prepared.error());
        if (query_->plan.rows_read() == 0)
            return Error::of("--data: expected rows in the tables of {}, got none in {}", name_, options_.data);
        return {};
    }
    [[nodiscard]] Unit unit() const final { return Unit::OperationsPerSecond; }
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) final {
        auto const set = cores(point);
        MXK_TRY(prepare(set.size()));
        auto scheduler = MXK_TRY(dataflow::Scheduler::create(
            set, {.discipline = options_.discipline, .shares_at_once = !options_.shares_late}));
        std::array<dataflow::Query, 1> queries{dataflow::Query(query_->plan.model())};
        dataflow::Query& query = queries[0];
        if (is_monitored()) {
            MXK_TRY(monitor_.begin(query_->plan.model(), options_.memory_limit != 0
                                                             ? options_.memory_limit * MiB
                                                             : dataflow::QueryMonitor::no_limit));
            query.monitor_by(monitor_);
        }
        std::uint64_t const remote_rows = loaded_.tables.remote_rows();
        Cycles const start = clock::timestamp();
        MXK_TRY(run_all(*scheduler, queries, progress));
        Cycles const taken = clock::timestamp() - start;
        MXK_TRY(query.result());
        std::uint64_t const hash = hash_of(query_->answer);
        if (!answer_) answer_ = hash;
        samples[0].operations = query_->plan.rows_read();
        samples[0].value = static_cast<double>(samples[0].operations) / seconds_of(taken);
        samples[0].verified = hash == *answer_;
        samples[0].findings.add("envelopes", static_cast<double>(query.edge_counts().envelopes));
        samples[0].findings.add("rejected", static_cast<double>(query.edge_counts().rejected));
        samples[0].findings.add("remote_rows_pct", 100 *
                                                       static_cast<double>(loaded_.tables.remote_rows() - remote_rows) /
                                                       static_cast<double>(query_->plan.rows_read()));
        return {};
    }
    [[nodiscard]] std::string_view failure() const final { return "two runs gave different answers"; }

    void print_head(TextSink& out) const final {
        format(out, "{}: {} rows of {}\n", name_, query_->plan.rows_read(), options_.data);
    }
    void conclude(TextSink& out, std::span<Row const> /*rows*/) final {
        if (options_.explains) monitor_.write(out);
        query::Answer const& answer = query_->answer;
        for (std::size_t row = 0; row < answer.rows(); ++row) {
            for (std::size_t column = 0; column < answer.schema().fields().size(); ++column) {
                if (column != 0) out.write(" | ");
                answer.write_cell(out, row, column);
            }
            out.write("\n");
        }
    }

  protected:
    QueryExperiment(std::string_view name, query::tpch::MakePlan make_plan, Options const& options)
        : name_(name)
        , make_plan_(make_plan)
        , options_(options) {}
    ~QueryExperiment() = default;

  private:
    // The file behind: its name may be of any length.
    [[nodiscard]] Error with_file(Error const& error) const {
        return Error::of("--data: {}; the file is {}", error.message(), options_.data);
    }
    // The node that has read the file is first: a part stays there.
    Result<void> spread_tables() {
        dataflow::GrowingArray<NodeId> nodes;
        auto const add = [&](NodeId node) {
            return std::ranges::find(nodes.span(), node) != nodes.span().end() || nodes.add(node);
        };
        bool has_room = add(memory_node_of(Worker::current().core()));
        for (std::size_t set = 0; set < core_sets().size() && !options_.is_on_one_node; ++set)
            for (CoreId const core : core_sets().cores(set)) has_room = has_room && add(memory_node_of(core));
        if (!has_room) return Error("out of memory: no room for a list of nodes");
        return loaded_.tables.spread_over(nodes.span());
    }
    // The query of the next run, made anew.
    Result<void> prepare(std::size_t cores) {
        std::size_t const parts = cores == 1 ? 1 : 2 * cores;
        query::PlanOptions const options{.cores = cores,
                                         .parts =
                                             options_.parts != 0 ? static_cast<std::size_t>(options_.parts) : parts,
                                         .rows_per_envelope = static_cast<std::uint32_t>(options_.rows),
                                         .capacity = static_cast<std::uint32_t>(options_.capacity)};
        query_ = MXK_TRY(NodeObject<PreparedQuery>::create(Worker::current().node(), options));
        return make_plan_(query_->plan, loaded_.tables, query_->answer);
    }
    void write_options(JsonWriter& json, Point const& /*point*/) const final {
        json.field("query", name_.substr(name_.rfind(' ') + 1));
        json.field("discipline", name_of(options_.discipline));
        if (options_.explains) write_boxes(json);
        json.begin_array("result");
        query::Answer const& answer = query_->answer;
        for (std::size_t at = 0; at < answer.rows(); ++at) {
            json.begin_array();
            for (std::size_t column = 0; column < answer.schema().fields().size(); ++column) {
                FixedText<256> cell; // labels of dictionaries are shorter
                answer.write_cell(cell, at, column);
                json.element(cell.view());
            }
            json.end_array();
        }
        json.end_array();
    }

    [[nodiscard]] bool is_monitored() const { return options_.explains || options_.memory_limit != 0; }
    void write_boxes(JsonWriter& json) const {
        json.field("max_memory_bytes", monitor_.max_memory());
        json.begin_array("boxes");
        monitor_.for_each_line([&](dataflow::QueryMonitor::Line const& line) {
            json.begin_object();
            json.field("name", line.name);
            json.field("kind", line.kind);
            json.field("boxes", line.boxes);
            json.field("cores", line.cores);
            json.field("turns", line.turns);
            json.field("rows", line.rows);
            json.field("seconds", seconds_of(line.time));
            json.end_object();
        });
        json.end_array();
    }

    std::string_view name_;
    query::tpch::MakePlan make_plan_;
    Options options_;
    dataflow::QueryMonitor monitor_;
    Loaded loaded_;
    NodeObject<PreparedQuery> query_;
    std::optional<std::uint64_t> answer_;
};

constexpr console::Command query_group{.name = "query",
                                       .summary = "queries of TPC-H over a column file: 'bench query' lists them",
                                       .parent = "bench",
                                       .nested = "benchmark"};
MXK_REGISTER(mxk_commands, console::Command, query_group);

struct NamedQuery {
    std::string_view name;
    query::tpch::MakePlan make_plan;
};
constexpr std::array<NamedQuery, 4> queries{{{"query q1", &query::tpch::plan_q1},
                                             {"query q3", &query::tpch::plan_q3},
                                             {"query q6", &query::tpch::plan_q6},
                                             {"query groups", &query::tpch::plan_groups}}};

template <std::size_t number> class QueryBench final : public QueryExperiment {
  public:
    static constexpr std::string_view name = queries[number].name;
    explicit QueryBench(Options const& options)
        : QueryExperiment(name, queries[number].make_plan, options) {}
};

constexpr auto q1 =
    benchmark<QueryBench<0>, query_schema>({.summary = "TPC-H q1, pricing summary: filter, groups, order",
                                            .notes = "Example: bench query q1 --data tpch-1.mxkc --cores 1,2 --json\n",
                                            .parent = "bench query"});
constexpr auto q3 = benchmark<QueryBench<1>, query_schema>(
    {.summary = "TPC-H q3, shipping priority: two hash joins, groups, the first ten",
     .notes = "Example: bench query q3 --data tpch-1.mxkc --cores 1,2 --json\n",
     .parent = "bench query"});
constexpr auto q6 =
    benchmark<QueryBench<2>, query_schema>({.summary = "TPC-H q6, forecast of a change of revenue: filter, sum",
                                            .notes = "Example: bench query q6 --data tpch-1.mxkc --cores 1,2 --json\n",
                                            .parent = "bench query"});
constexpr auto groups = benchmark<QueryBench<3>, query_schema>(
    {.summary = "rows and sums by one key, of a table 'measures': group by with any number of groups",
     .notes = "Example: bench query groups --data groups.mxkc --cores 1,2 --json\n",
     .parent = "bench query"});
MXK_REGISTER(mxk_commands, console::Command, q1);
MXK_REGISTER(mxk_commands, console::Command, q3);
MXK_REGISTER(mxk_commands, console::Command, q6);
MXK_REGISTER(mxk_commands, console::Command, groups);

} // namespace
} // namespace mxk::bench
