// Hash join: boxes build a table from the rows of one side, each a share of the keys by their hashes, and any number of
// boxes, on any cores, look the keys of the other side's rows up in it, each a chunk at a time. Keys of several
// columns, and equal ones among the rows that the table is built from, are what they are in SQL; what is NULL is equal
// to nothing.
//
//     rows -> BuildBox -.
//         \-> BuildBox -> JoinTableBox -> ProbeBox, ProbeBox, ...     ProbeBox: inputs "table", for which it waits,
//         "rows"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "query/boxes/record_layout.hpp"
#include "query/boxes/record_table.hpp"
#include "query/expression/expression_program.hpp"
#include "query/plan/plan_steps.hpp"
#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/growing_array.hpp"

namespace mxk::query {

class JoinSpec {
  public:
    // Errors: keys that do not fit, two columns of one name, too many of them.
    Result<void> bind(JoinKind kind, std::span<JoinKey const> keys, Schema const& table, Schema const& rows);
    // The rows' columns, then the table's, of a semi and an anti join the rows' only.
    [[nodiscard]] Schema const& result() const { return result_; }

  private:
    friend class BuildBox;
    friend class JoinTableBox;
    friend class ProbeBox;

    // A column of the table's rows, kept in a record of its row.
    struct Payload {
        Field from;
        std::size_t bytes = 0;
        std::size_t at = 0;          // in the record
        std::size_t validity_at = 0; // 0: it is never NULL
        Field const* to = nullptr;   // the result's
    };
    Result<void> add_key(JoinKey const& key, Schema const& table, Schema const& rows);
    Result<void> add_payload(Field const& field);

    JoinKind kind_ = JoinKind::Inner;
    RecordLayout layout_; // of keys; the state: the number of the last row with the key, from 1 on
    std::uint16_t last_row_at_ = 0;
    Program table_program_;
    Program rows_program_;
    std::array<Program::Value, RecordLayout::max_words> table_values_{};
    std::array<Program::Value, RecordLayout::max_words> rows_values_{};
    std::size_t key_count_ = 0;
    bool has_nullable_key_ = false; // of the table
    std::array<Payload, dataflow::Envelope::max_columns> payloads_{};
    std::size_t payload_count_ = 0;
    std::size_t row_bytes_ = sizeof(std::uint64_t); // of a row's record: the row before it with the same key, payload
    Schema result_;
};

class BuildBox final : public dataflow::Box {
  public:
    static constexpr std::string_view kind = "build";
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;
    static constexpr bool collects = true;

    // Share `share` of 2^share_bits.
    BuildBox(dataflow::Query& query, CoreId core, JoinSpec const* spec, std::uint64_t share, unsigned share_bits)
        : Box(query, core)
        , spec_(*spec)
        , share_(share)
        , share_bits_(share_bits)
        , table_(spec->layout_) {
        table_.set_prefix(share_bits);
    }
    ~BuildBox() override;

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& here, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override;
    Result<dataflow::Step> finish(dataflow::CoreScheduler& here) override;

  private:
    friend class JoinTableBox;
    static constexpr std::size_t rows_per_block = 4096;
    static constexpr unsigned share_shift = 56; // of a row's number, which says the share, too

    Result<void> add(dataflow::Envelope const& envelope, std::uint32_t first, std::uint32_t rows);
    [[nodiscard]] std::uint32_t choose(std::uint32_t rows);
    [[nodiscard]] std::byte* add_row();
    [[nodiscard]] std::byte const* row(std::uint64_t number) const {
        std::uint64_t const at = (number & ((std::uint64_t{1} << share_shift) - 1)) - 1;
        return blocks_[at / rows_per_block] + at % rows_per_block * spec_.row_bytes_;
    }

    JoinSpec const& spec_;
    std::uint64_t share_;
    unsigned share_bits_;
    RecordTable table_;
    dataflow::GrowingArray<std::byte*> blocks_;
    std::uint64_t rows_ = 0;
    bool has_equal_keys_ = false;
    Registers registers_;
    RecordLayout::Words words_;
    std::array<std::byte*, Program::chunk> records_;
    std::array<std::uint32_t, Program::chunk> chosen_; // rows of a chunk of this share, without NULL in the key
};

// What the shares have built together.
class JoinTableBox final : public dataflow::Box {
  public:
    static constexpr std::string_view kind = "table";
    static constexpr std::array<std::string_view, 1> inputs{"shares"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;
    static constexpr bool collects = true;
    static constexpr unsigned max_share_bits = 3;

    JoinTableBox(dataflow::Query& query, CoreId core, JoinSpec const* spec, unsigned share_bits)
        : Box(query, core)
        , spec_(*spec)
        , share_bits_(share_bits) {}

    // For each row the last row of the table with its key; 0: none. `can_match`: a byte for each, 0 where there is none
    // anyway. `homes` is room for as many.
    void find(RecordLayout::Words const& words, std::uint32_t rows, std::uint8_t* can_match, std::byte** homes,
              std::uint64_t* last_rows) const;
    [[nodiscard]] std::byte const* row(std::uint64_t number) const {
        return shares_[number >> BuildBox::share_shift]->row(number);
    }
    [[nodiscard]] bool has_equal_keys() const { return has_equal_keys_; }

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& here, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override;
    Result<dataflow::Step> finish(dataflow::CoreScheduler& here) override;

  private:
    void note_present();

    JoinSpec const& spec_;
    unsigned share_bits_;
    std::array<BuildBox*, 1U << max_share_bits> shares_{};
    bool has_equal_keys_ = false;
    // A bit for each key that there may be, 1 where it is there: where that is smaller than the table. Nearly all rows
    // without a match are known by it.
    dataflow::Column present_;
};

class ProbeBox final : public dataflow::Box {
    using Row = dataflow::Envelope::Row;

  public:
    static constexpr std::string_view kind = "probe";
    static constexpr std::array<std::string_view, 2> inputs{"table", "rows"};
    static constexpr bool has_output = true;
    static constexpr bool reads_in_order = true;

    ProbeBox(dataflow::Query& query, CoreId core, JoinSpec const* spec)
        : Box(query, core)
        , spec_(*spec) {}

  protected:
    [[nodiscard]] std::size_t wanted_input() const override { return table_ == nullptr ? 0 : 1; }
    Result<dataflow::Step> receive(dataflow::CoreScheduler& here, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override;
    Result<void> note_end(dataflow::CoreScheduler& here, std::size_t input) override;

  private:
    // Rows of the result: of which row, and of which row of the table, from 1 on; 0: none.
    struct Pair {
        Row row;
        std::uint64_t of_table;
    };
    Result<void> look_up(dataflow::Envelope const& rows, std::uint64_t* last_rows);
    Result<void> emit_chosen(dataflow::EnvelopePointer rows, std::uint64_t const* last_rows);
    Result<void> emit_pairs(dataflow::Envelope const& rows, std::uint64_t const* last_rows);
    Result<void> emit_gathered(dataflow::Envelope const& rows, std::span<Pair const> pairs);
    // `place(i)`: the row of the envelope that pair i is for.
    template <typename Place>
    Result<void> add_payload(dataflow::Envelope& to, std::span<Pair const> pairs, Place place) const;

    JoinSpec const& spec_;
    JoinTableBox const* table_ = nullptr;
    Registers registers_;
    RecordLayout::Words words_;
    std::array<std::byte*, Program::chunk> records_;
    std::array<std::uint8_t, Program::chunk> can_match_;
};

} // namespace mxk::query
