// The allocators' locks (kernel/memory/frame_allocator.hpp) are there once a second core is, and not before.
#include "kernel/memory/memory.hpp"
#include "kernel/testing.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

MXK_TEST(memory, is_locked_where_there_is_more_than_one_core) {
    MXK_CHECK_EQUAL(memory::is_shared(), workers::count() > 1);
    auto const block = memory::allocate(4 * KiB, 4 * KiB, node_id(0));
    MXK_CHECK(block.ok());
    if (block) memory::free(block.value());
}

} // namespace
} // namespace mxk
