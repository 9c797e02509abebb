// std::counting_semaphore, which is not told how many units there may be, in the system's threads.
#include <semaphore>

#include "bench/peers/thread_peer.hpp"

namespace mxk::bench {
namespace {

class StandardSemaphore {
  public:
    explicit StandardSemaphore(unsigned units)
        : semaphore_(units) {}

    void wait() { semaphore_.acquire(); }
    bool try_wait() { return semaphore_.try_acquire(); }
    void post() { semaphore_.release(); }

  private:
    std::counting_semaphore<> semaphore_;
};

constexpr auto library = [] { return system_threads("std::counting_semaphore, gcc " __VERSION__); };

constexpr ThreadPeer wakes = wakes_by<StandardSemaphore>("std-semaphore", library);
MXK_REGISTER(mxk_thread_peers, ThreadPeer, wakes);

constexpr SemaphorePeer operations = semaphore_peer<StandardSemaphore>("std-semaphore", library);
MXK_REGISTER(mxk_semaphore_peers, SemaphorePeer, operations);

} // namespace
} // namespace mxk::bench
