// Stacks that are given back: their memory returns to its node, no core keeps a way to it, and a page table that cannot
// be had is an error by which nothing is lost. Metal only.
#include "arch/stacks.hpp"

#include <atomic>
#include <optional>

#include "arch/page_view.hpp"
#include "arch/x86_64/exceptions/fixup.hpp"
#include "arch/x86_64/memory/layout.hpp"
#include "arch/x86_64/memory/memory_source.hpp"
#include "arch/x86_64/memory/paging.hpp"
#include "arch/x86_64/memory/tlb.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/testing.hpp"
#include "tasks/run_on.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk::arch {
namespace {

std::size_t used_memory() {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < memory::node_count(); ++i) sum += memory::use(node_id(i)).used;
    return sum;
}

// Four times what is kept, on all nodes.
void create_and_release_many() {
    constexpr std::size_t count = 4 * stacks::max_kept_bytes / (64 * KiB);
    auto made = NodeVector<stacks::Stack>::create(count, node_id(0));
    MXK_CHECK(made.ok());
    if (!made) return;
    for (std::size_t i = 0; i < count; ++i) {
        auto const stack = stacks::create(64 * KiB, node_id(i % memory::node_count()), "test");
        MXK_CHECK(stack.ok() && can_write(stack.value().bottom));
        if (stack) made.value().emplace(stack.value());
    }
    for (stacks::Stack const& stack : made.value()) stacks::release(stack);
}

MXK_TEST(stacks, give_their_memory_back) {
    create_and_release_many(); // page tables and descriptions stay
    stacks::keep_only(0);
    std::size_t const before = used_memory();
    create_and_release_many();
    MXK_CHECK(used_memory() - before <= stacks::max_kept_bytes);
    stacks::keep_only(0);
    MXK_CHECK_EQUAL(used_memory(), before);
}

MXK_TEST(stacks, lie_nowhere_once_given_back) {
    auto const stack = stacks::create(32 * KiB, node_id(0), "test");
    MXK_CHECK(stack.ok());
    if (!stack) return;
    stacks::release(stack.value());
    MXK_CHECK(can_read(stack.value().bottom)); // kept
    stacks::keep_only(0);
    MXK_CHECK(!can_read(stack.value().bottom));
    MXK_CHECK(!can_read(stack.value().top() - 1));
    MXK_CHECK(!stacks::containing(stack.value().bottom, 1).has_value());
    MXK_CHECK(!stacks::overflowed(stack.value().bottom - 1).has_value());
}

// What stands at the address, as each core sees it. Returns how many see something else.
std::size_t cores_that_miss(std::uint64_t address, std::uint64_t value) {
    auto const cores = all_cores();
    std::atomic<std::size_t> wrong{0};
    bool const ran = run_on(cores.span(), [&](Worker&, std::size_t) {
        if (*reinterpret_cast<std::uint64_t volatile const*>(address) != value) // NOLINT(performance-no-int-to-ptr)
            wrong.fetch_add(1, std::memory_order_relaxed);
        return Step::Done;
    });
    MXK_CHECK(ran);
    return wrong.load(std::memory_order_relaxed);
}

void write_by_direct_map(std::uint64_t address, std::uint64_t value) {
    auto const place = translate(address);
    MXK_CHECK(place.has_value());
    if (place) *reinterpret_cast<std::uint64_t volatile*>(to_virtual(place->physical)) = value;
}

MXK_TEST(stacks, all_cores_see_the_new_memory_at_an_old_address) {
    for (std::uint64_t round = 1; round <= 20; ++round) {
        stacks::keep_only(0);
        auto const first = stacks::create(64 * KiB, node_id(0), "first");
        MXK_CHECK(first.ok());
        if (!first) return;
        std::uint64_t const address = first.value().bottom;
        auto const frame = translate(address);
        write_by_direct_map(address, round);
        MXK_CHECK_EQUAL(cores_that_miss(address, round), 0U); // each has the translation now
        stacks::release(first.value());
        stacks::keep_only(0);
        auto const in_between = memory::allocate(64 * KiB, 4 * KiB, node_id(0)); // where the stack was
        auto const second = stacks::create(64 * KiB, node_id(0), "second");
        MXK_CHECK(in_between.ok() && second.ok());
        if (!in_between || !second) return;
        MXK_CHECK_EQUAL(second.value().bottom, address);
        MXK_CHECK(frame.has_value() && translate(address)->physical != frame->physical);
        write_by_direct_map(address, ~round);
        MXK_CHECK_EQUAL(cores_that_miss(address, ~round), 0U);
        stacks::release(second.value());
        memory::free(in_between.value());
    }
    stacks::keep_only(0);
}

