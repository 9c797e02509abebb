#include "query/boxes/join_box.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/format.hpp"
#include "base/prefetch.hpp"
#include "query/boxes/row_gather.hpp"
#include "tasks/dataflow/graph/graph_memory.hpp"

namespace mxk::query {
namespace {

using dataflow::Envelope;
using dataflow::Step;
using Row = Envelope::Row;

constexpr std::size_t block_alignment = cache_line_bytes;

// Whole numbers are, however many bits they have.
bool are_alike(Type a, Type b) {
    auto const is_special = [](Kind kind) { return kind == Kind::Date || kind == Kind::Character; };
    if (is_special(a.kind) || is_special(b.kind)) return a.kind == b.kind;
    return a.scale == b.scale && (lane_of(a.kind) == lane_of(b.kind) || (is_whole(a.kind) && is_whole(b.kind)));
}

// One row's value between a column and a record.
void copy_value(void* to, void const* from, std::size_t bytes) {
    switch (bytes) {
    case 1: std::memcpy(to, from, 1); return;
    case 2: std::memcpy(to, from, 2); return;
    case 4: std::memcpy(to, from, 4); return;
    case 8: std::memcpy(to, from, 8); return;
    default: std::memcpy(to, from, 16); return;
    }
}

std::uint64_t word_at(std::byte const* place) {
    std::uint64_t word = 0;
    std::memcpy(&word, place, sizeof(word));
    return word;
}

} // namespace

// ---- what is joined

Result<void> JoinSpec::add_key(JoinKey const& key, Schema const& table, Schema const& rows) {
    if (key_count_ == table_values_.size()) return Error("expected fewer columns in a key");
    Program::Value of_table = MXK_TRY(table_program_.add(key.of_table, table));
    Program::Value of_rows = MXK_TRY(rows_program_.add(key.of_rows, rows));
    if (!are_alike(of_table.type, of_rows.type))
        return Error::of("expected keys of one type, got {} in the table and {} in the rows",
                         name_of(of_table.type).view(), name_of(of_rows.type).view());
    if (of_table.lane() != of_rows.lane()) {
        of_table = MXK_TRY(table_program_.widen(of_table));
        of_rows = MXK_TRY(rows_program_.widen(of_rows));
    }
    MXK_TRY(layout_.add_key(of_table));
    has_nullable_key_ = has_nullable_key_ || of_table.is_nullable;
    table_values_[key_count_] = of_table;
    rows_values_[key_count_++] = of_rows;
    return {};
}

Result<void> JoinSpec::add_payload(Field const& field) {
    Payload payload{.from = field, .bytes = bytes_of(field.storage)};
    bool const is_nullable = field.is_nullable() || kind_ == JoinKind::Left;
    MXK_TRY(result_.add(field, is_nullable));
    payload.to = &result_.fields().back();
    payload.at = row_bytes_;
    row_bytes_ += payload.bytes;
    if (field.is_nullable()) payload.validity_at = row_bytes_++;
    payloads_[payload_count_++] = payload;
    return {};
}

Result<void> JoinSpec::bind(JoinKind kind, std::span<JoinKey const> keys, Schema const& table, Schema const& rows) {
    kind_ = kind;
    if (keys.empty()) return Error("expected a key to join by, got none");
    for (JoinKey const& key : keys) MXK_TRY(add_key(key, table, rows));
    layout_.end_keys();
    last_row_at_ = MXK_TRY(layout_.add_bytes(sizeof(std::uint64_t)));
    layout_.end();
    for (Field const& field : rows.fields()) MXK_TRY(result_.add(field, field.is_nullable()));
    if (kind == JoinKind::Semi || kind == JoinKind::Anti) return {};
    for (Field const& field : table.fields()) MXK_TRY(add_payload(field));
    return {};
}

// ---- the table

BuildBox::~BuildBox() {
    for (std::byte* const block : blocks_.span())
        dataflow::graph_memory::deallocate(block, rows_per_block * spec_.row_bytes_, block_alignment);
}

Result<Step> BuildBox::receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                               dataflow::EnvelopePointer envelope) {
    MXK_TRY(registers_.prepare(spec_.table_program_));
    if (!table_.is_created()) MXK_TRY(table_.create(0));
    for (Row first = 0; first < envelope->selected; first += Program::chunk)
        MXK_TRY(add(*envelope, first, std::min(Program::chunk, envelope->selected - first)));
    return Step::More;
}

