// TLB coherence by epochs: memory that a mapping has led to is given to others when no core has its translation any
// more, and not before; no core that asks waits for ever. What a core changes and asks for is what
// spaces/mapping_database.cpp does, what a core does that halts is tasks/worker.cpp. Each core has a TLB
// (platform/arch/translations.hpp). Interrupts come between two steps of a core, and while it waits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arch/attention.hpp"
#include "arch/translations.hpp"
#include "base/log.hpp"
#include "base/spin_wait.hpp"
#include "kernel/memory/mapping/address_space.hpp"
#include "kernel/memory/mapping/coherence.hpp"
#include "kernel/remote_call.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

using arch::translations::window_base;
using mapping::AddressSpace;
using mapping::Coherence;
using mapping::PageSize;
using mapping::PageTable;
using mapping::Withdrawals;
namespace entry = mapping::entry;

// In space 0, where nothing else is said: it has pages 0 and 1.
enum class Does : std::uint8_t {
    Enter,
    EnterOther, // space 1
    EnterNew,   // what Rebuild has made, if it is there
    Leave,
    Read,      // page 0 of the active space
    ReadOther, // page 1 of it
    Write,     // page 0 of it
    BeginHalt,
    EndHalt,
    Halt,  // until it is asked, or all have asked
    Serve, // an interrupt, or a safe point
    Forget,
    Withdraw,      // page 0
    WithdrawOther, // page 1
    ExpectMarked,  // page 0 is not free, since only this core may say that it is
    // These may ask others.
    Settle, // what it has withdrawn: its memory is given to others
    Keep,   // the same, but its memory is given to nobody
    Unmap,  // withdraws page 0, and settles
    UnmapOther,
    Lower,  // the rights of page 0, which nobody changes then
    Map,    // another page where page 0 was, which is made free if it is not; then nobody has the old one
    Rebuild // space 0 ends, and there is another one
};

class CoherenceUse {
  public:
    using Cores = std::vector<std::vector<Does>>; // what each does
    struct Shape {
        bool has_interrupts = true;
        bool has_tags = true;
        bool has_tagged_pages = true;
        std::size_t turns = 0;
        bool is_long = false;
        bool is_large = false;
    };

    // `before`: what they have done, one after the other. At the end they serve until all have asked.
    ProtocolUse use(std::string name, Cores const& cores, Cores const& before = {}, Shape const& shape = all) {
        ModelProgram program;
        program.begin = [this, cores, before, shape] { begin(cores, before, shape); };
        for (std::vector<Does> const& steps : cores)
            program.threads.emplace_back([this, steps] {
                for (Does const what : steps) run(what);
                if (std::ranges::any_of(steps, asks)) finished_->fetch_add(1, std::memory_order_relaxed);
                for (SpinWait wait; !have_all_asked(); wait.turn()) coherence_->wait_turn();
            });
        program.end = [this] { note_counts(); };
        return {std::move(name), std::move(program), shape.turns, shape.is_long, shape.is_large};
    }

  private:
    static const Shape all;
    static constexpr std::uint64_t reused = 9;

    static std::uint64_t address_of(std::size_t page) { return window_base + page * mapping::bytes(PageSize::Small); }
    static bool asks(Does what) { return what >= Does::Settle; }
    static bool enters_other(Cores const& cores) {
        return std::ranges::any_of(
            cores, [](auto const& steps) { return std::ranges::find(steps, Does::EnterOther) != steps.end(); });
    }

