#include "bench/machine/byte_text.hpp"

#include <array>
#include <string_view>

#include "base/format.hpp"
#include "base/units.hpp"

namespace mxk::bench {

FixedText<16> byte_text(std::size_t bytes) {
    struct Unit {
        std::size_t bytes;
        std::string_view name;
    };
    constexpr std::array binary_units{Unit{GiB, "GiB"}, Unit{MiB, "MiB"}, Unit{KiB, "KiB"}};
    FixedText<16> text;
    for (Unit const& unit : binary_units) {
        if (bytes < unit.bytes) continue;
        if (bytes % unit.bytes == 0)
            format(text, "{} {}", bytes / unit.bytes, unit.name);
        else
            format(text, "{:.1} {}", static_cast<double>(bytes) / static_cast<double>(unit.bytes), unit.name);
        return text;
    }
    format(text, "{} bytes", bytes);
    return text;
}

} // namespace mxk::bench
