// Parts of `soak --with NAME,NAME`: what else goes on besides the threads and tasks of soak.cpp. A part registers
// itself:
//
//     void soak_table(SoakRun const& run) { while (!run.is_over()) ... MXK_CHECK(...) ... }
//     constexpr SoakPart table_part{.name = "table", .summary = "...", .run = &soak_table};
//     MXK_REGISTER(mxk_soak_parts, SoakPart, table_part);
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/registry.hpp"
#include "base/result.hpp"

namespace mxk {

struct SoakRun {
    std::uint64_t seed;
    std::atomic<bool> const& stopped;
    [[nodiscard]] bool is_over() const { return stopped.load(std::memory_order_relaxed); }
};

struct SoakPart {
    std::string_view name;
    std::string_view summary;
    // In a thread of its own, which may create others: makes checks until the run is over, and leaves nothing behind.
    void (*run)(SoakRun const& run);
};

MXK_REGISTRY(mxk_soak_parts, SoakPart, registered_soak_parts)

// `names` stand between commas; none: "". Errors: a name that no part has; those that there are stand in the message.
Result<void> check_soak_parts(std::string_view names);
bool is_soak_part_chosen(SoakPart const& part, std::string_view names);

} // namespace mxk
