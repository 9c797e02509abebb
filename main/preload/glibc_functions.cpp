#include <dlfcn.h>

#include <source_location>

#include "base/panic.hpp"
#include "main/preload/mutex_operations.hpp"

namespace mxk::preload {

constinit Operations glibc{};

namespace {

template <typename Function> void find(Function*& function, char const* name, char const* version = nullptr) {
    void* const found = version == nullptr ? dlsym(RTLD_NEXT, name) : dlvsym(RTLD_NEXT, name, version);
    if (found == nullptr) die("expected glibc 2.30 or later behind this library", std::source_location::current());
    function = reinterpret_cast<Function*>(found);
}

void find(ConditionOperations& condition, char const* version) {
    find(condition.init, "pthread_cond_init", version);
    find(condition.destroy, "pthread_cond_destroy", version);
    find(condition.wait, "pthread_cond_wait", version);
    find(condition.timedwait, "pthread_cond_timedwait", version);
    find(condition.signal, "pthread_cond_signal", version);
    find(condition.broadcast, "pthread_cond_broadcast", version);
}

} // namespace

void find_glibc() {
    find(glibc.lock, "pthread_mutex_lock");
    find(glibc.trylock, "pthread_mutex_trylock");
    find(glibc.timedlock, "pthread_mutex_timedlock");
    find(glibc.clocklock, "pthread_mutex_clocklock");
    find(glibc.unlock, "pthread_mutex_unlock");
    find(glibc.destroy, "pthread_mutex_destroy");
    find(glibc.clockwait, "pthread_cond_clockwait");
    find(glibc.condition, "GLIBC_2.3.2");
    find(glibc.old_condition, "GLIBC_2.2.5");
}

} // namespace mxk::preload
