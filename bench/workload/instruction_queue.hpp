// All instructions of a run, cut into one slice per core, and how the cores make them: each its own, a
// piece per task. The same workload gives the same keys, in the same slices, in the same order, whichever cores run
// them and wherever they lie. Those of a trace are split out by their keys: all operations on one key stand in one
// slice, in the trace's order, so that their results are those of the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "bench/frame/progress.hpp"
#include "bench/workload/distribution.hpp"
#include "bench/workload/instructions.hpp"
#include "bench/workload/key_draw.hpp"
#include "bench/workload/keys.hpp"
#include "bench/workload/phases.hpp"
#include "bench/workload/random.hpp"
#include "bench/workload/workload.hpp"
#include "bench/workload/ycsb_writes.hpp"
#include "hashtable/partition/modulo_cut.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

// One core's part of the instructions, and of the keys: as many keys as instructions, and no other slice has any of
// them, but in a workload of YCSB that inserts nothing: there every slice works on all keys. Since all operations of a
// slice on one key take the same way from core to core and queues are FIFO per sender, each one's result is known when
// it is made. Made by its core, step by step, because no task should be long: each function below is called for
// ascending ranges [from, to) from 0 to size().
class Slice {
  public:
    // `room`: where the instructions go. The keys are those of the sequence from `first_key` on. What else there is to
    // remember lies on `node`. Errors: no memory.
    static Result<Slice> create(std::span<Instruction> room, KeySequence keys, std::uint64_t first_key, NodeId node);
    // Of a trace: instructions and keys are put into it one by one, as many as there is room for. Errors: no memory.
    static Result<Slice> create_split(std::span<Instruction> room, std::size_t keys, NodeId node);
    // The same with these keys, as many as there is room for.
    static Result<Slice> create_listed(std::span<Instruction> room, NodeArray<std::uint64_t> keys, NodeId node);
    // Of keys that are drawn (Keys::Kind::Repeated), of which slice `place` of `slices` has those that fall to it by
    // their hash. `draws`: so many times as many keys as there is room for instructions are drawn in a run. Errors: no
    // memory.
    static Result<Slice> create_repeated(std::span<Instruction> room, std::size_t draws, unsigned bits,
                                         std::size_t place, std::size_t slices, std::optional<ModuloKeys> const& others,
                                         NodeId node);
    // Before fill_mixed() is used, or fill_inserts() with fill_loaded() behind it. Errors: no memory.
    Result<void> prepare_mixed(NodeId node);

    // Of the phase; mostly as many as there is room for.
    [[nodiscard]] std::span<Instruction const> instructions() const { return instructions_.first(count_); }
    [[nodiscard]] std::size_t size() const { return instructions_.size(); }
    // As many, but for a slice of a trace, or of keys that come again.
    [[nodiscard]] std::size_t key_count() const {
        return split_ ? split_->key_count : repeated_ ? repeated_->key_count : size();
    }
    [[nodiscard]] std::uint64_t key(std::size_t at) const { return keys_(first_key_ + at); }
    // Whether key `at` must be in the table when all instructions made so far have run.
    [[nodiscard]] bool is_live(std::size_t at) const { return (live_[at / word_bits] >> at % word_bits & 1) != 0; }
    [[nodiscard]] std::uint64_t live_count() const { return live_count_; }

    // Of a trace.
    void put(Instruction const& instruction) { instructions_[split_->instructions++] = instruction; }
    void put_key(std::uint64_t key, bool is_live, std::uint32_t version);
    // Of the value that key `at` has when all instructions have run, if it is there.
    [[nodiscard]] std::uint32_t last_version(std::size_t at) const { return split_ ? split_->versions[at] : 0; }

