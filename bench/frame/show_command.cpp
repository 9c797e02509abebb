// `show qr`: results leave the machine by its screen.
#include <optional>

#include "arch/screen.hpp"
#include "arch/terminal.hpp"
#include "base/format.hpp"
#include "base/qr_code.hpp"
#include "bench/frame/kept_results.hpp"
#include "bench/frame/result_summary.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/key_decoder.hpp"
#include "kernel/console/options.hpp"
#include "tasks/ticker.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

struct ShowQrOptions {
    bool last = false;
    bool unattended = false;
};

constexpr auto show_qr_schema = console::schema<ShowQrOptions>(
    console::flag<&ShowQrOptions::last>("last", "rows of the last benchmark alone, not of all since the start"),
    console::flag<&ShowQrOptions::unattended>(
        "unattended", "each code for 5 s, in turn, for ten minutes or until a key is typed; a screen is not needed"));

// The next key that was typed, if there is one. A key may be several bytes; a line feed is none, but the rest of an
// Enter.
std::optional<char> typed_key(console::KeyDecoder& keys) {
    while (auto const byte = arch::terminal_read()) {
        if (*byte == '\n') continue;
        if (keys.feed(*byte) != console::Key::None) return byte;
    }
    return std::nullopt;
}

// The next key; nothing once the time for a code is over, or at Ctrl-C.
std::optional<char> wait_for_key(console::Invocation const& invocation, console::KeyDecoder& keys, bool by_time) {
    constexpr Nanoseconds tick{100'000'000}; // wakes the core, where nothing else does
    constexpr int ticks_of_code = 50;
    int ticks = 0;
    Ticker const ticker(
        tick, [](void* count) { ++*static_cast<int*>(count); }, &ticks);
    std::optional<char> key;
    Worker::current().run_until([&] {
        key = typed_key(keys);
        return key || invocation.cancelled() || (by_time && ticks >= ticks_of_code);
    });
    return key;
}

void show_codes(console::Invocation const& invocation, ResultSummary const& summary, bool by_time) {
    constexpr std::size_t codes_in_ten_minutes = 120;
    static constinit QrCode code;
    console::KeyDecoder keys;
    std::size_t shown = 0;
    for (std::size_t number = 1; !invocation.cancelled(); number = number % summary.codes() + 1) {
        if (by_time && ++shown > codes_in_ten_minutes) return;
        code.draw(summary.code(number).view(), summary.version());
        FixedText<80> caption;
        format(caption, "{}/{}  {} of {} rows, {} left out  any key: the next, q: the end", number, summary.codes(),
               summary.rows() - summary.left_out(), summary.rows(), summary.left_out());
        arch::show_code(code, caption.view());
        auto const key = wait_for_key(invocation, keys, by_time);
        if (key == 'q') return;
        if (key) by_time = false;
    }
}

console::Outcome run_show_qr(console::Invocation& invocation, ShowQrOptions const& options) {
    static constinit ResultSummary summary;
    if (auto const room = arch::expect_room_for_code(QrCode::modules(1)); !room) {
        if (!options.unattended) return invocation.fail(room.error());
        format(invocation.out, "no QR codes: {}\n", room.error().message());
        return console::Outcome::Ok;
    }
    if (auto const made = summary.make(kept_results(), !options.last); !made) return invocation.fail(made.error());
    if (auto const room = arch::expect_room_for_code(QrCode::modules(summary.version())); !room)
        return invocation.fail(room.error());
    format(invocation.out,
           "QR codes on the screen: {}, with {} of {} rows, {} left out; any key: the next, q: the end\n",
           summary.codes(), summary.rows() - summary.left_out(), summary.rows(), summary.left_out());
    show_codes(invocation, summary, options.unattended);
    arch::take_code_away();
    return console::Outcome::Ok;
}

constexpr console::Command show_command{.name = "show",
                                        .summary = "what the screen shows in place of text: 'show' lists it",
                                        .group = "measuring",
                                        .nested = "picture"};
constexpr auto show_qr_command = console::command<&run_show_qr, show_qr_schema>(
    {.name = "qr",
     .summary = "results as QR codes on the screen, for a machine without a serial line",
     .parent = "show",
     .notes =
         "Up to 20 rows of benchmarks with --json: of each kind the first, the last, and some between. Photos of\n"
         "the codes, in any order, are made a log by 'tools/mxk qr PHOTOS...', which 'tools/mxk report' reads.\n"});
MXK_REGISTER(mxk_commands, console::Command, show_command);
MXK_REGISTER(mxk_commands, console::Command, show_qr_command);

} // namespace
} // namespace mxk::bench
