// A matrix for people: rows and columns with their numbers, a cell of text in each place. And whether the firmware's
// distances (ACPI SLIT) order nodes as they were measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/format.hpp"
#include "base/text.hpp"
#include "bench/frame/experiment.hpp"

namespace mxk::bench {

using CellText = FixedText<12>;

// One whose rows are cells: shown together by conclude(), not as a list.
class MatrixExperiment : public Experiment {
  public:
    [[nodiscard]] bool lists_rows() const final { return false; }
    void print_label_heading(TextSink&) const final {}
    void print_label(TextSink&, Row const&) const final {}

  protected:
    MatrixExperiment() = default;
    ~MatrixExperiment() = default;
};

// What stands in the cell of a row: its median by `unit`, with a digit behind the point; NO where it is not verified;
// "failed"; "-" where it cannot be measured or has not been.
inline CellText cell_of(Row const& row, double unit) {
    if (row.state == Row::State::Failed) return CellText("failed");
    if (row.state == Row::State::Unsupported || row.value.n == 0) return CellText("-");
    if (!row.verified) return CellText("NO");
    CellText text;
    format(text, "{:.1}", row.value.median / unit);
    return text;
}

// `corner`: what stands above the numbers of the rows, "from \\ to". cell(row, column), by place, gives a CellText.
template <typename Id, typename Cell>
void print_matrix(TextSink& out, std::string_view corner, std::span<Id const> rows, std::span<Id const> columns,
                  Cell cell) {
    format(out, "{:>12}", corner);
    for (Id const column : columns) format(out, " {:>8}", column);
    out.write("\n");
    for (std::size_t row = 0; row < rows.size(); ++row) {
        format(out, "{:>12}", rows[row]);
        for (std::size_t column = 0; column < columns.size(); ++column)
            format(out, " {:>8}", CellText(cell(row, column)).view());
        out.write("\n");
    }
}

// Columns of a row: firmware says that `nearer` is nearer than `farther`, but it takes longer to get there.
struct SlitContradiction {
    std::size_t nearer;
    std::size_t farther;

    bool operator==(SlitContradiction const&) const = default;
};

// What the runs of a measurement were between. 0: not measured.
struct Range {
    double min;
    double max;
};

// Of one node's distances and what was measured to the same nodes: the contradiction that is the largest, beyond 1.2,
// by the quotient of the nearer one's minimum and the farther one's maximum, so that a disturbed run is none. None: all
// is in order.
inline std::optional<SlitContradiction> find_slit_contradiction(std::span<std::uint8_t const> slit,
                                                                std::span<Range const> measured) {
    double largest = 1.2;
    std::optional<SlitContradiction> found;
    for (std::size_t nearer = 0; nearer < slit.size(); ++nearer) {
        for (std::size_t farther = 0; farther < slit.size(); ++farther) {
            if (slit[nearer] >= slit[farther] || measured[farther].max == 0) continue;
            double const quotient = measured[nearer].min / measured[farther].max;
            if (quotient <= largest) continue;
            largest = quotient;
            found = {nearer, farther};
        }
    }
    return found;
}

} // namespace mxk::bench