// Gives how many are left; which, stands in chosen_.
std::uint32_t BuildBox::choose(std::uint32_t rows) {
    RecordLayout::Key key{};
    std::span const values(spec_.table_values_.data(), spec_.key_count_);
    std::uint32_t kept = 0;
    for (std::uint32_t row = 0; row < rows; ++row) {
        bool is_chosen = std::ranges::all_of(values, [&](Program::Value const& value) {
            std::uint8_t const* const valid = registers_.validity(value.at);
            return valid == nullptr || valid[row] != 0;
        });
        spec_.layout_.copy_key(words_, row, key);
        if (share_bits_ != 0 && is_chosen)
            is_chosen = RecordTable::hash_of(spec_.layout_, key.data()) >> (64 - share_bits_) == share_;
        for (std::size_t word = 0; word < spec_.layout_.words(); ++word) words_[word][kept] = key[word];
        chosen_[kept] = row;
        kept += is_chosen ? 1 : 0;
    }
    return kept;
}

Result<void> BuildBox::add(Envelope const& envelope, std::uint32_t first, std::uint32_t rows) {
    MXK_TRY(spec_.table_program_.run(registers_, envelope, first, rows));
    spec_.layout_.pack(registers_, rows, words_);
    bool const has_all = !spec_.has_nullable_key_ && share_bits_ == 0;
    std::uint32_t const kept = has_all ? rows : choose(rows);
    MXK_TRY(table_.find_or_add(words_, kept, records_.data()));
    Row const* const selection = envelope.selection ? envelope.selection.values<Row>() + first : nullptr;
    for (std::uint32_t i = 0; i < kept; ++i) {
        has_equal_keys_ = has_equal_keys_ || RecordLayout::rows_of(records_[i]) > 1;
        std::byte* const place = add_row();
        if (place == nullptr) return Error("out of memory: the table of a join does not fit");
        std::byte* const last = records_[i] + spec_.last_row_at_;
        std::memcpy(place, last, sizeof(std::uint64_t));
        std::uint64_t const number = share_ << share_shift | rows_;
        std::memcpy(last, &number, sizeof(number));
        std::uint32_t const in_chunk = has_all ? i : chosen_[i];
        Row const row = selection == nullptr ? first + in_chunk : selection[in_chunk];
        for (JoinSpec::Payload const& payload : std::span(spec_.payloads_).first(spec_.payload_count_)) {
            copy_value(place + payload.at, envelope.values<std::byte>(payload.from.values) + row * payload.bytes,
                       payload.bytes);
            if (payload.validity_at != 0)
                place[payload.validity_at] = envelope.values<std::byte>(payload.from.validity)[row];
        }
    }
    return {};
}

std::byte* BuildBox::add_row() {
    if (rows_ % rows_per_block == 0) {
        auto* const block = static_cast<std::byte*>(
            dataflow::graph_memory::allocate(rows_per_block * spec_.row_bytes_, block_alignment));
        if (block == nullptr) return nullptr;
        if (!blocks_.add(block)) {
            dataflow::graph_memory::deallocate(block, rows_per_block * spec_.row_bytes_, block_alignment);
            return nullptr;
        }
    }
    ++rows_;
    return const_cast<std::byte*>(row(rows_));
}

Result<Step> BuildBox::finish(dataflow::CoreScheduler& /*here*/) {
    auto envelope = Envelope::create(1, share_);
    if (!envelope) return dataflow::no_memory_for_envelopes();
    stand_for(rows_);
    envelope->columns[0] = dataflow::Column::view(this); // lives as long as the query
    emit(std::move(envelope));
    return Step::Done;
}

Result<Step> JoinTableBox::receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                   dataflow::EnvelopePointer envelope) {
    shares_[envelope->sequence] = const_cast<BuildBox*>(envelope->values<BuildBox>(0)); // which is done
    return Step::More;
}

// Without memory there is none.
void JoinTableBox::note_present() {
    constexpr unsigned max_bits = 32;
    std::span const shares(shares_.data(), std::size_t{1} << share_bits_);
    std::size_t table_bytes = 0;
    for (BuildBox const* share : shares) table_bytes += share->table_.bytes();
    unsigned const bits = spec_.layout_.key_bits();
    if (bits > max_bits) return;
    std::size_t const bytes = std::max((std::size_t{1} << bits) / 8, sizeof(std::uint64_t));
    if (bytes > table_bytes) return;
    auto present = dataflow::Column::create(bytes);
    if (!present) return;
    auto* const words = present.writable<std::uint64_t>();
    std::memset(words, 0, bytes);
    for (BuildBox* share : shares) {
        std::size_t cursor = 0;
        std::size_t count = 0;
        do {
            count = share->table_.read(0, UINT64_MAX, cursor, share->records_);
            for (std::byte const* record : std::span(share->records_).first(count)) {
                std::uint64_t const key = RecordLayout::words_of(record)[0];
                words[key / 64] |= std::uint64_t{1} << key % 64;
            }
        } while (count == share->records_.size());
    }
    present_ = std::move(present);
}

