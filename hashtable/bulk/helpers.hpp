// How cores help a thread with a bulk call: the thread announces work that can be done in turns, does turns of it
// itself, and each core that has a task of these does one whenever it comes to it. Whose turn is whose is the work's
// affair. Nobody waits for a core that has not begun: a thread that finds nothing left to do takes its work back.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/linked_list.hpp"
#include "base/result.hpp"
#include "base/spin_lock.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/task.hpp"

namespace mxk {

// Something that several threads do in turns of up to a tenth of a millisecond or so.
class SharedWork {
  public:
    enum class Turn {
        Done,    // one turn
        Waiting, // for turns of others; there will be more
        Over,    // all is done
    };

    SharedWork() = default;
    SharedWork(SharedWork const&) = delete;
    SharedWork& operator=(SharedWork const&) = delete;

    // Any number of threads at once.
    virtual Turn turn() = 0;

    // Helpers' own.
    ListLinks<SharedWork> links;
    std::atomic<std::size_t> inside{0}; // helpers that do a turn

  protected:
    ~SharedWork() = default;
};

// Any thread may call any function.
class Helpers {
  public:
    // As many as there are cores that run tasks by themselves (workers::serves). Errors: no memory.
    static Result<Helpers> create(NodeId node);
    Helpers(Helpers&& other) noexcept;
    Helpers& operator=(Helpers&&) = delete;
    // No work is under way. Waits for the cores' tasks, which find that out.
    ~Helpers();

    // Until it is over: with the calling thread, and with helpers if `invites`. Must not be called in a turn.
    void run(SharedWork& work, bool invites);

    // How many cores may help.
    [[nodiscard]] std::size_t count() const;

  private:
    struct Helper;
    struct Board;
    explicit Helpers(NodeVector<Board> board);

    NodeVector<Board> board_; // one, where tasks find it
};

} // namespace mxk
