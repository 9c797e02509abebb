#include "arch/x86_64/board/bmc_watchdog.hpp"

#include <array>

namespace mxk::arch::bmc {
namespace {

constexpr std::uint8_t application = 0x06 << 2; // the network function, with LUN 0
constexpr std::uint8_t set_timer = 0x24;
constexpr std::uint8_t get_timer = 0x25;

constexpr std::uint8_t runs = 1 << 6; // of the answer's timer use
constexpr std::uint8_t use_bits = 0x07;
constexpr std::uint8_t action_bits = 0x07;

Result<void> ask(kcs::Access const& access, std::span<std::uint8_t const> request, std::span<std::uint8_t> response,
                 std::size_t expected) {
    std::size_t const length = MXK_TRY(kcs::exchange(access, request, response));
    if (response[2] != 0)
        return Error::of("command 0x{:x} ended with code 0x{:x}", unsigned{request[1]}, unsigned{response[2]});
    if (length < expected) return Error::of("expected an answer of {} bytes, got {}", expected, length);
    return {};
}

// Table 27-9: use, actions, pre-timeout, expired uses, initial countdown, present countdown.
using TimerAnswer = std::array<std::uint8_t, 3 + 8>;

Result<TimerAnswer> read_timer(kcs::Access const& access) {
    constexpr std::uint8_t request[] = {application, get_timer};
    TimerAnswer answer{};
    MXK_TRY(ask(access, request, answer, answer.size()));
    return answer;
}

std::uint32_t tenths_at(TimerAnswer const& answer, std::size_t at) {
    return static_cast<std::uint32_t>(answer[at] | answer[at + 1] << 8);
}

// By its bit; or its countdown, which begins at the initial one and is 0, or that, when it is stopped: QEMU's
// controller does not have the bit.
bool is_running(TimerAnswer const& answer) {
    std::uint32_t const initial = tenths_at(answer, 7);
    std::uint32_t const present = tenths_at(answer, 9);
    return (answer[3] & runs) != 0 || (present != 0 && present != initial);
}

} // namespace

Result<Watchdog> stop_watchdog(kcs::Access const& access) {
    TimerAnswer const before = MXK_TRY(read_timer(access));
    Watchdog result{.ran = is_running(before),
                    .use = static_cast<std::uint8_t>(before[3] & use_bits),
                    .action = static_cast<std::uint8_t>(before[4] & action_bits),
                    .tenths = tenths_at(before, 9)};
    if (!result.ran) return result;
    // Setting it stops it, unless a bit says otherwise (table 27-7). It is left without an action, with its countdown.
    std::uint8_t const stop[] = {application, set_timer, result.use, 0, 0, 0, before[7], before[8]};
    std::array<std::uint8_t, 3> answer{};
    MXK_TRY(ask(access, stop, answer, answer.size()));
    TimerAnswer const after = MXK_TRY(read_timer(access));
    result.stopped = !is_running(after);
    return result;
}

std::string_view action_name(std::uint8_t action) {
    switch (action) {
    case 0: return "no action";
    case 1: return "a reset";
    case 2: return "switching the machine off";
    case 3: return "a power cycle";
    default: return "an action of its own";
    }
}

} // namespace mxk::arch::bmc
