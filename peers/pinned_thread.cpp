#include "peers/pinned_thread.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "arch/linux/pinning.hpp"
#include "bench/task/own_tasks.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {

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

PinnedThread::PinnedThread(CoreId core, std::function<void()> body)
    : thread_([this, core, body = std::move(body)] {
        bool const is_pinned = stay_with_core(core);
        number_ = this_thread(); // published by the promise
        failure_.set_value(is_pinned ? 0 : errno);
        if (is_pinned) body();
    }) {
    int const failure = failure_.get_future().get();
    if (failure == 0) return;
    thread_.join();
    throw std::system_error(failure, std::generic_category(),
                            "pinning a thread to CPU " + std::to_string(arch::cpu_of(core)));
}

void run_pinned(CoreId core, std::function<void()> const& function) {
    std::packaged_task<void()> task(function);
    {
        PinnedThread const thread(core, [&] { task(); });
    }
    task.get_future().get(); // throws what it has thrown
}

ThreadSleep::ThreadSleep(pid_t thread)
    : file_(open(("/proc/self/task/" + std::to_string(thread) + "/stat").c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), "the state of a thread");
}

ThreadSleep::~ThreadSleep() {
    close(file_);
}

// The state is the letter behind the name, which stands in parentheses and may hold any character (proc(5)).
bool ThreadSleep::asleep() const {
    std::array<char, 256> text{};
    ssize_t const size = pread(file_, text.data(), text.size(), 0);
    if (size <= 0) return false;
    std::string_view const line(text.data(), static_cast<std::size_t>(size));
    std::size_t const name_end = line.rfind(')');
    return name_end != std::string_view::npos && line.substr(name_end).starts_with(") S");
}

bool ThreadSleep::settled() {
    Cycles const now = clock::timestamp();
    bool const was_asleep = std::exchange(was_asleep_, asleep());
    if (!was_asleep_) return false;
    if (!was_asleep) since_ = now;
    return now - since_ >= clock::to_cycles(settling_time);
}

} // namespace mxk::bench
