#include "main/cluster/cluster.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "arch/linux/host.hpp"
#include "arch/machine.hpp"
#include "base/crc32.hpp"
#include "kernel/clock.hpp"
#include "main/cluster/beats.hpp"
#include "main/mpi/short_slices.hpp"
#include "tasks/remote/endpoint.hpp"
#include "tasks/remote/remote_function.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

// What all ranks must have alike, to understand each other.
struct Alike {
    std::array<char, 120> build{};
    std::uint32_t functions = 0; // a check sum of their names and sizes
    std::uint32_t cores = 0;
    std::uint32_t endpoints = 0;
    remote::NetworkLimits limits{};
};

template <std::size_t size> void copy_text(std::array<char, size>& to, std::string_view text) {
    text = text.substr(0, size - 1);
    std::copy(text.begin(), text.end(), to.begin());
}

Result<void> compare(Alike const& first, Alike const& its, remote::Rank rank) {
    if (first.build != its.build)
        return Error::of("expected the same build on all ranks, got '{}' on rank 0 and '{}' on rank {}",
                         std::string_view(first.build.data()), std::string_view(its.build.data()), rank);
    if (first.functions != its.functions)
        return Error::of("expected the same remote functions on all ranks, got others on rank {}", rank);
    if (first.cores != its.cores)
        return Error::of("expected the same --cores on all ranks, got {} on rank 0 and {} on rank {}", first.cores,
                         its.cores, rank);
    if (first.endpoints != its.endpoints)
        return Error::of("expected the same --network on all ranks, got another one on rank {}", rank);
    if (std::memcmp(&first.limits.credits, &its.limits.credits, 2 * sizeof(std::uint32_t)) != 0)
        return Error::of("expected the same --credits and --message on all ranks, got others on rank {}", rank);
    return {};
}

// All threads, MPI's own, too: what the Runtime may use is what the process may.
void stay_on(cpu_set_t const& processors) {
    std::error_code ignored;
    for (auto const& thread : std::filesystem::directory_iterator("/proc/self/task", ignored))
        sched_setaffinity(std::stoi(thread.path().filename().string()), sizeof processors, &processors);
}

std::string in_flight(void const* context, remote::Rank rank) {
    auto const& network = *static_cast<remote::Network const*>(context);
    return std::to_string(network.in_flight_to(rank)) + " requests";
}

} // namespace

Result<std::unique_ptr<Cluster>> Cluster::start(int& count, char**& arguments, ClusterOptions const& options) {
    std::unique_ptr<Cluster> cluster(new Cluster);
    cluster->world_ = std::make_unique<cluster::MpiWorld>(count, arguments, options.watches);
    if (auto const started = cluster->start_here(options); !started) {
        if (cluster->world_->rank() == 0 && options.on_error != nullptr) options.on_error(started.error());
        return started.error();
    }
    return cluster;
}

// Runs before there is a worker, so what is collective here waits without one. No rank leaves it alone.
Result<void> Cluster::start_here(ClusterOptions const& options) {
    auto& world = *world_;
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    std::vector<int> processors;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) processors.push_back(cpu);
    auto const here = world.ranks_here();
    std::uint32_t const cores = options.cores != 0
                                    ? options.cores
                                    : std::max<std::uint32_t>(1, static_cast<std::uint32_t>(processors.size()) / here);
    std::uint32_t const endpoints = options.network_of_each_core ? cores : 1;

    Alike own{
        .functions = remote::sum_of_functions(), .cores = cores, .endpoints = endpoints, .limits = options.limits};
    copy_text(own.build, arch::describe_machine().build);
    std::vector<Alike> all(world.ranks());
    world.begin_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
    while (!world.is_done()) usleep(100);
    MXK_TRY(agree(options.usage));
    for (Rank rank = 0; rank < world.ranks(); ++rank) MXK_TRY(compare(all[0], all[rank], rank));
    if (options.watches && !world.has_threads())
        return Error("expected an MPI that any thread may call (MPI_THREAD_MULTIPLE)");

    // The host's processors, cut among its ranks, where each core can have one.
    shares_processors_ = std::size_t{here} * cores > processors.size();
    cpu_set_t ours;
    CPU_ZERO(&ours);
    // Else the first cores of ranks, which talk to MPI, are apart.
    std::size_t const first = std::size_t{world.rank_here()} * (shares_processors_ ? 1 : cores);
    for (std::uint32_t i = 0; i < cores; ++i)
        CPU_SET(static_cast<std::size_t>(processors[(first + i) % processors.size()]), &ours);
    stay_on(ours);
    if (shares_processors_) mpi::ask_for_short_slices();
    std::uint64_t const available = arch::available_memory_bytes().value_or(std::uint64_t{1} << 30) / here;
    auto runtime =
        Runtime::start({.cores = cores,
                        .nodes = options.nodes,
                        .memory_bytes = options.memory_bytes != 0 ? options.memory_bytes : available / 10 * 9});
    if (options.watches) beats_ = std::make_unique<cluster::Beats>(world, options.lost_after_seconds, allowed);
    for (std::uint32_t i = 0; i < endpoints; ++i) links_.push_back(world.make_link(i, endpoints)); // collective
    if (!runtime) return agree(runtime.error());
    runtime_.emplace(std::move(runtime).value());
    return agree(make_network(options, endpoints));
}

