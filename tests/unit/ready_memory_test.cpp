// Memory that is found before a run.
#include "bench/frame/ready_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <vector>

#include "kernel/memory/memory.hpp"
#include "main/library/runtime.hpp"

namespace mxk::test {
namespace {

// Whether the system has a page for each frame of it.
bool is_there(memory::Block const& block) {
    std::vector<unsigned char> pages(block.bytes / FrameAllocator::frame_bytes);
    EXPECT_EQ(mincore(block.address, block.bytes, pages.data()), 0);
    return std::all_of(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1) != 0; });
}

TEST(ReadyMemory, is_there_for_all_owners_of_a_node) {
    auto runtime = Runtime::start({.cores = 3, .nodes = 2, .memory_bytes = 256 * MiB});
    ASSERT_TRUE(runtime.ok());
    runtime.value().run([](Worker&) {
        std::array const owners{Owner{core_id(0), node_id(0)}, Owner{core_id(1), node_id(0)}};
        EXPECT_EQ(bench::make_memory_ready(16 * MiB, owners), 32 * MiB);
        auto const here = memory::allocate(32 * MiB, FrameAllocator::frame_bytes, node_id(0));
        auto const there = memory::allocate(32 * MiB, FrameAllocator::frame_bytes, node_id(1));
        ASSERT_TRUE(here.ok() && there.ok());
        EXPECT_TRUE(is_there(here.value()));
        EXPECT_FALSE(is_there(there.value())) << "nobody owns memory there: then the test shows nothing";
        memory::free(here.value());
        memory::free(there.value());
    });
}

// And no more is asked for than there is.
TEST(ReadyMemory, is_what_the_node_has) {
    auto runtime = Runtime::start({.cores = 1, .memory_bytes = 64 * MiB});
    ASSERT_TRUE(runtime.ok());
    runtime.value().run([](Worker&) {
        std::size_t const used = memory::use(node_id(0)).used;
        std::array const owners{Owner{core_id(0), node_id(0)}};
        std::size_t const bytes = bench::make_memory_ready(std::size_t{1} << 40, owners);
        EXPECT_GT(bytes, 8 * MiB);
        EXPECT_LE(bytes, 64 * MiB - used);
        EXPECT_EQ(memory::use(node_id(0)).used, used);
    });
}

} // namespace
} // namespace mxk::test
