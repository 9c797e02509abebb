// A table that grows and shrinks while it is used, block by block: extendible hashing (Fagin, Nievergelt, Pippenger and
// Strong 1979) with blocks of some thousand cells, in which the layout (Cells) does as it likes. The leading bits of a
// key's hash say which entry of the directory is the key's, hence its block, and the bits behind them where in it. A
// block that is crowded becomes two with one more leading bit each, whatever the others do. So every key is in one
// place at any time, all that growth ever does at once is to build two blocks from one, some tens of microseconds, and
// there is never a second table beside the first.
//
//     directory    | 000 | 001 | 010 | 011 | 100 | 101 | 110 | 111 |
//                     |     |     '--.--'    '-----.-----.-----'
//     blocks          A     B        C             D                  a block in 2^n entries has n bits less
//
// For one core at a time: no locks, no atomics, nothing about tasks. What is to be done (a block is crowded, or has
// become small) is noted, and done by work(), a block each time, when the owner has time for it. Only when an insert
// finds no place in its block at all is this done at once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/log.hpp"
#include "base/panic.hpp"
#include "base/result.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/layout/block_memory.hpp"
#include "hashtable/partition/fraction.hpp"
#include "hashtable/table/pending_blocks.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk {

// How large a table begins, and when it grows.
struct TableSize {
    std::size_t slots;               // places for keys
    std::optional<double> load = {}; // the part of a block's slots that makes it crowded; none: the layout's own.
                                     // More than the layout can bear counts as that much.
};

// A table for the keys whose hashes begin with these bits, one of 2^count that share all keys.
struct LeadingBits {
    unsigned count = 0;
    std::uint64_t value = 0;
};

// Who wants to know that a table has work(). Called in the middle of an operation: it may not use the table.
struct WorkListener {
    void (*has_work)(WorkListener& self, void* context);
    std::uint64_t moves = 0; // counts what makes Spots of its tables invalid
    bool was_warned = false; // that one of its tables gave up growing
};

