#include "arch/event_counters.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "arch/cpuid/event_codes.hpp"

namespace mxk::arch {
namespace {

EventCodes const& codes() {
    static EventCodes const known = event_codes([](std::uint32_t leaf, std::uint32_t sub) { return cpuid(leaf, sub); });
    return known;
}

// 0: opened; else why not.
int open_event(std::size_t at, int& file) {
    constexpr std::uint64_t of_the_system[] = {PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES,
                                               PERF_COUNT_SW_CPU_MIGRATIONS};
    bool const is_hardware = at < hardware_events;
    if (is_hardware && !codes()[at]) return ENXIO;
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = is_hardware ? PERF_TYPE_RAW : PERF_TYPE_SOFTWARE;
    wanted.config = is_hardware ? *codes()[at] : of_the_system[at - hardware_events];
    // Switches are made by the system; all else counts what the program does itself.
    wanted.exclude_kernel = is_hardware || at == static_cast<std::size_t>(Event::PageFaults);
    wanted.exclude_hv = 1;
    wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    file = static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
    return file < 0 ? errno : 0;
}

// Of a thread: opened when it begins for the first time, closed when it ends.
class ThreadEvents {
  public:
    ThreadEvents() {
        for (std::size_t at = 0; at < events; ++at) errors_[at] = open_event(at, files_[at]);
    }
    ~ThreadEvents() {
        for (int const file : files_)
            if (file >= 0) close(file);
    }
    ThreadEvents(ThreadEvents const&) = delete;
    ThreadEvents& operator=(ThreadEvents const&) = delete;

    [[nodiscard]] int error(Event event) const { return errors_[static_cast<std::size_t>(event)]; }

    [[nodiscard]] EventReading now() const {
        EventReading reading;
        for (std::size_t at = 0; at < events; ++at) {
            std::array<std::uint64_t, 3> values{};
            if (errors_[at] != 0 || read(files_[at], values.data(), sizeof values) != sizeof values) continue;
            reading.counts[at] = values[0];
            reading.wanted[at] = values[1];
            reading.counted[at] = values[2];
        }
        return reading;
    }

    EventPart part{};

  private:
    std::array<int, events> files_{-1, -1, -1, -1, -1, -1, -1, -1, -1};
    std::array<int, events> errors_{};
};

// Behind a pointer: what a shared object may have of thread-local memory is little.
ThreadEvents& thread_events() {
    thread_local std::unique_ptr<ThreadEvents> of_thread;
    if (of_thread == nullptr) of_thread = std::make_unique<ThreadEvents>();
    return *of_thread;
}

} // namespace

std::optional<Error> why_not_counted(Event event) {
    switch (int const error = thread_events().error(event)) {
    case 0: return std::nullopt;
    case ENXIO: return Error("no counter of it is known on this processor");
    case EACCES:
    case EPERM:
        return Error("not permitted: expected kernel.perf_event_paranoid of 2 (switches and migrations: 1) or less");
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP: return Error("the system gives no counters of the processor");
    default: return Error::of("perf_event_open: {}", std::strerror(error)); // NOLINT(concurrency-mt-unsafe)
    }
}

EventPart& event_part() {
    return thread_events().part;
}

EventReading read_events() {
    return thread_events().now();
}

EventCounts counted_between(EventReading const& first, EventReading const& last) {
    EventCounts result;
    for (std::size_t at = 0; at < events; ++at) {
        std::uint64_t const counted = last.counted[at] - first.counted[at];
        if (counted == 0) continue;
        auto const share = static_cast<double>(last.wanted[at] - first.wanted[at]) / static_cast<double>(counted);
        std::uint64_t const count = last.counts[at] - first.counts[at];
        result[at] = share > 1 ? static_cast<std::uint64_t>(static_cast<double>(count) * share) : count;
    }
    return result;
}

} // namespace mxk::arch
