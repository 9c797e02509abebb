// Ends the program if a lock hangs: says which lock, and what this rank was doing. A hang is a failure, so the exit
// status is not 0, and MPI's starter ends the other ranks.
#pragma once

#include <cstdint>
#include <string_view>

namespace mxk::mpi {

class Watchdog {
  public:
    // One at a time. `rank`: the caller's; `is_json`: a line for tools, too.
    Watchdog(std::uint32_t rank, std::string_view lock, std::uint64_t seconds, bool is_json);
    ~Watchdog();
    Watchdog(Watchdog const&) = delete;
    Watchdog& operator=(Watchdog const&) = delete;

    // What the rank does from now on: a constant text.
    void says(char const* what);
    void count_section();
};

} // namespace mxk::mpi
