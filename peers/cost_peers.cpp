// `bench task-peer`, `bench thread-peer`, `bench semaphore-peer`: what tasks, threads and semaphores cost elsewhere,
// for comparison with `bench task`, `bench thread` and `bench semaphore`: the same measures, cores, numbers and fields.
#include <deque>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "bench/frame/benchmark.hpp"
#include "bench/frame/cost_experiment.hpp"
#include "kernel/topology/system_topology.hpp"
#include "peers/cost_peer.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

// The peers' threads run while the console's waits for them; between two runs its core comes to its safe point once,
// where progress is shown and Ctrl-C is seen.
void pass_safe_point() {
    struct Turn : Task {
        Turn()
            : Task([](Worker&, Task& task) { static_cast<Turn&>(task).ran = true; }) {}
        bool ran = false;
    };
    Turn turn;
    Worker::current().append(turn);
    Worker::current().run_until([&] { return turn.ran; });
}

template <typename Peer> struct CostPeerOptions : Peer::Costs { PeerNames<Peer> peers{}; };

template <typename Peer>
constexpr auto peers_option =
    console::option<&CostPeerOptions<Peer>::peers>("peer", "names with commas between (none given: all)");

// A configuration is a measure of a peer.
template <typename Peer> class CostPeerExperiment final : public Experiment {
  public:
    using Options = CostPeerOptions<Peer>;
    static constexpr std::string_view name = PeerRegistry<Peer>::name;

    static Result<CostPeerExperiment> create(Options const& options) {
        return CostPeerExperiment(options, MXK_TRY(plan_of(options)));
    }

    // The list below a command's options in its help.
    static void print_peers(TextSink& out) {
        out.write("Peers:\n");
        for (Peer const* const peer : all_peers<Peer>()) {
            FixedText<128> measures;
            print_value(measures, peer->measures);
            format(out, "  {:<18} {}\n", peer->name, peer->missing.empty() ? measures.view() : peer->missing);
        }
    }

    [[nodiscard]] Unit unit() const final { return Unit::CyclesPerOperation; }
    [[nodiscard]] std::size_t configurations() const final { return plan_.steps.size(); }
    [[nodiscard]] std::span<Skipped const> skipped() const final { return plan_.skipped; }
    [[nodiscard]] std::string_view failure() const final { return PeerRegistry<Peer>::failure; }

    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) final {
        Step const& step = plan_.steps[configuration];
        pass_safe_point();
        MXK_TRY(progress.check());
        auto const sample = run_step(step);
        if (!sample) return Error::of("{} {}: {}", step.peer->name, name_of(step.measure), sample.error().message());
        samples[0] = sample.value();
        return {};
    }

    void print_head(TextSink& out) const final {
        format(out, "{}: {} runs per row\n", name, options_.repeat);
        for (Peer const* const peer : plan_.peers)
            format(out, "{}: {}\n", peer->name, std::string_view(peer->library()));
    }
    void print_label_heading(TextSink& out) const final {
        format(out, "{:<18} ", "peer");
        print_cost_label_heading(out);
    }
    void print_label(TextSink& out, Row const& row) const final {
        Step const& step = plan_.steps[row.configuration];
        format(out, "{:<18} ", step.peer->name);
        print_cost_label(out, name_of(step.measure), step.cores);
    }
    void print_title(TextSink& out, Row const& row) const final {
        Step const& step = plan_.steps[row.configuration];
        format(out, "{} {}", step.peer->name, name_of(step.measure));
    }
    void write_settings(JsonWriter& json, Row const& row) const final {
        Step const& step = plan_.steps[row.configuration];
        json.field("peer", step.peer->name);
        json.field("library", std::string_view(step.peer->library()));
        write_cost_settings(json, name_of(step.measure), step.cores, options_.settings_of(step.measure));
    }

  private:
    using Measure = typename Peer::Measure;

    struct Step {
        Peer const* peer;
        Measure measure;
        CorePair cores;
    };
    struct Plan {
        std::vector<Peer const*> peers; // that are measured
        std::vector<Step> steps;        // one measure after the other, in each all peers that have it
        std::vector<Skipped> skipped;
        std::deque<std::string> names; // that `skipped` refers to; a deque's elements do not move
    };

    CostPeerExperiment(Options options, Plan plan)
        : options_(std::move(options))
        , plan_(std::move(plan)) {}

    // Errors: no such core; nothing can be measured.
    static Result<Plan> plan_of(Options const& options) {
        auto const choice = MXK_TRY(CoreChoice::choose(system_topology(), options.cores.values()));
        Plan plan;
        for (Peer const* const peer : options.peers.chosen.empty() ? all_peers<Peer>() : options.peers.chosen) {
            if (peer->missing.empty())
                plan.peers.push_back(peer);
            else
                plan.skipped.push_back({peer->name, Error(peer->missing)});
        }
        for (auto const& known : value_names(Measure{})) {
            if (!options.measures.empty() && !options.measures.has(known.value)) continue;
            for (Peer const* const peer : plan.peers)
                if (peer->measures.has(known.value)) add_step(plan, *peer, known.value, choice);
        }
        if (plan.steps.empty())
            return Error("nothing can be measured: no peer chosen has a measure chosen on this machine");
        return plan;
    }
    static void add_step(Plan& plan, Peer const& peer, Measure measure, CoreChoice const& choice) {
        Placement const placement = placement_of(measure);
        bool const takes_second = placement == Placement::OneCore && peer.two_threads;
        auto const cores = choice.cores_for(takes_second ? Placement::SameNode : placement);
        if (cores) return plan.steps.push_back({&peer, measure, cores.value()});
        std::string& name = plan.names.emplace_back(peer.name);
        name.append(" ").append(name_of(measure));
        plan.skipped.push_back({name, cores.error()});
    }

    Result<Sample> run_step(Step const& step) const {
        try {
            return step.peer->run(step.measure, step.cores, options_);
        } catch (std::exception const& thrown) {
            return Error(thrown.what());
        }
    }

    Options options_;
    Plan plan_;
};

