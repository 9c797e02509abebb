// A call of a remote function that waits in the middle of a body: for a command, or another body that may wait
// (Worker::run_until). In a coroutine: spawn_at().
#pragma once

#include "tasks/remote/remote_spawn.hpp"
#include "tasks/worker.hpp"

namespace mxk {

// Runs function(worker, arguments...) on that core. The calling core works on meanwhile. Errors: the function's, no
// such core.
template <auto function, typename... Arguments>
auto call_at(remote::Network& network, Worker& here, GlobalCore target, Arguments const&... arguments) {
    remote::SpawnAt<function> call(network, target, arguments...);
    if (!call.await_ready()) {
        here.run_until([&] { return call.try_send(here); });
        remote::Spawner::of(network).flush(here);
        here.run_until([&] { return call.has_come(); });
    }
    return call.await_resume();
}

} // namespace mxk
