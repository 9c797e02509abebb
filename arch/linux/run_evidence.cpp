// schedstat: proc(5) and Documentation/scheduler/sched-stats.rst of Linux; pressure: Documentation/accounting/psi.rst.
#include "arch/run_evidence.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>

#include "arch/core_local.hpp"
#include "arch/cpu.hpp"
#include "arch/linux/pinning.hpp"
#include "arch/linux/signals.hpp"
#include "arch/nearest_core.hpp"

namespace mxk::arch {
namespace {

constexpr double nanoseconds_of_a_second = 1e9;

double seconds(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / nanoseconds_of_a_second;
}

// For how long the calling thread has waited for a processor: the second number of its file. Does not allocate.
std::optional<double> waited() {
    int const file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    std::array<char, 80> text{};
    ssize_t const read_bytes = read(file, text.data(), text.size());
    close(file);
    std::string_view const line(text.data(), static_cast<std::size_t>(std::max<ssize_t>(read_bytes, 0)));
    std::size_t const blank = line.find(' ');
    std::uint64_t value = 0;
    if (blank == line.npos ||
        std::from_chars(line.data() + blank + 1, line.data() + line.size(), value).ec != std::errc())
        return std::nullopt;
    return static_cast<double>(value) / nanoseconds_of_a_second;
}

std::uint64_t involuntary_switches() {
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return static_cast<std::uint64_t>(used.ru_nivcsw);
}

// The calling thread is not where its core is to be.
bool is_elsewhere(int processor) {
    int const expected = cpu_of(nearest_core());
    return expected >= 0 && expected != processor;
}

struct PartStart {
    std::uint64_t run = 0; // a part that an error has left open is of a run that has ended
    unsigned depth = 0;
    std::optional<double> waited{};
    double time = 0;
    std::uint64_t switches = 0;
    int processor = -1;
};
thread_local PartStart part_start; // NOLINT(misc-use-internal-linkage)

// Of the run that is made now.
class Run {
  public:
    void begin() {
        std::lock_guard const guard(lock_);
        cores_.clear();
        is_known_ = true;
        switches_ = moved_ = 0;
        used_ = 0;
        open_ = 0;
        ++number_;
    }
    // The first is 1.
    [[nodiscard]] std::uint64_t number() {
        std::lock_guard const guard(lock_);
        return number_;
    }

    void part_begins() {
        std::lock_guard const guard(lock_);
        if (open_++ == 0) used_before_ = seconds(CLOCK_PROCESS_CPUTIME_ID);
    }

    void part_ends(PartStart const& start, std::optional<double> const& waited_now, double now,
                   std::uint64_t switches_now, int processor) {
        std::lock_guard const guard(lock_);
        --open_;
        if (open_ == 0) used_ += seconds(CLOCK_PROCESS_CPUTIME_ID) - used_before_;
        Core& core = cores_[start.processor];
        is_known_ = is_known_ && start.waited && waited_now;
        if (is_known_) core.waited += *waited_now - *start.waited;
        core.time += now - start.time;
        switches_ += switches_now - start.switches;
        if (processor != start.processor || is_elsewhere(processor)) ++moved_;
    }

    // Threads of this program that share a core wait for each other, too: what nobody used is all that can be lost.
    void end(RunEvidence& evidence) {
        std::lock_guard const guard(lock_);
        if (cores_.empty()) return;
        evidence.switches = switches_;
        evidence.moved = moved_;
        if (!is_known_) return;
        double measured = 0;
        for (auto const& [processor, core] : cores_) measured += core.time;
        double const unused = std::max(measured - used_, 0.0);
        double share = 0;
        for (auto const& [processor, core] : cores_)
            if (core.time > 0) share = std::max(share, std::min(core.waited, unused) / core.time);
        evidence.waited = share;
    }

