#include "arch/core_local.hpp"

#include <mutex>
#include <vector>

#include "base/panic.hpp"

namespace mxk::arch {
namespace {

thread_local CoreLocal* self = nullptr;

// Filled before the threads send each other anything; the mutex is for starting several at once.
std::mutex starting;
std::vector<CoreLocal*>& locals() {
    static std::vector<CoreLocal*> all(1024);
    return all;
}

} // namespace

CoreLocal& core_local() {
    return *self;
}

void adopt_core(CoreLocal& local, CoreId id) {
    std::lock_guard const guard(starting);
    expect(index(id) < locals().size(), "more cores than arch/linux has room for");
    local.id = id;
    locals()[index(id)] = &local;
    self = &local;
}

void halt_until_attention() {
    core_local().attention.wait(0, std::memory_order_acquire);
}

void wake(CoreId core) {
    CoreLocal& local = *locals()[index(core)];
    // release: what was left for the core is visible before the bit
    local.attention.fetch_or(static_cast<std::uint32_t>(Attention::Wake), std::memory_order_release);
    local.attention.notify_one();
}

} // namespace mxk::arch