    void begin(Cores const& cores, Cores const& before, Shape const& shape) {
        std::size_t const count = cores.size();
        arch::make_model_cores(count);
        make_model_node(model_node_bytes);
        ModelTlb::forget_all();
        ModelTlb::abilities = {shape.has_tags, shape.has_tagged_pages, false};
        ModelTlb::walks_early = true; // a processor may
        std::vector<topology::Core> places(count);
        for (std::size_t i = 0; i < count; ++i) places[i].id = core_id(i);
        if (!shape.has_interrupts) expect(remote_calls::create(places).ok(), "there is memory");
        for (auto& word : rung_) word = ModelMemory::make<ModelAtomic<std::uint32_t>>(0U);
        finished_ = ModelMemory::make<ModelAtomic<std::size_t>>(0U);
        asking_ = 0;
        for (auto const& steps : cores) asking_ += std::ranges::any_of(steps, asks) ? 1U : 0U;
        current_ = this;
        coherence_ = ModelMemory::make<Coherence>(Coherence::make_cores({places}).value(),
                                                  shape.has_interrupts ? &ring : nullptr);
        bool const has_other = enters_other(cores) || enters_other(before);
        for (std::size_t i = 0; i < (has_other ? 2 : 1); ++i) spaces_.at(i) = make_space(i);
        other_ = ModelMemory::make<ModelPage>();
        rebuilt_ = ModelMemory::make<ModelAtomic<AddressSpace*>>(nullptr);
        for (Withdrawals*& record : records_) record = ModelMemory::make<Withdrawals>();
        withdrawn_ = {};
        for (std::size_t i = 0; i < before.size(); ++i) {
            AsModelThread const as(i + 1);
            for (Does const what : before[i]) run(what);
        }
    }
    AddressSpace* make_space(std::size_t number) {
        auto* const space = ModelMemory::make<AddressSpace>(AddressSpace::create(*coherence_, NodeId{}).value());
        for (std::size_t page = 0; page < ModelTlb::pages; ++page) {
            ModelPage* const made = ModelMemory::make<ModelPage>();
            PageTable::Entry& place = *space->table().entry_for(address_of(page), PageSize::Small).value();
            place.store(arch::translations::page_entry(arch::translations::address_of(made), 1) |
                        arch::translations::entry_writable);
            if (number != 0) continue;
            entries_.at(page) = &place;
            pages_.at(page) = made;
        }
        return space;
    }

    // Orders nothing, as far as the source may rely on.
    static void ring(CoreId core) { current_->rung_.at(index(core))->store(1, std::memory_order_relaxed); }
    bool is_rung() {
        auto& word = *rung_.at(index(arch::core_local().id));
        return coherence_->uses_interrupts() ? word.load(std::memory_order_relaxed) != 0 : arch::needs_attention();
    }
    bool have_all_asked() { return finished_->load(std::memory_order_relaxed) == asking_; }

