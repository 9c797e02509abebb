#include "kernel/console/named.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace mxk::console {
namespace {

constexpr std::size_t max_size = 32; // of the names that are compared letter by letter

// Levenshtein's: how many letters must be added, dropped or replaced. Row by row over the prefixes of `a`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::array<std::size_t, max_size + 1> row{};
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t const replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

} // namespace

bool similar(std::string_view typed, std::string_view name) {
    if (typed.empty() || typed.size() > max_size || name.size() > max_size) return false;
    if (name.starts_with(typed)) return true;
    return edit_distance(typed, name) <= (name.size() <= 3 ? 1U : 2U);
}

} // namespace mxk::console
