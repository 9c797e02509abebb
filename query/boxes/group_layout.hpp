// What a group by computes, and the state of each aggregate in the record of a group (record_layout.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "query/boxes/record_layout.hpp"
#include "query/expression/expression_program.hpp"
#include "query/plan/plan_steps.hpp"
#include "tasks/dataflow/graph/box.hpp"

namespace mxk::query {

class GroupLayout : public RecordLayout {
  public:
    static constexpr std::size_t max_aggregates = 20;

    // Errors, by the column's name: an expression that does not fit the columns, a sum of what is no number, too many
    // columns. `max_rows`: of the input.
    Result<void> bind(std::span<NamedExpression const> keys, std::span<Aggregate const> aggregates,
                      Schema const& schema, std::uint64_t max_rows);

    [[nodiscard]] Schema const& result() const { return result_; }
    [[nodiscard]] Program const& program() const { return program_; }

    // Adds the values of a chunk's rows to their groups, which count the rows themselves. Errors: an overflow.
    Result<void> update(Registers const& registers, std::uint32_t rows, std::byte* const* groups) const;
    // Of a chunk whose rows are all of one group, which is faster.
    Result<void> update_one(Registers const& registers, std::uint32_t rows, std::byte* group) const;
    // Adds a group's values to another record of the same key, which counts the rows itself. False: an overflow.
    [[nodiscard]] bool merge(std::byte* into, std::byte const* from) const;
    // The result's columns of some groups. Errors: no memory.
    [[nodiscard]] Result<dataflow::EnvelopePointer> read(std::span<std::byte* const> groups,
                                                         std::uint64_t sequence) const;
    // Of no rows at all, without keys: one group.
    [[nodiscard]] Result<dataflow::EnvelopePointer> read_none() const;

  private:
    struct State {
        Function function = Function::Count;
        Program::Value value{};
        Lane lane = Lane::I64;        // of the value
        std::uint16_t at = 0;         // in the record
        bool is_narrow = false;       // a sum of 64 bits, which fits
        std::uint16_t counted_at = 0; // of values that are not NULL; 0: the rows of the group
        bool is_shared = false;       // with a state before it, which keeps it: a sum and an average of the same
    };

    Result<void> add_column(NamedExpression const& key, Schema const& schema);
    Result<void> add_state(Aggregate const& aggregate, Schema const& schema, std::uint64_t max_rows);
    Result<void> add_sum(State& state, Field& field, std::uint64_t max_rows);
    Result<void> add_extreme(State& state, Field& field);
    void write_first_state(State const& state);
    template <typename T, bool is_one>
    [[nodiscard]] bool update_values(State const& state, Registers const& registers, std::uint32_t rows,
                                     std::byte* const* groups) const;
    template <bool is_one>
    Result<void> update_all(Registers const& registers, std::uint32_t rows, std::byte* const* groups) const;
    [[nodiscard]] bool merge_state(State const& state, std::byte* into, std::byte const* from) const;
    [[nodiscard]] std::uint64_t counted(State const& state, std::byte const* record) const;
    void read_state(State const& state, Field const& field, std::span<std::byte* const> groups,
                    dataflow::Envelope& rows) const;

    Program program_;
    Schema result_;
    std::array<State, max_aggregates> states_{};
    std::size_t state_count_ = 0;
};

} // namespace mxk::query
