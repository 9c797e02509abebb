#include "query/boxes/record_layout.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "query/boxes/column_values.hpp"
#include "query/expression/wide.hpp"

namespace mxk::query {
namespace {

// -0.0 is 0.0, and there is one NaN.
std::uint64_t canonical(double value) {
    constexpr double same_nan = std::numeric_limits<double>::quiet_NaN();
    return std::bit_cast<std::uint64_t>(value != value ? same_nan : value + 0.0);
}

} // namespace

// A part without bits, of a column with one value, is nowhere.
void RecordLayout::place(KeyPart part) {
    if (part.bits != 0) {
        if (part.bits > 64 - bits_in_last_) {
            ++words_;
            bits_in_last_ = 0;
        }
        part.word = static_cast<std::uint8_t>(words_ - 1);
        part.shift = static_cast<std::uint8_t>(bits_in_last_);
        bits_in_last_ += part.bits;
    }
    parts_[part_count_++] = part;
}

Result<void> RecordLayout::add_key(Program::Value const& value) {
    if (words_ + 3 > max_words || key_count_ == max_words) return Error("expected fewer columns in a key");
    first_part_[key_count_++] = static_cast<std::uint8_t>(part_count_);
    KeyPart part{.value = value, .lane = value.lane()};
    bool const has_two_words = part.lane == Lane::I128 || part.lane == Lane::Text;
    if (part.lane == Lane::Bool) part.bits = 1;
    if (part.lane == Lane::I64)
        part.bits = static_cast<unsigned>(
            std::bit_width(static_cast<std::uint64_t>(value.range.high) - static_cast<std::uint64_t>(value.range.low)));
    if (part.lane == Lane::Text) text_words_ |= 1U << words_;
    if (has_two_words) bits_in_last_ = 64;
    place(part);
    if (has_two_words) ++words_;
    if (value.is_nullable) place({.value = value, .is_null_flag = true, .bits = 1});
    return {};
}

void RecordLayout::end_keys() {
    if (words_ == 0) {
        words_ = 1;
        bits_in_last_ = 1;
    }
    stride_ = sizeof(std::uint64_t) * (1 + words_);
}

Result<std::uint16_t> RecordLayout::add_bytes(std::size_t bytes) {
    if (stride_ + bytes > max_stride) return Error::of("expected records of up to {} bytes, got more", max_stride);
    auto const at = static_cast<std::uint16_t>(stride_);
    stride_ += bytes;
    return at;
}

void RecordLayout::end() {
    constexpr std::size_t max_direct_bytes = 256 * KiB;
    if (key_bits() < 16 && stride_ << key_bits() <= max_direct_bytes) direct_bits_ = key_bits();
}

void RecordLayout::pack_part(KeyPart const& part, std::uint8_t at, Registers const& registers, std::uint32_t rows,
                             Words& words) const {
    std::uint8_t const* const valid = registers.validity(at);
    auto const write = [&](std::size_t word, auto bits_of) {
        std::uint64_t* const to = words[word].data();
        if (part.shift == 0)
            for (std::uint32_t i = 0; i < rows; ++i) to[i] = bits_of(i);
        else
            for (std::uint32_t i = 0; i < rows; ++i) to[i] |= bits_of(i) << part.shift;
    };
    if (part.is_null_flag) return write(part.word, [=](std::uint32_t i) { return std::uint64_t{valid[i]} ^ 1U; });
    // Every NULL is the same key, whatever an expression has left there.
    auto const put_word = [&](std::size_t word, auto bits_of) {
        if (valid == nullptr) return write(word, bits_of);
        write(word, [=](std::uint32_t i) { return bits_of(i) & -std::uint64_t{valid[i]}; });
    };
    auto const put = [&](auto bits_of) { put_word(part.word, bits_of); };
    switch (part.lane) {
    case Lane::Bool: {
        auto const* const values = registers.values<std::uint8_t>(at);
        put([=](std::uint32_t i) { return std::uint64_t{values[i]}; });
        break;
    }
    case Lane::I64: {
        auto const* const values = registers.values<std::uint64_t>(at);
        auto const low = static_cast<std::uint64_t>(part.value.range.low);
        put([=](std::uint32_t i) { return values[i] - low; });
        break;
    }
    case Lane::F64: {
        auto const* const values = registers.values<double>(at);
        put([=](std::uint32_t i) { return canonical(values[i]); });
        break;
    }
    case Lane::I128: {
        auto const* const values = registers.values<Int128>(at);
        put([=](std::uint32_t i) { return static_cast<std::uint64_t>(values[i]); });
        put_word(part.word + 1U, [=](std::uint32_t i) { return static_cast<std::uint64_t>(values[i] >> 64); });
        break;
    }
    case Lane::Text: {
        auto const* const values = registers.values<std::string_view>(at);
        put([=](std::uint32_t i) { return std::bit_cast<std::uint64_t>(values[i].data()); });
        put_word(part.word + 1U, [=](std::uint32_t i) { return std::uint64_t{values[i].size()}; });
        break;
    }
    }
}

void RecordLayout::pack(Registers const& registers, std::uint32_t rows, Words& words) const {
    if (words_ == 1) std::ranges::fill_n(words[0].begin(), rows, 0); // of a key without bits
    for (KeyPart const& part : std::span(parts_).first(part_count_))
        if (part.bits != 0) pack_part(part, part.value.at, registers, rows, words);
}

void RecordLayout::pack_others(Registers const& registers, std::span<Program::Value const> values, std::uint32_t rows,
                               Words& words, std::uint8_t* can_match) const {
    if (words_ == 1) std::ranges::fill_n(words[0].begin(), rows, 0);
    std::fill_n(can_match, rows, std::uint8_t{1});
    for (std::size_t key = 0; key < key_count_; ++key) {
        Program::Value const& value = values[key];
        KeyPart const& part = parts_[first_part_[key]];
        if (std::uint8_t const* const valid = registers.validity(value.at); valid != nullptr)
            for (std::uint32_t i = 0; i < rows; ++i) can_match[i] &= valid[i];
        bool const may_be_outside = value.range.low < part.value.range.low || value.range.high > part.value.range.high;
        if (part.lane == Lane::I64 && may_be_outside) {
            auto const* const numbers = registers.values<std::uint64_t>(value.at);
            auto const low = static_cast<std::uint64_t>(part.value.range.low);
            std::uint64_t const span = static_cast<std::uint64_t>(part.value.range.high) - low;
            for (std::uint32_t i = 0; i < rows; ++i) can_match[i] &= numbers[i] - low <= span ? 1 : 0;
        }
        if (part.bits != 0) pack_part(part, value.at, registers, rows, words);
        if (!part.value.is_nullable) continue;
        KeyPart const& flag = parts_[first_part_[key] + 1U]; // 0: what can match is not NULL
        if (flag.shift == 0) std::ranges::fill_n(words[flag.word].begin(), rows, 0);
    }
}

void RecordLayout::read_key(std::size_t key, Field const& field, std::span<std::byte* const> records,
                            dataflow::Envelope& rows) const {
    KeyPart const& part = parts_[first_part_[key]];
    std::size_t const count = records.size();
    void* const to = rows.columns[field.values].writable<void>();
    std::uint64_t const mask = part.bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - part.bits);
    auto const bits_of = [&](std::size_t i) { return words_of(records[i])[part.word] >> part.shift & mask; };
    auto const high_of = [&](std::size_t i) { return words_of(records[i])[part.word + 1U]; };
    auto const write = [&]<typename T>(T /*type*/, auto value_of) {
        write_values<T>(field.storage, to, count, value_of);
    };
    switch (part.lane) {
    case Lane::Bool: write(std::uint8_t{}, bits_of); break;
    case Lane::I64:
        write(std::int64_t{}, [&](std::size_t i) {
            return static_cast<std::int64_t>(bits_of(i) + static_cast<std::uint64_t>(part.value.range.low));
        });
        break;
    case Lane::F64: write(double{}, [&](std::size_t i) { return std::bit_cast<double>(bits_of(i)); }); break;
    case Lane::I128:
        write(Int128{},
              [&](std::size_t i) { return static_cast<Int128>(wide::Unsigned{high_of(i)} << 64 | bits_of(i)); });
        break;
    case Lane::Text:
        write(std::string_view{},
              [&](std::size_t i) { return std::string_view(std::bit_cast<char const*>(bits_of(i)), high_of(i)); });
        break;
    }
    if (!field.is_nullable()) return;
    KeyPart const& flag = parts_[first_part_[key] + 1U];
    auto* const valid = rows.columns[field.validity].writable<std::uint8_t>();
    for (std::size_t i = 0; i < count; ++i)
        valid[i] = (words_of(records[i])[flag.word] >> flag.shift & 1U) != 0 ? 0 : 1;
}

} // namespace mxk::query
