#include "main/library/runtime.hpp"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "arch/attention.hpp"
#include "arch/linux/control_group.hpp"
#include "arch/linux/host.hpp"
#include "arch/linux/node_memory.hpp"
#include "arch/linux/pinning.hpp"
#include "arch/linux/signals.hpp"
#include "base/arena.hpp"
#include "base/log.hpp"
#include "base/panic.hpp"
#include "hashtable/bulk/table_count.hpp"
#include "kernel/memory/mapping/coherence.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/remote_call.hpp"
#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/topology/system_topology.hpp"
#include "kernel/uptime.hpp"
#include "main/library/core_watch.hpp"
#include "main/library/shape.hpp"
#include "tasks/fork/fork_core.hpp"
#include "tasks/prefetching.hpp"
#include "tasks/workers.hpp"
#include "tasks/workqueue/work_queue.hpp"

namespace mxk {
namespace {

// An arena asks a plain function for memory; it all goes when the Runtime does.
std::vector<std::unique_ptr<std::byte[]>>& arena_chunks() {
    static std::vector<std::unique_ptr<std::byte[]>> chunks;
    return chunks;
}
std::span<std::byte> heap_memory(std::size_t bytes) {
    arena_chunks().push_back(std::make_unique<std::byte[]>(bytes));
    return {arena_chunks().back().get(), bytes};
}

constinit bool is_running = false;
constinit pid_t its_process = 0; // in which it runs: not in those that this one forks

// What makes this host's numbers other than the hardware's, or is not known of it.
void warn_of_host(arch::Shape const& shape, std::optional<double> processors) {
    if (shape.shares_cpus)
        log::warn("{} cores share the processors of this system: what they measure is not the hardware's speed",
                  shape.cores.size());
    if (shape.nodes_unknown) log::warn("this system does not say which memory its NUMA nodes have: taken as one node");
    if (shape.memory_guessed) log::warn("this system does not say how much memory is available: taken as 1 GiB");
    if (processors && *processors < static_cast<double>(shape.cores.size()))
        log::warn("a control group's CPU quota allows {} processors for {} cores: it stops them while they measure",
                  *processors, shape.cores.size());
}

} // namespace

struct Runtime::State {
    ~State();

    Result<void> take_memory(arch::Shape const& shape);
    Result<void> describe(arch::Shape const& shape);
    void start_threads(arch::Shape const& shape, bool own_threads);
    void become_core(CoreId id, int cpu);
    void end_system_queue();

