#include "query/boxes/record_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "base/prefetch.hpp"
#include "hashtable/hash.hpp"
#include "tasks/dataflow/graph/graph_memory.hpp"

namespace mxk::query {
namespace {

constexpr unsigned min_bits = 6;
constexpr std::size_t max_slack = 1024;

std::string_view text_at(std::uint64_t const* words) {
    return {std::bit_cast<char const*>(words[0]), words[1]};
}

std::uint64_t hash_text(std::string_view text) {
    std::uint64_t hash = text.size();
    for (std::size_t at = 0; at < text.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, std::min(sizeof(word), text.size() - at));
        hash = MixedHash{}(std::rotl(hash, 7) ^ word);
    }
    return hash;
}

bool has_room(std::size_t records, unsigned bits) { // up to 5 of 8 places are taken
    return records * 8 <= (std::size_t{5} << bits);
}

} // namespace

RecordTable::~RecordTable() {
    if (slots_ != nullptr) dataflow::graph_memory::deallocate(slots_, bytes(), cache_line_bytes);
}

bool RecordTable::take_slots(unsigned bits) {
    std::size_t const slack = layout_.direct_bits() != 0 ? 0 : std::min(max_slack, std::size_t{1} << bits);
    std::size_t const wanted = ((std::size_t{1} << bits) + slack) * layout_.stride();
    auto* const slots = static_cast<std::byte*>(dataflow::graph_memory::allocate(wanted, cache_line_bytes));
    if (slots == nullptr) return false;
    std::memset(slots, 0, wanted);
    slots_ = slots;
    bits_ = bits;
    slack_ = slack;
    return true;
}

Result<void> RecordTable::create(std::size_t records) {
    unsigned bits = std::max(layout_.direct_bits(), layout_.direct_bits() != 0 ? 0 : min_bits);
    while (layout_.direct_bits() == 0 && !has_room(records, bits)) ++bits;
    if (take_slots(bits)) return {};
    return Error::of("out of memory: no room for {} keys", records);
}

void RecordTable::clear() {
    std::memset(slots_, 0, bytes());
    size_ = 0;
}

// Of a key that is one word; a bijection, so that no two keys have one hash.
std::uint64_t RecordTable::hash_of_word(RecordLayout const& layout, std::uint64_t word) {
    return layout.direct_bits() != 0 ? word << (64 - layout.direct_bits()) : MixedHash{}(word);
}

std::uint64_t RecordTable::hash_of(RecordLayout const& layout, std::uint64_t const* words) {
    if (layout.words() == 1) return hash_of_word(layout, words[0]);
    std::uint64_t hash = 0;
    for (std::size_t at = 0; at < layout.words(); ++at) {
        bool const is_text = layout.is_text(at);
        hash = MixedHash{}(std::rotl(hash, 7) ^ (is_text ? hash_text(text_at(words + at)) : words[at]));
        if (is_text) ++at;
    }
    return hash;
}

bool RecordTable::is_key(std::byte const* record, std::uint64_t const* words) const {
    std::uint64_t const* const own = RecordLayout::words_of(record);
    if (layout_.words() == 1) return own[0] == words[0];
    for (std::size_t at = 0; at < layout_.words(); ++at) {
        if (layout_.is_text(at)) {
            if (text_at(own + at) != text_at(words + at)) return false;
            ++at;
        } else if (own[at] != words[at]) {
            return false;
        }
    }
    return true;
}

// Adds `rows` to the record of a key, which is made if there is none. Null: the places behind the last home are taken.
std::byte* RecordTable::probe_from(std::byte* home, std::uint64_t const* words, std::uint64_t rows) {
    std::byte* const end = slot(capacity() + slack_);
    for (std::byte* record = home; record != end; record += layout_.stride()) {
        if (RecordLayout::rows_of(record) == 0) {
            make_record(record, words);
        } else if (!is_key(record, words)) {
            continue;
        }
        RecordLayout::rows_of(record) += rows;
        return record;
    }
    return nullptr;
}

void RecordTable::make_record(std::byte* record, std::uint64_t const* words) {
    layout_.write_first(record);
    std::memcpy(record + sizeof(std::uint64_t), words, layout_.words() * sizeof(std::uint64_t));
    ++size_;
}

Result<void> RecordTable::make_room(std::size_t records) {
    unsigned bits = bits_;
    while (layout_.direct_bits() == 0 && !has_room(size_ + records, bits)) ++bits;
    return bits == bits_ ? Result<void>() : grow(bits);
}

