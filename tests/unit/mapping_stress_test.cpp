// The mapping database under load: emulated cores take random steps, and after each access a judge is asked whether the
// right that was used can still be had. A right is granted before the page table says so, and taken back when the
// database says that it is authoritative: an access between two safe points of its core that used it later is stale.
#include <array>
#include <optional>
#include <random>

#include "tests/delays.hpp"
#include "tests/unit/long_tests.hpp"
#include "tests/unit/mapping_fixture.hpp"
#include "tests/unit/random_pause.hpp"

namespace mxk::test {
namespace {

using namespace mapping;

constexpr std::uint64_t base = arch::translations::window_base;
constexpr std::size_t spaces_count = 3;
constexpr std::size_t objects_count = 6;
constexpr std::size_t pages_per_object = 2;
constexpr std::size_t places_per_space = 12; // addresses
constexpr std::size_t pages = objects_count * pages_per_object;

// What accesses at one address of one space may find: how often a right to a frame was granted and not taken back.
class Judge {
  public:
    void grant(std::size_t frame, Rights right) { granted(frame, right).fetch_add(1, std::memory_order_seq_cst); }
    void take_back(std::size_t frame, Rights right) { granted(frame, right).fetch_sub(1, std::memory_order_seq_cst); }
    bool may(std::size_t frame, Rights right) { return granted(frame, right).load(std::memory_order_seq_cst) > 0; }

  private:
    std::atomic<int>& granted(std::size_t frame, Rights right) {
        return granted_[frame][right == Rights::Read ? 0 : 1];
    }

    std::array<std::array<std::atomic<int>, 2>, pages> granted_{};
};

// What the machine leaves out: forgetting at the safe point, where cores do what others ask for, or after a halt.
enum class Fault : std::uint8_t { None, NoRemoteFlush, NoFlushAfterHalt };

class FaultyTlb {
  public:
    explicit FaultyTlb(bool is_faulty) { arch::EmulatedTlb::own().be_faulty(is_faulty); }
    ~FaultyTlb() { arch::EmulatedTlb::own().be_faulty(false); }
    FaultyTlb(FaultyTlb const&) = delete;
    FaultyTlb& operator=(FaultyTlb const&) = delete;
};

class MappingLoad {
  public:
    using Object = MappingDatabase::Object;

    MappingLoad(Coherence& coherence, LockingKind locking, std::size_t cores, std::size_t steps, Fault fault)
        : coherence_(coherence)
        , memory_(pages)
        , database_(coherence, locking)
        , steps_(steps / cores)
        , fault_(fault) {
        for (std::size_t i = 0; i < spaces_count; ++i)
            spaces_.push_back(AddressSpace::create(coherence, node_id(0)).value());
        for (std::size_t i = 0; i < objects_count; ++i)
            objects_.push_back(std::make_unique<Owned>(
                Object::Description{memory_.start() + i * pages_per_object * 4 * KiB, pages_per_object},
                DerivationTree::create(32, node_id(0)).value()));
    }

    // Of one core.
    void run(std::size_t core) {
        std::mt19937_64 random(core + 1);
        for (std::size_t i = 0; i < steps_; ++i) {
            step(random);
            FaultyTlb const faulty(fault_ == Fault::NoRemoteFlush);
            coherence_.wait_turn(); // the safe point
        }
        coherence_.leave();
    }
    // On one core, when the others are done.
    void end() {
        for (auto& owned : objects_) {
            for (Place const& place : owned->mapped)
                if (place.parent == none) EXPECT_TRUE(database_.unmap(owned->object, place.mapping).ok());
            database_.settle(owned->object);
            EXPECT_EQ(database_.mappings(owned->object), 0U);
        }
    }
    [[nodiscard]] std::uint64_t stale() const { return stale_.load(); }
    [[nodiscard]] std::uint64_t used() const { return used_.load(); }
    [[nodiscard]] std::uint64_t changes() const { return changes_.load(); }

