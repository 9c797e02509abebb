#include "query/boxes/group_layout.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/format.hpp"
#include "query/boxes/column_values.hpp"
#include "query/expression/order.hpp"
#include "query/expression/shown_names.hpp"
#include "query/expression/wide.hpp"

namespace mxk::query {
namespace {

using dataflow::Envelope;

// A record's states stand at multiples of 8.
template <typename T> T load(std::byte const* place) {
    T value;
    std::memcpy(&value, place, sizeof(T));
    return value;
}
template <typename T> void store(std::byte* place, T const& value) {
    std::memcpy(place, &value, sizeof(T));
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

} // namespace

std::string_view name_of(Function function) {
    constexpr std::array<std::string_view, 7> names{"count", "count of values", "sum", "average", "min",
                                                    "max",   "distinct count"};
    return names[static_cast<std::size_t>(function)];
}

// ---- what is computed

Result<void> GroupLayout::bind(std::span<NamedExpression const> keys, std::span<Aggregate const> aggregates,
                               Schema const& schema, std::uint64_t max_rows) {
    for (NamedExpression const& key : keys) {
        auto const added = add_column(key, schema);
        if (!added) return Error::of("column '{}': {}", shown(key.name).view(), added.error().message());
    }
    end_keys();
    for (Aggregate const& aggregate : aggregates) {
        auto const added = add_state(aggregate, schema, max_rows);
        if (!added) return Error::of("column '{}': {}", shown(aggregate.name).view(), added.error().message());
    }
    if (keys.empty() && aggregates.empty()) return Error("expected a column to group by or to aggregate, got none");
    end();
    return {};
}

Result<void> GroupLayout::add_column(NamedExpression const& key, Schema const& schema) {
    Program::Value const value = MXK_TRY(program_.add(key.of, schema));
    MXK_TRY(result_.add(
        {.name = key.name, .type = value.type, .storage = storage_of(value.type.kind), .range = value.range},
        value.is_nullable));
    return add_key(value);
}

Result<void> GroupLayout::add_state(Aggregate const& aggregate, Schema const& schema, std::uint64_t max_rows) {
    if (state_count_ == max_aggregates) return Error("expected fewer aggregates");
    State state{.function = aggregate.function};
    Field field{.name = aggregate.name, .range = {.low = 0, .high = Int128{max_rows}}};
    bool is_nullable = false;
    if (aggregate.function != Function::Count) {
        state.value = MXK_TRY(program_.add(aggregate.of, schema));
        state.lane = state.value.lane();
        switch (aggregate.function) {
        case Function::Sum:
        case Function::Average: MXK_TRY(add_sum(state, field, max_rows)); break;
        case Function::Min:
        case Function::Max: MXK_TRY(add_extreme(state, field)); break;
        default: break; // a count of values
        }
        if (state.value.is_nullable && !state.is_shared) state.counted_at = MXK_TRY(add_bytes(sizeof(std::uint64_t)));
        is_nullable = aggregate.function != Function::CountValues && (state.value.is_nullable || keys() == 0);
    }
    field.storage = storage_of(field.type.kind);
    MXK_TRY(result_.add(field, is_nullable));
    write_first_state(state);
    states_[state_count_++] = state;
    return {};
}

Result<void> GroupLayout::add_sum(State& state, Field& field, std::uint64_t max_rows) {
    Program::Value const& value = state.value;
    if (!is_number(value.type.kind))
        return Error::of("expected numbers for {}, got {}", name_of(state.function), name_of(value.type).view());
    bool const is_real = state.lane == Lane::F64;
    field.type = {.kind = Kind::F64};
    if (state.function == Function::Sum && !is_real) field.type = {.kind = Kind::Decimal128, .scale = value.type.scale};
    if (!is_real) {
        Int128 low = 0;
        Int128 high = 0;
        bool const is_open = wide::multiply(std::min<Int128>(value.range.low, 0), Int128{max_rows}, low) ||
                             wide::multiply(std::max<Int128>(value.range.high, 0), Int128{max_rows}, high);
        field.range = is_open ? full_range(Kind::Decimal128) : Range{.low = low, .high = high};
    }
    for (State const& kept : std::span(states_).first(state_count_)) { // a sum and an average of the same are one
        bool const is_sum = kept.function == Function::Sum || kept.function == Function::Average;
        if (!is_sum || kept.value.at != value.at) continue;
        Function const function = state.function;
        state = kept;
        state.function = function;
        state.is_shared = true;
        return {};
    }
    state.is_narrow = state.lane == Lane::I64 && field.range.fits_64_bits();
    state.at = MXK_TRY(add_bytes(is_real || state.is_narrow ? sizeof(std::uint64_t) : sizeof(Int128)));
    return {};
}

Result<void> GroupLayout::add_extreme(State& state, Field& field) {
    if (state.lane == Lane::Bool)
        return Error::of("expected values with an order for {}, got {}", name_of(state.function),
                         name_of(state.value.type).view());
    field.type = state.value.type;
    field.range = state.value.range;
    state.at = MXK_TRY(add_bytes(bytes_of(state.lane)));
    return {};
}

// Sums and counts begin at 0, as all else does; a minimum above all values, a maximum below; a text's has no place.
void GroupLayout::write_first_state(State const& state) {
    bool const is_min = state.function == Function::Min;
    if (!is_min && state.function != Function::Max) return;
    std::byte* const place = first() + state.at;
    switch (state.lane) {
    case Lane::I64:
        return store(place,
                     is_min ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min());
    case Lane::I128: return store(place, is_min ? int128_max : int128_min);
    case Lane::F64: return store(place, is_min ? not_a_number : -std::numeric_limits<double>::infinity());
    default: return;
    }
}

// ---- states

namespace {

// f(group, row) for the rows that have a value; `is_one`: all of groups[0].
template <bool is_one, typename F>
void for_each_value(std::uint8_t const* valid, std::uint32_t rows, std::byte* const* groups, F function) {
    if (valid == nullptr)
        for (std::uint32_t i = 0; i < rows; ++i) function(groups[is_one ? 0 : i], i);
    else
        for (std::uint32_t i = 0; i < rows; ++i)
            if (valid[i] != 0) function(groups[is_one ? 0 : i], i);
}

template <typename T> bool is_before(T const& value, T const& kept, bool is_min) {
    return is_min ? order::less(value, kept) : order::less(kept, value);
}
template <typename T> void keep_first(std::byte* place, T value, bool is_min) {
    if constexpr (std::is_same_v<T, std::string_view>) {
        if (value.data() == nullptr) value = std::string_view("x").substr(1);
        auto const kept = load<T>(place);
        if (kept.data() != nullptr && !is_before(value, kept, is_min)) return;
    } else if (!is_before(value, load<T>(place), is_min)) {
        return;
    }
    store(place, value);
}

} // namespace

// False: an overflow.
template <typename T, bool is_one>
bool GroupLayout::update_values(State const& state, Registers const& registers, std::uint32_t rows,
                                std::byte* const* groups) const {
    T const* const values = registers.values<T>(state.value.at);
    std::uint8_t const* const valid = registers.validity(state.value.at);
    if (state.counted_at != 0)
        for_each_value<is_one>(valid, rows, groups, [&](std::byte* group, std::uint32_t /*row*/) {
            ++*reinterpret_cast<std::uint64_t*>(group + state.counted_at);
        });
    bool has_overflowed = false;
    switch (state.function) {
    default: break; // counts
    case Function::Min:
    case Function::Max: {
        bool const is_min = state.function == Function::Min;
        for_each_value<is_one>(valid, rows, groups, [&](std::byte* group, std::uint32_t row) {
            keep_first(group + state.at, values[row], is_min);
        });
        break;
    }
    case Function::Sum:
    case Function::Average:
        if constexpr (std::is_same_v<T, std::int64_t>) {
            if (is_one && state.is_narrow) {
                std::int64_t sum = 0;
                for_each_value<is_one>(valid, rows, groups,
                                       [&](std::byte* /*group*/, std::uint32_t row) { sum += values[row]; });
                store(groups[0] + state.at, load<std::int64_t>(groups[0] + state.at) + sum);
            } else if (state.is_narrow) {
                for_each_value<is_one>(valid, rows, groups, [&](std::byte* group, std::uint32_t row) {
                    *reinterpret_cast<std::int64_t*>(group + state.at) += values[row];
                });
            } else {
                for_each_value<is_one>(valid, rows, groups, [&](std::byte* group, std::uint32_t row) {
                    store(group + state.at, load<Int128>(group + state.at) + values[row]);
                });
            }
        } else if constexpr (std::is_same_v<T, Int128>) {
            for_each_value<is_one>(valid, rows, groups, [&](std::byte* group, std::uint32_t row) {
                Int128 sum = 0;
                has_overflowed = wide::add(load<Int128>(group + state.at), values[row], sum) || has_overflowed;
                store(group + state.at, sum);
            });
        } else if constexpr (std::is_same_v<T, double>) {
            for_each_value<is_one>(valid, rows, groups, [&](std::byte* group, std::uint32_t row) {
                *reinterpret_cast<double*>(group + state.at) += values[row];
            });
        }
        break;
    }
    return !has_overflowed;
}

template <bool is_one>
Result<void> GroupLayout::update_all(Registers const& registers, std::uint32_t rows, std::byte* const* groups) const {
    bool fits = true;
    for (State const& state : std::span(states_).first(state_count_)) {
        if (state.function == Function::Count || state.is_shared) continue;
        with_lane(state.lane, [&]<typename T>(T /*type*/) {
            fits = update_values<T, is_one>(state, registers, rows, groups) && fits;
        });
    }
    if (!fits) return Error("overflow: a sum has more than 127 bits");
    return {};
}

Result<void> GroupLayout::update(Registers const& registers, std::uint32_t rows, std::byte* const* groups) const {
    return update_all<false>(registers, rows, groups);
}
Result<void> GroupLayout::update_one(Registers const& registers, std::uint32_t rows, std::byte* group) const {
    return update_all<true>(registers, rows, &group);
}

bool GroupLayout::merge_state(State const& state, std::byte* into, std::byte const* from) const {
    if (state.counted_at != 0)
        *reinterpret_cast<std::uint64_t*>(into + state.counted_at) += load<std::uint64_t>(from + state.counted_at);
    switch (state.function) {
    default: return true; // counts
    case Function::Min:
    case Function::Max:
        with_lane(state.lane, [&]<typename T>(T /*type*/) {
            auto const value = load<T>(from + state.at);
            if constexpr (std::is_same_v<T, std::string_view>)
                if (value.data() == nullptr) return;
            keep_first(into + state.at, value, state.function == Function::Min);
        });
        return true;
    case Function::Sum:
    case Function::Average: break;
    }
    if (state.lane == Lane::F64) {
        store(into + state.at, load<double>(into + state.at) + load<double>(from + state.at));
        return true;
    }
    if (state.is_narrow) {
        store(into + state.at, load<std::int64_t>(into + state.at) + load<std::int64_t>(from + state.at));
        return true;
    }
    Int128 sum = 0;
    bool const has_overflowed = wide::add(load<Int128>(into + state.at), load<Int128>(from + state.at), sum);
    store(into + state.at, sum);
    return !has_overflowed;
}

bool GroupLayout::merge(std::byte* into, std::byte const* from) const {
    bool fits = true;
    for (State const& state : std::span(states_).first(state_count_))
        fits = (state.is_shared || merge_state(state, into, from)) && fits;
    return fits;
}

std::uint64_t GroupLayout::counted(State const& state, std::byte const* record) const {
    return load<std::uint64_t>(record + state.counted_at); // at 0 the rows of the group stand
}

// ---- the result

void GroupLayout::read_state(State const& state, Field const& field, std::span<std::byte* const> groups,
                             Envelope& rows) const {
    std::size_t const count = groups.size();
    void* const to = rows.columns[field.values].writable<void>();
    auto const sum_of = [&](std::size_t i) {
        std::byte const* const place = groups[i] + state.at;
        return state.is_narrow ? Int128{load<std::int64_t>(place)} : load<Int128>(place);
    };
    switch (state.function) {
    default: // counts
        write_values<std::int64_t>(field.storage, to, count, [&](std::size_t i) { return counted(state, groups[i]); });
        break;
    case Function::Sum:
        if (state.lane == Lane::F64)
            write_values<double>(field.storage, to, count,
                                 [&](std::size_t i) { return load<double>(groups[i] + state.at); });
        else
            write_values<Int128>(field.storage, to, count, sum_of);
        break;
    case Function::Average: {
        double const divisor = wide::unit_of(state.value.type.scale);
        write_values<double>(field.storage, to, count, [&](std::size_t i) {
            auto const values = static_cast<double>(std::max<std::uint64_t>(counted(state, groups[i]), 1));
            if (state.lane == Lane::F64) return load<double>(groups[i] + state.at) / values;
            return wide::to_double(sum_of(i)) / (values * divisor);
        });
        break;
    }
    case Function::Min:
    case Function::Max:
        with_lane(state.lane, [&]<typename T>(T /*type*/) {
            write_values<T>(field.storage, to, count, [&](std::size_t i) { return load<T>(groups[i] + state.at); });
        });
        break;
    }
    if (!field.is_nullable()) return;
    auto* const valid = rows.columns[field.validity].writable<std::uint8_t>();
    for (std::size_t i = 0; i < count; ++i) valid[i] = counted(state, groups[i]) != 0 ? 1 : 0;
}

Result<dataflow::EnvelopePointer> GroupLayout::read(std::span<std::byte* const> groups, std::uint64_t sequence) const {
    auto envelope = MXK_TRY(make_rows(result_.fields(), static_cast<std::uint32_t>(groups.size()), sequence));
    for (std::size_t key = 0; key < keys(); ++key) read_key(key, result_.fields()[key], groups, *envelope);
    for (std::size_t state = 0; state < state_count_; ++state)
        read_state(states_[state], result_.fields()[keys() + state], groups, *envelope);
    return envelope;
}

Result<dataflow::EnvelopePointer> GroupLayout::read_none() const {
    alignas(std::uint64_t) std::array<std::byte, max_stride> record;
    std::byte* const group = record.data();
    write_first(group);
    return read({&group, 1}, 0);
}

} // namespace mxk::query