    // For a table that is empty: an insert of every key, or, if so many are kept for later, of all others.
    void fill_inserts(std::size_t from, std::size_t to, std::size_t kept = 0);
    // For a table that is empty: random operations in the shares of `mix`, where there is a key to find or to erase;
    // else an insert.
    void fill_mixed(std::size_t from, std::size_t to, Mix const& mix, Random& random);
    // Behind fill_inserts() of all keys: random operations in the shares of `mix`, finds and erases of keys that are
    // there, inserts of keys that were erased before. Where there is no key to insert, one is erased, and the other way
    // round: as many operations write as were asked for.
    void fill_loaded(std::size_t from, std::size_t to, Mix const& mix, Random& random);
    // Behind fill_inserts(): the same keys in random order, to be found or erased.
    void turn_into(Operation operation, std::size_t from, std::size_t to, Random& random);
    // Behind anything, or with a table that is empty, in which case forget() comes first: the phase's operations on
    // keys that are drawn by their rank. Which key has which rank is random, and the same for all phases of a run.
    void draw(std::size_t from, std::size_t to, Mix const& phase, KeyDraw const& keys, Random& random);
    // Behind fill_inserts(), which has kept some keys: inserts of these, in order, at places of the slice that are
    // drawn by chance, and finds of keys that are there by then.
    void draw_inserts(std::size_t from, std::size_t to, KeyDraw const& keys, Random& random);
    // Behind fill_inserts() of all slices: finds, and what overwrites, of keys of all slices. In two steps.
    void draw_from_all(std::size_t from, std::size_t to, Ycsb::Shares shares, KeyDraw const& all_keys,
                       YcsbWrites& writes, Random& random);
    void finish_from_all(std::size_t from, std::size_t to, std::span<std::uint64_t> seen);
    // Of keys that come again: on a table that is empty, or behind draw_repeated() of inserts, the phase's operations,
    // each on a key that is drawn, and may be there or not.
    void draw_repeated(std::size_t from, std::size_t to, Mix const& phase, Random& random);
    // Behind turn_into(), whose results depend on the order: what they are.
    void finish_repeated(std::size_t from, std::size_t to);
    [[nodiscard]] bool repeats() const { return repeated_.has_value(); }
    void forget();

  private:
    static constexpr std::size_t word_bits = 64;

    Slice(std::span<Instruction> room, KeySequence keys, std::uint64_t first_key)
        : instructions_(room)
        , count_(room.size())
        , keys_(keys)
        , first_key_(first_key) {}

    void put_insert(std::size_t at, Random& random);
    void put_find_or_erase(std::size_t at, Operation operation, Random& random);
    void put_drawn(std::size_t at, Operation operation, std::size_t drawn);
    void set_live(std::size_t at, bool live);

    struct SplitTrace {
        NodeArray<std::uint64_t> keys;
        NodeArray<std::uint32_t> versions; // of their last values
        std::size_t key_count = 0;
        std::size_t instructions = 0; // that were put
        std::size_t put_keys = 0;
    };

    // By open addressing: a key's number above 0, at a place that its hash says.
    struct RepeatedKeys {
        NodeArray<std::uint32_t> numbers; // a power of two of them
        std::size_t key_count = 0;
        unsigned bits = 0;
        std::size_t place = 0;
        std::size_t slices = 1;
        std::optional<ModuloKeys> others;
    };
    // Of the key, which is listed if it was not.
    std::size_t number_of(std::uint64_t key);
    std::uint64_t drawn_key(Random& random) const;

    std::span<Instruction> instructions_;
    std::size_t count_;               // of the phase
    NodeArray<std::uint64_t> listed_; // its keys, where they are no part of a sequence
    std::optional<SplitTrace> split_; // of a trace
    std::optional<RepeatedKeys> repeated_;
    KeySequence keys_;
    std::uint64_t first_key_;       // and the number of the first instruction among those of all slices
    NodeArray<std::uint64_t> live_; // a bit for each key
    std::uint64_t live_count_ = 0;  // bits that are set
    // For mixed phases only: the live keys, in no order, so that one can be picked; behind them, on a table that was
    // loaded, the others.
    NodeArray<std::uint32_t> picks_;
    std::size_t pick_count_ = 0;
};

class InstructionQueue {
  public:
    // Memory for the instructions, with slice i for the i-th of `cores`, on the nodes that `kind` says. `workload` must
    // live on, and have its keys (read_keys()). `others`: of its keys, which take their place. `cut`: by which cores
    // own keys, for QueueKind::Owner. Errors: no memory.
    static Result<InstructionQueue> create(Workload const& workload, QueueKind kind, std::span<CoreId const> cores,
                                           std::optional<ModuloKeys> const& others = {},
                                           std::optional<ModuloCut> const& cut = {});

    // The instructions for the first phase, with a table that is empty; one that needs keys gets an insert of every key
    // first and its own by continue_with(). What was in the queue is forgotten. Errors: no memory,
    // interrupted by Ctrl-C. The console's task; blocks it until done.
    Result<void> begin_with(Mix const& phase, Progress& progress);

