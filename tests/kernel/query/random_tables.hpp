// Tables of random columns for tests of plans: of every kind and storage, with and without NULL, of few and of many
// values, and the largest and smallest ones; the same rows as values for the reference.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/format.hpp"
#include "bench/workload/random.hpp"
#include "query/plan/source.hpp"
#include "tests/kernel/query/reference.hpp"

namespace mxk::query_tests {

using bench::Random;
using query::SourceColumn;
using query::Storage;

template <typename T, std::size_t size> T const& one_of(Random& random, std::array<T, size> const& all) {
    return all[random.below(size)];
}

class RandomColumn {
  public:
    // `rows`: of its table.
    void make(Random& random, std::size_t rows, std::string_view name, ReferenceRows& to, std::size_t at) {
        column_.name = name;
        choose_type(random);
        spread_ = static_cast<Spread>(random.below(5));
        is_messy_ = random.below(3) == 0;
        std::uint64_t const null_share = random.below(3) == 0 ? 0 : random.below(12) == 0 ? 100 : 1 + random.below(50);
        few_ = random.next();
        reserve(rows);
        for (std::size_t row = 0; row < rows; ++row) {
            Value value = make_value(random);
            if (random.below(100) < null_share) {
                validity_[row / 8] &= static_cast<std::uint8_t>(~(1U << row % 8));
                value.is_null = true;
            }
            store(row, value);
            if (value.is_null) value = {.is_null = true};
            to.cells[row * to.columns + at] = value;
        }
        column_.values = column_.type.kind == Kind::Text && column_.labels == nullptr
                             ? static_cast<void const*>(bytes_.span().data())
                             : values_.span().data();
        if (null_share != 0) column_.validity = validity_.span().data();
        if (column_.type.kind == Kind::Text && column_.labels == nullptr) column_.offsets = offsets_.span().data();
        to.column[at] = {.name = name, .meaning = meaning_};
    }
    [[nodiscard]] SourceColumn const& column() const { return column_; }

  private:
    enum class Spread : std::uint8_t { One, Few, Some, Many, Extreme };

    void choose_type(Random& random) {
        struct Choice {
            Kind kind;
            Storage storage;
            std::uint8_t scale = 0;
        };
        constexpr std::array choices{Choice{Kind::Bool, Storage::U8},
                                     Choice{Kind::I8, Storage::I8},
                                     Choice{Kind::I16, Storage::I16},
                                     Choice{Kind::I32, Storage::I32},
                                     Choice{Kind::I64, Storage::I64},
                                     Choice{Kind::I64, Storage::I64},
                                     Choice{Kind::U8, Storage::U8},
                                     Choice{Kind::U16, Storage::U16},
                                     Choice{Kind::U32, Storage::U32},
                                     Choice{Kind::U64, Storage::U64},
                                     Choice{Kind::Decimal, Storage::I32, 2},
                                     Choice{Kind::Decimal, Storage::I64, 2},
                                     Choice{Kind::Decimal, Storage::I64, 4},
                                     Choice{Kind::Decimal, Storage::I32, 0},
                                     Choice{Kind::Decimal, Storage::U8, 1},
                                     Choice{Kind::Decimal128, Storage::I128, 0},
                                     Choice{Kind::Decimal128, Storage::I128, 6},
                                     Choice{Kind::F32, Storage::F32},
                                     Choice{Kind::F64, Storage::F64},
                                     Choice{Kind::F64, Storage::F64},
                                     Choice{Kind::Date, Storage::I32},
                                     Choice{Kind::Character, Storage::U8},
                                     Choice{Kind::Text, Storage::Text},
                                     Choice{Kind::Text, Storage::U8}};
        Choice const& chosen = one_of(random, choices);
        column_.type = {.kind = chosen.kind, .scale = chosen.scale};
        column_.storage = chosen.storage;
        meaning_.scale = chosen.scale;
        switch (chosen.kind) {
        case Kind::Bool: meaning_.of = Class::Truth; break;
        case Kind::F32:
        case Kind::F64: meaning_.of = Class::Real; break;
        case Kind::Date: meaning_.of = Class::Day; break;
        case Kind::Character: meaning_.of = Class::Letter; break;
        case Kind::Text: meaning_.of = Class::Words; break;
        default: break;
        }
        if (chosen.kind != Kind::Text || chosen.storage != Storage::U8) return;
        labels_ = {"", "PROMO", "PROMO BRUSHED TIN OF MANY LETTERS", "a", "ab"};
        column_.labels = labels_.data();
        column_.label_count = labels_.size();
    }

