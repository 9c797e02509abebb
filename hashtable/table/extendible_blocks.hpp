// The blocks of a table with extendible hashing (extendible.hpp), and what becomes of whole blocks: they are split and
// merged, rebuilt in more cells, and moved to another node. A key is in one place at any time: a block's keys are all
// copied before the directory leads to the new cells, and if that fails, the block is as it was.
//
// For one core at a time. Whatever makes new cells may block for the allocator's lock.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.hpp"
#include "base/units_for.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/layout/block_memory.hpp"
#include "hashtable/table/directory.hpp"
#include "hashtable/table/table_size.hpp"

namespace mxk {

// Cells, Hash: see Extendible. A block is named by its first entry in the directory.
template <typename Cells, typename Hash> class ExtendibleBlocks {
  public:
    using Key = typename Cells::Key;
    using Item = typename Cells::Item;
    using Cell = typename Cells::Cell;
    using Position = typename Cells::Position;
    static constexpr std::size_t keys_per_cell = Cells::keys_per_cell;

    // Writes all cells. Errors: no memory.
    static Result<ExtendibleBlocks> create(TableSize size, NodeId node, Hash const& hash, HashPrefix prefix) {
        ExtendibleBlocks result(size, node, hash, prefix.bits);
        std::size_t const wanted = std::max(units_for(size.slots, keys_per_cell), min_cells);
        std::size_t const blocks = units_for(wanted, full_block);
        std::size_t const cells = units_for(wanted, blocks);
        MXK_TRY(result.directory_.reserve(blocks, node));
        for (std::size_t i = 0; i < blocks; ++i) {
            Block block;
            if (!result.make_cells(block, cells))
                return Error::of("out of memory: {} cells of {} bytes wanted on node {}", wanted, sizeof(Cell), node);
            result.directory_.add(block);
        }
        return result;
    }
    ExtendibleBlocks(ExtendibleBlocks&&) noexcept = default;
    ExtendibleBlocks& operator=(ExtendibleBlocks&&) = delete;
    ~ExtendibleBlocks() {
        directory_.for_each_block([this](std::size_t at) { memory_.free(directory_[at].template cells<void>()); });
    }

    [[gnu::always_inline]] [[nodiscard]] Position position(Key const& key) const {
        std::uint64_t const hash = hash_(key);
        DirectoryIndex const index = directory_.index();
        std::size_t const entry = index.entry(hash);
        unsigned const gap = directory_[entry].depth_gap();
        return Cells::position(directory_[entry >> gap << gap], hash, index.fraction(hash, gap));
    }
    // The key's hash as a fraction of those of the table, and the block that is in whose share it is.
    [[nodiscard]] std::uint64_t fraction_of(Key const& key) const {
        return hash_(key) << directory_.index().prefix_bits;
    }
    [[nodiscard]] std::size_t block_at(std::uint64_t fraction) const {
        return directory_.first_entry(high_product(fraction, directory_.entries()));
    }
    [[nodiscard]] std::size_t entry_of(Block const& block) const { return directory_.entry_of(block); }
    [[nodiscard]] Block const& operator[](std::size_t at) const { return directory_[at]; }

    // How many of so many cells' slots may be used before a block is crowded.
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

    // Makes room in this block: fewer tombstones, more cells, or two blocks from one. False if there is no memory, or
    // if it would not help.
    bool make_room(std::size_t at) {
        Block const& block = directory_[at];
        std::size_t const cells = block.cell_count();
        if (static_cast<std::size_t>(block.tombstones) * 3 > keys_in(block)) return rebuild(at, cells);
        if (cells * 2 <= full_block) return rebuild(at, cells * 2);
        return split(at);
    }
    // One block from this one and its buddy, if both are small. If there is no memory, all is as good as before.
    void merge(std::size_t at) {
        auto const buddies = directory_.buddies(at);
        if (!buddies) return;
        Block& left = directory_[buddies->left];
        Block& right = directory_[buddies->right];
        if (!is_small(left) || !is_small(right)) return;
        unsigned const gap = left.depth_gap() + 1;
        Block merged;
        if (!make_cells(merged, std::max(left.cell_count(), right.cell_count()))) return;
        if (!copy(buddies->left, {&merged, 1}, gap) || !copy(buddies->right, {&merged, 1}, gap)) return drop(merged);
        drop(left);
        drop(right);
        put(buddies->left, merged, gap);
    }

    // All blocks are to be on this node, one with each call of move_next().
    void move_to(NodeId node) {
        if (node == memory_.node()) return;
        memory_.set_node(node);
        next_to_move_ = 0;
        is_moving_ = true;
    }
    [[nodiscard]] bool is_moving() const { return is_moving_; }
    // One block to the table's node, if there is memory: cells may be copied as they are.
    void move_next() {
        while (is_moving_) {
            std::size_t const at = next_to_move_;
            if (at >= directory_.entries()) {
                is_moving_ = false;
                return;
            }
            Block const& old = directory_[at];
            unsigned const gap = old.depth_gap();
            next_to_move_ = at + (std::size_t{1} << gap);
            Cell* const cells = old.template cells<Cell>();
            if (memory_.is_local(cells)) continue;
            void* const there = memory_.take_fresh(old.cell_count() * sizeof(Cell));
            if (there == nullptr) continue; // where it is, it is as good but for its speed
            std::copy_n(cells, old.cell_count(), static_cast<Cell*>(there));
            Block moved(there, old.cell_count(), old.room);
            moved.tombstones = old.tombstones;
            put(at, moved, gap);
            memory_.free(cells);
            return;
        }
    }

    // Counts what makes Positions invalid: the listener's count, if somebody listens.
    void count_moves_in(std::uint64_t& moves) { moves_ = &moves; }

    [[nodiscard]] NodeId node() const { return memory_.node(); }
    [[nodiscard]] std::size_t bytes() const { return memory_.bytes() + directory_.entries() * sizeof(Block); }
    [[nodiscard]] typename Cells::Shared& shared() { return shared_; }
    // Both look at all blocks.
    [[nodiscard]] std::size_t size() const {
        return sum([this](Block const& block) { return keys_in(block); });
    }
    [[nodiscard]] std::size_t slot_count() const {
        return sum([](Block const& block) { return block.cell_count() * keys_per_cell; });
    }
    // visit(key, item) for every pair.
    template <typename Visit> void for_each(Visit visit) const {
        directory_.for_each_block([&](std::size_t at) { for_each_in(at, visit); });
    }

  private:
    // Such that a block takes whole frames together with its header.
    static constexpr std::size_t full_block =
        std::min((Cells::block_bytes - BlockMemory::header_bytes) / sizeof(Cell), Block::max_cells);
    static constexpr std::size_t min_cells = 4;
    static constexpr unsigned load_unit = 256;
    static constexpr double possible_load(TableSize size) {
        double const load = size.load.value_or(Cells::default_load);
        if constexpr (requires { Cells::max_load; }) return std::min(load, Cells::max_load);
        return load;
    }

    ExtendibleBlocks(TableSize size, NodeId node, Hash const& hash, unsigned prefix_bits)
        : hash_(hash)
        , directory_(prefix_bits)
        , load_(static_cast<std::uint32_t>(possible_load(size) * keys_per_cell * load_unit))
        , memory_(node)
        , shared_(node) {}

    // The block again in so many cells.
    bool rebuild(std::size_t at, std::size_t cells) {
        unsigned const gap = directory_[at].depth_gap();
        Block fresh;
        if (!make_cells(fresh, cells)) return false;
        if (!replace(at, {&fresh, 1}, gap)) return false;
        put(at, fresh, gap);
        return true;
    }

    // Two blocks from one, each with a local depth that is greater by one.
    bool split(std::size_t at) {
        if (directory_[at].depth_gap() == 0) {
            if (!double_directory()) return false;
            at *= 2;
        }
        unsigned const gap = directory_[at].depth_gap() - 1;
        std::array<Block, 2> halves;
        std::size_t const cells = directory_[at].cell_count();
        if (!make_cells(halves[0], cells)) return false;
        if (!make_cells(halves[1], cells)) {
            drop(halves[0]);
            return false;
        }
        if (!replace(at, halves, gap)) return false;
        put(at, halves[0], gap);
        put(at + (std::size_t{1} << gap), halves[1], gap);
        return true;
    }

    bool double_directory() {
        // Not for a hash by which too many keys are the same: their block would be split for ever.
        if (!directory_.double_entries(node(), directory_.first_entries() + 64 + size() / 64)) return false;
        next_to_move_ *= 2;
        count_move();
        return true;
    }

    // All of a block's keys to one block in its place, or to two halves; then it has no cells. False if one of them has
    // no place there; then they have none, and the block is as it was.
    bool replace(std::size_t from, std::span<Block> to, unsigned depth_gap) {
        bool const done = copy(from, to, depth_gap);
        if (done)
            drop(directory_[from]);
        else
            for (Block& block : to) drop(block);
        return done;
    }
    // `depth_gap`: of those in `to`, which will stand where `from` does.
    bool copy(std::size_t from, std::span<Block> to, unsigned depth_gap) {
        // Copies: what is written to cells could be these.
        Hash const hash_of = hash_;
        DirectoryIndex const index = directory_.index();
        unsigned const last = to.size() == 1 ? 0 : 1;
        bool done = true;
        for_each_in(from, [&](Key const& key, Item item) {
            std::uint64_t const hash = hash_of(key);
            Block& block = to[index.entry(hash) >> depth_gap & last];
            auto const position_of = [&](Key const& other) {
                std::uint64_t const its_hash = hash_of(other);
                return Cells::position(block, its_hash, index.fraction(its_hash, depth_gap));
            };
            done = done && Cells::put(Cells::position(block, hash, index.fraction(hash, depth_gap)), key, item, shared_,
                                      position_of);
        });
        return done;
    }

    void put(std::size_t at, Block const& block, unsigned depth_gap) {
        count_move();
        directory_.put(at, block, depth_gap);
    }
    void count_move() {
        if (moves_ != nullptr) ++*moves_;
    }

    // Empty cells.
    bool make_cells(Block& block, std::size_t count) {
        void* const cells = memory_.take(count * sizeof(Cell));
        if (cells == nullptr) return false;
        std::uninitialized_fill_n(static_cast<Cell*>(cells), count, Cell{});
        block = Block(cells, count, crowded_at(count));
        return true;
    }
    // The cells of a block that was given up, or copied.
    void drop(Block& block) {
        Cells::release(block, shared_);
        memory_.give_back(block.cells<void>(), block.cell_count() * sizeof(Cell));
    }

    template <typename Value> [[nodiscard]] std::size_t sum(Value value) const {
        std::size_t total = 0;
        directory_.for_each_block([&](std::size_t at) { total += value(directory_[at]); });
        return total;
    }
    template <typename Visit> void for_each_in(std::size_t at, Visit visit) const {
        Cells::for_each(directory_[at], visit);
    }

    [[no_unique_address]] Hash hash_;
    Directory directory_;
    std::uint32_t load_;           // keys in each of a crowded block's cells, in units
    bool is_moving_ = false;       // to memory_'s node, block by block
    std::size_t next_to_move_ = 0; // an entry
    std::uint64_t* moves_ = nullptr;
    BlockMemory memory_;
    typename Cells::Shared shared_;
};

} // namespace mxk