Result<void> Cluster::make_network(ClusterOptions const& options, std::uint32_t endpoints) {
    std::vector<remote::Link*> links;
    for (auto const& link : links_)
        links.push_back(
            options.wrap_link != nullptr
                ? &options.wrap_link(*link, options.wrap_seed + std::uint64_t{rank()} * endpoints + links.size())
                : link.get());
    remote::NetworkLimits limits = options.limits;
    // Cores that only offered their processor again and again would get it again and again, and others would not.
    if (shares_processors_) limits.rest = [] { usleep(20); };
    auto const cores = static_cast<std::uint32_t>(runtime_->topology().cores.size());
    // Cores that others wait for do not poll.
    for (std::uint32_t i = 0; i < cores && shares_processors_; ++i)
        workers::of(core_id(i)).set_polling_time(Nanoseconds{0});
    remote::number_functions();
    network_ = MXK_TRY(remote::Network::create({rank(), ranks(), cores, endpoints}, links, limits));
    if (beats_) beats_->tell_in_flight(&in_flight, network_.get());
    runtime_->run([this](Worker& worker) { network_->begin(worker); });
    return {};
}

Cluster::~Cluster() {
    if (network_ && world_) run([this](Worker&) { leave(); });
    network_.reset();
    runtime_.reset();
    end_world();
}

void Cluster::end_world() {
    bool const is_watched = beats_ != nullptr && world_->ranks() > 1;
    beats_.reset();
    std::optional<cluster::EndLimit> limit;
    if (is_watched) limit.emplace();
    world_.reset();
}

void Cluster::leave() {
    // What was posted has ended, but the replies, which nobody waits for, may be on their way. No rank ends its network
    // while another one has to answer it.
    Worker::current().run_until([this] {
        for (Rank rank = 0; rank < ranks(); ++rank)
            if (network_->in_flight_to(rank) != 0) return false;
        return true;
    });
    barrier();
    network_->end();
    if (beats_) beats_->tell_in_flight(nullptr, nullptr);
    links_.clear();
    end_world();
}

void Cluster::wait() {
    if (!runtime_) { // before there are cores
        while (!world_->is_done()) usleep(100);
        return;
    }
    // For as long as a collective takes where nobody is late the core stays awake.
    struct Awake : Task {
        explicit Awake(Cycles its_end)
            : Task([](Worker& here, Task& task) {
                auto& self = static_cast<Awake&>(task);
                self.is_queued = !self.is_over && clock::timestamp() < self.end;
                if (self.is_queued) here.when_round(self);
            })
            , end(its_end) {}
        Cycles end;
        bool is_queued = true;
        bool is_over = false;
    } awake(clock::timestamp() + clock::to_cycles(microseconds(10'000)));
    Worker& here = Worker::current();
    if (shares_processors_)
        awake.is_queued = false;
    else
        here.when_round(awake);
    bool is_done = false;
    here.run_until([&] {
        is_done = is_done || world_->is_done();
        awake.is_over = is_done;
        return is_done && !awake.is_queued;
    });
}

void Cluster::barrier() {
    world_->begin_barrier();
    wait();
}
void Cluster::gather_bytes(std::span<std::byte const> own, std::span<std::byte> all) {
    world_->begin_gather(own, all);
    wait();
}
void Cluster::broadcast_bytes(std::span<std::byte> bytes, Rank from) {
    world_->begin_broadcast(bytes, from);
    wait();
}

Result<void> Cluster::agree(Result<void> const& own) {
    std::array<char, 232> text{};
    if (!own) copy_text(text, own.error().message());
    auto const all = gather(text);
    for (Rank rank = 0; rank < ranks(); ++rank)
        if (all[rank][0] != 0)
            return ranks() == 1 ? Error(all[0].data()) : Error::of("rank {}: {}", rank, all[rank].data());
    return {};
}

void Cluster::wait_for_all_posted() {
    remote::Termination termination;
    for (;;) {
        remote::PostedAndEnded sums;
        for (auto const& of_rank : gather(network_->posted_and_ended())) {
            sums.posted += of_rank.posted;
            sums.ended += of_rank.ended;
        }
        if (termination.add_wave(sums)) return;
    }
}

} // namespace mxk
