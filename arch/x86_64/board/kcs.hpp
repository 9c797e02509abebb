// Messages to the management controller by its keyboard controller style interface: a data register, and one that is
// the status when read and the command when written (IPMI 2.0 section 9). Polled; a controller that does not answer
// costs up to a second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"

namespace mxk::arch::kcs {

enum class Register : std::uint8_t { Data = 0, Status = 1 }; // written, the second one is the command

// How the controller is reached: this machine's, or a test's.
struct Access {
    void* context;
    std::uint8_t (*read)(void* context, Register which);
    void (*write)(void* context, Register which, std::uint8_t value);
    std::uint64_t (*nanoseconds)(void* context); // a clock
};

// Sends a request (network function and LUN, command, data) and fills in the response to it (the same, then completion
// code and data); gives its length, which is cut to the room there is. Errors: nothing is there, no answer, an answer
// to something else. Blocks for up to a second at each step that the controller does not take.
Result<std::size_t> exchange(Access const& access, std::span<std::uint8_t const> request,
                             std::span<std::uint8_t> response);

} // namespace mxk::arch::kcs
