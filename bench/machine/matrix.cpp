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

std::optional<SlitContradiction> find_slit_contradiction(std::span<std::uint8_t const> slit,
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