Result<Step> JoinTableBox::finish(dataflow::CoreScheduler& /*here*/) {
    std::uint64_t rows = 0;
    for (BuildBox const* share : std::span(shares_).first(std::size_t{1} << share_bits_)) {
        if (share == nullptr) return Error("expected a table of each share of a join, got fewer");
        has_equal_keys_ = has_equal_keys_ || share->has_equal_keys_;
        rows += share->rows_;
    }
    note_present();
    stand_for(rows);
    auto envelope = Envelope::create(1, 0);
    if (!envelope) return dataflow::no_memory_for_envelopes();
    envelope->columns[0] = dataflow::Column::view(this);
    emit(std::move(envelope));
    return Step::Done;
}

void JoinTableBox::find(RecordLayout::Words const& words, std::uint32_t rows, std::uint8_t* can_match,
                        std::byte** homes, std::uint64_t* last_rows) const {
    if (present_) {
        auto const* const present = present_.values<std::uint64_t>();
        std::uint64_t const mask = (std::uint64_t{1} << spec_.layout_.key_bits()) - 1; // others cannot match
        for (std::uint32_t i = 0; i < rows; ++i) {
            std::uint64_t const key = words[0][i] & mask;
            can_match[i] &= static_cast<std::uint8_t>(present[key / 64] >> key % 64 & 1U);
        }
        if (spec_.kind_ == JoinKind::Semi || spec_.kind_ == JoinKind::Anti) { // it is known which rows have one
            for (std::uint32_t i = 0; i < rows; ++i) last_rows[i] = can_match[i];
            return;
        }
    }
    RecordLayout::Key key{};
    auto const key_of = [&](std::uint32_t row) {
        spec_.layout_.copy_key(words, row, key);
        return key.data();
    };
    std::array<std::uint8_t, Program::chunk> share;
    for (std::uint32_t row = 0; row < rows; ++row) {
        last_rows[row] = 0;
        if (can_match[row] == 0) continue;
        std::uint64_t const hash = RecordTable::hash_of(spec_.layout_, key_of(row));
        share[row] = static_cast<std::uint8_t>(share_bits_ == 0 ? 0 : hash >> (64 - share_bits_));
        RecordTable const& table = shares_[share[row]]->table_;
        can_match[row] = table.is_created() ? 1 : 0;
        if (can_match[row] == 0) continue;
        homes[row] = table.home(hash);
        prefetch_for_read(homes[row]);
    }
    for (std::uint32_t row = 0; row < rows; ++row) {
        if (can_match[row] == 0) continue;
        std::byte const* const record = shares_[share[row]]->table_.find_from(homes[row], key_of(row));
        if (record != nullptr) last_rows[row] = word_at(record + spec_.last_row_at_);
    }
}

// ---- the rows

Result<void> ProbeBox::note_end(dataflow::CoreScheduler& /*here*/, std::size_t input) {
    if (input == 0 && table_ == nullptr) return Error("expected a table at input 'table', got none");
    return {};
}

Result<Step> ProbeBox::receive(dataflow::CoreScheduler& /*here*/, std::size_t input,
                               dataflow::EnvelopePointer envelope) {
    if (input == 0) {
        table_ = envelope->values<JoinTableBox>(0);
        return Step::More;
    }
    auto last_rows = dataflow::Column::create_for<std::uint64_t>(envelope->selected);
    if (!last_rows) return dataflow::no_memory_for_envelopes();
    MXK_TRY(look_up(*envelope, last_rows.writable<std::uint64_t>()));
    auto const* const found = last_rows.values<std::uint64_t>();
    bool const has_pairs = spec_.kind_ == JoinKind::Inner || spec_.kind_ == JoinKind::Left;
    if (has_pairs && table_->has_equal_keys())
        MXK_TRY(emit_pairs(*envelope, found));
    else
        MXK_TRY(emit_chosen(std::move(envelope), found));
    return Step::More;
}

// For each selected row the last row of the table with its key, from 1 on; 0: none.
Result<void> ProbeBox::look_up(Envelope const& rows, std::uint64_t* last_rows) {
    MXK_TRY(registers_.prepare(spec_.rows_program_));
    for (Row first = 0; first < rows.selected; first += Program::chunk) {
        Row const count = std::min(Program::chunk, rows.selected - first);
        MXK_TRY(spec_.rows_program_.run(registers_, rows, first, count));
        spec_.layout_.pack_others(registers_, {spec_.rows_values_.data(), spec_.key_count_}, count, words_,
                                  can_match_.data());
        table_->find(words_, count, can_match_.data(), records_.data(), last_rows + first);
    }
    return {};
}

