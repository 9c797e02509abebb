// The mapping database and its epochs, on one thread: what is mapped is found, what an error leaves, and who would be
// asked. Cores that a test only pretends to have are those that this thread takes the place of, one after the other.
#include "tests/unit/mapping_fixture.hpp"

#include "arch/linux/emulated_tlb.hpp"
#include "base/no_lock.hpp"
#include "base/spin_lock.hpp"

namespace mxk::test {
namespace {

using namespace mapping;
using Object = MappingDatabase::Object;

constexpr std::uint64_t base = arch::translations::window_base;
constexpr std::uint64_t page = 4 * KiB;

class MappingSequentialTest : public MappingTest {
  protected:
    void SetUp() override { make_machine(4, 1); }
    void make_machine(std::size_t count, std::size_t threads) {
        make_cores(count, Delivery::Calls, {64 * MiB, 3 * GiB}, threads);
        locals = std::make_unique<arch::CoreLocal[]>(count);
        for (std::size_t i = count; i-- > 0;) arch::adopt_core(locals[i], core_id(i));
        database = std::make_unique<MappingDatabase>(*coherence, LockingKind::None);
    }
    void TearDown() override {
        be_core(0);
        coherence->leave();
        arch::this_core = nullptr;
        MappingTest::TearDown();
    }
    // The thread's TLB is then this core's, too.
    void be_core(std::size_t core) { arch::this_core = &locals[core]; }
    Object make_object(MappedMemory const& memory, std::size_t pages, PageSize size = PageSize::Small,
                       Rights rights = Rights::ReadWrite, std::size_t mappings = 64) {
        return Object({memory.start(), pages, size, rights}, DerivationTree::create(mappings, node_id(0)).value());
    }