  private:
    struct Core {
        double waited = 0;
        double time = 0;
    };
    std::mutex lock_;
    std::map<int, Core> cores_; // by processor
    bool is_known_ = true;
    std::uint64_t switches_ = 0;
    std::uint64_t moved_ = 0;
    std::uint64_t number_ = 0;
    std::size_t open_ = 0; // parts, in pairs
    double used_before_ = 0;
    double used_ = 0; // processor seconds of the program, while any part was open
};

Run& this_run() {
    static auto& run = *new Run; // for threads that outlive main()
    return run;
}

// Seconds by processor that the hypervisor took: the eighth number of a line "cpu7 ...".
std::map<int, double> stolen_seconds() {
    std::map<int, double> found;
    std::ifstream file("/proc/stat");
    auto const ticks = static_cast<double>(std::max(sysconf(_SC_CLK_TCK), 1L));
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("cpu") || line.starts_with("cpu ")) continue;
        std::istringstream words(line.substr(3));
        int processor = 0;
        words >> processor;
        std::uint64_t value = 0;
        for (int i = 0; i < 8; ++i) words >> value;
        if (words) found[processor] = static_cast<double>(value) / ticks;
    }
    return found;
}

// Seconds in which some thread waited for memory: "some avg10=0.00 ... total=123", in microseconds.
std::optional<double> memory_stall_seconds() {
    std::ifstream file("/proc/pressure/memory");
    for (std::string word; file >> word;)
        if (word.starts_with("total=")) return std::stod(word.substr(6)) / 1e6; // that of "some" is the first
    return std::nullopt;
}

struct Readings {
    double time = 0;
    std::map<int, double> stolen;
    std::optional<double> memory_stall;
    std::optional<std::uint64_t> stops;
};
Readings read_all() {
    return {.time = seconds(CLOCK_MONOTONIC),
            .stolen = stolen_seconds(),
            .memory_stall = memory_stall_seconds(),
            .stops = stops_so_far()};
}
Readings& before() {
    static Readings readings;
    return readings;
}

} // namespace

HostAccount host_account() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    auto const interruptions = static_cast<std::uint64_t>(usage.ru_nivcsw + usage.ru_minflt + usage.ru_majflt);
    double const ran = seconds(CLOCK_THREAD_CPUTIME_ID) * static_cast<double>(timestamp_frequency());
    return {interruptions + stops_so_far().value_or(0), Cycles{static_cast<std::uint64_t>(ran)}};
}

bool has_run_evidence() {
    return true;
}

void evidence_part_begins() {
    PartStart& start = part_start;
    std::uint64_t const run = this_run().number();
    if (start.run != run) {
        start = {};
        start.run = run;
    }
    if (start.depth++ > 0) return;
    start.switches = involuntary_switches();
    start.processor = sched_getcpu();
    start.waited = waited();
    start.time = seconds(CLOCK_MONOTONIC);
    this_run().part_begins();
}

void evidence_part_ends() {
    PartStart& start = part_start;
    if (start.run != this_run().number() || start.depth == 0) return;
    --start.depth;
    if (start.depth > 0) return;
    double const now = seconds(CLOCK_MONOTONIC);
    this_run().part_ends(start, waited(), now, involuntary_switches(), sched_getcpu());
}

void evidence_run_begins() {
    before() = read_all();
    this_run().begin();
}

RunEvidence evidence_run_ends() {
    RunEvidence evidence;
    this_run().end(evidence);
    Readings const after = read_all();
    double const time = std::max(after.time - before().time, 1e-9);
    for (auto const& [processor, stolen] : after.stolen)
        if (auto const found = before().stolen.find(processor); found != before().stolen.end())
            evidence.stolen = std::max(evidence.stolen.value_or(0), std::min((stolen - found->second) / time, 1.0));
    if (after.memory_stall && before().memory_stall)
        evidence.memory_stall = std::min((*after.memory_stall - *before().memory_stall) / time, 1.0);
    if (after.stops && before().stops) evidence.stopped = *after.stops - *before().stops;
    return evidence;
}

} // namespace mxk::arch