  private:
    static constexpr std::size_t none = ~std::size_t{0};
    // What the test knows of a mapping. `parent`: its place in the list; children come after their parents.
    struct Place {
        Mapping mapping;
        std::size_t parent;
        std::size_t id;
        std::size_t space;
        std::size_t at;
        std::size_t frame;
        Rights rights;
    };
    struct Right {
        Judge* judge;
        std::size_t frame;
        Rights right;
    };
    // One core at a time changes an object, so that the test knows what to expect; the database does not know that.
    struct Owned {
        Owned(Object::Description const& description, DerivationTree tree)
            : object(description, std::move(tree)) {}
        std::atomic_flag is_owned;
        Object object;
        std::vector<Place> mapped;
        std::vector<Right> withdrawn; // and not settled
    };

    void step(std::mt19937_64& random) {
        switch (random() % 16) {
        case 0: return use_another_space(random);
        case 1: return halt(random);
        case 2:
        case 3:
        case 4: return change(random);
        default: return access(random);
        }
    }
    void use_another_space(std::mt19937_64& random) {
        if (random() % 4 == 0) return coherence_.leave();
        coherence_.activate(spaces_[random() % spaces_count]);
    }
    void halt(std::mt19937_64& random) {
        coherence_.before_halt();
        for (std::size_t turns = random() % 4; turns > 0; --turns) std::this_thread::yield();
        FaultyTlb const faulty(fault_ == Fault::NoFlushAfterHalt);
        coherence_.after_halt();
    }
    // What is found in the page says which frame it is.
    void access(std::mt19937_64& random) {
        unsigned const tag = coherence_.active_tag();
        if (tag == 0) return;
        std::size_t space = 0;
        while (spaces_[space].tag() != tag) ++space;
        for (int i = 0; i < 4; ++i) {
            std::size_t const at = random() % places_per_space;
            std::uint64_t const address = base + at * 4 * KiB;
            auto const frame = read(address);
            if (!frame) continue;
            RandomPause::point();
            Rights const rights = write(address + 8, 1) ? Rights::ReadWrite : Rights::Read;
            used_.fetch_add(1, std::memory_order_relaxed);
            Judge& judge = judges_[space][at];
            bool is_allowed = judge.may(*frame, Rights::Read);
            if (rights == Rights::ReadWrite) { // it may have gone to another frame than the read
                bool any = false;
                for (std::size_t other = 0; other < pages; ++other) any = any || judge.may(other, Rights::ReadWrite);
                is_allowed = is_allowed && any;
            }
            if (!is_allowed) stale_.fetch_add(1, std::memory_order_relaxed);
        }
    }