    std::unique_ptr<arch::CoreLocal[]> locals;
    std::unique_ptr<MappingDatabase> database;
};

TEST_F(MappingSequentialTest, what_is_mapped_is_found_by_pages_of_all_sizes) {
    for (PageSize const size : {PageSize::Small, PageSize::Large, PageSize::Huge}) {
        MappedMemory const memory(1, size);
        memory.word(0, size).store(77);
        Object object = make_object(memory, 1, size);
        {
            AddressSpace space = AddressSpace::create(*coherence, node_id(0)).value();
            std::uint64_t const address = base + 2 * GiB;
            auto const mapping = database->map(object, 0, space, address, Rights::ReadWrite);
            ASSERT_TRUE(mapping.ok());
            coherence->activate(space);
            EXPECT_EQ(read(address), 77U);
            EXPECT_TRUE(write(address + bytes(size) - 8, 5));
            EXPECT_EQ(read(address + bytes(size) - 8), 5U);
            EXPECT_EQ(read(address + bytes(size)), std::nullopt);
            EXPECT_EQ(read(address - 8), std::nullopt);
            ASSERT_TRUE(database->unmap(object, mapping.value()).ok());
            database->settle(object);
            EXPECT_EQ(read(address), std::nullopt);
            EXPECT_FALSE(database->unmap(object, mapping.value()).ok());
            coherence->leave();
        }
    }
}

TEST_F(MappingSequentialTest, withdrawn_is_not_authoritative_before_it_is_settled) {
    MappedMemory const memory(1);
    Object object = make_object(memory, 1);
    AddressSpace space = AddressSpace::create(*coherence, node_id(0)).value();
    Mapping const mapping = database->map(object, 0, space, base, Rights::ReadWrite).value();
    coherence->activate(space);
    ASSERT_TRUE(write(base, 1));
    ASSERT_TRUE(database->protect(object, mapping, Rights::Read).ok());
    EXPECT_TRUE(write(base, 2)); // the emulated TLB keeps what it has
    database->settle(object);
    EXPECT_FALSE(write(base, 3));
    EXPECT_EQ(read(base), 2U);
    // Raised, nobody is told: a core that has less looks again.
    auto const before = coherence->counts();
    ASSERT_TRUE(database->protect(object, mapping, Rights::ReadWrite).ok());
    EXPECT_TRUE(write(base, 4));
    EXPECT_EQ(coherence->counts().page_flushes, before.page_flushes);
    ASSERT_TRUE(database->unmap(object, mapping).ok());
    EXPECT_EQ(read(base), 4U);
    database->settle(object);
    EXPECT_EQ(read(base), std::nullopt);
    coherence->leave();
}

TEST_F(MappingSequentialTest, rights_are_handed_on_and_withdrawn_with_all_that_came_of_them) {
    MappedMemory const memory(2);
    Object object = make_object(memory, 2);
    AddressSpace a = AddressSpace::create(*coherence, node_id(0)).value();
    AddressSpace b = AddressSpace::create(*coherence, node_id(0)).value();
    Mapping const top = database->map(object, 1, a, base, Rights::ReadWrite).value();
    Mapping const child = database->hand_on(object, top, b, base + page, Rights::ReadWrite).value();
    Mapping const grandchild = database->hand_on(object, child, b, base + 2 * page, Rights::Read).value();
    EXPECT_FALSE(database->hand_on(object, grandchild, a, base + page, Rights::ReadWrite).ok());
    EXPECT_FALSE(database->hand_on(object, grandchild, a, base, Rights::Read).ok()); // the address is in use
    coherence->activate(b);
    EXPECT_EQ(read(base + 2 * page), 1U);
    EXPECT_TRUE(write(base + page, 9));
    EXPECT_FALSE(write(base + 2 * page, 9));
    ASSERT_TRUE(database->protect(object, top, Rights::Read).ok());
    database->settle(object);
    EXPECT_FALSE(write(base + page, 10));
    EXPECT_FALSE(database->protect(object, child, Rights::ReadWrite).ok()); // more than its parent has
    ASSERT_TRUE(database->revoke(object, top).ok());
    database->settle(object);
    EXPECT_EQ(read(base + page), std::nullopt);
    EXPECT_EQ(read(base + 2 * page), std::nullopt);
    EXPECT_FALSE(database->unmap(object, child).ok());
    EXPECT_EQ(database->mappings(object), 1U);
    coherence->activate(a);
    EXPECT_EQ(read(base), 9U);
    ASSERT_TRUE(database->unmap(object, top).ok());
    database->settle(object);
    coherence->leave();
}

TEST_F(MappingSequentialTest, an_error_changes_nothing) {
    MappedMemory const memory(2);
    Object object = make_object(memory, 2, PageSize::Small, Rights::Read, 2);
    AddressSpace space = AddressSpace::create(*coherence, node_id(0)).value();
    EXPECT_FALSE(database->map(object, 0, space, base, Rights::ReadWrite).ok());
    EXPECT_FALSE(database->map(object, 2, space, base, Rights::Read).ok());
    Mapping const first = database->map(object, 0, space, base, Rights::Read).value();
    Mapping const second = database->map(object, 1, space, base + page, Rights::Read).value();
    EXPECT_FALSE(database->map(object, 1, space, base + 2 * page, Rights::Read).ok()); // no room
    coherence->activate(space);
    EXPECT_EQ(read(base + 2 * page), std::nullopt);
    EXPECT_EQ(read(base + page), 1U);
    EXPECT_EQ(database->mappings(object), 2U);
    ASSERT_TRUE(database->unmap(object, second).ok());
    // The address that is not free yet is made so.
    Mapping const again = database->map(object, 0, space, base + page, Rights::Read).value();
    EXPECT_EQ(read(base + page), 0U);
    ASSERT_TRUE(database->unmap(object, first).ok());
    ASSERT_TRUE(database->unmap(object, again).ok());
    database->settle(object);
    coherence->leave();
}

TEST_F(MappingSequentialTest, no_memory_for_page_tables_is_an_error) {
    MappedMemory const memory(1);
    Object object = make_object(memory, 1);
    AddressSpace space = AddressSpace::create(*coherence, node_id(0)).value();
    std::vector<memory::Block> taken;
    for (std::size_t bytes = 256 * MiB; bytes >= 4 * KiB; bytes /= 4)
        while (auto const block = memory::allocate(bytes, 4 * KiB, node_id(0))) taken.push_back(block.value());
    std::size_t mapped = 0;
    std::vector<Mapping> mappings;
    for (std::uint64_t at = 0; at < 64 * GiB; at += GiB) {
        auto const mapping = database->map(object, 0, space, base + at, Rights::Read);
        if (!mapping) break;
        mappings.push_back(mapping.value());
        ++mapped;
    }
    EXPECT_LT(mapped, 8U); // the tables that the space had left
    EXPECT_EQ(database->mappings(object), mapped);
    for (memory::Block const& block : taken) memory::free(block);
    mappings.push_back(database->map(object, 0, space, base + 63 * GiB, Rights::Read).value());
    for (Mapping const mapping : mappings) ASSERT_TRUE(database->unmap(object, mapping).ok());
    database->settle(object);
    EXPECT_EQ(database->mappings(object), 0U);
}

TEST_F(MappingSequentialTest, tags_come_back_and_what_was_kept_under_them_is_forgotten) {
    MappedMemory const memory(2);
    for (std::size_t round = 0; round < 2 * arch::translations::tags; ++round) {
        Object object = make_object(memory, 2);
        AddressSpace space = AddressSpace::create(*coherence, node_id(0)).value();
        Mapping const mapping = database->map(object, round % 2, space, base, Rights::Read).value();
        coherence->activate(space);
        ASSERT_EQ(read(base), round % 2);
        coherence->leave();
        ASSERT_TRUE(database->unmap(object, mapping).ok());
        database->settle(object);
    }
    std::vector<AddressSpace> all;
    all.reserve(arch::translations::tags);
    while (auto space = AddressSpace::create(*coherence, node_id(0))) all.push_back(std::move(space).value());
    EXPECT_EQ(all.size(), arch::translations::tags - 1);
}

// 32 are gathered, then a single flush of all is good for them.
TEST_F(MappingSequentialTest, pages_that_one_core_has_used_are_withdrawn_without_asking_anybody) {
    constexpr std::size_t pages = 1000;
    MappedMemory const memory(pages);
    Object object = make_object(memory, pages, PageSize::Small, Rights::ReadWrite, pages);
    AddressSpace space = AddressSpace::create(*coherence, node_id(0)).value();
    std::vector<Mapping> mappings;
    for (std::size_t i = 0; i < pages; ++i)
        mappings.push_back(database->map(object, i, space, base + i * page, Rights::ReadWrite).value());
    coherence->activate(space);
    for (std::size_t i = 0; i < pages; ++i) ASSERT_EQ(read(base + i * page), i);
    for (Mapping const mapping : mappings) ASSERT_TRUE(database->unmap(object, mapping).ok());
    database->settle(object);
    for (std::size_t i = 0; i < pages; ++i) ASSERT_EQ(read(base + i * page), std::nullopt);
    EXPECT_EQ(coherence->counts().interrupts, 0U);
    EXPECT_EQ(coherence->counts().shootdowns, 0U);
    EXPECT_EQ(coherence->counts().withdrawals, pages);
    EXPECT_LE(coherence->counts().full_flushes, pages / Withdrawals::capacity + 1);
    coherence->leave();
}

// A core that forgets everything, for whatever reason, is not asked for anything that was withdrawn before.
TEST_F(MappingSequentialTest, one_flush_is_good_for_all_that_was_withdrawn_before) {
    MappedMemory const memory(3);
    Object objects[] = {make_object(memory, 1), make_object(memory, 1), make_object(memory, 1)};
    AddressSpace space = AddressSpace::create(*coherence, node_id(0)).value();
    std::vector<Mapping> mappings;
    for (std::size_t i = 0; i < 3; ++i)
        mappings.push_back(database->map(objects[i], 0, space, base + i * page, Rights::ReadWrite).value());
    be_core(1);
    coherence->activate(space);
    ASSERT_TRUE(write(base, 1));
    be_core(0);
    for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(database->unmap(objects[i], mappings[i]).ok());
    be_core(1);
    coherence->forget_all();
    be_core(0);
    for (Object& object : objects) database->settle(object); // would wait for ever for core 1
    EXPECT_EQ(coherence->counts().asked, 0U);
    EXPECT_EQ(coherence->counts().saved_flushed, 3U);
    be_core(1);
    coherence->leave();
    coherence->forget_all();
    be_core(0);
}

TEST_F(MappingSequentialTest, a_core_that_halts_is_not_asked_and_forgets_before_it_goes_on) {
    MappedMemory const memory(1);
    Object object = make_object(memory, 1);
    AddressSpace space = AddressSpace::create(*coherence, node_id(0)).value();
    Mapping const mapping = database->map(object, 0, space, base, Rights::ReadWrite).value();
    be_core(1);
    coherence->activate(space);
    ASSERT_TRUE(write(base, 1));
    coherence->before_halt();
    be_core(0);
    ASSERT_TRUE(database->unmap(object, mapping).ok());
    database->settle(object);
    EXPECT_EQ(coherence->counts().asked, 0U);
    EXPECT_EQ(coherence->counts().saved_away, 1U);
    be_core(1);
    std::uint64_t const before = coherence->counts().full_flushes;
    coherence->after_halt();
    EXPECT_EQ(coherence->counts().full_flushes, before + 1);
    EXPECT_EQ(read(base), std::nullopt);
    coherence->before_halt(); // nothing is missed this time
    coherence->after_halt();
    EXPECT_EQ(coherence->counts().full_flushes, before + 1);
    coherence->leave();
    coherence->forget_all();
    be_core(0);
}

// Two threads of a physical core, whose ids are far apart, are neighbours in the set of those who have used a space: no
// other core is even looked at.
struct MappingOnSiblingsTest : MappingSequentialTest {
    void SetUp() override { make_machine(80, 2); }
};
TEST_F(MappingOnSiblingsTest, a_space_of_two_threads_of_a_core_is_theirs_alone) {
    MappedMemory const memory(1);
    Object object = make_object(memory, 1);
    AddressSpace space = AddressSpace::create(*coherence, node_id(0)).value();
    Mapping const mapping = database->map(object, 0, space, base, Rights::ReadWrite).value();
    for (std::size_t const core : {std::size_t{3}, std::size_t{43}}) {
        be_core(core);
        coherence->activate(space);
        ASSERT_TRUE(write(base, core));
        coherence->leave();
        coherence->forget_all();
    }
    be_core(0);
    EXPECT_EQ(space.users().cluster_size(), 1U);
    ASSERT_TRUE(database->unmap(object, mapping).ok());
    database->settle(object);
    EXPECT_EQ(coherence->counts().saved_unused, 2U);
}

// Without tags a switch forgets everything; with them, a page of a space that is not active must be forgotten, too.
TEST_F(MappingSequentialTest, a_space_that_is_not_active_is_forgotten_too) {
    for (auto const abilities :
         {arch::translations::Abilities{true, true, true}, {true, false, true}, {false, false, true}}) {
        arch::EmulatedTlb::abilities() = abilities;
        MappedMemory const memory(1);
        Object object = make_object(memory, 1);
        AddressSpace a = AddressSpace::create(*coherence, node_id(0)).value();
        AddressSpace b = AddressSpace::create(*coherence, node_id(0)).value();
        Mapping const mapping = database->map(object, 0, a, base, Rights::ReadWrite).value();
        coherence->activate(a);
        ASSERT_TRUE(write(base, 1));
        coherence->activate(b);
        EXPECT_EQ(read(base), std::nullopt);
        ASSERT_TRUE(database->unmap(object, mapping).ok());
        database->settle(object);
        coherence->activate(a);
        EXPECT_EQ(read(base), std::nullopt);
        coherence->leave();
    }
}

} // namespace
} // namespace mxk::test
