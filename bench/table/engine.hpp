// A way of running operations on a table: which table, and how operations come to the cores that own its parts, or
// which threads run them on all of it. `bench table` measures engines; each registers itself where it is defined, one
// file per layout, and nothing else names it (tests/kernel/added_table.cpp adds one):
//
//     constexpr TableLayout chained{.name = "chained", .bytes_per_bucket = 8, ...};
//     constexpr EngineKind chained_tasks{.layout = chained, ..., .create = &EngineOwner::create<...>};
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
#include "bench/trace/trace_replay.hpp"
#include "bench/workload/instruction_queue.hpp"
#include "hashtable/table/partitioned.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

struct LockChanges {
    std::uint64_t count = 0;      // none of which is under way any more
    double share_of_one_lock = 0; // of the operations, as far as each 64 of a thread began with one lock for all
};

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

    // Of the table's locks in the last phase; of tables whose locks change.
    [[nodiscard]] virtual LockChanges lock_changes() const = 0;

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

// What an engine is made for. `run` and the owners outlive it, `queue` is for its creation.
struct EngineSetup {
    TableRun const& run;
    std::span<Owner const> owners;       // by place
    std::span<Owner const> table_owners; // the same cores, with the nodes where their parts of the table are to lie
    InstructionQueue const& queue;
};

// Owns an engine, in memory of a node; move-only.
class EngineOwner {
  public:
    // Of type E, made of its table and by make(setup), on the first owner's node. Errors: theirs, and no memory.
    template <std::derived_from<Engine> E> static Result<EngineOwner> create(EngineSetup const& setup) {
        auto table = MXK_TRY(E::TableAccess::create(setup));
        auto room = MXK_TRY(NodeArray<std::byte>::create(sizeof(E), setup.owners.front().node));
        static_assert(alignof(E) <= cache_line_bytes);
        E* const engine = new (static_cast<void*>(room.data())) E(std::move(table));
        EngineOwner owner(std::move(room), engine, [](Engine& it) { static_cast<E&>(it).~E(); });
        MXK_TRY(engine->make(setup));
        return owner;
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

// What the tables of a layout are like. Each engine says it of its own.
struct TableLayout {
    std::string_view name;
    // What the table has for each key where all are in it: so many places of so many bytes, and what else there is.
    double bytes_per_bucket;
    double default_buckets; // per operation, or what the default load comes to
    double bytes_per_key = 0;
    bool keeps_values = true; // that can be overwritten; else it has a node with a key for each instruction
    std::uint8_t rank = 255;  // where lists name it: the small ones first
};

struct EngineKind {
    // What of the options asks for it.
    Model model = Model::Tasks;
    TableLayout layout;
    Submit submit = Submit::Task;
    Reads reads = Reads::Travel;
    Notation notation = Notation::Function;
    Walk walk = Walk::Whole;
    Probe probe = Probe::Local;
    Rehash rehash = Rehash::Regions;
    Place place = Place::Instruction;
    std::optional<Locking> locking{}; // of threads; none: semaphores, or the table's own
    Hashing hash = Hashing::Mixed;
    // The thesis' hash, too, by other keys (ModuloKeys, bench/workload/keys.hpp).
    bool has_modulo = false;
    Growth growth = Growth::Never;
    Result<EngineOwner> (*create)(EngineSetup const& setup);
};

MXK_REGISTRY(mxk_engines, EngineKind, registered_engines)

// Whether a program has an engine for tables of this layout that is as `is_so` says; and all such layouts, with commas
// and the last word in between.
bool has_engine(Layout const& layout, bool (*is_so)(EngineKind const& kind));
void print_layouts(TextSink& out, bool (*is_so)(EngineKind const& kind), std::string_view last = " or ");

// The run that options ask for. Errors: they contradict each other, or say what that engine or this build does not use,
// which would not be shown with the results; there is no such engine. `trace`: where the trace that they name is read
// into; null: it has been read, if they name one. The console's task, which waits for the file system.
Result<TableRun> resolve(TableOptions options, NodeVector<TraceReplay>* trace = nullptr);

// A line for each that there is, as options.
void print_engines(TextSink& out);

// The number of buckets for the run, its layout's own where the options say nothing. Errors: fewer than `min`.
Result<std::size_t> count_buckets(TableRun const& run, std::size_t min);

// What engines over a table have in common (table_access.hpp): all but how operations come to the table.
template <typename Access> class AccessEngine : public Engine {
  public:
    using TableAccess = Access;
    explicit AccessEngine(Access access)
        : access_(std::move(access)) {}

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
    [[nodiscard]] LockChanges lock_changes() const final {
        if constexpr (requires { access_.lock_changes(); }) return access_.lock_changes();
        return {};
    }
    Result<void> settle() final {
        if constexpr (requires { access_.settle(); }) return access_.settle();
        return {};
    }

  protected:
    ~AccessEngine() = default;

    [[nodiscard]] Access& access() { return access_; }

  private:
    Access access_;
};

} // namespace mxk::bench
