#include "arch/machine.hpp"

#include <cstdlib>

namespace mxk::arch {

void exit_machine(ExitStatus status) {
    std::exit(static_cast<int>(status) - static_cast<int>(ExitStatus::Success));
}
void reset_machine() {
    std::exit(0);
}

} // namespace mxk::arch
