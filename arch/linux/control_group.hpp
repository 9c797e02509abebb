// What the control groups of this process leave to it (cgroups(7)): a limit holds for all groups below, so it is the
// minimum along the path from the process' own group up to what is mounted. Both versions, also side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mxk::arch {

// Nothing: no limit, or no control groups.
struct ControlGroup {
    // Bytes beyond what is used; pages of files that can be dropped are not used.
    std::optional<std::uint64_t> memory_left;
    std::optional<double> processors; // of time, by the CPU quota: 0.2 is a fifth of one processor
};

// `root` stands in front of each path, "" for the system itself. Files that cannot be read set no limit.
ControlGroup read_control_group(std::string const& root = {});

} // namespace mxk::arch
