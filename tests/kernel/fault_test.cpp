// A fault that must end the kernel with a panic (after HelenOS's fault1): unsafe, so it runs only where it is named.
#include <cstdint>

#include "kernel/testing.hpp"

namespace mxk {
namespace {

constinit std::uint64_t volatile null_pointer = 0; // volatile: the compiler does not know what is wrong with it

MXK_UNSAFE_TEST(fault1, writing_through_a_null_pointer_panics) {
    *reinterpret_cast<std::uint64_t volatile*>(null_pointer) = 0; // NOLINT(performance-no-int-to-ptr)
}

} // namespace
} // namespace mxk
