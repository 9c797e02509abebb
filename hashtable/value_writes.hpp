// The operations that overwrite a value, for every table of values: a search, and a write to what it has found.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "hashtable/insert.hpp"

namespace mxk {

// Base of a table whose find(key, position...) points to the key's value, or gives null, and whose insert(key, value,
// position...) gives an Insert. `at`: the key's position, where the table has such, or nothing. Every function: as
// the table's insert().
template <typename Table> class ValueWrites {
  public:
    // False if the key is not there.
    template <typename Key, typename... At> bool update(Key const& key, std::uint64_t value, At const&... at) {
        auto* const found = table().find(key, at...);
        if (found == nullptr) return false;
        write(*found, value);
        return true;
    }

    // Inserts the key, or writes its value: then it was Present. Full as of insert().
    template <typename Key, typename... At> Insert upsert(Key const& key, std::uint64_t value, At const&... at) {
        return update(key, value, at...) ? Insert::Present : table().insert(key, value, at...);
    }

    // Writes change(value), and gives what the value was before; nothing if the key is not there.
    template <typename Key, typename Change, typename... At>
    std::optional<std::uint64_t> modify(Key const& key, Change change, At const&... at) {
        auto* const found = table().find(key, at...);
        if (found == nullptr) return std::nullopt;
        std::uint64_t const before = *found;
        write(*found, change(before));
        return before;
    }

  private:
    // release: others may read a table in place (Bucketed).
    template <typename Word> static void write(Word& word, std::uint64_t value) {
        std::atomic_ref(word).store(value, std::memory_order_release);
    }

    friend Table;
    ValueWrites() = default;
    Table& table() { return static_cast<Table&>(*this); }
};

} // namespace mxk
