// Files such as /proc/meminfo, whose lines say "Name:   1234 kB".
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace mxk::arch {

// Bytes by name, read once. What is no such line is passed over; empty if there is no such file.
std::map<std::string, std::uint64_t> read_proc_sizes(char const* path);

} // namespace mxk::arch