// The records come in the order of their hashes, and go there in the same order.
Result<void> RecordTable::grow(unsigned bits) {
    constexpr unsigned max_unused_bits = 10;
    Error const one_hash("expected keys of different hashes, got too many of one");
    if (bits > max_unused_bits && size_ < std::size_t{1} << (bits - max_unused_bits)) return one_hash;
    std::byte* const old = slots_;
    std::size_t const old_bytes = bytes();
    std::size_t const stride = layout_.stride();
    if (!take_slots(bits)) return Error::of("out of memory: no room for more than {} keys", size_);
    std::size_t const count = std::exchange(size_, 0);
    bool fits = true;
    for (std::byte* record = old; record != old + old_bytes && fits; record += stride) {
        if (RecordLayout::rows_of(record) == 0) continue;
        std::uint64_t const* const words = RecordLayout::words_of(record);
        std::byte* const to = probe_from(slot(home_of(hash_of(words))), words, 1);
        if (to != nullptr)
            std::memcpy(to, record, stride);
        else
            fits = false;
    }
    size_ = count;
    dataflow::graph_memory::deallocate(old, old_bytes, cache_line_bytes);
    if (!fits) return one_hash;
    return {};
}

// From row `first` on; gives the first row that found no place.
template <bool is_one_word>
std::uint32_t RecordTable::find_rows(RecordLayout::Words const& words, std::uint32_t first, std::uint32_t rows,
                                     std::uint64_t counted, std::byte** records) {
    RecordLayout::Key key{};
    auto const key_of = [&](std::uint32_t row) {
        layout_.copy_key(words, row, key);
        return key.data();
    };
    std::size_t const stride = layout_.stride();
    for (std::uint32_t row = first; row < rows; ++row) {
        records[row] = slot(home_of(is_one_word ? hash_of_word(layout_, words[0][row]) : hash_of(key_of(row))));
        prefetch_for_read(records[row]); // of one core only, so written as fast
    }
    std::byte* const end = slot(capacity() + slack_);
    for (std::uint32_t row = first; row < rows; ++row) {
        std::byte* record = records[row];
        if constexpr (is_one_word) {
            std::uint64_t const word = words[0][row];
            while (record != end && RecordLayout::rows_of(record) != 0 && RecordLayout::words_of(record)[0] != word)
                record += stride;
            if (record == end) return row;
            if (RecordLayout::rows_of(record) == 0) [[unlikely]]
                make_record(record, &word);
            RecordLayout::rows_of(record) += counted;
        } else {
            record = probe_from(record, key_of(row), counted);
            if (record == nullptr) return row;
        }
        records[row] = record;
    }
    return rows;
}

Result<void> RecordTable::find_or_add(RecordLayout::Words const& words, std::uint32_t rows, std::byte** records) {
    MXK_TRY(make_room(rows));
    bool const is_one_word = layout_.words() == 1;
    auto const find = [&](std::uint32_t first, std::uint32_t end, std::uint64_t counted) {
        return is_one_word ? find_rows<true>(words, first, end, counted, records)
                           : find_rows<false>(words, first, end, counted, records);
    };
    for (std::uint32_t found = find(0, rows, 1); found != rows;) {
        MXK_TRY(grow(bits_ + 1));
        if (find(0, found, 0) == found) found = find(found, rows, 1);
    }
    return {};
}

Result<std::byte*> RecordTable::find_or_add(std::byte const* record) {
    MXK_TRY(make_room(1));
    std::uint64_t const* const words = RecordLayout::words_of(record);
    for (;;) {
        std::byte* const found =
            probe_from(slot(home_of(hash_of(words))), words, *reinterpret_cast<std::uint64_t const*>(record));
        if (found != nullptr) return found;
        MXK_TRY(grow(bits_ + 1));
    }
}

std::byte* RecordTable::find_from(std::byte* home, std::uint64_t const* words) const {
    std::byte* const end = slot(capacity() + slack_);
    for (std::byte* record = home; record != end && RecordLayout::rows_of(record) != 0; record += layout_.stride())
        if (is_key(record, words)) return record;
    return nullptr;
}

std::size_t RecordTable::read(std::uint64_t low, std::uint64_t high, std::size_t& cursor,
                              std::span<std::byte*> records) const {
    if (slots_ == nullptr) return 0;
    std::size_t const last_home = home_of(high);
    std::size_t const end = capacity() + slack_;
    bool const is_all = low == 0 && high == UINT64_MAX;
    std::size_t count = 0;
    std::size_t at = home_of(low) + cursor;
    for (; at < end && count < records.size(); ++at) {
        std::byte* const record = slot(at);
        if (RecordLayout::rows_of(record) == 0) {
            if (at > last_home) break;
            continue;
        }
        if (!is_all) {
            std::uint64_t const hash = hash_of(RecordLayout::words_of(record));
            if (hash < low || hash > high) continue;
        }
        records[count++] = record;
    }
    cursor = at - home_of(low);
    return count;
}

bool RecordTable::copy() {
    auto* const slots = static_cast<std::byte*>(dataflow::graph_memory::allocate(bytes(), cache_line_bytes));
    if (slots == nullptr) return false;
    std::memcpy(slots, slots_, bytes());
    dataflow::graph_memory::deallocate(slots_, bytes(), cache_line_bytes);
    slots_ = slots;
    return true;
}

} // namespace mxk::query
