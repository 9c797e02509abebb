// Semaphores of MxOS. See tasks/threads/semaphore.hpp. 32 bytes.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.hpp"
#include "base/units.hpp"
#include "tasks/threads/semaphore_core.hpp"
#include "tasks/threads/semaphore_kind.hpp"

namespace mxk {

class Worker;

class Semaphore {
  public:
    static constexpr std::uint32_t max_units = max_semaphore_units;

    explicit Semaphore(std::uint32_t units = 0, SemaphoreKind kind = SemaphoreKind::Fast);
    static Result<Semaphore> create(std::int64_t units, SemaphoreKind kind = SemaphoreKind::Fast);
    Semaphore(Semaphore&& other) noexcept
        : core_(std::move(other.core_))
        , kind_(other.kind_) {}
    Semaphore& operator=(Semaphore&&) = delete;

    void wait() {
        if (kind_ == SemaphoreKind::Syscall || !core_.try_take()) wait_in_kernel();
    }
    bool try_wait() { return kind_ == SemaphoreKind::Fast ? core_.try_take() : try_wait_in_kernel(); }
    Result<bool> wait_for(Nanoseconds time);
    void post() {
        if (kind_ == SemaphoreKind::Syscall || !core_.give_unless_awaited()) post_in_kernel();
    }
    void post_from_interrupt();

    [[nodiscard]] SemaphoreKind kind() const { return kind_; }
    static bool supports(SemaphoreKind) { return true; }

    // The worker's, when interrupt handlers of its core have posted.
    static void post_deferred(Worker& worker);

  private:
    struct Wait;

    void wait_in_kernel();
    bool try_wait_in_kernel();
    void post_in_kernel();
    void give(Worker& worker);

    SemaphoreCore core_;
    std::atomic<std::uint32_t> interrupt_posts_{0}; // that wait for a task; not 0: it is in a core's list of such
    SemaphoreKind kind_;
    Semaphore* next_deferred_ = nullptr;
};

} // namespace mxk
