// `bench dataflow smt`: as many requests as physical cores, each of them busy on one core at a time (B8): packed on
// half of the physical cores with both of their threads, spread over one thread of each, and where the scheduler runs
// them if it has all threads. How many pairs of siblings work at once says whether it takes one thread of each physical
// core first (Falt 2010, section 6.5). The console's physical core is none of them: it submits.
#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "base/spin_wait.hpp"
#include "bench/dataflow/dataflow_experiment.hpp"
#include "bench/dataflow/row_work.hpp"
#include "bench/dataflow/waited.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/topology/system_topology.hpp"

namespace mxk::bench {

enum class SmtWay : std::uint8_t { Packed, Spread, Automatic };
constexpr auto value_names(SmtWay) {
    using Named = console::NamedValue<SmtWay>;
    return std::array{Named{SmtWay::Packed, "packed"}, Named{SmtWay::Spread, "spread"},
                      Named{SmtWay::Automatic, "automatic"}};
}

namespace {

struct SmtOptions : DataflowOptions {
    NameSet<SmtWay> ways{};
    std::uint32_t requests = 6;
    std::uint32_t turns = 1;
    std::uint32_t rows = 100'000;
    std::uint32_t work = 50;
};

constexpr auto smt_schema = console::schema<SmtOptions>(
    dataflow_option::disciplines, core_set_option::cores,
    console::option<&SmtOptions::ways>("way",
                                       "packed: on both threads of half of the physical cores; spread: on one thread "
                                       "of each; automatic: all threads are there (none given: all)"),
    console::option<&SmtOptions::requests>(
        "requests", "at once, an even number, or as many as there are physical cores", console::between(2, 10'000)),
    console::option<&SmtOptions::turns>(
        "turns", "of the task of a request: after each it asks to be run again, by any core of the node",
        console::between(1, 1'000'000)),
    console::option<&SmtOptions::rows>("rows", "of a turn", console::between(1, 100'000'000)),
    console::option<&SmtOptions::work>("work", "multiplications for each row", console::between(0, 10'000)),
    dataflow_option::sleep_rule, dataflow_option::steals_first, dataflow_option::patience, dataflow_option::seed,
    run_option::repeat, run_option::warm_up, run_option::json);

constexpr std::array smt_claims{
    Claim{.statement = "as long as there are physical cores no two threads of one work",
          .bound = Bound::exactly(0),
          .left = {.of = "requests", .finding = "max_pairs"}},
};

// Physical cores of one node with two threads in the set: these two.
struct Siblings {
    CoreId first;
    CoreId second;
};

bool are_siblings(topology::Core const& a, topology::Core const& b) {
    return a.levels.physical_core != unknown_domain && a.levels.physical_core == b.levels.physical_core &&
           a.levels.package == b.levels.package && a.node == b.node;
}

// Those of the node that has more of them than the others. Errors: no memory.
Result<NodeVector<Siblings>> siblings_of(std::span<CoreId const> cores) {
    auto const all = system_topology().cores;
    topology::Core const& here = all[index(Worker::current().core())];
    auto max_siblings = MXK_TRY(NodeVector<Siblings>::create(cores.size(), here.node));
    for (topology::Node const& node : system_topology().nodes) {
        auto pairs = MXK_TRY(NodeVector<Siblings>::create(cores.size(), here.node));
        for (std::size_t at = 0; at < cores.size(); ++at) {
            topology::Core const& core = all[index(cores[at])];
            if (core.node != node.id || core.id == here.id || are_siblings(core, here)) continue;
            bool const is_known = std::ranges::any_of(
                pairs, [&](Siblings const& pair) { return are_siblings(core, all[index(pair.first)]); });
            auto const later = cores.subspan(at + 1);
            auto const other =
                std::ranges::find_if(later, [&](CoreId id) { return are_siblings(core, all[index(id)]); });
            if (!is_known && other != later.end()) pairs.emplace(std::min(core.id, *other), std::max(core.id, *other));
        }
        if (pairs.size() > max_siblings.size()) max_siblings = std::move(pairs);
    }
    return max_siblings;
}

// Who works, by physical cores.
class SiblingUse {
  public:
    // Errors: no memory.
    static Result<SiblingUse> create(std::size_t physical_cores) {
        SiblingUse use;
        use.busy_ = MXK_TRY(NodeArray<Line>::create_zeroed(physical_cores, Worker::current().node()));
        return use;
    }
    // Any core, around its work on one of these physical cores.
    void enter(std::size_t physical_core) {
        runs_.fetch_add(1, std::memory_order_relaxed);
        if (at(physical_core).fetch_add(1, std::memory_order_acq_rel) == 0) return;
        beside_.fetch_add(1, std::memory_order_relaxed);
        std::uint32_t const now = pairs_.fetch_add(1, std::memory_order_relaxed) + 1;
        std::uint32_t max = max_pairs_.load(std::memory_order_relaxed);
        while (max < now && !max_pairs_.compare_exchange_weak(max, now, std::memory_order_relaxed)) {
        }
    }
    void leave(std::size_t physical_core) {
        if (at(physical_core).fetch_sub(1, std::memory_order_acq_rel) == 2)
            pairs_.fetch_sub(1, std::memory_order_relaxed);
    }
    // After the end.
    [[nodiscard]] std::uint32_t max_pairs() const { return max_pairs_.load(std::memory_order_relaxed); }
    [[nodiscard]] double beside_percent() const {
        return 100 * static_cast<double>(beside_.load()) / static_cast<double>(runs_.load());
    }

    SiblingUse(SiblingUse&& other) noexcept // before anybody uses it
        : busy_(std::move(other.busy_)) {}

  private:
    struct alignas(cache_line_bytes) Line {
        std::uint32_t busy;
    };
    SiblingUse() = default;
    [[nodiscard]] std::atomic_ref<std::uint32_t> at(std::size_t core) const {
        return std::atomic_ref(busy_[core].busy);
    }

    NodeArray<Line> busy_;
    std::atomic<std::uint32_t> pairs_{0};
    std::atomic<std::uint32_t> max_pairs_{0};
    std::atomic<std::uint64_t> beside_{0}; // runs that began beside another one
    std::atomic<std::uint64_t> runs_{0};
};

// One task, which works in each of its turns.
class BusyRequest : public WaitedRequest {
    struct Turn : dataflow::ReschedulableTask {
        Turn(BusyRequest& request, CoreId home_core)
            : ReschedulableTask(request, &BusyRequest::work_again, home_core) {}
    };

  public:
    // What all of a run have in common. `threads`: of a physical core, side by side in the scheduler's cores.
    struct Common {
        SiblingUse& use;
        std::size_t threads;
        SmtOptions const& options;
    };
    BusyRequest(Common const& common, Ends& its_ends)
        : WaitedRequest(&BusyRequest::begin, its_ends)
        , common_(common) {}
    ~BusyRequest() {
        if (turn_ != nullptr) Worker::current().destroy(*turn_);
    }
    BusyRequest(BusyRequest const&) = delete;
    BusyRequest& operator=(BusyRequest const&) = delete;

    [[nodiscard]] bool has_no_memory() const { return has_no_memory_; }
    [[nodiscard]] bool is_right() const {
        return turns_ == common_.options.turns &&
               sum_ == turns_ * RowSteps::of(common_.options.work).sum(common_.options.rows);
    }

  private:
    static constexpr std::uint32_t batch = 256;

    // The first turn; a task for the others.
    static void begin(dataflow::CoreScheduler& here, dataflow::Request& request) {
        auto& self = static_cast<BusyRequest&>(request);
        self.work(here);
        if (self.is_over()) return;
        self.turn_ = here.worker().create<Turn>(self, here.core());
        self.has_no_memory_ = self.turn_ == nullptr;
        if (self.has_no_memory_) return;
        self.add_task();
        self.turn_->schedule(here, dataflow::Binding::Unbound);
    }
    static dataflow::Outcome work_again(dataflow::CoreScheduler& here, dataflow::ReschedulableTask& task) {
        auto& self = static_cast<BusyRequest&>(task.request());
        self.work(here);
        return self.is_over() ? dataflow::Outcome::Ended : dataflow::Outcome::Again;
    }
    [[nodiscard]] bool is_over() const { return turns_ == common_.options.turns || is_cancelled(); }
    void work(dataflow::CoreScheduler& here) {
        std::size_t const physical_core = here.place() / common_.threads;
        common_.use.enter(physical_core);
        work_turn();
        common_.use.leave(physical_core);
        ++turns_;
    }
    void work_turn() {
        std::array<std::uint64_t, batch> rows{};
        for (std::uint32_t first = 0; first < common_.options.rows; first += batch) {
            std::uint32_t const count = std::min(batch, common_.options.rows - first);
            make_rows(first, rows.data(), count);
            work_rows(rows.data(), rows.data(), count, common_.options.work);
            sum_ += sum_rows(rows.data(), count);
        }
    }

    Common const& common_;
    Turn* turn_ = nullptr;
    bool has_no_memory_ = false;
    std::uint64_t turns_ = 0;
    std::uint64_t sum_ = 0;
};

class SmtBench final : public DataflowExperiment {
  public:
    using Options = SmtOptions;
    static constexpr std::string_view name = "dataflow smt";

    explicit SmtBench(Options const& options)
        : DataflowExperiment({.name = name, .claims = smt_claims}, options_)
        , options_(options) {}

  private:
    Result<void> complete() override {
        options_.ways = or_all(options_.ways);
        if (options_.requests % 2 == 0) return {};
        return Error::of("expected an even number of requests, got {}", options_.requests);
    }
    void add_axes() override { add(Axis::chosen("way", 9, options_.ways)); }
    [[nodiscard]] SmtWay way_at(Point const& point) const { return chosen_at(options_.ways, point[first_axis]); }
    [[nodiscard]] bool is_judged(Claim const& /*claim*/, Point const& point) const override {
        return way_at(point) == SmtWay::Automatic;
    }
    [[nodiscard]] std::optional<Error> cannot_run(Discipline discipline, Point const& point) const override {
        if (discipline == Discipline::Original || discipline == Discipline::CoreFifo)
            return Error("the discipline wakes cores in no order");
        auto const siblings = siblings_of(cores(point));
        if (!siblings) return siblings.error();
        if (siblings.value().size() >= 2) return std::nullopt;
        return Error("it needs two physical cores of a node with two threads each, besides the console's");
    }

    Result<void> run_flow(DataflowRun const& run) override {
        SmtWay const way = way_at(run.point);
        auto const siblings = MXK_TRY(siblings_of(run.cores));
        std::size_t const width = std::min<std::size_t>(options_.requests, siblings.size() / 2 * 2);
        std::size_t const threads = way == SmtWay::Spread ? 1 : 2;
        std::size_t const physical_cores = way == SmtWay::Packed ? width / 2 : width;
        auto cores = MXK_TRY(NodeVector<CoreId>::create(physical_cores * threads, Worker::current().node()));
        for (std::size_t at = 0; at < physical_cores; ++at) {
            cores.emplace(siblings[at].first);
            if (threads == 2) cores.emplace(siblings[at].second);
        }
        auto const scheduler = MXK_TRY(dataflow::Scheduler::create(cores.span(), run.scheduler));
        auto use = MXK_TRY(SiblingUse::create(physical_cores));
        BusyRequest::Common const common{use, threads, options_};
        Ends ends(width);
        auto requests = MXK_TRY(make_requests<BusyRequest>(width, ends, common));
        MXK_TRY(wait_for_sleep(*scheduler, run.progress));
        Cycles const start = clock::timestamp();
        MXK_TRY(run_all(*scheduler, requests, ends, run.progress));
        Cycles const end = clock::timestamp();
        bool is_right = true;
        for (BusyRequest const& request : requests) {
            if (request.has_no_memory()) return Error("out of memory: no room for a task");
            is_right = is_right && request.is_right();
        }
        Sample& sample = run.sample;
        sample.operations = width;
        sample.value = seconds_of(end - start) * 1e9 / static_cast<double>(width);
        sample.findings.add("requests", static_cast<double>(width));
        sample.findings.add("max_pairs", use.max_pairs());
        sample.findings.add("beside_pct", use.beside_percent());
        sample.verified = is_right && (way == SmtWay::Packed || use.max_pairs() == 0);
        return {};
    }

    void print_what(TextSink& out) const override {
        format(out, "{} requests, or one for each physical core; {} turns of {} rows, {} multiplications each",
               options_.requests, options_.turns, options_.rows, options_.work);
    }
    void write_options(JsonWriter& json, Point const& /*point*/) const override {
        json.field("turns", options_.turns);
        json.field("rows", options_.rows);
        json.field("work", options_.work);
    }
    // By what the spread ones take.
    void conclude_points(TextSink& out, std::span<Row const> rows) const override {
        auto const spread =
            std::ranges::find_if(rows, [&](Row const& row) { return way_at(point_of(row)) == SmtWay::Spread; });
        if (spread == rows.end()) return;
        for (Row const& row : rows)
            if (&row != &*spread) print_ratio(out, name_of(way_at(point_of(row))), &row, "spread", &*spread);
    }

    // Until all of the scheduler's cores do: none of them is the console's.
    static Result<void> wait_for_sleep(dataflow::Scheduler const& scheduler, Progress const& progress) {
        auto const are_awake = [&] {
            return std::ranges::any_of(scheduler.nodes(), [](dataflow::NodeScheduler const& node) {
                return node.activity.counts().awake != 0;
            });
        };
        for (SpinWait wait; are_awake();) {
            MXK_TRY(progress.check());
            wait.turn();
        }
        return {};
    }

    Options options_;
};
constexpr auto smt_benchmark = grid_benchmark<SmtBench, smt_schema>(
    {.summary = "requests on both threads of physical cores, on one, and where the scheduler puts them",
     .notes = "max_pairs: of siblings that worked at once; beside_pct: turns that began while the sibling worked.\n"
              "Example: bench dataflow smt --cores node:0\n",
     .parent = "bench dataflow"});
MXK_REGISTER(mxk_commands, console::Command, smt_benchmark);

} // namespace
} // namespace mxk::bench
