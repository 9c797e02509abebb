// A long piece of work on a table while it is used: cut into pieces, each of which is one task's body, on several cores
// at once. What else these cores have in their queues runs in between.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/per_core.hpp"
#include "tasks/worker.hpp"

namespace mxk::concurrent {

class PieceTasks {
  public:
    // Does [from, to).
    using Work = void (*)(void* context, std::size_t from, std::size_t to);

    // For all cores of the machine; each takes the next piece when it has done one. Errors: no memory.
    static Result<PieceTasks> create();
    PieceTasks(PieceTasks&& other) noexcept
        : parts_(std::move(other.parts_)) {}
    PieceTasks& operator=(PieceTasks&&) = delete;

    // Does [0, count), and appends `then` to the calling core's queue when all of it is done: what was done is visible
    // to it. `count` > 0. Not before the last one has come. A task; never blocks.
    void begin(std::size_t count, std::size_t piece, Work work, void* context, Task& then);

  private:
    struct Part : Task {
        explicit Part(PieceTasks& its_whole)
            : Task(&Part::do_next_piece)
            , whole(&its_whole) {}
        static void do_next_piece(Worker& worker, Task& task);
        PieceTasks* whole;
    };

    PieceTasks() = default;

    PerCore<Part> parts_;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::size_t> left_{0}; // parts that have not ended yet
    std::size_t count_ = 0;
    std::size_t piece_ = 1;
    Work work_ = nullptr;
    void* context_ = nullptr;
    Task* then_ = nullptr;
    CoreId home_{};
};

} // namespace mxk::concurrent
