// The thesis' first design of a rehash (last branch of Algorithm 3.6, section 3.3), which it rejects: when the table is
// crowded, core 0 alone makes one twice as large while all other cores wait. Here to be measured beside what replaced
// it.
//
// As printed, operations that have begun could lose keys or bring them back, and those that are queued again could
// overtake each other. So core 0 goes through these steps; each is a message to all cores, and waits for all answers:
//
//     close     a core begins no instruction, and keeps operations that come for the first time in a list
//               until all operations are at rest: ended, or in a list
//               (none begins an instruction once a region was found crowded: however late core 0 comes to it, what has
//               begun finds room)
//     rehash    core 0 alone
//     forward   each core sends its list on to the keys' new owners, where they come into lists again
//               until all are at rest
//     open      a core runs its list, in order, and begins instructions again
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "bench/frame/ready_memory.hpp"
#include "bench/frame/steps.hpp"
#include "bench/table/core_run.hpp"
#include "bench/table/engine.hpp"
#include "bench/table/partitions_access.hpp"
#include "bench/table/task_engine.hpp"
#include "bench/table/travel_access.hpp"
#include "bench/table/two_phase.hpp"
#include "hashtable/layout/probed_region.hpp"
#include "hashtable/table/travelling_probe.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/queue/task_list.hpp"
#include "tasks/run_on.hpp"

namespace mxk::bench {
namespace {

// One core's, which alone writes it; core 0 reads the counters, which only grow.
struct alignas(cache_line_bytes) CoreGate {
    bool is_closed = false;
    TaskList instructions;               // tasks that would take the next one
    TaskList operations;                 // that have come to their key's owner
    std::atomic<std::uint64_t> begun{0}; // operations
    std::atomic<std::uint64_t> ended{0}; // here
    std::atomic<std::uint64_t> kept{0};  // that came into the list
    std::atomic<std::uint64_t> taken{0}; // out of it
    // Core 0's, of all.
    enum class Rehash : std::uint8_t { None, Closes, Opens };
    alignas(cache_line_bytes) std::atomic<Rehash> rehash{Rehash::None};
    std::atomic<bool> is_full{false}; // there was no memory for a table twice as large

    // release: what the operation has written to regions is there when core 0 counts it
    static void add_one(std::atomic<std::uint64_t>& counter) {
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
};

class CoreZeroAccess : public TravelAccess<ProbedRegion> {
  public:
    // Errors: no memory.
    static Result<CoreZeroAccess> create(EngineSetup const& setup) {
        // A fifth is free in each region when the table begins to close: what has begun must have room there, an
        // operation of each task, wherever it finds some.
        std::size_t const cores = setup.owners.size();
        std::size_t const min = 10 * cores * setup.run.tasks_each;
        CoreZeroAccess access(setup, std::max<std::size_t>(*setup.run.initial_slots, min));
        access.gates_ = MXK_TRY(PerCore<CoreGate>::with_room(cores, setup.owners.front().node));
        for (Owner const& owner : setup.owners) {
            auto const added = access.gates_.add(owner.node);
            if (!added) return added.error();
        }
        return access;
    }
    Result<void> reset() {
        touched_bytes_ = make_memory_ready(growth_bytes_ / gates_.size(), owners());
        messages_ = MXK_TRY(NodeVector<Message>::create(gates_.size(), owners().front().node));
        for (std::size_t i = 0; i < gates_.size(); ++i) messages_.emplace(*this, i);
        restart(first_slots_);
        return make_table();
    }

    [[nodiscard]] std::size_t touched_bytes() const { return touched_bytes_; }
    // OpenTravelTask's, on core `here`.
    bool keeps_instruction(std::size_t here, Task& task) {
        // relaxed: nothing that is read behind it depends on it
        bool const closes = gates_[0].rehash.load(std::memory_order_relaxed) == CoreGate::Rehash::Closes;
        if (!gates_[here].is_closed && !closes) [[likely]]
            return false;
        gates_[here].instructions.append(task);
        return true;
    }
    void begins(std::size_t here) { CoreGate::add_one(gates_[here].begun); }
    bool keeps_operation(std::size_t here, Task& task) {
        if (!gates_[here].is_closed) [[likely]]
            return false;
        gates_[here].operations.append(task);
        CoreGate::add_one(gates_[here].kept);
        return true;
    }
    // Behind a visit; before ended(): once all have, core 0 replaces the table that this looks at. relaxed: what the
    // rehash reads comes to it by messages.
    void work(Worker& worker, std::size_t at) {
        if (region(at).size() * 5 <= region(at).slot_count() * 4) [[likely]]
            return;
        CoreGate& first = gates_[0];
        if (first.is_full.load(std::memory_order_relaxed)) return;
        if (first.rehash.load(std::memory_order_relaxed) == CoreGate::Rehash::Closes) return;
        // Where it still opens core 0 begins again once all have.
        auto const before = first.rehash.exchange(CoreGate::Rehash::Closes, std::memory_order_acq_rel);
        if (before != CoreGate::Rehash::None) return;
        coordinator_ = Coordinator(this);
        worker.append(coordinator_, owners()[0].core);
    }
    void ended(std::size_t here) { CoreGate::add_one(gates_[here].ended); }

    // Errors: no memory for a table twice as large.
    Result<void> settle() {
        run_on_one(owners().front().core, [this](Worker&) {
            auto const rehash = gates_[0].rehash.load(std::memory_order_acquire);
            return rehash == CoreGate::Rehash::None ? Step::Done : Step::Again;
        });
        if (!gates_[0].is_full.exchange(false, std::memory_order_relaxed)) return {};
        return Error("out of memory: no room for a table twice as large");
    }

