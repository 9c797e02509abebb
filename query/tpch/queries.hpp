// Three queries of TPC-H (3.0.1, section 2.4) with the values of its reference, as plans: pricing summary (q1),
// shipping priority (q3), forecast of a change of revenue (q6).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.hpp"
#include "base/units.hpp"
#include "query/column_file.hpp"
#include "query/plan/answer.hpp"
#include "query/plan/plan.hpp"
#include "query/plan/source.hpp"

namespace mxk::query::tpch {

// The tables that the queries read.
struct Tables {
    std::optional<Source> lineitem;
    std::optional<Source> orders;
    std::optional<Source> customer;
    std::optional<Source> measures; // not TPC-H's: key and value, of any number of groups

    // Those that the file has, which lives as long. Errors: none of them; no memory.
    Result<void> add(ColumnFile const& file);
    // As Source::spread_over(), and of all of them what Source::remote_rows() counts.
    Result<void> spread_over(std::span<NodeId const> nodes);
    [[nodiscard]] std::uint64_t remote_rows() const;
};

// What is missing in the tables is an error of the plan.
using MakePlan = Result<void> (*)(Plan& plan, Tables const& tables, Answer& answer);
Result<void> plan_q1(Plan& plan, Tables const& tables, Answer& answer);
Result<void> plan_q3(Plan& plan, Tables const& tables, Answer& answer);
Result<void> plan_q6(Plan& plan, Tables const& tables, Answer& answer);
// Rows and sum by key; of these the number, and the sums of both.
Result<void> plan_groups(Plan& plan, Tables const& tables, Answer& answer);

} // namespace mxk::query::tpch