    void change(std::mt19937_64& random) {
        Owned& owned = *objects_[random() % objects_count];
        if (owned.is_owned.test_and_set(std::memory_order_acquire)) return;
        changes_.fetch_add(1, std::memory_order_relaxed);
        std::size_t const which = owned.mapped.empty() ? none : random() % owned.mapped.size();
        switch (which == none ? 0 : random() % 5) {
        case 0: map(owned, none, random); break;
        case 1: map(owned, which, random); break;
        case 2: protect(owned, which, random); break;
        case 3: withdraw(owned, which, true); break;
        default: withdraw(owned, which, false); break;
        }
        if (random() % 2 == 0) settle(owned);
        owned.is_owned.clear(std::memory_order_release);
    }
    void map(Owned& owned, std::size_t parent, std::mt19937_64& random) {
        std::size_t const space = random() % spaces_count;
        std::size_t const at = random() % places_per_space;
        Rights const rights = random() % 2 == 0 ? Rights::Read : Rights::ReadWrite;
        std::size_t const page = parent == none ? random() % pages_per_object : 0;
        std::size_t const frame =
            parent == none ? index_of(owned) * pages_per_object + page : owned.mapped[parent].frame;
        if (taken_[space][at].exchange(true)) return;
        Judge& judge = judges_[space][at];
        judge.grant(frame, Rights::Read);
        if (rights == Rights::ReadWrite) judge.grant(frame, rights);
        auto const mapped = parent == none
                                ? database_.map(owned.object, page, spaces_[space], base + at * 4 * KiB, rights)
                                : database_.hand_on(owned.object, owned.mapped[parent].mapping, spaces_[space],
                                                    base + at * 4 * KiB, rights);
        if (!mapped) {
            EXPECT_TRUE(parent != none && owned.mapped[parent].rights < rights);
            judge.take_back(frame, Rights::Read);
            if (rights == Rights::ReadWrite) judge.take_back(frame, rights);
            taken_[space][at].store(false);
            return;
        }
        owned.mapped.push_back({mapped.value(), parent == none ? none : owned.mapped[parent].id, next_id_.fetch_add(1),
                                space, at, frame, rights});
    }
    void protect(Owned& owned, std::size_t which, std::mt19937_64& random) {
        Place& top = owned.mapped[which];
        if (random() % 2 == 0) {
            if (top.rights == Rights::ReadWrite) return;
            Judge& judge = judges_[top.space][top.at];
            judge.grant(top.frame, Rights::ReadWrite);
            if (database_.protect(owned.object, top.mapping, Rights::ReadWrite))
                top.rights = Rights::ReadWrite;
            else
                judge.take_back(top.frame, Rights::ReadWrite);
            return;
        }
        EXPECT_TRUE(database_.protect(owned.object, top.mapping, Rights::Read).ok());
        for (std::size_t const below : tree_of(owned, which)) {
            Place& place = owned.mapped[below];
            if (place.rights == Rights::Read) continue;
            place.rights = Rights::Read;
            owned.withdrawn.push_back({&judges_[place.space][place.at], place.frame, Rights::ReadWrite});
        }
    }
    void withdraw(Owned& owned, std::size_t which, bool itself_too) {
        Mapping const top = owned.mapped[which].mapping;
        EXPECT_TRUE((itself_too ? database_.unmap(owned.object, top) : database_.revoke(owned.object, top)).ok());
        auto all = tree_of(owned, which);
        if (!itself_too) all.erase(all.begin());
        for (std::size_t i = all.size(); i-- > 0;) {
            Place const place = owned.mapped[all[i]];
            Judge& judge = judges_[place.space][place.at];
            owned.withdrawn.push_back({&judge, place.frame, Rights::Read});
            if (place.rights == Rights::ReadWrite) owned.withdrawn.push_back({&judge, place.frame, place.rights});
            // Another may map something there at once.
            taken_[place.space][place.at].store(false);
            owned.mapped.erase(owned.mapped.begin() + static_cast<long>(all[i]));
        }
    }
    void settle(Owned& owned) {
        database_.settle(owned.object);
        for (auto const& [judge, frame, right] : owned.withdrawn) judge->take_back(frame, right);
        owned.withdrawn.clear();
    }

    std::size_t index_of(Owned const& owned) const {
        std::size_t i = 0;
        while (objects_[i].get() != &owned) ++i;
        return i;
    }
    static std::vector<std::size_t> tree_of(Owned const& owned, std::size_t top) {
        std::vector<std::size_t> result{top};
        for (std::size_t i = top + 1; i < owned.mapped.size(); ++i)
            for (std::size_t const member : result)
                if (owned.mapped[i].parent == owned.mapped[member].id) {
                    result.push_back(i);
                    break;
                }
        return result;
    }

    Coherence& coherence_;
    MappedMemory memory_;
    std::vector<AddressSpace> spaces_;
    std::vector<std::unique_ptr<Owned>> objects_;
    MappingDatabase database_;
    std::size_t steps_;
    Fault fault_;
    std::array<std::array<Judge, places_per_space>, spaces_count> judges_;
    std::array<std::array<std::atomic<bool>, places_per_space>, spaces_count> taken_{};
    std::atomic<std::size_t> next_id_{0};
    std::atomic<std::uint64_t> stale_{0};
    std::atomic<std::uint64_t> used_{0};
    std::atomic<std::uint64_t> changes_{0};
};

class MappingStressTest : public MappingTest {
  protected:
    static constexpr std::size_t load_cores = 16;

