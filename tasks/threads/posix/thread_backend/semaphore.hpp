// Semaphores of the Linux build: POSIX ones, as in the thesis (section 4.3.2). See tasks/threads/semaphore.hpp.
#pragma once

#include <semaphore.h>

#include <cstdint>

#include "base/result.hpp"
#include "base/units.hpp"
#include "tasks/threads/semaphore_kind.hpp"

namespace mxk {

class Semaphore {
  public:
    static constexpr std::uint32_t max_units = max_semaphore_units;

    explicit Semaphore(std::uint32_t units = 0, SemaphoreKind kind = SemaphoreKind::Fast);
    static Result<Semaphore> create(std::int64_t units, SemaphoreKind kind = SemaphoreKind::Fast);
    Semaphore(Semaphore&& other) noexcept;
    Semaphore& operator=(Semaphore&&) = delete;
    ~Semaphore() { sem_destroy(&semaphore_); }

    void wait();
    bool try_wait();
    Result<bool> wait_for(Nanoseconds time);
    void post();
    void post_from_interrupt() { post(); } // sem_post(3) is safe in a signal handler

    [[nodiscard]] static SemaphoreKind kind() { return SemaphoreKind::Fast; }
    static bool supports(SemaphoreKind kind) { return kind == SemaphoreKind::Fast; }

  private:
    sem_t semaphore_{};
};

} // namespace mxk
