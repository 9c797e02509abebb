// MXK's own table for ordinary threads (hashtable/bulk/bulk_table.hpp), used as a program would: each thread gives it
// some thousand operations of a kind at a time, from arrays of keys and values, and looks at the mask and the values
// that come back. Threads only help themselves: calls of this size do not ask for the help of other cores.
#include <new>
#include <span>

#include "hashtable/bulk/bulk_table.hpp"
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
        Operation const operation = instructions.front().operation;
        for (std::size_t i = 0; i < count; ++i) keys_[i] = instructions[i].key;
        if (operation == Operation::Insert)
            for (std::size_t i = 0; i < count; ++i) values_[i] = value_of(keys_[i]);
        if (overwrites(operation))
            for (std::size_t i = 0; i < count; ++i) values_[i] = operand_of(instructions[i]);
        if (!call(table, operation, std::span(keys_).first(count), std::span(values_).first(count)))
            throw std::bad_alloc();
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
    // False: there is no memory for it.
    bool call(Numbers& table, Operation operation, std::span<std::uint64_t> keys, std::span<std::uint64_t> values) {
        switch (operation) {
        case Operation::Insert: return table.insert(keys, values, mask_).ok();
        case Operation::Find: table.find(keys, values, mask_); return true;
        case Operation::Update: return table.update(keys, values, mask_).ok();
        case Operation::Upsert: return table.upsert(keys, values, mask_).ok();
        case Operation::Erase: return table.erase(keys, mask_).ok();
        default: break;
        }
        bool const is_done = table.add(keys, values, mask_).ok(); // a modify; it only says whether the key was inserted
        for (std::uint64_t& word : mask_) word = ~word;
        return is_done;
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

constexpr Peer bulk_peer(std::string_view name, std::string_view setup, decltype(Peer::create) create) {
    Peer peer = table_peer(name, "none", setup, create);
    peer.no_shared = takes_many;
    peer.no_missed_writes = "its upsert and add insert a key that is not there";
    return peer;
}
constexpr Peer mxk_table =
    bulk_peer("mxk-table", "mxk::Table, MXK's own for ordinary threads, in calls of up to 8192 operations",
              [](std::size_t capacity, Cores cores) -> std::unique_ptr<PeerTable> {
                  return std::make_unique<BulkPeer>(TableCalls::Numbers::create({.capacity = capacity}), cores.size());
              });
MXK_REGISTER(mxk_peers, Peer, mxk_table);
constexpr Peer mxk_table_growing =
    bulk_peer("mxk-table-growing", "the same, grown from its first buckets on",
              [](std::size_t capacity, Cores cores) -> std::unique_ptr<PeerTable> {
                  GrowthMemory const memory(capacity, cores);
                  return std::make_unique<BulkPeer>(TableCalls::Numbers::create(), cores.size());
              });
MXK_REGISTER(mxk_peers, Peer, mxk_table_growing);

} // namespace
} // namespace mxk::bench