    void reserve(std::size_t rows) {
        std::size_t const bytes = column_.storage == Storage::Text ? 0 : query::bytes_of(column_.storage) * rows;
        for (std::size_t i = 0; i < bytes / sizeof(Int128) + 1; ++i) expect(values_.add(0), "a test has memory");
        for (std::size_t i = 0; i < rows / 8 + 1; ++i) expect(validity_.add(0xff), "a test has memory");
        expect(offsets_.add(0), "a test has memory");
        constexpr std::size_t max_text = 40;
        if (column_.storage == Storage::Text) // texts of the reference point there: it must not move
            for (std::size_t i = 0; i < max_text * rows + 1; ++i) expect(bytes_.add(0), "a test has memory");
    }

    // ---- values

    [[nodiscard]] Int128 whole(Random& random, Int128 low, Int128 high) {
        auto const within = [&](Int128 value) { return std::clamp(value, low, high); };
        Int128 const edges = random.below(2) == 0 ? low : high;
        switch (spread_) {
        case Spread::One: return within(static_cast<Int128>(few_ % 1000) - 300);
        case Spread::Few: return within(static_cast<Int128>(few_ % 100 + random.below(5)) - 3);
        case Spread::Some: return within(static_cast<Int128>(random.below(20'000)) - (low < 0 ? 10'000 : 0));
        case Spread::Many: {
            auto const span = static_cast<unsigned __int128>(high) - static_cast<unsigned __int128>(low);
            auto const wide = static_cast<unsigned __int128>(random.next()) << 64 | random.next();
            auto const drawn = span == ~static_cast<unsigned __int128>(0) ? wide : wide & (span | span >> 1);
            Int128 const value = static_cast<Int128>(static_cast<unsigned __int128>(low) + drawn);
            return value < low || value > high ? low : value;
        }
        case Spread::Extreme:
            switch (random.below(4)) {
            case 0: return edges;
            case 1: return edges == low ? low + 1 : high - 1;
            default: return within(static_cast<Int128>(random.below(3)) - 1);
            }
        }
        return low;
    }
    [[nodiscard]] double real(Random& random) {
        bool const is_float = column_.type.kind == Kind::F32;
        if (spread_ == Spread::One) return 0.25 * static_cast<double>(few_ % 100);
        if (!is_messy_) {
            std::uint64_t const half = spread_ == Spread::Few ? 3 : 4000;
            if (spread_ == Spread::Extreme && random.below(8) == 0)
                return random.below(2) == 0 ? std::numeric_limits<double>::quiet_NaN() : -0.0;
            return 0.25 * (static_cast<double>(random.below(2 * half + 1)) - static_cast<double>(half));
        }
        constexpr double infinity = std::numeric_limits<double>::infinity();
        std::array const odd{0.0,
                             -0.0,
                             infinity,
                             -infinity,
                             std::numeric_limits<double>::quiet_NaN(),
                             is_float ? 1e30 : 1e300,
                             is_float ? 1e-40 : 5e-324,
                             0.1};
        if (random.below(spread_ == Spread::Extreme ? 2 : 20) == 0) return one_of(random, odd);
        return 0.1 * static_cast<double>(random.below(spread_ == Spread::Few ? 5 : 100'000));
    }
    [[nodiscard]] std::string_view words(Random& random) {
        if (column_.labels != nullptr) return one_of(random, labels_);
        constexpr std::array<std::string_view, 9> some{
            "", "a", "ab", "abc", "b", "\xff", "PROMO", "PROMO PLATED STEEL WITH A TAIL", "z"};
        std::size_t const begin = used_;
        auto const put = [&](char letter) { bytes_[used_++] = letter; };
        if (spread_ == Spread::One || spread_ == Spread::Few || random.below(4) == 0) {
            for (char const letter : some[spread_ == Spread::One ? few_ % some.size() : random.below(some.size())])
                put(letter);
        } else {
            for (std::uint64_t left = random.below(spread_ == Spread::Some ? 4 : 30); left != 0; --left)
                put(static_cast<char>('a' + random.below(3)));
        }
        return {bytes_.span().data() + begin, used_ - begin};
    }

    template <typename T> static Int128 low_of() { return std::numeric_limits<T>::min(); }
    [[nodiscard]] Value make_value(Random& random) {
        Value value;
        switch (column_.type.kind) {
        case Kind::Bool:
            value.number =
                spread_ == Spread::One ? static_cast<Int128>(few_ % 2) : static_cast<Int128>(random.below(2));
            return value;
        case Kind::F32:
        case Kind::F64:
            value.real = real(random);
            if (column_.type.kind == Kind::F32) value.real = static_cast<double>(static_cast<float>(value.real));
            meaning_.fraction = is_messy_ && spread_ != Spread::One ? any_fraction : 2;
            meaning_.bits = 10;
            meaning_.has_near_sums = true;
            return value;
        case Kind::Character: {
            std::string_view const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ ~!";
            value.text =
                letters.substr(spread_ == Spread::One ? few_ % letters.size()
                                                      : random.below(spread_ == Spread::Few ? 3 : letters.size()),
                               1);
            return value;
        }
        case Kind::Text: value.text = words(random); return value;
        case Kind::Date:
            if (spread_ == Spread::Few || spread_ == Spread::Some) {
                value.number = Int128{8000} + random.below(spread_ == Spread::Few ? 4 : 3000);
                meaning_.fraction = std::max(meaning_.fraction, 14);
                return value;
            }
            break;
        default: break;
        }
        if (column_.type.kind == Kind::Decimal128) {
            // Seldom all of 128 bits, so that there is something to compute with.
            Int128 const limit = few_ % 3 == 0 && spread_ == Spread::Extreme
                                     ? query::int128_max
                                     : static_cast<Int128>(1) << (40 + few_ % 40);
            value.number = whole(random, limit == query::int128_max ? -limit - 1 : -limit, limit);
        } else {
            query::Range const range = storage_range();
            value.number = whole(random, range.low, range.high);
        }
        if (column_.type.kind == Kind::Date) meaning_.fraction = 32;
        return value;
    }
    [[nodiscard]] query::Range storage_range() const {
        auto const of = []<typename T>(T /*type*/) {
            return query::Range{.low = std::numeric_limits<T>::min(), .high = std::numeric_limits<T>::max()};
        };
        switch (column_.storage) {
        case Storage::U8: return of(std::uint8_t{});
        case Storage::U16: return of(std::uint16_t{});
        case Storage::U32: return of(std::uint32_t{});
        case Storage::U64: return of(std::uint64_t{});
        case Storage::I8: return of(std::int8_t{});
        case Storage::I16: return of(std::int16_t{});
        case Storage::I32: return of(std::int32_t{});
        default: return of(std::int64_t{});
        }
    }

    template <typename T> void store_as(std::size_t row, T value) {
        reinterpret_cast<T*>(values_.span().data())[row] = value;
    }
    void store(std::size_t row, Value const& value) {
        switch (column_.storage) {
        case Storage::U8:
            if (column_.type.kind == Kind::Character) return store_as(row, static_cast<std::uint8_t>(value.text[0]));
            if (column_.type.kind == Kind::Text) {
                auto const* const label = std::find(labels_.begin(), labels_.end(), value.text);
                return store_as(row, static_cast<std::uint8_t>(value.is_null ? 255 : label - labels_.begin()));
            }
            return store_as(row, static_cast<std::uint8_t>(value.number));
        case Storage::U16: return store_as(row, static_cast<std::uint16_t>(value.number));
        case Storage::U32: return store_as(row, static_cast<std::uint32_t>(value.number));
        case Storage::U64: return store_as(row, static_cast<std::uint64_t>(value.number));
        case Storage::I8: return store_as(row, static_cast<std::int8_t>(value.number));
        case Storage::I16: return store_as(row, static_cast<std::int16_t>(value.number));
        case Storage::I32: return store_as(row, static_cast<std::int32_t>(value.number));
        case Storage::I64: return store_as(row, static_cast<std::int64_t>(value.number));
        case Storage::I128: return store_as(row, value.number);
        case Storage::F32: return store_as(row, static_cast<float>(value.real));
        case Storage::F64: return store_as(row, value.real);
        case Storage::Text: expect(offsets_.add(static_cast<std::int32_t>(used_)), "a test has memory"); return;
        }
    }

    SourceColumn column_{};
    Meaning meaning_{};
    Spread spread_ = Spread::One;
    bool is_messy_ = false; // real numbers of which a sum is not exact
    std::uint64_t few_ = 0;
    std::size_t used_ = 0; // of bytes_
    std::array<std::string_view, 5> labels_{};
    GrowingArray<Int128> values_;
    GrowingArray<std::uint8_t> validity_;
    GrowingArray<std::int32_t> offsets_;
    GrowingArray<char> bytes_;
};

class RandomTable {
  public:
    RandomTable(Random& random, std::string_view name, std::size_t rows, std::size_t columns)
        : source(name, rows) {
        reference.columns = columns;
        reference.rows = rows;
        for (std::size_t i = 0; i < rows * columns; ++i) reference.add_cell({});
        for (std::size_t at = 0; at < columns; ++at) {
            FixedText<32> column_name(name);
            format(column_name, "{}", at);
            columns_[at].make(random, rows, column_name.view(), reference, at);
            expect(source.add(columns_[at].column()).ok(), "a test's table takes its columns");
        }
        reference.measure();
        GrowingArray<NodeId> nodes;
        for (std::size_t i = 0; i < memory::node_count(); ++i)
            expect(nodes.add(node_id((rows + i) % memory::node_count())), "a test has memory");
        expect(source.spread_over(nodes.span()).ok(), "a test has memory");
    }

    query::Source source;
    ReferenceRows reference;

  private:
    std::array<RandomColumn, 3> columns_;
};

} // namespace mxk::query_tests
