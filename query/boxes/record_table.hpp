// Records of one core (record_layout.hpp), of groups or of a join's keys, that stand in the order of their keys'
// hashes, as linear probing by the high bits of the hash leaves them. So a table grows by one pass over it, and tables
// of several cores are merged range by range of the hash, each range in the cache (group_box.hpp). Rows are looked up a
// chunk at a time: their places are asked for together, so that the memory's time passes once for many.
//
//     |  slots: home of a hash = its high bits  |  some more, for those behind the last home  |
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "query/boxes/record_layout.hpp"

namespace mxk::query {

class RecordTable {
  public:
    explicit RecordTable(RecordLayout const& layout)
        : layout_(layout) {}
    RecordTable(RecordTable const&) = delete;
    RecordTable& operator=(RecordTable const&) = delete;
    ~RecordTable();

    // Room for so many records before it grows, in the calling core's heap. Errors: no memory.
    Result<void> create(std::size_t records);
    // Gives the records of a chunk's keys, new ones where there are none, and counts the rows there; they stay until
    // the next call. Errors: no memory.
    Result<void> find_or_add(RecordLayout::Words const& words, std::uint32_t rows, std::byte** records);
    // Of the layout's keys, also of those that no table has.
    static std::uint64_t hash_of(RecordLayout const& layout, std::uint64_t const* words);
    // Where a key's record stands, or those of others in front of it; for find_from().
    [[nodiscard]] std::byte* home(std::uint64_t hash) const { return slot(home_of(hash)); }
    // Null: there is none.
    [[nodiscard]] std::byte* find_from(std::byte* home, std::uint64_t const* words) const;
    // As find_or_add, of a record of another table of the layout, which has the same prefix.
    Result<std::byte*> find_or_add(std::byte const* record);

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool is_created() const { return slots_ != nullptr; }
    void clear();
    // From now on hashes that differ in what is behind their first `bits` only.
    void set_prefix(unsigned bits) { prefix_bits_ = bits; }

    // Records of which the hash is in [low, high], 64 bits, in the order of their places, from `cursor` on, which is 0
    // at first: up to `room` of them. Gives how many; fewer than room: there are no more.
    std::size_t read(std::uint64_t low, std::uint64_t high, std::size_t& cursor, std::span<std::byte*> records) const;

    // Copies all into the calling core's heap. False: no memory.
    [[nodiscard]] bool copy();
    [[nodiscard]] std::size_t bytes() const { return slots_ == nullptr ? 0 : (capacity() + slack_) * layout_.stride(); }
    [[nodiscard]] void const* place() const { return slots_; }

  private:
    [[nodiscard]] std::size_t capacity() const { return std::size_t{1} << bits_; }
    static std::uint64_t hash_of_word(RecordLayout const& layout, std::uint64_t word);
    [[nodiscard]] std::uint64_t hash_of(std::uint64_t const* words) const { return hash_of(layout_, words); }
    [[nodiscard]] std::size_t home_of(std::uint64_t hash) const { return (hash << prefix_bits_) >> (64 - bits_); }
    [[nodiscard]] std::byte* slot(std::size_t number) const { return slots_ + number * layout_.stride(); }
    [[nodiscard]] bool is_key(std::byte const* record, std::uint64_t const* words) const;
    Result<void> make_room(std::size_t records);
    Result<void> grow(unsigned bits);
    [[nodiscard]] bool take_slots(unsigned bits);
    std::byte* probe_from(std::byte* home, std::uint64_t const* words, std::uint64_t rows);
    void make_record(std::byte* record, std::uint64_t const* words);
    template <bool is_one_word>
    std::uint32_t find_rows(RecordLayout::Words const& words, std::uint32_t first, std::uint32_t rows,
                            std::uint64_t counted, std::byte** records);

    RecordLayout const& layout_;
    std::byte* slots_ = nullptr;
    unsigned bits_ = 0;
    unsigned prefix_bits_ = 0;
    std::size_t slack_ = 0;
    std::size_t size_ = 0;
};

} // namespace mxk::query
