#include "bench/frame/core_counts.hpp"

#include "tasks/workers.hpp"

namespace mxk::bench {

Result<void> complete_core_counts(console::CountList& cores) {
    auto const all = static_cast<std::uint32_t>(workers::count());
    if (cores.empty()) {
        for (std::uint32_t count = 1; count < all; count *= 2) cores.add(count);
        cores.add(all);
    }
    for (std::uint32_t const count : cores.values()) {
        if (count > all) return Error::of("--cores: expected up to {}, the cores of this machine, got {}", all, count);
    }
    return {};
}

} // namespace mxk::bench
