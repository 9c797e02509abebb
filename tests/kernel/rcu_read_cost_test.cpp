// What a read section is compiled to. tests/system/test_read_section.py disassembles these functions, which is why they
// have names that it can ask for; here they are run, so that they are in the image and do what they say.
#include <atomic>
#include <cstdint>

#include "kernel/sync/rcu/rcu.hpp"
#include "kernel/testing.hpp"

namespace mxk {
namespace {

struct ReadObject {
    std::uint64_t value;
};

// What a reader does: it finds an object by way of a pointer, and uses it.
template <typename Section> std::uint64_t read_in(std::atomic<ReadObject const*> const& current) {
    [[maybe_unused]] Section const section;
    return current.load(std::memory_order_acquire)->value;
}

struct NoReadSection {};

} // namespace

// Whether they are called from here only is none of the compiler's business: their code is to be whole.
extern "C" {
[[gnu::noinline, gnu::used]] std::uint64_t mxk_read_bare(std::atomic<ReadObject const*> const& current) {
    return read_in<NoReadSection>(current);
}
[[gnu::noinline, gnu::used]] std::uint64_t mxk_read_in_task(std::atomic<ReadObject const*> const& current) {
    return read_in<rcu::TaskReadSection>(current);
}
[[gnu::noinline, gnu::used]] std::uint64_t mxk_read_in_thread(std::atomic<ReadObject const*> const& current) {
    return read_in<rcu::ReadSection>(current);
}
[[gnu::noinline, gnu::used]] void mxk_read_nothing_in_thread() {
    rcu::ReadSection const section;
}
}

namespace {

MXK_TEST(rcu1, all_ways_to_read_find_the_same) {
    ReadObject const object{.value = 42};
    std::atomic<ReadObject const*> const current{&object};
    MXK_CHECK_EQUAL(mxk_read_bare(current), 42U);
    MXK_CHECK_EQUAL(mxk_read_in_task(current), 42U);
    MXK_CHECK_EQUAL(mxk_read_in_thread(current), 42U);
    mxk_read_nothing_in_thread();
    MXK_CHECK_EQUAL(arch::sections_of_task(), 0U);
}

} // namespace
} // namespace mxk