    // For a phase that needs keys: the keys that were inserted in random order, or drawn, to be found or erased, or
    // what a workload does with them. As begin_with().
    Result<void> continue_with(Mix const& phase, Progress& progress);

    [[nodiscard]] std::uint64_t operations() const { return workload_->operations; }
    // Of the phase: as many, but for a workload that inserts some of its keys later.
    [[nodiscard]] std::uint64_t phase_operations() const;
    [[nodiscard]] QueueKind kind() const { return kind_; }
    [[nodiscard]] std::span<CoreId const> cores() const { return cores_.span(); }
    [[nodiscard]] Slice const& slice(std::size_t place) const { return parts_[place].slice; }
    // Whether slices share lines, with `--slices packed`.
    [[nodiscard]] bool is_packed() const { return workload_->slices == SliceKind::Packed; }
    // Whether they stand one behind the other in one array, in the order of places.
    [[nodiscard]] bool is_one_array() const { return kind() == QueueKind::Shared || is_packed(); }
    // Where a core takes its instructions from: its slice, or, from a shared queue, all there are.
    [[nodiscard]] std::span<Instruction const> source(std::size_t place) const;
    // Keys that must be in the table when all instructions made so far have run.
    [[nodiscard]] std::uint64_t live_count() const;
    // Of the slice that has more than any other.
    [[nodiscard]] std::size_t max_key_count() const;

    // Whether key `at` of this slice may have the value when all instructions made so far have run; nothing: not be
    // there. With keys that several slices overwrite: whether it was written last by one of them.
    [[nodiscard]] bool is_right(std::size_t place, std::size_t at, std::optional<std::uint64_t> value) const;

    // The node for what goes with a core's slice, for the instructions and whatever else is made for each.
    [[nodiscard]] NodeId node(std::size_t place) const;

  private:
    // One core's; apart from the others, whose cores draw at the same time.
    struct alignas(cache_line_bytes) Part {
        Slice slice;
        Random random;
        KeyDraw keys;                  // of the slice
        NodeArray<std::uint64_t> seen; // of a workload that overwrites: a bit for each key of all slices
    };

    InstructionQueue(Workload const& workload, QueueKind kind, std::optional<ModuloKeys> const& others,
                     std::optional<ModuloCut> const& cut)
        : workload_(&workload)
        , kind_(kind)
        , others_(others)
        , cut_(cut) {}

    // A slice for the keys that each core owns.
    Result<void> add_owners_slices(KeySequence const& keys);
    [[nodiscard]] std::size_t slice_of(std::uint64_t key) const; // of a trace
    // Of a trace: by the number of operations on its keys, and filled by the cores.
    static Result<InstructionQueue> create_split(Workload const& workload, QueueKind kind,
                                                 std::span<CoreId const> cores, std::optional<ModuloKeys> const& others,
                                                 std::optional<ModuloCut> const& cut);
    Result<void> deal(Progress& progress);
    // take(place, at) for each `at` below `count` in order, on each core.
    template <typename Function>
    Result<void> over_all(std::string_view what, std::size_t count, Progress& progress, Function take);

    Result<void> make_run(Progress& progress);
    [[nodiscard]] std::size_t kept_keys(Slice const& slice) const;
    Result<std::span<Instruction>> room(std::size_t start, std::size_t size, std::size_t place);
    // step(part, from, to) over every slice, on its core, a piece per task.
    template <typename Function> Result<void> over_slices(std::string_view what, Progress& progress, Function step) {
        return over_slices(
            what, progress,
            [](void* context, Part& part, std::size_t from, std::size_t to) {
                (*static_cast<Function*>(context))(part, from, to);
            },
            &step);
    }
    using PieceStep = void (*)(void* context, Part& part, std::size_t from, std::size_t to);
    Result<void> over_slices(std::string_view what, Progress& progress, PieceStep step, void* context);

    Workload const* workload_;
    QueueKind kind_;
    std::optional<ModuloKeys> others_;
    std::optional<ModuloCut> cut_; // of QueueKind::Owner
    NodeVector<CoreId> cores_;
    NodeVector<NodeArray<Instruction>> arrays_; // one for each slice, or one for all
    NodeVector<Part> parts_;
    std::optional<KeyDraw> all_keys_; // of a workload of YCSB
    YcsbWrites writes_;
    bool is_split_ = false; // of a trace
};

} // namespace mxk::bench