// No row of the result comes of two of the table: the rows stay where they are.
Result<void> ProbeBox::emit_chosen(dataflow::EnvelopePointer rows, std::uint64_t const* last_rows) {
    bool const wants_none = spec_.kind_ == JoinKind::Anti;
    bool const wants_all = spec_.kind_ == JoinKind::Left;
    auto chosen = dataflow::Column::create_for<Row>(rows->selected);
    if (!chosen) return dataflow::no_memory_for_envelopes();
    Row* const out = chosen.writable<Row>();
    Row kept = 0;
    for (Row at = 0; at < rows->selected; ++at) { // no branch depends on a row
        out[kept] = at;
        kept += static_cast<Row>(wants_all || (last_rows[at] == 0) == wants_none);
    }
    if (kept == 0) return {};
    Row const* const before = rows->selection ? rows->selection.values<Row>() : nullptr;
    auto pairs = dataflow::Column::create_for<Pair>(kept);
    if (!pairs) return dataflow::no_memory_for_envelopes();
    auto* const pair = pairs.writable<Pair>();
    for (Row i = 0; i < kept; ++i) {
        Row const row = before == nullptr ? out[i] : before[out[i]];
        pair[i] = {.row = row, .of_table = last_rows[out[i]]};
        out[i] = row;
    }
    rows->selection = std::move(chosen);
    rows->selected = kept;
    MXK_TRY(add_payload(*rows, {pair, kept}, [&](std::size_t i) { return pair[i].row; }));
    emit(std::move(rows));
    return {};
}

// Each pair is a row of its own.
Result<void> ProbeBox::emit_pairs(Envelope const& rows, std::uint64_t const* last_rows) {
    constexpr std::size_t rows_per_envelope = 2048;
    auto memory = dataflow::Column::create_for<Pair>(rows_per_envelope);
    if (!memory) return dataflow::no_memory_for_envelopes();
    auto* const pairs = memory.writable<Pair>();
    std::size_t count = 0;
    Result<void> result;
    auto const add = [&](Row row, std::uint64_t of_table) {
        pairs[count++] = {.row = row, .of_table = of_table};
        if (count != rows_per_envelope || !result.ok()) return;
        result = emit_gathered(rows, {pairs, count});
        count = 0;
    };
    Row at = 0;
    rows.for_each_row([&](Row row) {
        std::uint64_t of_table = last_rows[at++];
        if (of_table == 0 && spec_.kind_ == JoinKind::Left) add(row, 0);
        for (; of_table != 0 && result.ok(); of_table = word_at(table_->row(of_table))) add(row, of_table);
    });
    MXK_TRY(result);
    if (count != 0) return emit_gathered(rows, {pairs, count});
    return {};
}

Result<void> ProbeBox::emit_gathered(Envelope const& rows, std::span<Pair const> pairs) {
    auto places = dataflow::Column::create_for<RowPlace>(pairs.size());
    if (!places) return dataflow::no_memory_for_envelopes();
    auto* const place = places.writable<RowPlace>();
    for (std::size_t i = 0; i < pairs.size(); ++i) place[i] = {.envelope = &rows, .row = pairs[i].row};
    std::size_t const own = spec_.result_.fields().size() - spec_.payload_count_;
    auto result = MXK_TRY(gather_rows({place, pairs.size()}, spec_.result_.fields().first(own), rows.sequence));
    MXK_TRY(add_payload(*result, pairs, [](std::size_t i) { return static_cast<Row>(i); }));
    emit(std::move(result));
    return {};
}

template <typename Place>
Result<void> ProbeBox::add_payload(Envelope& to, std::span<Pair const> pairs, Place place) const {
    for (JoinSpec::Payload const& payload : std::span(spec_.payloads_).first(spec_.payload_count_)) {
        auto values = dataflow::Column::create(to.rows * payload.bytes);
        if (!values) return dataflow::no_memory_for_envelopes();
        auto* const out = values.template writable<std::byte>();
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (pairs[i].of_table == 0) continue;
            copy_value(out + place(i) * payload.bytes, table_->row(pairs[i].of_table) + payload.at, payload.bytes);
        }
        to.columns[payload.to->values] = std::move(values);
        if (!payload.to->is_nullable()) continue;
        auto validity = dataflow::Column::create_for<std::uint8_t>(to.rows);
        if (!validity) return dataflow::no_memory_for_envelopes();
        auto* const valid = validity.template writable<std::uint8_t>();
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            std::uint64_t const of_table = pairs[i].of_table;
            bool const is_there = of_table != 0 && (payload.validity_at == 0 ||
                                                    table_->row(of_table)[payload.validity_at] != std::byte{0});
            valid[place(i)] = is_there ? 1 : 0;
        }
        to.columns[payload.to->validity] = std::move(validity);
    }
    return {};
}

} // namespace mxk::query
