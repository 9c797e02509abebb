// MPICH spins where it waits, until the system takes the processor away. With more ranks than processors each operation
// then takes as long as that, some milliseconds. Debian's MPICH moves all words by UCX, whose progress every turn of
// those loops calls: here that function stands before UCX' own, and offers the processor after a turn without progress.
#include <dlfcn.h>
#include <sched.h>

#include "main/mpi/world.hpp"

struct ucp_worker; // UCX'

// NOLINTNEXTLINE(readability-identifier-naming): UCX' name
extern "C" [[gnu::visibility("default")]] unsigned ucp_worker_progress(ucp_worker* worker) {
    using Progress = unsigned (*)(ucp_worker*);
    static auto const progress = reinterpret_cast<Progress>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
    unsigned const events = progress(worker);
    if (events == 0 && mxk::mpi::waits_offer_processor) sched_yield();
    return events;
}