    // How many accesses were stale.
    std::uint64_t stale_uses(LockingKind locking, Delivery delivery, std::size_t steps, Fault fault = Fault::None) {
        make_cores(load_cores, delivery);
        InjectDelays const delays(&RandomPause::point);
        auto load = std::make_unique<MappingLoad>(*coherence, locking, load_cores, steps, fault);
        std::uint64_t changes = 0;
        std::uint64_t used = 0;
        std::uint64_t stale = 0;
        on_all([&](std::size_t core) {
            load->run(core);
            meet();
            if (core != 0) return;
            load->end();
            changes = load->changes();
            used = load->used();
            stale = load->stale();
            load.reset();
        });
        auto const counts = coherence->counts();
        std::printf(
            "%zu steps: %llu changes, %llu uses of a translation, %llu stale; %llu pages by %llu shootdowns, %llu "
            "cores asked; not asked: %llu had nothing, %llu had forgotten, %llu halted\n",
            steps, as_printed(changes), as_printed(used), as_printed(stale), as_printed(counts.withdrawals),
            as_printed(counts.shootdowns), as_printed(counts.asked), as_printed(counts.saved_unused),
            as_printed(counts.saved_flushed), as_printed(counts.saved_away));
        EXPECT_GT(used, steps / 100);
        EXPECT_GT(changes, steps / 100);
        EXPECT_GT(counts.asked, 0U);
        EXPECT_GT(counts.saved_unused, 0U);
        return stale;
    }
    static unsigned long long as_printed(std::uint64_t value) { return value; }
};

constexpr std::size_t short_run = 100'000;
constexpr std::size_t long_run = 1'000'000;

TEST_F(MappingStressTest, nothing_stale_is_used_with_fine_locks) {
    EXPECT_EQ(stale_uses(LockingKind::Fine, Delivery::Calls, operations(short_run, long_run)), 0U);
}
TEST_F(MappingStressTest, nothing_stale_is_used_with_a_coarse_lock) {
    EXPECT_EQ(stale_uses(LockingKind::Coarse, Delivery::Calls, operations(short_run, long_run)), 0U);
}
TEST_F(MappingStressTest, nothing_stale_is_used_when_cores_are_asked_by_bits_as_on_metal) {
    EXPECT_EQ(stale_uses(LockingKind::Fine, Delivery::Bits, operations(short_run, long_run)), 0U);
}
TEST_F(MappingStressTest, nothing_stale_is_used_where_processors_have_no_tags) {
    arch::EmulatedTlb::abilities() = {.tags = false, .tagged_pages = false, .gigabyte_pages = true};
    EXPECT_EQ(stale_uses(LockingKind::Fine, Delivery::Bits, operations(short_run, long_run)), 0U);
}
TEST_F(MappingStressTest, nothing_stale_is_used_where_processors_have_tags_but_cannot_forget_one_page_of_another) {
    arch::EmulatedTlb::abilities() = {.tags = true, .tagged_pages = false, .gigabyte_pages = true};
    EXPECT_EQ(stale_uses(LockingKind::Fine, Delivery::Bits, operations(short_run, long_run)), 0U);
}

// The judge is one: a machine that leaves something out is found out.
TEST_F(MappingStressTest, a_machine_without_the_remote_flush_is_caught) {
    EXPECT_GT(stale_uses(LockingKind::Fine, Delivery::Bits, short_run, Fault::NoRemoteFlush), 0U);
}
TEST_F(MappingStressTest, a_machine_that_forgets_nothing_after_a_halt_is_caught) {
    EXPECT_GT(stale_uses(LockingKind::Fine, Delivery::Bits, short_run, Fault::NoFlushAfterHalt), 0U);
}

} // namespace
} // namespace mxk::test
