#include "arch/nearest_core.hpp"

#include "arch/core_local.hpp"

namespace mxk::arch {

CoreId nearest_core() {
    return core_local().id;
}

} // namespace mxk::arch
