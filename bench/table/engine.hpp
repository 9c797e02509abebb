// A way of running operations on a table: which table, and how operations come to the cores that own its parts, or
// which threads run them on all of it. `bench table` measures engines; each registers itself where it is defined, one
// file per layout:
//
//     constexpr EngineKind chained_tasks{.layout = Layout::Chained, ..., .create = &EngineOwner::create<...>};
//     MXK_REGISTER(mxk_engines, EngineKind, chained_tasks);
//
// The core at place i of a run takes the instructions of slice i and, in the task model, owns region i of the table.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/registry.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "bench/table/core_run.hpp"
#include "bench/table/table_options.hpp"
#include "bench/workload/instruction_queue.hpp"
#include "hashtable/table/partitioned.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk::bench {

// One virtual call for each core and phase, none for an operation.
class Engine {
  public:
    Engine() = default;
    Engine(Engine const&) = delete;
    Engine& operator=(Engine const&) = delete;

    // A new, empty table for as many keys as there are instructions; the last one gives its memory back first. Errors:
    // no memory. The console's task, while nobody works.
    virtual Result<void> reset() = 0;

    // A phase begins. `cores`: everybody's share; what it refers to is valid until the phase ends. The console's task.
    virtual void prepare(PhaseCores const& cores) = 0;
    // Makes what core `at` needs for it; not measured. On that core.
    virtual void prepare_core(Worker& worker, std::size_t at) = 0;
    // Sets core `at` to work; measured. What was started takes instructions from cores[at] until there are no more, and
    // then calls its task_ended() or end(). On that core.
    virtual void start_core(Worker& worker, std::size_t at) = 0;

    // Waits until the table itself has nothing left to do, when nobody works. Errors: no memory. The console's task.
    virtual Result<void> settle() = 0;

    // So many cores own the table from now on; while operations flow. Errors: no memory. The console's task.
    virtual Result<void> change_owners(std::size_t owners) = 0;
    // Memory that the table has, in bytes; while nobody works.
    [[nodiscard]] virtual std::size_t bytes() const = 0;
    // Memory that was touched before the run, for what the table will ask for, in bytes.
    [[nodiscard]] virtual std::size_t touched_bytes() const = 0;

    // Changes of the table's locks in the last phase, none of which is under way any more; of tables that have such.
    [[nodiscard]] virtual std::uint64_t lock_changes() const = 0;

    [[nodiscard]] virtual std::size_t bucket_count() const = 0;

    // The value of each of the keys, nothing if the key is not there; of a table of keys, value_of(). Any core, while
    // nobody works.
    virtual void find_all(std::span<std::uint64_t const> keys,
                          std::span<std::optional<std::uint64_t>> values) const = 0;

    struct Content {
        std::uint64_t counted = 0; // by visiting all
        std::uint64_t said = 0;    // by the table
    };
    // While nobody works.
    [[nodiscard]] virtual Content content() const = 0;

  protected:
    ~Engine() = default;
};

// What an engine is made for. `options` and the owners outlive it, `queue` is for its creation.
struct EngineSetup {
    TableOptions const& options;
    std::span<Owner const> owners;       // by place
    std::span<Owner const> table_owners; // the same cores, with the nodes where their parts of the table are to lie
    InstructionQueue const& queue;
};

// Owns an engine, in memory of a node; move-only.
class EngineOwner {
  public:
    // Of type E, constructed from E::Parts, which are made by E::make(setup), on the first owner's node. Errors: those
    // of make(), and no memory.
    template <std::derived_from<Engine> E> static Result<EngineOwner> create(EngineSetup const& setup) {
        auto parts = MXK_TRY(E::make(setup));
        auto room = MXK_TRY(NodeArray<std::byte>::create(sizeof(E), setup.owners.front().node));
        static_assert(alignof(E) <= cache_line_bytes);
        Engine* const engine = new (static_cast<void*>(room.data())) E(std::move(parts));
        return EngineOwner(std::move(room), engine, [](Engine& it) { static_cast<E&>(it).~E(); });
    }
    EngineOwner(EngineOwner&& other) noexcept
        : room_(std::move(other.room_))
        , engine_(std::exchange(other.engine_, nullptr))
        , destroy_(other.destroy_) {}
    EngineOwner& operator=(EngineOwner&&) = delete;
    ~EngineOwner() {
        if (engine_ != nullptr) destroy_(*engine_);
    }

