// `bench task-peer`, `bench thread-peer`, `bench semaphore-peer`: what tasks, threads and semaphores cost elsewhere,
// for comparison with `bench task`, `bench thread` and `bench semaphore`: the same measures, cores, numbers and fields.
#include <deque>
#include <exception>

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

template <typename Peer> struct CostPeerOptions : Peer::Costs { KindNames<Peer> peers{}; };

template <typename Peer>
constexpr auto peers_option =
    console::option<&CostPeerOptions<Peer>::peers>("peer", "names with commas between (none given: all)");

// A configuration is a measure of a peer: one measure after the other, in each all peers that have it.
template <typename Peer>
class CostPeerExperiment final : public CostExperiment<typename Peer::Measure, CostPeerOptions<Peer>> {
    using Costs = CostExperiment<typename Peer::Measure, CostPeerOptions<Peer>>;
    using Step = typename Costs::Step;

  public:
    static constexpr std::string_view name = KindRegistry<Peer>::name;
    using Costs::Costs;

    // Errors: no such core; no memory; nothing can be measured.
    Result<void> set_up() {
        auto const choice = MXK_TRY(CoreChoice::choose(system_topology(), this->options().cores.values()));
        peers_ = MXK_TRY(this->options().peers.kinds());
        auto const measures = value_names(typename Peer::Measure{});
        MXK_TRY(this->make_room(peers_.size() * (measures.size() + 1)));
        for (Peer const* const peer : peers_)
            if (!peer->missing.empty()) this->skipped_.emplace(peer->name, Error(peer->missing));
        for (auto const& known : measures) {
            if (!this->is_chosen(known.value)) continue;
            for (std::size_t at = 0; at < peers_.size(); ++at)
                if (peers_[at]->missing.empty() && peers_[at]->measures.has(known.value))
                    add_step(at, known.value, choice);
        }
        if (this->steps_.size() == 0)
            return Error("nothing can be measured: no peer chosen has a measure chosen on this machine");
        return {};
    }

    // The list below a command's options in its help.
    static void print_peers(TextSink& out) {
        print_kinds<Peer>(out, "Peers", 18, [&](Peer const& peer) { print_value(out, peer.measures); });
    }

    [[nodiscard]] bool is_measured_as_a_whole() const override { return false; }
    [[nodiscard]] std::string_view failure() const override { return KindRegistry<Peer>::failure; }

    Result<Sample> run_step(Step const& step, Progress& progress) override {
        pass_safe_point();
        MXK_TRY(progress.check());
        Peer const& peer = *peers_[step.peer];
        auto sample = [&]() -> Result<Sample> {
            try {
                return peer.run(step.measure, step.cores, this->options());
            } catch (std::exception const& thrown) {
                return Error(thrown.what());
            }
        }();
        if (!sample) return Error::of("{} {}: {}", peer.name, name_of(step.measure), sample.error().message());
        return sample;
    }

    void print_head(TextSink& out) const override {
        format(out, "{}: {} runs per row\n", name, this->options().repeat.text().view());
        for (Peer const* const peer : peers_)
            if (peer->missing.empty()) format(out, "{}: {}\n", peer->name, std::string_view(peer->library()));
    }
    void print_label_heading(TextSink& out) const override {
        format(out, "{:<18} ", "peer");
        Costs::print_label_heading(out);
    }
    void print_label(TextSink& out, Row const& row) const override {
        format(out, "{:<18} ", peer_of(row).name);
        Costs::print_label(out, row);
    }
    void print_title(TextSink& out, Row const& row) const override {
        format(out, "{} ", peer_of(row).name);
        Costs::print_title(out, row);
    }
    void write_settings(JsonWriter& json, Row const& row) const override {
        json.field("peer", peer_of(row).name);
        json.field("library", std::string_view(peer_of(row).library()));
        Costs::write_settings(json, row);
    }

  private:
    [[nodiscard]] Peer const& peer_of(Row const& row) const { return *peers_[this->step(row).peer]; }

    void add_step(std::size_t at, typename Peer::Measure measure, CoreChoice const& choice) {
        Placement const placement = placement_of(measure);
        bool const takes_second = placement == Placement::OneCore && peers_[at]->two_threads;
        auto const cores = choice.cores_for(takes_second ? Placement::SameNode : placement);
        if (cores) {
            this->steps_.emplace(measure, cores.value(), at);
            return;
        }
        std::string& skipped = names_.emplace_back(peers_[at]->name);
        skipped.append(" ").append(name_of(measure));
        this->skipped_.emplace(skipped, cores.error());
    }

    KindList<Peer> peers_;
    std::deque<std::string> names_; // of what is skipped; a deque's elements do not move
};

template <typename Peer>
constexpr auto measures_option = console::option<&CostPeerOptions<Peer>::measures>(
    "measure", "as of MXK's own (none given: all that the peers can do)");
template <typename Peer, auto const& schema>
consteval console::Command peers_benchmark(std::string_view summary, std::string_view notes) {
    return benchmark<CostPeerExperiment<Peer>, schema>(
        {.summary = summary, .notes = notes, .more_help = &CostPeerExperiment<Peer>::print_peers});
}

// Which peer does what for which measure: docs/bench-task.md.
constexpr auto task_peer_schema = console::schema<CostPeerOptions<TaskPeer>>(
    peers_option<TaskPeer>, measures_option<TaskPeer>, cost_option::cores, task_option::operations, task_option::depth,
    task_option::pool, task_option::trips, task_option::wakes, run_option::all);
constexpr auto task_peers = peers_benchmark<TaskPeer, task_peer_schema>(
    "cycles per task elsewhere: oneTBB, Taskflow, a pool with a locked deque, bare lists",
    "Example: bench task-peer --peer deque-pool,tbb-task-arena --measure round-trip --json\n");
MXK_REGISTER(mxk_commands, console::Command, task_peers);

constexpr auto thread_peer_schema = console::schema<CostPeerOptions<ThreadPeer>>(
    peers_option<ThreadPeer>, measures_option<ThreadPeer>, cost_option::cores, thread_option::yields,
    thread_option::switches, thread_option::wakes, run_option::all);
constexpr auto thread_peers = peers_benchmark<ThreadPeer, thread_peer_schema>(
    "cycles that the system's threads cost without MXK's layer: sched_yield, futex, sem_t",
    "Example: bench thread-peer --peer sched-yield,futex --measure yield,wake --json\n");
MXK_REGISTER(mxk_commands, console::Command, thread_peers);

constexpr auto semaphore_peer_schema = console::schema<CostPeerOptions<SemaphorePeer>>(
    peers_option<SemaphorePeer>, measures_option<SemaphorePeer>, cost_option::cores, semaphore_option::operations,
    semaphore_option::yields, semaphore_option::trips, semaphore_option::threads, run_option::all);
constexpr auto semaphore_peers = peers_benchmark<SemaphorePeer, semaphore_peer_schema>(
    "cycles that other semaphores cost: sem_t, a futex, std::counting_semaphore",
    "Example: bench semaphore-peer --peer sem-t,futex --measure ping-pong --json\n");
MXK_REGISTER(mxk_commands, console::Command, semaphore_peers);

} // namespace
} // namespace mxk::bench