    void run(Does what) {
        switch (what) {
        case Does::Enter: return coherence_->activate(*spaces_[0]);
        case Does::EnterOther: return coherence_->activate(*spaces_[1]);
        case Does::EnterNew:
            if (AddressSpace* const space = rebuilt_->load(std::memory_order_acquire)) coherence_->activate(*space);
            return;
        case Does::Leave: return coherence_->leave();
        case Does::Read: return read(0);
        case Does::ReadOther: return read(1);
        case Does::Write: return note(arch::translations::write(address_of(0), 1) ? 1 : 7);
        case Does::BeginHalt: return coherence_->before_halt();
        case Does::EndHalt: return coherence_->after_halt();
        case Does::Serve: return coherence_->wait_turn();
        case Does::Halt:
            coherence_->before_halt();
            for (SpinWait wait; !is_rung() && !have_all_asked();) wait.turn();
            if (coherence_->uses_interrupts()) coherence_->serve();
            return coherence_->after_halt();
        case Does::Forget: return coherence_->forget_all();
        case Does::Withdraw: return withdraw(0);
        case Does::WithdrawOther: return withdraw(1);
        case Does::ExpectMarked: {
            bool const is_marked = entry::is_withdrawn(entries_[0]->load(std::memory_order_relaxed));
            return WeakMemory::current().check(is_marked, "an address is free before its time");
        }
        case Does::Settle: return settle(true);
        case Does::Keep: return settle(false);
        case Does::Unmap: withdraw(0); return settle(true);
        case Does::UnmapOther: withdraw(1); return settle(true);
        case Does::Lower: {
            Withdrawals record;
            entries_[0]->fetch_and(~arch::translations::entry_writable);
            std::uint64_t const stamp = coherence_->stamp();
            record.add({address_of(0), spaces_[0]->tag(), nullptr, 0}, spaces_[0]->users(), stamp);
            coherence_->make_authoritative(record);
            return note(pages_[0]->word);
        }
        case Does::Map: return map_other();
        case Does::Rebuild:
            spaces_[0]->~AddressSpace();
            for (ModelPage* const page : pages_) page->word = reused;
            return rebuilt_->store(make_space(0), std::memory_order_release);
        }
    }
    static void read(std::size_t page) {
        auto const found = arch::translations::read(address_of(page));
        WeakMemory::current().check(found != reused, "what is others' is read");
        note(found.value_or(7));
    }
    void map_other() {
        std::uint64_t const found = entries_[0]->load(std::memory_order_acquire);
        if (entry::is_withdrawn(found))
            coherence_->free_now(*spaces_[0], {address_of(0), spaces_[0]->tag(), entries_[0], found});
        std::uint64_t before = entry::free;
        std::uint64_t const made = arch::translations::page_entry(arch::translations::address_of(other_), 1);
        bool const is_mapped = entries_[0]->compare_exchange_strong(before, made);
        note(is_mapped ? 1 : 0);
        if (is_mapped) pages_[0]->word = reused;
    }
    void withdraw(std::size_t page) {
        std::size_t const self = index(arch::core_local().id);
        std::uint64_t const mark = entry::withdrawn(coherence_->epoch());
        entries_.at(page)->exchange(mark);
        std::uint64_t const stamp = coherence_->stamp();
        AddressSpace const& space = *spaces_[0];
        records_.at(self)->add({address_of(page), space.tag(), entries_.at(page), mark}, space.users(), stamp);
        withdrawn_.at(self).push_back(page);
    }
    void settle(bool is_reused) {
        std::size_t const self = index(arch::core_local().id);
        coherence_->make_authoritative(*records_.at(self));
        records_.at(self)->clear();
        for (std::size_t const page : std::exchange(withdrawn_.at(self), {}))
            if (is_reused) pages_.at(page)->word = reused;
    }

    void note_counts() {
        mapping::CoherenceCounts const counts = coherence_->counts();
        for (std::uint64_t const count :
             {counts.withdrawals, counts.shootdowns, counts.asked, counts.interrupts, counts.page_flushes,
              counts.full_flushes, counts.atomics, counts.saved_unused, counts.saved_flushed, counts.saved_away})
            note(count);
        note(coherence_->epoch());
        for (PageTable::Entry* const place : entries_) note(entry::is_present(place->load()) ? 1 : place->load());
    }

    static inline CoherenceUse* current_ = nullptr;

    Coherence* coherence_ = nullptr;
    std::array<AddressSpace*, 2> spaces_{};
    std::array<PageTable::Entry*, ModelTlb::pages> entries_{}; // of space 0, both
    std::array<ModelPage*, ModelTlb::pages> pages_{};
    ModelPage* other_ = nullptr; // that Map maps
    ModelAtomic<AddressSpace*>* rebuilt_ = nullptr;
    std::array<Withdrawals*, max_model_threads> records_{}; // by core, both
    std::array<std::vector<std::size_t>, max_model_threads> withdrawn_{};
    std::array<ModelAtomic<std::uint32_t>*, max_model_threads> rung_{};
    ModelAtomic<std::size_t>* finished_ = nullptr;
    std::size_t asking_ = 0;
};

CoherenceUse::Shape const CoherenceUse::all{};

// Tags of address spaces, each of which one core has at a time.
class TagsUse {
  public:
    // All but so many are taken.
    ProtocolUse use(std::string name, std::size_t left, std::size_t cores) {
        ModelProgram program;
        program.begin = [this, left, cores] {
            arch::make_model_cores(cores);
            std::vector<topology::Core> const places(cores);
            coherence_ = ModelMemory::make<Coherence>(Coherence::make_cores({places}).value(), nullptr);
            for (auto& word : words_) word = ModelMemory::make<ModelPlain<std::uint64_t>>(0U);
            for (std::size_t i = left + 1; i < arch::translations::tags; ++i)
                expect(coherence_->take_tag().ok(), "there are tags");
        };
        for (std::size_t i = 0; i < cores; ++i)
            program.threads.emplace_back([this] {
                auto const tag = coherence_->take_tag();
                note(tag.ok() ? tag.value() : 0);
                if (!tag.ok()) return;
                *words_.at(tag.value()) += 1;
                coherence_->give_tag(tag.value());
            });
        program.end = [this] { note(coherence_->take_tag().value()); };
        return {std::move(name), std::move(program)};
    }

