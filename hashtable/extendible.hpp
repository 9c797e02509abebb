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
#include "hashtable/block.hpp"
#include "hashtable/block_memory.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/pending_blocks.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk {

// How large a table begins, and when it grows.
struct TableSize {
    std::size_t cells;               // of all its blocks together
    std::optional<double> load = {}; // used cells, of all, from which on a block is crowded; none: the layout's own
};

// A table for the keys whose hashes begin with these bits, one of 2^count that share all keys.
struct LeadingBits {
    unsigned count = 0;
    std::uint64_t value = 0;
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
        std::size_t const wanted = std::max(size.cells, least_cells);
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
        , size_(other.size_)
        , node_(other.node_)
        , first_blocks_(other.first_blocks_)
        , depth_(other.depth_)
        , pending_(other.pending_)
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

    // Full only when the key's block has no place and cannot become two, for lack of memory or because all its keys
    // have one hash. Panics on a key that is none (0).
    Insert insert(Key const& key, Item item) {
        expect(!(key == Key{}), "a table has no key 0");
        auto const [block, place] = locate(key);
        BlockInsert const result = Cells::insert(*block, place, key, item, shared_);
        if (result != BlockInsert::Inserted) [[unlikely]]
            return result == BlockInsert::Present ? Insert::Present : insert_with_room(key, item);
        ++size_;
        if (is_crowded(*block)) [[unlikely]]
            note(*block, key);
        return Insert::Inserted;
    }

    // What stands with the key, or null. Key 0 is never found.
    [[nodiscard]] auto find(Key const& key) const {
        auto const [block, place] = locate(key);
        return Cells::find(std::as_const(*block), place, key);
    }

    // False if the key is not there.
    bool erase(Key const& key) {
        auto const [block, place] = locate(key);
        if (!Cells::erase(*block, place, key, shared_)) return false;
        --size_;
        if (depth_ != 0 && is_small(*block)) [[unlikely]]
            note(*block, key);
        return true;
    }

    // Asks for what an operation on the key touches first.
    void prefetch(Key const& key) const {
        auto const [block, place] = locate(key);
        Cells::prefetch(*block, place);
    }
    // Once that is there: asks for what comes next, if anything does.
    void prefetch_behind(Key const& key) const requires requires(Block const& block, HashPlace place, Key const& k) {
        Cells::prefetch_behind(block, place, k);
    }
    {
        auto const [block, place] = locate(key);
        Cells::prefetch_behind(*block, place, key);
    }