    Arena arena{&heap_memory};
    std::deque<arch::NodeMemory> memory; // by node
    std::vector<FrameAllocator> allocators;
    std::vector<arch::CoreLocal> locals; // by core
    topology::Topology topology;
    std::vector<std::thread> threads; // all cores but those of the starting thread: 0, or none
    std::unique_ptr<CoreWatch> watch; // null: nobody looks
    std::mutex resizing;
    std::atomic<bool> stopping{false};
    std::atomic<std::size_t> cores_ready{0};
    std::atomic<bool> system_queue_ended{false};
    cpu_set_t affinity_before{}; // of the thread that becomes core 0
};

Result<void> Runtime::State::take_memory(arch::Shape const& shape) {
    allocators = std::vector<FrameAllocator>(shape.nodes.size());
    for (std::size_t i = 0; i < shape.nodes.size(); ++i) {
        auto const& [system_node, bytes] = shape.nodes[i];
        memory.push_back(bytes == 0 ? arch::NodeMemory() : MXK_TRY(arch::NodeMemory::reserve(bytes, system_node)));
        allocators[i].add(memory[i].bytes());
    }
    memory::configure(allocators, shape.distances, arena);
    return {};
}

// Node memory is described by the addresses at which this program sees it.
Result<void> Runtime::State::describe(arch::Shape const& shape) {
    auto const cores = MXK_TRY(arena.array<topology::Core>(shape.cores.size()));
    auto const nodes = MXK_TRY(arena.array<topology::Node>(shape.nodes.size()));
    auto const ranges = MXK_TRY(arena.array<MemoryRange>(shape.nodes.size()));
    auto const distances = MXK_TRY(arena.array<std::uint8_t>(shape.distances.size()));
    auto const ids = MXK_TRY(arena.array<CoreId>(shape.cores.size()));
    for (std::size_t i = 0; i < cores.size(); ++i) {
        auto const uid = static_cast<std::uint32_t>(shape.cores[i].cpu);
        cores[i] = {core_id(i), shape.cores[i].apic_id, shape.cores[i].node, uid, shape.cores[i].levels};
    }
    std::copy(shape.distances.begin(), shape.distances.end(), distances.begin());
    std::size_t next = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        std::size_t const first = next;
        for (topology::Core const& core : cores)
            if (core.node == node_id(i)) ids[next++] = core.id;
        std::span<std::byte> const bytes = memory[i].bytes();
        std::size_t const range_count = bytes.empty() ? 0 : 1; // a node may have no memory
        ranges[i] = {PhysicalAddress{reinterpret_cast<std::uintptr_t>(bytes.data())}, bytes.size()};
        auto const domain = static_cast<std::uint32_t>(std::max(shape.nodes[i].system_node, 0));
        nodes[i] = {node_id(i), shape.nodes[i].system_node >= 0 ? domain : static_cast<std::uint32_t>(i),
                    ranges.subspan(i, range_count), ids.subspan(first, next - first)};
    }
    topology = {.cores = cores,
                .nodes = nodes,
                .distances = distances,
                .distances_are_known = !shape.distances_assumed,
                .listed_cores = cores.size()};
    set_system_topology(topology);
    return {};
}

void Runtime::State::become_core(CoreId id, int cpu) {
    arch::adopt_core(locals[index(id)], id);
    if (arch::pin_to(cpu)) {
        arch::note_cpu(id, cpu);
    } else {
        log::warn("core {} could not be pinned to processor {}: the system may move it", id, cpu);
    }
    workers::become(id);
    cores_ready.fetch_add(1, std::memory_order_acq_rel);
    cores_ready.notify_all();
}

void Runtime::State::start_threads(arch::Shape const& shape, bool own_threads) {
    sched_getaffinity(0, sizeof affinity_before, &affinity_before);
    locals = std::vector<arch::CoreLocal>(shape.cores.size());
    arch::reserve_cores(shape.cores.size());
    arch::note_cpus(shape.cores.size());
    threads.reserve(shape.cores.size());
    if (!own_threads) workers::let_core_zero_visit();
    for (std::size_t i = own_threads ? 0 : 1; i < shape.cores.size(); ++i) {
        threads.emplace_back([this, i, cpu = shape.cores[i].cpu] {
            arch::SignalStack const stack;
            become_core(core_id(i), cpu);
            // relaxed: what stops it wakes it, and that orders
            Worker::current().serve_until([this] { return stopping.load(std::memory_order_relaxed); });
        });
    }
    if (!own_threads) become_core(core_id(0), shape.cores[0].cpu);
    for (std::size_t ready = 0; (ready = cores_ready.load(std::memory_order_acquire)) < shape.cores.size();)
        cores_ready.wait(ready, std::memory_order_acquire);
}

// Its workers are threads, which wait for each other's end; a thread that is no core has core 0 do that.
void Runtime::State::end_system_queue() {
    if (!system_queue::has_worked() || !workers::serves(core_id(0))) return system_queue::destroy();
    struct End : Task {
        explicit End(std::atomic<bool>& its_flag)
            : Task([](Worker&, Task& task) {
                auto& flag = static_cast<End&>(task).ended;
                system_queue::destroy();
                flag.store(true, std::memory_order_release);
                flag.notify_all();
            })
            , ended(its_flag) {}
        std::atomic<bool>& ended;
    } end(system_queue_ended);
    workers::of(core_id(0)).append_from_outside(end);
    system_queue_ended.wait(false, std::memory_order_acquire);
}