    [[nodiscard]] Engine& operator*() const { return *engine_; }
    [[nodiscard]] Engine* operator->() const { return engine_; }

  private:
    EngineOwner(NodeArray<std::byte> room, Engine* engine, void (*destroy)(Engine&))
        : room_(std::move(room))
        , engine_(engine)
        , destroy_(destroy) {}

    NodeArray<std::byte> room_;
    Engine* engine_;
    void (*destroy_)(Engine&);
};

// Whether a table of this kind grows: then it may begin with --initial-slots. Some are of the same kind if they do not.
enum class Growth : std::uint8_t { Never, Always, Either };

struct EngineKind {
    // What of the options asks for it.
    Model model = Model::Tasks;
    Layout layout;
    Submit submit = Submit::Task;
    Notation notation = Notation::Function;
    Walk walk = Walk::Whole;
    Probe probe = Probe::Local;
    std::optional<Locking> locking{}; // of threads; none: semaphores, or the table's own
    Hashing hash = Hashing::Mixed;
    Growth growth = Growth::Never;
    Result<EngineOwner> (*create)(EngineSetup const& setup);
};

MXK_REGISTRY(mxk_engines, EngineKind, registered_engines)

// The engine that the options ask for. Errors: they contradict each other, or say what that engine does not use; there
// is no such engine.
Result<EngineKind const*> choose_engine(TableOptions const& options);

// Where the instructions of a run lie: as the options say. If they say nothing: for the thesis' table and tasks in one
// queue for all cores, unless results would depend on which core takes what; else on the cores' nodes.
QueueKind queue_kind(TableOptions const& options, EngineKind const& kind);

// Fills in what was left out and is shown with the results: hash, queue, kind of semaphore; and no prefetching, for the
// thesis' tasks. Gives the engine that they ask for. Errors: those of choose_engine().
Result<EngineKind const*> complete(TableOptions& options);

// The thesis' table, tasks, queue and (missing) prefetching; of options that are complete.
bool has_thesis_defaults(TableOptions const& options);

// A line for each that there is, as options.
void print_engines(TextSink& out);

// The number of buckets for the options, `per_operation` where they say nothing. Errors: fewer than `min`.
Result<std::size_t> count_buckets(TableOptions const& options, double per_operation, std::size_t min);

// What engines over a table have in common (table_access.hpp): all but how operations come to the table.
template <typename Access> class AccessEngine : public Engine {
  public:
    Result<void> reset() override { return access_.reset(); }

    [[nodiscard]] std::size_t bucket_count() const final { return access_.bucket_count(); }

    void find_all(std::span<std::uint64_t const> keys, std::span<std::optional<std::uint64_t>> values) const final {
        for (std::uint64_t const key : keys) access_.prefetch(key);
        for (std::size_t i = 0; i < keys.size(); ++i) values[i] = access_.value(keys[i]);
    }
    [[nodiscard]] Content content() const final {
        Content content{.said = access_.table().size()};
        access_.table().for_each([&](auto const&...) { ++content.counted; });
        return content;
    }
    Result<void> change_owners([[maybe_unused]] std::size_t owners) final {
        if constexpr (requires { access_.change_owners(owners); }) return access_.change_owners(owners);
        return Error("the owners of this table cannot change");
    }
    [[nodiscard]] std::size_t bytes() const final { return access_.bytes(); }
    [[nodiscard]] std::size_t touched_bytes() const final {
        if constexpr (requires { access_.touched_bytes(); }) return access_.touched_bytes();
        return 0;
    }
    [[nodiscard]] std::uint64_t lock_changes() const final {
        if constexpr (requires { access_.lock_changes(); }) return access_.lock_changes();
        return 0;
    }
    Result<void> settle() final {
        if constexpr (requires { access_.settle(); }) return access_.settle();
        return {};
    }

  protected:
    explicit AccessEngine(Access access)
        : access_(std::move(access)) {}
    ~AccessEngine() = default;

    [[nodiscard]] Access& access() { return access_; }

  private:
    Access access_;
};

// Which engines use which options: what the chosen one would ignore is refused, and not shown with the results.

// `kind`: the chosen engine, or null where none is chosen yet: then what depends on it is not checked. Errors: an
// option was given that this way of running operations does not use, or that this build does not have.
Result<void> check_uses(TableOptions const& options, EngineKind const* kind);

// Whether the engine uses this option (as in "--prefetch").
bool uses(TableOptions const& options, std::string_view option);

} // namespace mxk::bench