// A source of memory that has only so many frames left for page tables; of blocks for stacks it has enough.
constinit MemorySource real_source{};
constinit std::size_t frames_left = 0;

std::optional<SourceBlock> take_while_frames_are_left(std::size_t bytes, std::size_t alignment, NodeId node) {
    if (bytes == page_bytes) {
        if (frames_left == 0) return std::nullopt;
        --frames_left;
    }
    return real_source.take(bytes, alignment, node);
}
void give_to_real_source(SourceBlock const& block) {
    real_source.give(block);
}

class ScarceFrames {
  public:
    explicit ScarceFrames(std::size_t frames) {
        frames_left = frames;
        real_source = set_memory_source({&take_while_frames_are_left, &give_to_real_source});
    }
    ScarceFrames(ScarceFrames const&) = delete;
    ScarceFrames& operator=(ScarceFrames const&) = delete;
    ~ScarceFrames() { set_memory_source(real_source); }
};

MXK_TEST(paging, a_missing_page_table_is_an_error) {
    constexpr std::uint64_t unused = two_mebibyte_view_base - 3 * GiB; // the end of a view of 16 TiB
    auto const block = memory::allocate(4 * MiB, 2 * MiB, node_id(0));
    MXK_CHECK(block.ok());
    if (!block) return;
    PhysicalAddress const physical = to_physical(block.value().address);
    std::size_t needed = 0;
    for (;; ++needed) {
        std::size_t const before = used_memory();
        ScarceFrames const scarce(needed == 0 ? 0 : 1); // one more than the last time
        auto const mapped = map(unused, physical, 4 * MiB, Access::ReadWrite, 4 * KiB);
        if (mapped) break;
        MXK_CHECK(mapped.error().message().starts_with("out of memory: no frame for a page table"));
        MXK_CHECK_EQUAL(used_memory() - before, needed == 0 ? 0U : page_bytes); // it is in its place already
        MXK_CHECK(needed < 10);
        if (needed >= 10) break;
    }
    MXK_CHECK(can_write(unused) && can_write(unused + 4 * MiB - 1));
    unmap(unused, 4 * MiB);
    forget_translations();
    MXK_CHECK(!translate(unused).has_value() && !translate(unused + 4 * MiB - 1).has_value());
    memory::free(block.value());
}

MXK_TEST(mapping1, a_missing_page_table_is_an_error) {
    constexpr std::size_t bytes = 4 * MiB; // two page tables, if the memory was never seen through such pages
    std::size_t const before = used_memory();
    auto const block = memory::allocate(bytes, 2 * MiB, node_id(0));
    MXK_CHECK(block.ok());
    if (!block) return;
    bool was_missing = false;
    {
        ScarceFrames const scarce(0);
        auto const view = PageView::create({block.value().address, bytes}, 4 * KiB);
        was_missing = !view;
        if (!view) MXK_CHECK(view.error().message().starts_with("out of memory: no frame for a page table"));
    }
    if (was_missing) MXK_CHECK(PageView::create({block.value().address, bytes}, 4 * KiB).ok());
    memory::free(block.value());
    MXK_CHECK(used_memory() - before <= 5 * page_bytes);
    if (!was_missing) MXK_SKIP("this memory was seen through pages of 4 KiB before");
}

// Stacks until the next one needs a page table, which it does not get.
MXK_TEST(stacks, without_page_tables_are_errors_that_lose_nothing) {
    constexpr std::size_t max_stacks = 512;
    auto made = NodeVector<stacks::Stack>::create(max_stacks, node_id(0));
    MXK_CHECK(made.ok());
    if (!made) return;
    stacks::keep_only(0);
    bool failed = false;
    {
        ScarceFrames const scarce(0);
        while (!failed && made.value().size() < max_stacks) {
            std::size_t const before = used_memory();
            auto const stack = stacks::create(128 * KiB, node_id(0), "test");
            if (stack) {
                made.value().emplace(stack.value());
                continue;
            }
            failed = true;
            MXK_CHECK(stack.error().message().find("no frame for a page table") != std::string_view::npos ||
                      stack.error().message().find("descriptions of stacks") != std::string_view::npos);
            MXK_CHECK_EQUAL(used_memory(), before);
        }
    }
    MXK_CHECK(failed);
    auto const next = stacks::create(128 * KiB, node_id(0), "test"); // with frames again
    MXK_CHECK(next.ok() && can_write(next.value().bottom) && can_write(next.value().top() - 1));
    if (next) stacks::release(next.value());
    for (stacks::Stack const& stack : made.value()) stacks::release(stack);
    stacks::keep_only(0);
}

} // namespace
} // namespace mxk::arch
