#include "arch/timestamp_adjustment.hpp"

namespace mxk::arch {

bool can_adjust_timestamp() {
    return false;
}
bool adjust_timestamp(std::int64_t /*cycles*/) {
    return false;
}

} // namespace mxk::arch