  private:
    Coherence* coherence_ = nullptr;
    std::array<ModelPlain<std::uint64_t>*, arch::translations::tags> words_{};
};

constexpr char const* fence_behind = "the fence behind it decides who sees whom";
constexpr char const* fence_before = "the fence before it releases, too";
constexpr char const* exchanged = "a question goes one way; its answer is another word";

TEST(Model, Coherence) {
    using enum Does;
    CoherenceUse use;
    std::vector<Does> const enter{Enter, Read, ReadOther};
    Protocol("coherence")
        .use(use.use("enters", {{Enter, Read}, {Unmap}}))
        .use(use.use("enters, called", {{Enter, Read}, {Unmap}}, {}, {.has_interrupts = false}))
        .use(use.use("enters, no tags", {{Enter, Read}, {Unmap}}, {}, {.has_tags = false}))
        .use(use.use("two enter", {{Enter, Read}, {Enter, Unmap}}))
        .use(use.use("leaves", {{Leave, Serve, Enter, Read}, {Unmap}}, {enter}, {.has_tagged_pages = false}))
        .use(use.use("leaves, no tags", {{Read, Leave, Enter, Read}, {Unmap}}, {enter}, {.has_tags = false}))
        .use(use.use("leaves and forgets", {{Leave, Forget, Enter, Read}, {Unmap}}, {enter}))
        .use(use.use("forgets", {{Forget, Read}, {Unmap}}, {enter}))
        .use(use.use("forgets as the asker", {{Forget, Read}, {Withdraw, Forget, Settle}}, {enter}))
        .use(use.use("forgets another", {{Forget, Enter, Read}, {Unmap}}, {{Enter, Read, EnterOther}},
                     {.is_large = true}))
        .use(use.use("is asked", {{Read, Serve, Read}, {Unmap}}, {enter}, {.has_tagged_pages = false}))
        .use(use.use("is called", {{Read, Serve, Read}, {Unmap}}, {enter}, {.has_interrupts = false}))
        .use(use.use("halts", {{Read, Halt, Read}, {Unmap}}, {enter}))
        .use(use.use("halts, called", {{Read, Halt, Read}, {Unmap}}, {enter}, {.has_interrupts = false}))
        .use(use.use("is found away", {{Read, BeginHalt, EndHalt, Read}, {Unmap}}, {enter}))
        .use(
            use.use("is found away again", {{EndHalt, ReadOther}, {UnmapOther}}, {{Enter, BeginHalt}, {Unmap, Forget}}))
        .use(use.use("goes to another", {{EnterOther, Serve, Read, Enter, Read}, {Unmap}}, {enter}, {.is_large = true}))
        .use(use.use("goes to another, no tagged pages", {{EnterOther, Serve, Enter, Read}, {Unmap}}, {enter},
                     {.has_tagged_pages = false}))
        .use(use.use("goes to another, no tags", {{Read, EnterOther}, {Unmap}}, {enter}, {.has_tags = false}))
        .use(use.use("lowers", {{Write, Serve, Write}, {Lower}}, {enter}))
        .use(use.use("both", {{Read, Serve, Read}, {Settle}}, {enter, {Withdraw, WithdrawOther}}))
        .use(use.use("two ask", {{Read, Unmap}, {Read, UnmapOther}}, {enter, enter}))
        .use(use.use("two ask, and serve twice", {{Read, Unmap}, {Read, UnmapOther}}, {enter, enter},
                     {.turns = 1, .is_large = true}))
        .use(use.use("goes there and back, no tags", {{Read, EnterOther, Read, Enter, Read}, {Unmap}}, {enter},
                     {.has_tags = false, .is_large = true}))
        .use(use.use("two ask, called", {{Read, Unmap}, {Read, UnmapOther}}, {enter, enter},
                     {.has_interrupts = false, .turns = 1, .is_large = true}))
        .use(use.use("is rebuilt", {{Serve, EnterNew, Read}, {Rebuild}}, {{Enter, Read, Leave}}))
        .use(
            use.use("is rebuilt while away", {{EndHalt, EnterNew, Read}, {Rebuild}}, {{Enter, Read, Leave, BeginHalt}}))
        .use(use.use("two ask one", {{Serve}, {Unmap}, {UnmapOther}}, {enter}, {.is_long = true}))
        .use(use.use("two ask one that has left", {{ReadOther, Leave, Serve}, {Unmap}, {UnmapOther}}, {enter},
                     {.has_tagged_pages = false, .is_long = true}))
        .check({"coherence, a", "coherence, b", "coherence, h", "coherence, l",
                "coherence, make_authoritative() condition", "coherence, mark", "coherence, stamp", "serve,",
                "address_space, add_user", "address_space, users"},
               {{"address_space, add_user() cas*", fence_behind},
                {"coherence, activate() store 1*", fence_behind},
                {"coherence, activate() store 3: without release", fence_before},
                {"coherence, activate() store 4: without release", fence_before},
                {"coherence, after_halt() condition 1: never", "a look that saves work"},
                {"coherence, after_halt() swap: without seq_cst", fence_behind},
                {"coherence, ask() add: without acquire", exchanged},
                {"coherence, ask() condition 2: never", "long: two ask one core, which is interrupted once"},
                {"coherence, ask_users() condition 5: always", "asks nobody"},
                {"coherence, before_halt() condition: never", "a look that saves work"},
                {"coherence, make_authoritative() condition 1: never", "a look that saves work"},
                {"coherence, mark_if_away() cas: without seq_cst", fence_behind},
                {"coherence, stamp() condition: always", "writes what is there"},
                {"serve, begin_flush() cas: without seq_cst", fence_behind},
                {"serve, begin_flush() load 1*", fence_behind},
                {"serve, flush_all() condition 2: always", "tag 0 is the kernel's own"},
                {"serve, flush_all() store 1: without release", fence_before},
                {"serve, flush_all() store 2: without release", fence_before},
                {"serve, flush_page() store: without release", "long: two ask, and the core has left"},
                {"serve, serve() swap: without release", exchanged}});
}