// Also of one that did not get as far as to run.
Runtime::State::~State() {
    if (getpid() != its_process) {                         // a fork: its threads are not there, and perhaps held locks
        static auto& gone = *new std::vector<std::thread>; // never destroyed: they can neither be joined nor detached
        gone = std::move(threads);
        static_cast<void>(watch.release());
        return;
    }
    expect(TableCount::alive() == 0, "expected every mxk::Table, Set and lock for nodes to be gone before its Runtime");
    // When not all threads could be started, core 0 has not become one.
    for (std::size_t ready = 0; (ready = cores_ready.load(std::memory_order_acquire)) < threads.size();)
        cores_ready.wait(ready, std::memory_order_acquire);
    watch.reset();
    end_system_queue();
    stopping.store(true, std::memory_order_relaxed);
    std::size_t const first = workers::serves(core_id(0)) ? 0 : 1;
    for (std::size_t i = 0; i < threads.size(); ++i) arch::wake(core_id(first + i));
    for (std::thread& thread : threads) thread.join();
    if (arch::this_core != nullptr) {
        arch::this_core = nullptr;
        sched_setaffinity(0, sizeof affinity_before, &affinity_before);
    }
    prefetching::forget();
    ForkCore::forget();
    workers::forget();
    remote_calls::forget();
    rcu::forget();
    mapping::forget();
    set_system_topology({});
    memory::configure({}, {}, arena);
    arch::reserve_cores(0);
    arena_chunks().clear();
    is_running = false;
}

Runtime::Runtime(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
Runtime::Runtime(Runtime&& other) noexcept = default;
Runtime::~Runtime() = default;

topology::Topology const& Runtime::topology() const {
    return state_->topology;
}

Result<void> Runtime::resize(std::size_t cores) {
    std::size_t const started = state_->topology.cores.size();
    if (cores == 0 || cores > started)
        return Error::of("expected 1 to {} cores, as many as were started, got {}", started, cores);
    std::scoped_lock const guard(state_->resizing);
    workers::let_take_part(cores);
    std::vector<CoreId> first;
    for (std::size_t i = 0; i < cores; ++i) first.push_back(core_id(i));
    ForkCore::limit_to(first);
    return {};
}

Worker& Runtime::core_zero() const {
    expect(arch::this_core == state_->locals.data(), "only the thread that started a Runtime runs and ends it");
    return Worker::current();
}

Result<Runtime> Runtime::start(RuntimeOptions const& options) try {
    if (is_running && getpid() != its_process)
        return Error("expected a process without a Runtime: it was forked from one that has one, whose threads are not "
                     "in it; start the Runtime after the fork");
    if (is_running) return Error("expected one Runtime at a time: there is one in this process");
    clock::note_start();
    arch::ControlGroup const group = arch::read_control_group();
    arch::Shape const shape =
        MXK_TRY(arch::make_shape(options, arch::read_host(), arch::available_memory_bytes(group)));
    is_running = true;
    its_process = getpid();
    auto state = std::make_unique<State>();
    MXK_TRY(state->take_memory(shape));
    MXK_TRY(state->describe(shape));
    MXK_TRY(remote_calls::create(state->topology.cores));
    MXK_TRY(rcu::create(state->topology.cores));
    MXK_TRY(mapping::create(state->topology));
    MXK_TRY(workers::create(state->topology, state->arena));
    MXK_TRY(ForkCore::create(state->topology));
    MXK_TRY(system_queue::create());
    if (shape.shares_cpus)
        for (std::size_t i = 0; i < workers::count(); ++i) workers::of(core_id(i)).set_polling_time(Nanoseconds{0});
    warn_of_host(shape, group.processors);
    state->start_threads(shape, options.own_threads);
    if (options.warn_after != Nanoseconds{0})
        state->watch = std::make_unique<CoreWatch>(options.warn_after, state->affinity_before);
    return Runtime(std::move(state));
} catch (std::exception const& failure) { // no memory, no threads, no topology
    return Error(failure.what());
}

} // namespace mxk
