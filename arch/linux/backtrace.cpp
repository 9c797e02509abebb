#include "arch/linux/backtrace.hpp"

#include <execinfo.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "arch/core_local.hpp"
#include "base/format.hpp"

// The linker's: where this program begins, and where its code ends.
extern "C" char const __ehdr_start; // NOLINT(bugprone-reserved-identifier)
extern "C" char const etext;

namespace mxk::arch {
namespace {

constexpr std::size_t max_frames = 32;

constinit std::array<char, 4096> program{}; // its path

// Does not come back.
[[noreturn]] void become_addr2line(std::span<void* const> frames) {
    std::array<FixedText<24>, max_frames> numbers;
    std::array<char const*, max_frames + 5> arguments{"addr2line", "-Cfpe", program.data()};
    constexpr char end_of_string = '\0';
    std::size_t count = 0;
    for (void* const frame : frames) {
        auto const start = reinterpret_cast<std::uintptr_t>(&__ehdr_start);
        auto const place = reinterpret_cast<std::uintptr_t>(frame);
        if (place < start || place >= reinterpret_cast<std::uintptr_t>(&etext)) continue; // another library's
        // A return address may belong to the next line already, or to the next function.
        format(numbers[count], "0x{:x}", place - start - 1);
        numbers[count].append({&end_of_string, 1});
        arguments[count + 3] = numbers[count].view().data();
        ++count;
    }
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(arguments[0], const_cast<char* const*>(arguments.data()));
    _exit(1);
}

} // namespace

void print_who(TextSink& out) {
    if (this_core != nullptr) return format(out, " on core {}", this_core->id);
    std::array<char, 17> name{}; // the system keeps 15 bytes of it
    prctl(PR_GET_NAME, name.data());
    format(out, " in thread '{}'", std::string_view(name.data()));
}

void prepare_backtraces() {
    std::array<void*, 1> frame{};
    backtrace(frame.data(), 1);
    [[maybe_unused]] ssize_t const length = readlink("/proc/self/exe", program.data(), program.size() - 1);
}

void print_backtrace() {
    std::array<void*, max_frames> frames{};
    auto const count = static_cast<std::size_t>(backtrace(frames.data(), static_cast<int>(frames.size())));
    std::span<void* const> const callers = std::span(frames).first(count).subspan(count > 0 ? 1 : 0);
    pid_t const child = _Fork(); // not fork(), which waits for locks that this thread may hold
    if (child == 0) become_addr2line(callers);
    int status = 1;
    if (child > 0) waitpid(child, &status, 0);
    if (status != 0) backtrace_symbols_fd(callers.data(), static_cast<int>(callers.size()), STDERR_FILENO);
}

} // namespace mxk::arch
