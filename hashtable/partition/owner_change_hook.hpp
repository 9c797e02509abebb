#pragma once

#include "tasks/worker.hpp"

namespace mxk {

// To be called before parts of a table change their owners (resharding.hpp): by the core that gives them away, to
// finish what has arrived; or by a client of the table, to send what it has collected for their owners. Must live as
// long as the table is used in this way.
struct OwnerChangeHook {
    void (*before_change)(OwnerChangeHook& self, Worker& worker);
    OwnerChangeHook* next = nullptr;
};

} // namespace mxk