    // Whether some block is crowded, or small.
    [[nodiscard]] bool has_work() const { return !pending_.empty(); }
    // Sees to one of them: builds at most two blocks from one, or one from two. May block for the allocator's lock.
    void work() {
        auto const noted = pending_.take();
        if (!noted) return;
        std::size_t const at = first_entry(high_product(*noted, entries_));
        if (is_crowded(directory_[at]))
            (void)relieve(at);
        else if (is_small(directory_[at]))
            join(at);
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t cell_count() const {
        std::size_t sum = 0;
        for_each_block([&](std::size_t at) { sum += directory_[at].cell_count; });
        return sum;
    }
    // Memory that it has, rounded up to frames; without what `Cells::Shared` takes besides.
    [[nodiscard]] std::size_t bytes() const { return bytes_ + entries_ * sizeof(Block); }
    [[nodiscard]] typename Cells::Shared& shared() { return shared_; }

    // visit(key, item) for every pair: for verification.
    template <typename Visit> void for_each(Visit visit) const {
        for_each_block([&](std::size_t at) { for_each_in(at, visit); });
    }

  private:
    static constexpr std::size_t full_block = (Cells::block_bytes - sizeof(block_memory::Header)) / sizeof(Cell);
    static constexpr std::size_t least_cells = 16;
    static constexpr unsigned load_unit = 256;

    struct Located {
        Block* block;
        HashPlace place;
    };

    Extendible(TableSize size, NodeId node, Hash const& hash, LeadingBits leading)
        : hash_(hash)
        , leading_(leading)
        , load_(static_cast<std::uint32_t>(size.load.value_or(Cells::usual_load) * load_unit))
        , node_(node)
        , shared_(node) {}

    // The entry with the block's counts, and the fraction of its share.
    [[nodiscard]] Located locate(Key const& key) const {
        std::uint64_t const hash = hash_(key);
        std::uint64_t const fraction = hash << leading_.count;
        std::size_t const entry = high_product(fraction, entries_);
        Block* const directory = directory_.data();
        unsigned const n = directory[entry].halvings();
        return {&directory[entry >> n << n], {hash, fraction_of_block(fraction * entries_, entry, n)}};
    }
    // Of a block in 2^n entries, whose number begins with n bits less: they go in front of what is behind the entry's.
    static std::uint64_t fraction_of_block(std::uint64_t fraction_of_entry, std::size_t entry, unsigned n) {
        return fraction_of_entry >> n | std::uint64_t{entry} << 1 << (63 - n);
    }
    [[nodiscard]] std::size_t first_entry(std::size_t entry) const {
        unsigned const n = directory_[entry].halvings();
        return entry >> n << n;
    }

    [[nodiscard]] bool is_crowded(Block const& block) const {
        return block.used() * load_unit >= block.cell_count * load_;
    }
    // Two of them together are half as full as a crowded one.
    [[nodiscard]] bool is_small(Block const& block) const {
        return block.keys * load_unit * 4 < block.cell_count * load_;
    }
    // Not at every operation: the pending blocks are few, and there may be no memory.
    [[gnu::noinline]] void note(Block const& block, Key const& key) {
        if (block.used() % 16 == 0 || block.keys % 16 == 0) pending_.add(hash_(key) << leading_.count);
    }

    [[gnu::noinline]] Insert insert_with_room(Key const& key, Item item) {
        for (;;) {
            auto const [block, place] = locate(key);
            if (!relieve(static_cast<std::size_t>(block - directory_.data()))) return Insert::Full;
            auto const [roomier, place_there] = locate(key);
            if (Cells::insert(*roomier, place_there, key, item, shared_) != BlockInsert::Inserted) continue;
            ++size_;
            return Insert::Inserted;
        }
    }

    // Makes room in the block of this first entry. False if there is no memory, or if it would not help.
    bool relieve(std::size_t at) {
        Block const& block = directory_[at];
        bool done = false;
        if (block.tombstones * 3 > block.used())
            done = rebuild(at, block.cell_count);
        else if (std::size_t{block.cell_count} * 2 <= full_block)
            done = rebuild(at, block.cell_count * 2U);
        else
            done = split(at);
        if (!done) give_up();
        return done;
    }
    void give_up() {
        if (std::exchange(gave_up_, true)) return;
        log::warn("a table of {} keys on node {} gave up growing: no memory for further {} KiB, or too many keys with "
                  "one hash (said once per table)",
                  size_, node_, Cells::block_bytes / 1024);
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
        std::size_t const cells = directory_[at].cell_count;
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
        if (!make_cells(joined, std::max(first.cell_count, second.cell_count))) return;
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
        bool done = true;
        for_each_in(from, [&](Key const& key, Item item) {
            std::uint64_t const hash = hash_(key);
            std::uint64_t const fraction = hash << leading_.count;
            std::size_t const entry = high_product(fraction, entries_);
            HashPlace const place{hash, fraction_of_block(fraction * entries_, entry, halvings)};
            done = done && Cells::put(to[to.size() == 1 ? 0 : entry >> halvings & 1], place, key, item, shared_);
        });
        return done;
    }

    void put_in(std::size_t at, Block const& block, unsigned halvings) {
        std::span const entries(&directory_[at], std::size_t{1} << halvings);
        std::fill(entries.begin(), entries.end(), block);
        for (Block& entry : entries) entry.set_halvings(halvings);
    }

    // Not for a hash by which too many keys are the same: their block would be halved for ever.
    bool double_directory() {
        if (entries_ > first_blocks_ + 64 + size_ / 64) return false;
        auto doubled = NodeArray<Block>::create(2 * entries_, node_);
        if (!doubled) return false;
        for (std::size_t at = 0; at < 2 * entries_; ++at) {
            doubled.value()[at] = directory_[at / 2];
            doubled.value()[at].set_halvings(directory_[at / 2].halvings() + 1);
        }
        directory_ = std::move(doubled).value();
        entries_ *= 2;
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
        block.assign(cells, static_cast<std::uint32_t>(count));
        return true;
    }
    // The cells of a block that was given up, or copied.
    void drop(Block& block) {
        Cells::release(block, shared_);
        void* cells = block.cells<void>();
        bytes_ -= block_memory::bytes_of(cells);
        std::swap(spare_, cells);
        spare_count_ = block.cell_count;
        if (cells != nullptr) block_memory::free(cells);
    }

    // visit(the first entry of a block), for every block.
    template <typename Visit> void for_each_block(Visit visit) const {
        for (std::size_t at = 0; at < entries_; at += std::size_t{1} << directory_[at].halvings()) visit(at);
    }
    template <typename Visit> void for_each_in(std::size_t at, Visit visit) const {
        Cells::for_each(directory_[at], first_hash(at), visit);
    }
    // The least hash of an entry's keys, if the numbers of blocks and of cells are powers of two.
    [[nodiscard]] std::uint64_t first_hash(std::size_t entry) const {
        auto const bits = static_cast<unsigned>(std::countr_zero(entries_)) + leading_.count;
        std::uint64_t const number = leading_.value << (bits - leading_.count) | entry;
        return bits == 0 ? 0 : number << (64 - bits);
    }

    Hash hash_;
    LeadingBits leading_;
    std::uint32_t load_;      // of a crowded block, in units
    std::size_t entries_ = 0; // first_blocks_ * 2^depth_
    NodeArray<Block> directory_;
    std::size_t size_ = 0;
    NodeId node_;
    std::size_t first_blocks_ = 0;
    unsigned depth_ = 0;
    PendingBlocks pending_;
    bool gave_up_ = false;
    void* spare_ = nullptr; // the cells that were given back last: likely still in the cache
    std::size_t spare_count_ = 0;
    std::size_t bytes_ = 0;
    typename Cells::Shared shared_;
};

} // namespace mxk
