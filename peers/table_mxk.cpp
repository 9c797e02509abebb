// MXK's own table for ordinary threads (hashtable/bulk/table.hpp), used as a program would: each thread gives it some
// thousand operations of a kind at a time, from arrays of keys and values, and looks at the mask and the values that
// come back. Threads only help themselves: calls of this size do not ask for the help of other cores.
#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <span>

#include "hashtable/bulk/table.hpp"
#include "peers/measured_table.hpp"

namespace mxk::bench {
namespace {

class TableCalls {
  public:
    using Numbers = Table<std::uint64_t, std::uint64_t>;
    static constexpr std::size_t max_operations = 8192; // of a call

    // Those of one kind at the beginning of the instructions, no more than a call has. Gives how many results were
    // wrong.
    std::uint64_t run(Numbers& table, std::span<Instruction const> instructions) {
        std::size_t const count = instructions.size();
        for (std::size_t i = 0; i < count; ++i) keys_[i] = instructions[i].key;
        std::span const keys = std::span(keys_).first(count);
        std::span const values = std::span(values_).first(count);
        Operation const operation = instructions.front().operation;
        if (operation == Operation::Insert) {
            for (std::size_t i = 0; i < count; ++i) values_[i] = value_of(keys_[i]);
            if (!table.insert(keys, values, mask_)) throw std::bad_alloc();
        } else if (operation == Operation::Find) {
            table.find(keys, values, mask_);
        } else if (overwrites(operation)) {
            overwrite(table, instructions);
        } else if (!table.erase(keys, mask_)) {
            throw std::bad_alloc();
        }
        std::uint64_t wrong = 0;
        for (std::size_t i = 0; i < count; ++i) {
            bool const result = (mask_[i / 64] >> i % 64 & 1) != 0;
            bool const is_value =
                operation != Operation::Find || !result || is_value_of(keys_[i], values_[i], instructions[i]);
            wrong += result == instructions[i].expected && is_value ? 0U : 1U;
        }
        return wrong;
    }

  private:
    // A modify adds; it only says whether the key was inserted.
    void overwrite(Numbers& table, std::span<Instruction const> instructions) {
        std::size_t const count = instructions.size();
        Operation const operation = instructions.front().operation;
        for (std::size_t i = 0; i < count; ++i) values_[i] = operand_of(instructions[i]);
        std::span const keys = std::span(keys_).first(count);
        std::span const values = std::span(values_).first(count);
        bool const is_done = operation == Operation::Update   ? table.update(keys, values, mask_).ok()
                             : operation == Operation::Upsert ? table.upsert(keys, values, mask_).ok()
                                                              : table.add(keys, values, mask_).ok();
        if (!is_done) throw std::bad_alloc();
        if (operation == Operation::Modify)
            for (std::uint64_t& word : mask_) word = ~word;
    }

    std::array<std::uint64_t, max_operations> keys_{};
    std::array<std::uint64_t, max_operations> values_{};
    std::array<std::uint64_t, max_operations / 64> mask_{};
};

class BulkPeer final : public PeerTable {
  public:
    BulkPeer(Result<TableCalls::Numbers> table, std::size_t cores)
        : table_(value_or_throw(std::move(table)))
        , calls_(std::make_unique<TableCalls[]>(cores)) {}

    std::size_t size() override { return table_.size(); }

  private:
    std::uint64_t run_piece(std::size_t core, std::span<Instruction const> slice, std::size_t from, std::size_t to,
                            Histogram* latency) override {
        std::uint64_t wrong = 0;
        for (std::size_t at = from; at < to;) {
            std::size_t end = at + 1;
            std::size_t const last = std::min(to, at + TableCalls::max_operations);
            while (end < last && slice[end].operation == slice[at].operation) ++end;
            OperationStart const start = OperationStart::now();
            wrong += calls_[core].run(table_, slice.subspan(at, end - at));
            if (latency != nullptr) start.count_end(*latency, end - at);
            at = end;
        }
        return wrong;
    }
    void look_up(std::size_t, std::span<std::uint64_t const> keys, Values values) override {
        for (std::size_t i = 0; i < keys.size(); ++i) values[i] = table_.find(keys[i]);
    }

    TableCalls::Numbers table_;
    std::unique_ptr<TableCalls[]> calls_; // by place
};

constexpr std::string_view inserts_always = "its upsert and add insert a key that is not there";

constexpr Peer mxk_table{.name = "mxk-table",
                         .library = "none",
                         .setup = "mxk::Table, MXK's own for ordinary threads, in calls of up to 8192 operations",
                         .no_shared = takes_many,
                         .no_missed_writes = inserts_always,
                         .create = [](std::size_t capacity, Cores cores) -> std::unique_ptr<PeerTable> {
                             return std::make_unique<BulkPeer>(TableCalls::Numbers::create({.capacity = capacity}),
                                                               cores.size());
                         }};
MXK_REGISTER(mxk_peers, Peer, mxk_table);
constexpr Peer mxk_table_growing{.name = "mxk-table-growing",
                                 .library = "none",
                                 .setup = "the same, grown from its first buckets on",
                                 .no_shared = takes_many,
                                 .no_missed_writes = inserts_always,
                                 .create = [](std::size_t capacity, Cores cores) -> std::unique_ptr<PeerTable> {
                                     GrowthMemory const memory(capacity, cores);
                                     return std::make_unique<BulkPeer>(TableCalls::Numbers::create(), cores.size());
                                 }};
MXK_REGISTER(mxk_peers, Peer, mxk_table_growing);

} // namespace
} // namespace mxk::bench