// Addresses that are made free early, and tags.
TEST(Model, CoherenceOfMarks) {
    using enum Does;
    CoherenceUse use;
    TagsUse tags;
    std::vector<Does> const enter{Enter, Read, ReadOther};
    Protocol("marks of coherence")
        .use(use.use("maps", {{Enter, Read}, {Unmap, Map}}, {}, {.is_large = true}))
        .use(use.use("maps early", {{Serve, Read}, {Map}}, {enter, {Withdraw}}, {.is_large = true}))
        .use(use.use("maps early and forgets", {{Forget, Read}, {Withdraw, Map}}, {enter}))
        .use(use.use("maps while epochs end", {{Map}, {Forget, WithdrawOther, Forget}}, {{Withdraw}}))
        .use(use.use("maps what is made free", {{Withdraw, Read, Keep}, {Map}}, {enter}))
        .use(use.use("maps again", {{Keep}, {Map, Withdraw, ExpectMarked}}, {{Withdraw}}))
        .use(tags.use("two tags", 2, 2))
        .use(tags.use("one tag", 1, 2))
        .check(
            {"coherence, free_now", "coherence, make_authoritative() cas", "coherence, take", "coherence, give"},
            {{"coherence, free_now() cas: without seq_cst", fence_behind},
             {"coherence, free_now() condition 2: always", "looks again, and finds that it is done"},
             {"coherence, free_now() condition 2: never", "it fails where another one was faster, and not by chance"}});
}

} // namespace
} // namespace mxk::test