// Cells: open_slots.hpp shows what a layout offers. Hash: see hash.hpp.
// Every function: the owning core, and never blocks, unless it says otherwise. Pointers to values hold until the next
// insert, erase or work().
template <typename Cells, typename Hash = MixedHash> class Extendible {
  public:
    using Layout = Cells;
    using HashType = Hash;
    using Key = typename Cells::Key;
    using Item = typename Cells::Item;
    using Cell = typename Cells::Cell;

    // Writes all cells. Errors: no memory. May block for the allocator's lock, as whatever adds blocks.
    static Result<Extendible> create(TableSize size, NodeId node, Hash const& hash, LeadingBits leading = {}) {
        Extendible table(size, node, hash, leading);
        std::size_t const wanted = std::max((size.slots + keys_per_cell - 1) / keys_per_cell, least_cells(leading));
        std::size_t blocks = (wanted + full_block - 1) / full_block;
        if constexpr (Cells::powers_of_two) blocks = std::bit_ceil(blocks);
        std::size_t cells = (wanted + blocks - 1) / blocks;
        if constexpr (Cells::powers_of_two) cells = std::bit_ceil(cells);
        table.first_blocks_ = blocks;
        table.directory_ = MXK_TRY(NodeArray<Block>::create(blocks, node));
        for (; table.entries_ < blocks; ++table.entries_) {
            Block& block = table.directory_[table.entries_];
            block = {};
            if (!table.make_cells(block, static_cast<std::uint32_t>(cells)))
                return Error::of("out of memory: {} cells of {} bytes wanted on node {}", wanted, sizeof(Cell), node);
        }
        return table;
    }
    Extendible(Extendible&& other) noexcept
        : hash_(other.hash_)
        , leading_(other.leading_)
        , load_(other.load_)
        , entries_(std::exchange(other.entries_, 0))
        , directory_(std::move(other.directory_))
        , node_(other.node_)
        , first_blocks_(other.first_blocks_)
        , depth_(other.depth_)
        , pending_(other.pending_)
        , is_moving_(other.is_moving_)
        , next_to_move_(other.next_to_move_)
        , listener_(other.listener_)
        , listener_context_(other.listener_context_)
        , gave_up_(other.gave_up_)
        , spare_(std::exchange(other.spare_, nullptr))
        , spare_count_(other.spare_count_)
        , bytes_(other.bytes_)
        , shared_(std::move(other.shared_)) {}
    Extendible& operator=(Extendible&&) = delete;
    ~Extendible() {
        for_each_block([this](std::size_t at) { block_memory::free(directory_[at].template cells<void>()); });
        if (spare_ != nullptr) block_memory::free(spare_);
    }

    // Where a key belongs: valid until a block is moved.
    struct Spot {
        Block* block;
        typename Cells::Home home;
    };
    [[nodiscard]] Spot spot(Key const& key) const {
        auto const [block, place] = locate(hash_(key));
        return {block, Cells::home(*block, place)};
    }

    // Full only when the key's block has no place and cannot become two, for lack of memory or because all its keys
    // have one hash. Panics on a key that is none (0).
    Insert insert(Key const& key, Item item) { return insert(key, item, spot(key)); }
    Insert insert(Key const& key, Item item, Spot const& spot) {
        auto const done = try_insert(key, item, spot);
        return done ? *done : insert_far(key, item);
    }
    // In the usual way, which needs nothing but the spot; nothing if that is not enough: then the way is insert_far().
    [[gnu::always_inline]] static std::optional<Insert> try_insert(Key const& key, Item item, Spot const& spot) {
        expect(!(key == Key{}), "a table has no key 0");
        BlockInsert const result = Cells::insert(*spot.block, spot.home, key, item);
        if (result == BlockInsert::Inserted) [[likely]]
            return Insert::Inserted;
        return result == BlockInsert::Present ? std::optional(Insert::Present) : std::nullopt;
    }
    [[gnu::noinline]] Insert insert_far(Key const& key, Item item) {
        for (;;) {
            auto const [block, home] = spot(key);
            std::size_t const cells = block->cell_count();
            auto const spare = static_cast<std::int32_t>(cells * keys_per_cell) - crowded_at(cells);
            BlockInsert const result = Cells::insert_far(*block, home, key, item, spare, shared_,
                                                         [this](Key const& other) { return spot(other).home; });
            if (result == BlockInsert::NoPlace) {
                if (relieve(static_cast<std::size_t>(block - directory_.data()))) continue;
                return Insert::Full;
            }
            if (result == BlockInsert::Present) return Insert::Present;
            if (block->room <= 0 && block->room % 16 == 0) {
                // Chains always have a place: if nobody does the work, it is done at once in the end.
                if (block->room < -crowded_at(cells))
                    (void)relieve(static_cast<std::size_t>(block - directory_.data()));
                else
                    note(key);
            }
            return Insert::Inserted;
        }
    }

    // What stands with the key, or null. Key 0 is never found.
    [[nodiscard]] auto find(Key const& key) const { return find(key, spot(key)); }
    [[nodiscard]] static auto find(Key const& key, Spot const& spot) {
        return Cells::find(std::as_const(*spot.block), spot.home, key);
    }

    // False if the key is not there.
    bool erase(Key const& key) { return erase(key, spot(key)); }
    bool erase(Key const& key, Spot const& spot) {
        Block& block = *spot.block;
        if (!Cells::erase(block, spot.home, key, shared_)) return false;
        if ((block.room + block.tombstones) % 16 == 0 && is_small(block)) [[unlikely]]
            note(key);
        return true;
    }

    // Asks for what an operation on the key touches first.
    static void prefetch(Spot const& spot) { Cells::prefetch(*spot.block, spot.home); }
    void prefetch(Key const& key) const { prefetch(spot(key)); }
    // Once that is there: asks for what comes next, if anything does.
    static void prefetch_behind(Spot const& spot) requires requires { Cells::prefetch_behind(spot.home); }
    { Cells::prefetch_behind(spot.home); }

    // Calls this with this context whenever there is something to do for work(), perhaps more often than once.
    void tell(WorkListener& listener, void* context) {
        listener_ = &listener;
        listener_context_ = context;
    }
    // The table now belongs to a core of this node, and its blocks are to move there, one with each work().
    void move_to(NodeId node) {
        if (node == node_) return;
        node_ = node;
        next_to_move_ = 0;
        is_moving_ = true;
    }
    // Whether some block is crowded, or small, or not where it should be.
    [[nodiscard]] bool has_work() const { return !pending_.empty() || is_moving_; }
    // Sees to one of them: builds up to two blocks from one, or one from two. May block for the allocator's lock.
    void work() {
        auto const noted = pending_.take();
        if (!noted) return move_next();
        std::size_t const at = first_entry(high_product(*noted, entries_));
        if (directory_[at].room <= 0)
            (void)relieve(at);
        else if (is_small(directory_[at]))
            join(at);
    }

    // Both look at all blocks.
    [[nodiscard]] std::size_t size() const {
        return sum([this](Block const& block) { return keys_in(block); });
    }
    [[nodiscard]] std::size_t slot_count() const {
        return sum([](Block const& block) { return block.cell_count() * keys_per_cell; });
    }
    // Memory that it has, rounded up to frames; without what `Cells::Shared` takes besides.
    [[nodiscard]] std::size_t bytes() const { return bytes_ + entries_ * sizeof(Block); }

    // visit(key, item) for every pair: for verification.
    template <typename Visit> void for_each(Visit visit) const {
        for_each_block([&](std::size_t at) { for_each_in(at, visit); });
    }

  private:
    // Powers of two, or such that a block takes whole frames together with its header.
    static constexpr std::size_t full_block =
        Cells::powers_of_two
            ? std::bit_floor(std::min(Cells::block_bytes / sizeof(Cell), Block::most_cells))
            : std::min((Cells::block_bytes - sizeof(block_memory::Header)) / sizeof(Cell), Block::most_cells);
    static constexpr std::size_t keys_per_cell = Cells::keys_per_cell;
    static constexpr std::size_t least_cells(LeadingBits leading) {
        if constexpr (requires { Cells::least_cells; })
            return std::max<std::size_t>(Cells::least_cells >> leading.count, 4);
        return 4;
    }
    static constexpr unsigned load_unit = 256;
    static constexpr double possible_load(TableSize size) {
        double const load = size.load.value_or(Cells::usual_load);
        if constexpr (requires { Cells::most_load; }) return std::min(load, Cells::most_load);
        return load;
    }

    struct Located {
        Block* block;
        HashPlace place;
    };

    Extendible(TableSize size, NodeId node, Hash const& hash, LeadingBits leading)
        : hash_(hash)
        , leading_(leading)
        , load_(static_cast<std::uint32_t>(possible_load(size) * keys_per_cell * load_unit))
        , node_(node)
        , shared_(node) {}

    // Where hashes belong in a directory.
    struct Entries {
        unsigned leading_bits;
        std::size_t count;
        [[nodiscard]] std::size_t of(std::uint64_t hash) const { return high_product(hash << leading_bits, count); }
        // In the block that stands in 2^halvings entries, or will.
        [[nodiscard]] HashPlace place(std::uint64_t hash, unsigned halvings) const {
            return {hash, (hash << leading_bits) * count, of(hash), halvings};
        }
    };
    [[nodiscard]] Entries entries() const { return {leading_.count, entries_}; }
    // The entry with the block's counts.
    [[nodiscard]] Located locate(std::uint64_t hash) const {
        std::size_t const entry = entries().of(hash);
        Block* const directory = directory_.data();
        unsigned const n = directory[entry].halvings();
        return {&directory[entry >> n << n], entries().place(hash, n)};
    }
    [[nodiscard]] std::size_t first_entry(std::size_t entry) const {
        unsigned const n = directory_[entry].halvings();
        return entry >> n << n;
    }

    [[nodiscard]] std::int32_t crowded_at(std::size_t cells) const {
        return static_cast<std::int32_t>(cells * load_ / load_unit);
    }
    [[nodiscard]] std::size_t keys_in(Block const& block) const {
        return static_cast<std::size_t>(crowded_at(block.cell_count()) - block.room - block.tombstones);
    }
    // Two of them together are half as full as a crowded one.
    [[nodiscard]] bool is_small(Block const& block) const {
        return keys_in(block) * 4 < static_cast<std::size_t>(crowded_at(block.cell_count()));
    }
    [[gnu::noinline]] void note(Key const& key) {
        pending_.add(hash_(key) << leading_.count);
        if (listener_ != nullptr) listener_->has_work(*listener_, listener_context_);
    }

    // Makes room in the block of this first entry. False if there is no memory, or if it would not help.
    bool relieve(std::size_t at) {
        Block const& block = directory_[at];
        std::size_t const cells = block.cell_count();
        bool done = false;
        if (static_cast<std::size_t>(block.tombstones) * 3 > keys_in(block))
            done = rebuild(at, cells);
        else if (cells * 2 <= full_block)
            done = rebuild(at, cells * 2);
        else
            done = split(at);
        if (!done) give_up();
        return done;
    }
    void give_up() {
        if (std::exchange(listener_ != nullptr ? listener_->was_warned : gave_up_, true)) return;
        log::warn(
            "a table on node {}, or a part of one, gave up growing at {} keys: no memory for further {} KiB, or too "
            "many keys with one hash (said once per core)",
            node_, size(), Cells::block_bytes / 1024);
    }

    // The block again in so many cells.
    bool rebuild(std::size_t at, std::size_t cells) {
        unsigned const n = directory_[at].halvings();
        Block fresh;
        if (!make_cells(fresh, cells)) return false;
        if (!move(at, {&fresh, 1}, n)) return false;
        put_in(at, fresh, n);
        return true;
    }

    // Two blocks from one.
    bool split(std::size_t at) {
        unsigned n = directory_[at].halvings();
        if (n == 0) {
            if (!double_directory()) return false;
            at *= 2;
            n = 1;
        }
        std::array<Block, 2> halves;
        std::size_t const cells = directory_[at].cell_count();
        if (!make_cells(halves[0], cells)) return false;
        if (!make_cells(halves[1], cells)) {
            drop(halves[0]);
            return false;
        }
        if (!move(at, halves, n - 1)) return false;
        put_in(at, halves[0], n - 1);
        put_in(at + (std::size_t{1} << (n - 1)), halves[1], n - 1);
        return true;
    }

    // One block from two small ones that once were one. If there is no memory, all is as good as before.
    void join(std::size_t at) {
        unsigned const n = directory_[at].halvings();
        if (n == depth_) return; // the table began with it
        std::size_t const left = at & ~(std::size_t{1} << n);
        std::size_t const right = at | std::size_t{1} << n;
        Block& first = directory_[left];
        Block& second = directory_[right];
        if (first.halvings() != n || second.halvings() != n || !is_small(first) || !is_small(second)) return;
        Block joined;
        if (!make_cells(joined, std::max(first.cell_count(), second.cell_count()))) return;
        if (!copy(left, {&joined, 1}, n + 1) || !copy(right, {&joined, 1}, n + 1)) return drop(joined);
        drop(first);
        drop(second);
        put_in(left, joined, n + 1);
    }

    // All of a block's keys to one block in its place, or to two halves; then it has no cells. False if one of them has
    // no place there; then they have none, and the block is as it was.
    bool move(std::size_t from, std::span<Block> to, unsigned halvings) {
        bool const done = copy(from, to, halvings);
        if (done)
            drop(directory_[from]);
        else
            for (Block& block : to) drop(block);
        return done;
    }
    // `halvings`: of those in `to`, which will stand where `from` does.
    bool copy(std::size_t from, std::span<Block> to, unsigned halvings) {
        // Copies: what is written to cells could be these.
        Hash const hash_of = hash_;
        Entries const in = entries();
        unsigned const last = to.size() == 1 ? 0 : 1;
        bool done = true;
        for_each_in(from, [&](Key const& key, Item item) {
            std::uint64_t const hash = hash_of(key);
            Block& block = to[in.of(hash) >> halvings & last];
            auto const home_of = [&](Key const& other) {
                return Cells::home(block, in.place(hash_of(other), halvings));
            };
            done = done && Cells::put(block, Cells::home(block, in.place(hash, halvings)), key, item, shared_, home_of);
        });
        return done;
    }

    // One block to the table's node, if there is memory: cells may be copied as they are.
    void move_next() {
        while (is_moving_) {
            std::size_t const at = next_to_move_;
            if (at >= entries_) {
                is_moving_ = false;
                return;
            }
            Block& old = directory_[at];
            unsigned const halvings = old.halvings();
            next_to_move_ = at + (std::size_t{1} << halvings);
            Cell* const cells = old.template cells<Cell>();
            if (block_memory::memory_of(cells).node == node_) continue;
            void* const there = block_memory::allocate(old.cell_count() * sizeof(Cell), node_);
            if (there == nullptr) continue; // where it is, it is as good but for its speed
            std::copy_n(cells, old.cell_count(), static_cast<Cell*>(there));
            bytes_ += block_memory::bytes_of(there);
            bytes_ -= block_memory::bytes_of(cells);
            Block moved(there, old.cell_count(), old.room);
            moved.tombstones = old.tombstones;
            put_in(at, moved, halvings);
            block_memory::free(cells);
            return;
        }
    }

    void put_in(std::size_t at, Block const& block, unsigned halvings) {
        if (listener_ != nullptr) ++listener_->moves;
        std::span const entries(&directory_[at], std::size_t{1} << halvings);
        std::fill(entries.begin(), entries.end(), block);
        for (Block& entry : entries) entry.set_halvings(halvings);
    }

    // Not for a hash by which too many keys are the same: their block would be halved for ever.
    bool double_directory() {
        if (entries_ > first_blocks_ + 64 + size() / 64) return false;
        auto doubled = NodeArray<Block>::create(2 * entries_, node_);
        if (!doubled) return false;
        for (std::size_t at = 0; at < 2 * entries_; ++at) {
            doubled.value()[at] = directory_[at / 2];
            doubled.value()[at].set_halvings(directory_[at / 2].halvings() + 1);
        }
        if (listener_ != nullptr) ++listener_->moves;
        directory_ = std::move(doubled).value();
        entries_ *= 2;
        next_to_move_ *= 2;
        ++depth_;
        return true;
    }

    // Empty cells.
    bool make_cells(Block& block, std::size_t count) {
        void* cells = count == spare_count_ ? std::exchange(spare_, nullptr) : nullptr;
        if (cells == nullptr) cells = block_memory::allocate(count * sizeof(Cell), node_);
        if (cells == nullptr) return false;
        bytes_ += block_memory::bytes_of(cells);
        std::uninitialized_fill_n(static_cast<Cell*>(cells), count, Cell{});
        block = Block(cells, count, crowded_at(count));
        return true;
    }
    // The cells of a block that was given up, or copied.
    void drop(Block& block) {
        Cells::release(block, shared_);
        void* cells = block.cells<void>();
        bytes_ -= block_memory::bytes_of(cells);
        std::swap(spare_, cells);
        spare_count_ = block.cell_count();
        if (cells != nullptr) block_memory::free(cells);
    }

    template <typename Value> [[nodiscard]] std::size_t sum(Value value) const {
        std::size_t total = 0;
        for_each_block([&](std::size_t at) { total += value(directory_[at]); });
        return total;
    }
    // visit(the first entry of a block), for every block.
    template <typename Visit> void for_each_block(Visit visit) const {
        for (std::size_t at = 0; at < entries_; at += std::size_t{1} << directory_[at].halvings()) visit(at);
    }
    template <typename Visit> void for_each_in(std::size_t at, Visit visit) const {
        Cells::for_each(directory_[at], range(at), visit);
    }
    // Of the block with this first entry, if the numbers of blocks and of cells are powers of two.
    [[nodiscard]] HashRange range(std::size_t entry) const {
        auto const entry_bits = static_cast<unsigned>(std::countr_zero(entries_));
        unsigned const bits = entry_bits + leading_.count;
        std::uint64_t const number = leading_.value << entry_bits | entry;
        return {bits == 0 ? 0 : number << (64 - bits), bits - directory_[entry].halvings()};
    }

    [[no_unique_address]] Hash hash_;
    LeadingBits leading_;
    std::uint32_t load_;      // keys in each of a crowded block's cells, in units
    std::size_t entries_ = 0; // first_blocks_ * 2^depth_
    NodeArray<Block> directory_;
    NodeId node_;
    std::size_t first_blocks_ = 0;
    unsigned depth_ = 0;
    PendingBlocks pending_;
    bool is_moving_ = false;       // to node_, block by block
    std::size_t next_to_move_ = 0; // an entry
    WorkListener* listener_ = nullptr;
    void* listener_context_ = nullptr;
    bool gave_up_ = false;
    void* spare_ = nullptr; // the cells that were given back last: likely still in the cache
    std::size_t spare_count_ = 0;
    std::size_t bytes_ = 0;
    typename Cells::Shared shared_;
};

} // namespace mxk
