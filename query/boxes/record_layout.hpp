// Records of keys: a number of rows, the key packed into 64-bit words by the ranges of its columns, then what belongs
// to the key. A key whose bits are few is the number of its record; otherwise records are found by a hash
// (record_table.hpp).
//
//     | rows (u64) | key words | states |        rows 0: no record
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/result.hpp"
#include "query/expression/expression_program.hpp"
#include "tasks/dataflow/graph/envelope.hpp"

namespace mxk::query {

class RecordLayout {
  public:
    static constexpr std::size_t max_words = 16;
    static constexpr std::size_t max_stride = 512;

    // One more column of the key. Errors: too many.
    Result<void> add_key(Program::Value const& value);
    // Behind the last key, before anything else.
    void end_keys();
    // Room behind the keys. Errors: too much.
    Result<std::uint16_t> add_bytes(std::size_t bytes);
    // Behind all else.
    void end();

    [[nodiscard]] std::size_t stride() const { return stride_; }
    [[nodiscard]] std::size_t words() const { return words_; }
    [[nodiscard]] std::size_t keys() const { return key_count_; }
    // Of the key, if it is one word of whole numbers; otherwise 64.
    [[nodiscard]] unsigned key_bits() const {
        return words_ == 1 && text_words_ == 0 ? std::max(bits_in_last_, 1U) : 64;
    }
    // Of a key that numbers its records itself; 0: of one that is hashed.
    [[nodiscard]] unsigned direct_bits() const { return direct_bits_; }
    // Whether word `at` and the next one are a text's place and length.
    [[nodiscard]] bool is_text(std::size_t at) const { return (text_words_ >> at & 1U) != 0; }

    static std::uint64_t& rows_of(std::byte* record) { return *reinterpret_cast<std::uint64_t*>(record); }
    static std::uint64_t const* words_of(std::byte const* record) {
        return reinterpret_cast<std::uint64_t const*>(record) + 1;
    }
    // What a record begins with, but for its key.
    void write_first(std::byte* record) const { std::memcpy(record, first_.data(), stride_); }
    [[nodiscard]] std::byte* first() { return first_.data(); }

    // The keys of a chunk: an array for each word.
    using Words = std::array<std::array<std::uint64_t, Program::chunk>, max_words>;
    void pack(Registers const& registers, std::uint32_t rows, Words& words) const;
    // The words of one of them.
    using Key = std::array<std::uint64_t, max_words>;
    void copy_key(Words const& words, std::uint32_t row, Key& key) const {
        for (std::size_t word = 0; word < words_; ++word) key[word] = words[word][row];
    }
    // Of other values, one for each column of the key, in place of those of add_key(), which have the same lanes.
    // `can_match`: a byte for each row, 0 where a value is NULL or out of the range of the column.
    void pack_others(Registers const& registers, std::span<Program::Value const> values, std::uint32_t rows,
                     Words& words, std::uint8_t* can_match) const;
    // Values of a column of the key, back from records.
    void read_key(std::size_t key, Field const& field, std::span<std::byte* const> records,
                  dataflow::Envelope& rows) const;

  private:
    // A key column's, or its NULL flag's.
    struct KeyPart {
        Program::Value value{};
        Lane lane = Lane::I64;
        bool is_null_flag = false;
        std::uint8_t word = 0;
        std::uint8_t shift = 0;
        unsigned bits = 64;
    };
    void place(KeyPart part);
    void pack_part(KeyPart const& part, std::uint8_t at, Registers const& registers, std::uint32_t rows,
                   Words& words) const;

    std::array<KeyPart, 2 * max_words> parts_{};
    std::size_t part_count_ = 0;
    std::array<std::uint8_t, max_words> first_part_{}; // of each key column
    std::size_t key_count_ = 0;
    std::size_t words_ = 0;
    unsigned bits_in_last_ = 64; // of the last word that are taken
    std::uint32_t text_words_ = 0;
    unsigned direct_bits_ = 0;
    std::size_t stride_ = 0;
    std::array<std::byte, max_stride> first_{};
};

} // namespace mxk::query
