#include "main/mpi/watchdog.hpp"

#include <csignal>
#include <unistd.h>

#include <atomic>

#include "base/format.hpp"
#include "base/json_line.hpp"
#include "base/text.hpp"

namespace mxk::mpi {
namespace {

constexpr int hang_exit_code = 4; // as of the host driver's timeouts

// For the signal handler.
struct Watched {
    std::uint32_t rank;
    std::string_view lock;
    std::uint64_t seconds;
    bool is_json;
    std::atomic<char const*> doing;
    std::atomic<std::uint64_t> sections;
};
Watched watched;

void write_all(int file, std::string_view text) {
    while (!text.empty()) {
        ssize_t const written = ::write(file, text.data(), text.size());
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

// Formats without allocation, and writes by the system alone.
void end_program(int /*signal*/) {
    char const* const doing = watched.doing.load(std::memory_order_relaxed);
    std::uint64_t const sections = watched.sections.load(std::memory_order_relaxed);
    FixedText<300> text;
    format(text, "mxk-mpi: hang: lock {}: rank {} is {} after {} sections, and the {} seconds are over\n", watched.lock,
           watched.rank, doing, sections, watched.seconds);
    write_all(STDERR_FILENO, text.view());
    if (watched.is_json) {
        FixedText<400> line;
        JsonLine json(line);
        json.json().field("benchmark", "lock-gate");
        json.json().field("lock", watched.lock);
        json.json().field("rank", watched.rank);
        json.json().field("doing", doing);
        json.json().field("sections", sections);
        json.json().field("error", "hang");
        json.json().field("verified", false);
        json.end();
        write_all(STDOUT_FILENO, line.view());
    }
    _exit(hang_exit_code);
}

} // namespace

// relaxed: read by the same thread, in its signal handler.
Watchdog::Watchdog(std::uint32_t rank, std::string_view lock, std::uint64_t seconds, bool is_json) {
    watched.rank = rank;
    watched.lock = lock;
    watched.seconds = seconds;
    watched.is_json = is_json;
    watched.doing.store("about to begin", std::memory_order_relaxed);
    watched.sections.store(0, std::memory_order_relaxed);
    std::signal(SIGALRM, &end_program);
    alarm(static_cast<unsigned>(seconds));
}
Watchdog::~Watchdog() {
    alarm(0);
}
void Watchdog::says(char const* what) {
    watched.doing.store(what, std::memory_order_relaxed);
}
void Watchdog::count_section() {
    watched.sections.fetch_add(1, std::memory_order_relaxed);
}

} // namespace mxk::mpi