  private:
    enum class Order : std::uint8_t { Close, Forward, Open };

    // To one core and back.
    struct Message : Task {
        Message(CoreZeroAccess& its_access, std::size_t its_place)
            : Task(&Message::arrive)
            , access(its_access)
            , place(its_place) {}

        static void arrive(Worker& worker, Task& task) {
            auto& self = static_cast<Message&>(task);
            self.access.obey(worker, self.place, self.order);
            task.body = &Message::answer;
            worker.append(task, self.access.owners()[0].core);
        }
        static void answer(Worker& worker, Task& task) {
            CoreZeroAccess& access = static_cast<Message&>(task).access;
            if (--access.coordinator_.answers_left == 0) access.coordinator_.answered(worker);
        }

        CoreZeroAccess& access;
        std::size_t place;
        Order order = Order::Close;
    };

    // On core 0.
    struct Coordinator : Task {
        explicit Coordinator(CoreZeroAccess* its_access = nullptr)
            : Task(&Coordinator::begin)
            , access(its_access) {}

        static void begin(Worker& worker, Task& task) { static_cast<Coordinator&>(task).send(worker, Order::Close); }
        void send(Worker& worker, Order its_order) {
            order = its_order;
            answers_left = access->messages_.size();
            for (Message& message : access->messages_) {
                message.order = order;
                message.body = &Message::arrive;
                worker.append(message, access->owners()[message.place].core);
            }
        }
        void answered(Worker& worker) {
            if (order == Order::Open) {
                auto opens = CoreGate::Rehash::Opens;
                if (access->gates_[0].rehash.compare_exchange_strong(opens, CoreGate::Rehash::None)) return;
                return send(worker, Order::Close);
            }
            body = &Coordinator::wait;
            worker.append(*this);
        }
        static void wait(Worker& worker, Task& task) {
            auto& self = static_cast<Coordinator&>(task);
            if (!self.access->all_at_rest()) return worker.append(task);
            if (self.order == Order::Forward) {
                // relaxed: who gets the message sees it
                self.access->gates_[0].rehash.store(CoreGate::Rehash::Opens, std::memory_order_relaxed);
                return self.send(worker, Order::Open);
            }
            self.access->rehash();
            self.send(worker, Order::Forward);
        }

        CoreZeroAccess* access;
        std::size_t answers_left = 0;
        Order order = Order::Close;
    };

    CoreZeroAccess(EngineSetup const& setup, std::size_t slots)
        : TravelAccess(setup, slots)
        , first_slots_(slots)
        , growth_bytes_(growth_bytes(setup.run)) {}

    void obey(Worker& worker, std::size_t at, Order order) {
        CoreGate& gate = gates_[at];
        if (order == Order::Close) {
            gate.is_closed = true;
            return;
        }
        TaskList operations;
        operations.splice(gate.operations);
        if (order == Order::Open) gate.is_closed = false; // those that come from now on are behind these
        while (Task* const task = operations.take()) {
            gate.add_one(gate.taken);
            if (order == Order::Forward)
                worker.append(*task, owners()[owner(static_cast<OpenTravelTask<CoreZeroAccess>&>(*task).key())].core);
            else
                task->body(worker, *task);
        }
        if (order == Order::Forward) return;
        while (Task* const task = gate.instructions.take()) worker.append(*task);
    }

    // While no instruction begins: whether each operation that has begun has ended or is in a list.
    [[nodiscard]] bool all_at_rest() const {
        std::uint64_t under_way = 0;
        for (CoreGate const& gate : gates_) {
            under_way += gate.begun.load(std::memory_order_acquire) + gate.taken.load(std::memory_order_acquire);
            under_way -= gate.ended.load(std::memory_order_acquire) + gate.kept.load(std::memory_order_acquire);
        }
        return under_way == 0;
    }

    // While all operations are at rest.
    void rehash() {
        auto room = NodeVector<Partitioned<ProbedRegion>>::create(1, owners().front().node);
        auto larger = Partitioned<ProbedRegion>::create(2 * bucket_count(), owners());
        if (!room || !larger) return gates_[0].is_full.store(true, std::memory_order_relaxed);
        room.value().emplace(std::move(larger).value());
        Partitioned<ProbedRegion>& next_table = room.value()[0];
        table().for_each([&](std::uint64_t key, std::uint64_t value) {
            TravellingProbe probe(key, value);
            std::size_t at = next_table.owner(key);
            while (probe.put(next_table, at) == Probed::EndOfRegion) at = TravellingProbe::next(next_table, at);
        });
        replace_table(std::move(room).value());
    }

    std::size_t first_slots_;
    std::size_t growth_bytes_;
    std::size_t touched_bytes_ = 0;
    PerCore<CoreGate> gates_;      // by place
    NodeVector<Message> messages_; // by place
    Coordinator coordinator_;
};

constexpr EngineKind open_core0{.layout = open_travel_layout,
                                .probe = Probe::Travel,
                                .rehash = Rehash::Core0,
                                .hash = Hashing::Modulo,
                                .growth = Growth::Always,
                                .create =
                                    &EngineOwner::create<TaskEngine<CoreZeroAccess, OpenTravelTask<CoreZeroAccess>>>};
MXK_REGISTER(mxk_engines, EngineKind, open_core0);

} // namespace
} // namespace mxk::bench
