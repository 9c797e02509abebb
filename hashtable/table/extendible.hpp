// A table that grows and shrinks while it is used, block by block: extendible hashing (Fagin, Nievergelt, Pippenger and
// Strong 1979) with blocks of some thousand cells, in which the layout (Cells) does as it likes. The leading bits of a
// key's hash say which entry of the directory (directory.hpp) is the key's, hence its block, and the bits behind them
// where in it. A crowded block is split in two, each with a local depth that is greater by one, whatever the others do;
// two small ones are merged again. So every key is in one place at any time, all that growth ever does at once is to
// build two blocks from one, some tens of microseconds, and there is never a second table beside the first.
//
// For one core at a time: no locks, no atomics, nothing about tasks. What is to be done (a block is crowded, or has
// become small) is noted, and done by work(), a block each time, when the owner has time for it. Only when an insert
// finds no place in its block at all is this done at once.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "base/panic.hpp"
#include "base/result.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/table/extendible_blocks.hpp"
#include "hashtable/table/resize_queue.hpp"
#include "hashtable/table/table_size.hpp"
#include "hashtable/table/work_listener.hpp"
#include "hashtable/value_writes.hpp"

namespace mxk {

// Cells whose operations mostly end at the first one. What is behind stays behind while the block does, but where keys
// of a block change places (`displaces`): then not beyond an insert_far().
template <typename Cells>
concept BehindCells = requires(typename Cells::Key const& key, typename Cells::Position const& at) {
    { Cells::is_behind(key, at) } -> std::same_as<bool>;
    Cells::prefetch_behind(key, at);
};

// Cells: open_slots.hpp shows what a layout offers. Hash: see hash.hpp.
// Every function: the owning core, and never blocks, unless it says otherwise. Pointers to values hold until the next
// insert, erase or work().
// Of layouts whose items are values, also what ValueWrites has; find() of others gives the node, which is the caller's
// to write.
template <typename Cells, typename Hash = MixedHash> class Extendible : public ValueWrites<Extendible<Cells, Hash>> {
    using Blocks = ExtendibleBlocks<Cells, Hash>;

  public:
    using Layout = Cells;
    using HashType = Hash;
    using Key = typename Blocks::Key;
    using Item = typename Blocks::Item;
    using Cell = typename Blocks::Cell;

    // A table for the keys whose hashes begin with `prefix`. Writes all cells. Errors: no memory. May block for the
    // allocator's lock, as whatever adds blocks.
    static Result<Extendible> create(TableSize size, NodeId node, Hash const& hash, HashPrefix prefix = {}) {
        return Extendible(MXK_TRY(Blocks::create(size, node, hash, prefix)));
    }

    // Where a key belongs: valid until a block is moved.
    using Position = typename Blocks::Position;
    [[nodiscard]] Position position(Key const& key) const { return blocks_.position(key); }

    // Full only when the key's block has no place and cannot be split, for lack of memory or because all its keys have
    // one hash. Panics on a key that is none (0).
    Insert insert(Key const& key, Item item) { return insert(key, item, position(key)); }
    Insert insert(Key const& key, Item item, Position const& at) {
        auto const done = try_insert(key, item, at);
        return done ? *done : insert_far(key, item);
    }
    // The fast way, which needs nothing but the position; nothing if that is not enough: then the way is insert_far().
    [[gnu::always_inline]] static std::optional<Insert> try_insert(Key const& key, Item item, Position const& at) {
        expect(!(key == Key{}), "a table has no key 0");
        BlockInsert const result = Cells::insert(at, key, item);
        if (result == BlockInsert::Inserted) [[likely]]
            return Insert::Inserted;
        return result == BlockInsert::Present ? std::optional(Insert::Present) : std::nullopt;
    }
    [[gnu::noinline]] Insert insert_far(Key const& key, Item item) {
        for (;;) {
            Position const at = position(key);
            Block const& block = *at.block;
            std::size_t const cells = block.cell_count();
            auto const spare = static_cast<std::int32_t>(cells * Blocks::keys_per_cell) - blocks_.crowded_at(cells);
            BlockInsert const result = Cells::insert_far(at, key, item, spare, blocks_.shared(),
                                                         [this](Key const& other) { return position(other); });
            if (result == BlockInsert::NoPlace) {
                if (make_room(blocks_.entry_of(block))) continue;
                return Insert::Full;
            }
            if (result == BlockInsert::Present) return Insert::Present;
            if (block.room <= 0 && block.room % 16 == 0) {
                // Chains always have a place: if nobody does the work, it is done at once in the end.
                if (block.room < -blocks_.crowded_at(cells))
                    (void)make_room(blocks_.entry_of(block));
                else
                    note(key);
            }
            return Insert::Inserted;
        }
    }

    // What stands with the key, or null. Key 0 is never found.
    [[nodiscard]] auto find(Key const& key) const { return find(key, position(key)); }
    [[gnu::always_inline]] [[nodiscard]] static auto find(Key const& key, Position const& at) {
        return Cells::find(at, key);
    }

    // False if the key is not there.
    bool erase(Key const& key) { return erase(key, position(key)); }
    bool erase(Key const& key, Position const& at) {
        Block const& block = *at.block;
        if (!Cells::erase(at, key, blocks_.shared())) return false;
        if ((block.room + block.tombstones) % 16 == 0 && blocks_.is_small(block)) [[unlikely]]
            note(key);
        return true;
    }

    // Asks for what an operation on the key touches first.
    static void prefetch(Position const& at) { Cells::prefetch(at); }
    void prefetch(Key const& key) const { prefetch(position(key)); }
    // Once that is there: whether the operation goes on behind it, and asks for what comes next if so.
    static bool is_behind(Key const& key, Position const& at) requires BehindCells<Cells> {
        return Cells::is_behind(key, at);
    }
    static void prefetch_behind(Key const& key, Position const& at) requires BehindCells<Cells> {
        Cells::prefetch_behind(key, at);
    }

    // Calls this with this context whenever there is something to do for work(), perhaps more often than once.
    void tell(WorkListener& listener, void* context) {
        listener_ = &listener;
        listener_context_ = context;
        blocks_.count_moves_in(listener.moves);
    }
    // The table now belongs to a core of this node, and its blocks are to move there, one with each work().
    void move_to(NodeId node) { blocks_.move_to(node); }
    // Whether some block is crowded, or small, or not where it should be.
    [[nodiscard]] bool has_work() const { return !to_resize_.empty() || blocks_.is_moving(); }
    // Sees to one of them: splits, merges, rebuilds or moves it. May block for the allocator's lock.
    void work() {
        auto const noted = to_resize_.take();
        if (!noted) return blocks_.move_next();
        std::size_t const at = blocks_.block_at(*noted);
        if (blocks_[at].room <= 0)
            (void)make_room(at);
        else if (blocks_.is_small(blocks_[at]))
            blocks_.merge(at);
    }

    // Both look at all blocks.
    [[nodiscard]] std::size_t size() const { return blocks_.size(); }
    [[nodiscard]] std::size_t slot_count() const { return blocks_.slot_count(); }
    // Memory that it has, rounded up to frames; without what `Cells::Shared` takes besides.
    [[nodiscard]] std::size_t bytes() const { return blocks_.bytes(); }

    // visit(key, item) for every pair: for verification.
    template <typename Visit> void for_each(Visit visit) const { blocks_.for_each(visit); }

  private:
    explicit Extendible(Blocks blocks)
        : blocks_(std::move(blocks)) {}

    [[gnu::noinline]] void note(Key const& key) {
        to_resize_.add(blocks_.fraction_of(key));
        if (listener_ != nullptr) listener_->has_work(*listener_, listener_context_);
    }

    bool make_room(std::size_t at) {
        bool const done = blocks_.make_room(at);
        if (!done) give_up();
        return done;
    }
    void give_up() {
        if (std::exchange(listener_ != nullptr ? listener_->was_warned : gave_up_, true)) return;
        log::warn(
            "a table on node {}, or a part of one, gave up growing at {} keys: no memory for further {} KiB, or too "
            "many keys with one hash (said once per core)",
            blocks_.node(), size(), Cells::block_bytes / 1024);
    }

    Blocks blocks_;
    ResizeQueue to_resize_;
    WorkListener* listener_ = nullptr;
    void* listener_context_ = nullptr;
    bool gave_up_ = false;
};

} // namespace mxk