// Which peer does what for which measure: docs/bench-task.md.
constexpr auto task_peer_schema = console::schema<CostPeerOptions<TaskPeer>>(
    peers_option<TaskPeer>,
    console::option<&CostPeerOptions<TaskPeer>::measures>("measure",
                                                          "as in bench task (none given: all that the peers can do)"),
    cost_option::cores, task_option::operations, task_option::depth, task_option::pool, task_option::trips,
    task_option::wakes, run_option::repeat, run_option::warm_up, run_option::json);
constexpr auto task_peers = benchmark<CostPeerExperiment<TaskPeer>, task_peer_schema>(
    {.summary = "cycles per task elsewhere: oneTBB, Taskflow, a pool with a locked deque, bare lists",
     .notes = "Example: bench task-peer --peer deque-pool,tbb-task-arena --measure round-trip --json\n",
     .more_help = &CostPeerExperiment<TaskPeer>::print_peers});
MXK_REGISTER(mxk_commands, console::Command, task_peers);

constexpr auto thread_peer_schema = console::schema<CostPeerOptions<ThreadPeer>>(
    peers_option<ThreadPeer>,
    console::option<&CostPeerOptions<ThreadPeer>::measures>(
        "measure", "as in bench thread (none given: all that the peers can do)"),
    cost_option::cores, thread_option::yields, thread_option::switches, thread_option::wakes, run_option::repeat,
    run_option::warm_up, run_option::json);
constexpr auto thread_peers = benchmark<CostPeerExperiment<ThreadPeer>, thread_peer_schema>(
    {.summary = "cycles that the system's threads cost without MXK's layer: sched_yield, futex, sem_t",
     .notes = "Example: bench thread-peer --peer sched-yield,futex --measure yield,wake --json\n",
     .more_help = &CostPeerExperiment<ThreadPeer>::print_peers});
MXK_REGISTER(mxk_commands, console::Command, thread_peers);

constexpr auto semaphore_peer_schema = console::schema<CostPeerOptions<SemaphorePeer>>(
    peers_option<SemaphorePeer>,
    console::option<&CostPeerOptions<SemaphorePeer>::measures>(
        "measure", "as in bench semaphore (none given: all that the peers can do)"),
    cost_option::cores, semaphore_option::operations, semaphore_option::yields, semaphore_option::trips,
    semaphore_option::threads, run_option::repeat, run_option::warm_up, run_option::json);
constexpr auto semaphore_peers = benchmark<CostPeerExperiment<SemaphorePeer>, semaphore_peer_schema>(
    {.summary = "cycles that other semaphores cost: sem_t, a futex, std::counting_semaphore",
     .notes = "Example: bench semaphore-peer --peer sem-t,futex --measure ping-pong --json\n",
     .more_help = &CostPeerExperiment<SemaphorePeer>::print_peers});
MXK_REGISTER(mxk_commands, console::Command, semaphore_peers);

} // namespace
} // namespace mxk::bench
