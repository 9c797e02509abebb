// sem_t as it is, in the system's threads: what MXK's Linux build stands on.
#include <semaphore.h>

#include "bench/peers/thread_peer.hpp"

namespace mxk::bench {
namespace {

class RawSemaphore {
  public:
    explicit RawSemaphore(unsigned units) { sem_init(&semaphore_, 0, units); }
    RawSemaphore(RawSemaphore const&) = delete;
    RawSemaphore& operator=(RawSemaphore const&) = delete;
    ~RawSemaphore() { sem_destroy(&semaphore_); }

    void wait() {
        while (sem_wait(&semaphore_) != 0) { // a signal came
        }
    }
    bool try_wait() { return sem_trywait(&semaphore_) == 0; }
    void post() { sem_post(&semaphore_); }

  private:
    sem_t semaphore_{};
};

constexpr auto library = [] { return system_threads("sem_t, pthreads"); };

constexpr ThreadPeer wakes = wakes_by<RawSemaphore>("sem-t", library);
MXK_REGISTER(mxk_thread_peers, ThreadPeer, wakes);

constexpr SemaphorePeer operations = semaphore_peer<RawSemaphore>("sem-t", library);
MXK_REGISTER(mxk_semaphore_peers, SemaphorePeer, operations);

} // namespace
} // namespace mxk::bench
