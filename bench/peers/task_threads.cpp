#include "bench/peers/task_threads.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "arch/linux/pinning.hpp"
#include "bench/frame/statistics.hpp"

namespace mxk::bench {
namespace {

constexpr std::chrono::microseconds settling_time{20};
constexpr std::chrono::seconds patience{1};

// The state is the letter behind the name, which stands in parentheses and may hold any character (proc(5)).
class ThreadState {
  public:
    explicit ThreadState(pid_t thread)
        : file_(open(("/proc/self/task/" + std::to_string(thread) + "/stat").c_str(), O_RDONLY | O_CLOEXEC)) {
        if (file_ < 0) throw std::system_error(errno, std::generic_category(), "the state of a thread");
    }
    ~ThreadState() { close(file_); }
    ThreadState(ThreadState const&) = delete;
    ThreadState& operator=(ThreadState const&) = delete;

    [[nodiscard]] bool asleep() const {
        std::array<char, 256> text{};
        ssize_t const size = pread(file_, text.data(), text.size(), 0);
        if (size <= 0) return false;
        std::string_view const line(text.data(), static_cast<std::size_t>(size));
        std::size_t const name_end = line.rfind(')');
        return name_end != std::string_view::npos && line.substr(name_end).starts_with(") S");
    }

  private:
    int file_;
};

} // namespace

void pin_to_core(CoreId core) {
    int const cpu = arch::cpu_of(core);
    if (cpu >= 0 && !arch::pin_to(cpu))
        throw std::system_error(errno, std::generic_category(), "pinning a thread to CPU " + std::to_string(cpu));
}

void run_pinned(CoreId core, std::function<void()> const& function) {
    std::exception_ptr thrown;
    std::thread([&] {
        try {
            pin_to_core(core);
            function();
        } catch (...) {
            thrown = std::current_exception();
        }
    }).join();
    if (thrown) std::rethrow_exception(thrown);
}

bool stay_with_core(CoreId core) {
    thread_local int stays_on = -1;
    int const cpu = arch::cpu_of(core);
    if (cpu < 0 || cpu == stays_on) return true;
    if (!arch::pin_to(cpu)) return false;
    stays_on = cpu;
    return true;
}

pid_t this_thread() {
    thread_local pid_t const number = gettid();
    return number;
}

bool wait_until_asleep(pid_t thread) {
    using Clock = std::chrono::steady_clock;
    ThreadState const state(thread);
    auto const deadline = Clock::now() + patience;
    auto asleep_since = Clock::time_point::max();
    for (auto now = Clock::now(); now < deadline; now = Clock::now()) {
        if (!state.asleep())
            asleep_since = Clock::time_point::max();
        else if (asleep_since > now)
            asleep_since = now;
        else if (now - asleep_since >= settling_time)
            return true;
        std::this_thread::yield(); // its processor may be this one
    }
    return false;
}

Result<Sample> sample_of(std::vector<double>& latencies, std::uint64_t left_out, bool verified) {
    if (latencies.empty()) return Error::of("none of {} operations found the threads as they should be", left_out);
    return Sample{.value = percentile(latencies, 50),
                  .p99 = percentile(latencies, 99),
                  .operations = latencies.size(),
                  .left_out = left_out,
                  .verified = verified};
}

} // namespace mxk::bench
