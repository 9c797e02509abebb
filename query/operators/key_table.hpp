// One owner's table of keys and 64 bits with each, as joins and groups use it: it grows with its keys. Any 64 bits are
// a key. What it is made of has no key 0, so a key stands there as the next number, and the last one apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/result.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "hashtable/table/extendible.hpp"

namespace mxk::query {

// As Extendible.
class KeyTable {
    using Table = Extendible<OpenSlots<>, MixedHash>;

  public:
    using Position = Table::Position;

    static Result<KeyTable> create(std::size_t slots, NodeId node) {
        return KeyTable(MXK_TRY(Table::create({.slots = slots}, node, MixedHash{})));
    }
    Insert insert(std::uint64_t key, std::uint64_t value) {
        if (key != last_key) [[likely]]
            return table_.insert(key + 1, value);
        if (of_last_key_) return Insert::Present;
        of_last_key_ = value;
        return Insert::Inserted;
    }
    [[nodiscard]] std::uint64_t const* find(std::uint64_t key) const { return find(key, position(key)); }
    [[nodiscard]] std::uint64_t const* find(std::uint64_t key, Position const& at) const {
        std::uint64_t const* const found = Table::find(key + 1, at);
        if (found == nullptr && key == last_key && of_last_key_) [[unlikely]]
            return &*of_last_key_;
        return found;
    }
    [[nodiscard]] Position position(std::uint64_t key) const { return table_.position(key + 1); }
    static void prefetch(Position const& at) { Table::prefetch(at); }
    [[nodiscard]] bool has_work() const { return table_.has_work(); }
    void work() { table_.work(); }

  private:
    static constexpr std::uint64_t last_key = UINT64_MAX;

    explicit KeyTable(Table table)
        : table_(std::move(table)) {}

    Table table_;
    std::optional<std::uint64_t> of_last_key_;
};

} // namespace mxk::query
