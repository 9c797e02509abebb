// A lock of one's own for mxk-peers: test and test-and-set, with a wait that doubles.
//
//     g++ -std=c++20 -O2 -shared -fPIC -I peers/include examples/own/lock.cpp -o own_lock.so
//     build/linux/mxk-peers --load ./own_lock.so 'bench lock ecsb --lock own-lock,pthread --fabric smp'
#include <mxk/own.hpp>

#include <atomic>

namespace {

class Lock {
  public:
    struct Node {}; // what a lock with a queue has for each thread

    void acquire(Node& /*node*/) {
        constexpr int max_wait = 1024;
        int wait = 1;
        while (is_held_.load(std::memory_order_relaxed) || is_held_.exchange(true, std::memory_order_acquire)) {
            for (int i = 0; i < wait; ++i) __builtin_ia32_pause();
            if (wait < max_wait) wait *= 2;
        }
    }
    void release(Node& /*node*/) { is_held_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> is_held_{false};
};

} // namespace

MXK_OWN_LOCK(Lock, "own-lock", "examples/own (2026)", "test and test-and-set, with a wait that doubles")
