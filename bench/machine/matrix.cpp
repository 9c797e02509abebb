#include "bench/machine/matrix.hpp"

namespace mxk::bench {

CellText cell_of(Row const& row, double unit) {
    if (row.state == Row::State::Failed) return CellText("failed");
    if (row.state == Row::State::Unsupported || row.value.n == 0) return CellText("-");
    if (!row.verified) return CellText("NO");
    CellText text;
    format(text, "{:.1}", row.value.median / unit);
    return text;
}

} // namespace mxk::bench
