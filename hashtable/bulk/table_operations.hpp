// The operations that change a bulk table, for bulk_apply.hpp. from(n): the same for the call's part from n on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/prefetch.hpp"

namespace mxk::table_operations {

// What became of one.
enum class Outcome : std::uint8_t { Unchanged, Changed, NoMemory };

// A value for each key.
template <typename Value> struct Given {
    static constexpr bool erases = false;
    static constexpr bool inserts = true;
    [[nodiscard]] Value const& given(std::size_t at) const { return values[at]; }
    void prefetch(std::size_t at) const { prefetch_for_read(&values[at]); }
    Value const* values;
};

template <typename Value> struct Insert : Given<Value> {
    static bool meet(Value&, std::size_t) { return false; }
    [[nodiscard]] Insert from(std::size_t first) const { return {{this->values + first}}; }
};

// Combine: combine(Value& stored, Value const& given).
template <typename Value, typename Combine> struct Upsert : Given<Value> {
    bool meet(Value& stored, std::size_t at) const {
        combine(stored, this->given(at));
        return false;
    }
    [[nodiscard]] Upsert from(std::size_t first) const { return {{this->values + first}, combine}; }
    Combine combine;
};

template <typename Value> struct Update : Given<Value> {
    static constexpr bool inserts = false;
    bool meet(Value& stored, std::size_t at) const {
        stored = this->given(at);
        return true;
    }
    [[nodiscard]] Update from(std::size_t first) const { return {{this->values + first}}; }
};

// The same value for all.
template <typename Value> struct AddConstant {
    static constexpr bool erases = false;
    static constexpr bool inserts = true;
    bool meet(Value& stored, std::size_t) const {
        stored = static_cast<Value>(stored + delta);
        return false;
    }
    [[nodiscard]] Value const& given(std::size_t) const { return delta; }
    static void prefetch(std::size_t) {}
    [[nodiscard]] AddConstant from(std::size_t) const { return *this; }
    Value delta;
};

// Of a set: keys that have none.
template <typename Value> struct InsertKey {
    static constexpr bool erases = false;
    static constexpr bool inserts = true;
    static bool meet(Value&, std::size_t) { return false; }
    [[nodiscard]] static Value given(std::size_t) { return {}; }
    static void prefetch(std::size_t) {}
    [[nodiscard]] InsertKey from(std::size_t) const { return {}; }
};

struct Erase {
    static constexpr bool erases = true;
    static constexpr bool inserts = false;
    static void prefetch(std::size_t) {}
    [[nodiscard]] Erase from(std::size_t) const { return {}; }
};

} // namespace mxk::table_operations
