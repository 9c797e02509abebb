// How tasks come to another core: stack, ring, mailbox with its list of watched rings, outbox, and the doorbell.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arch/attention.hpp"
#include "base/fence.hpp"
#include "base/push_stack.hpp"
#include "base/spin_wait.hpp"
#include "tasks/queue/mailbox.hpp"
#include "tasks/queue/outbox.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

// A task whose payload is read by who gets it: published, or a race.
struct Mail : Task {
    explicit Mail(std::uint64_t its_number)
        : Task(nullptr)
        , number(its_number) {}
    ModelPlain<std::uint64_t> number;
};
std::uint64_t number_of(Task& task) {
    return static_cast<Mail&>(task).number;
}

constexpr CoreId the_receiver = core_id(0);

// What is not noticed since RC11 has no loads that see what follows from them, and C++ may.
constexpr char const* load_buffering =
    "kept: without it the slot could be written before it is read, which RC11 excludes";
constexpr char const* of_two_senders = "long: about whose turn it is of several";
constexpr char const* of_full_ring = "long: about a ring without room";
constexpr char const* of_five_mails = "long: about tasks that wait behind others that wait";
constexpr char const* shortcut = "a look that saves work";

struct Element {
    Element* next = nullptr;
    ModelPlain<std::uint64_t> number{0};
};
using Stack = PushStack<Element, &Element::next>;

class StackUse {
  public:
    // Thread 1 takes all, the others push so many each.
    ProtocolUse use(std::string name, std::vector<std::size_t> pushes) {
        ModelProgram program;
        std::size_t all = 0;
        for (std::size_t const count : pushes) all += count;
        program.begin = [this] { stack_ = ModelMemory::make<Stack>(); };
        program.threads.emplace_back([this, all] { take(all); });
        for (std::size_t i = 0; i < pushes.size(); ++i)
            program.threads.emplace_back([this, i, count = pushes[i]] {
                for (std::size_t k = 0; k < count; ++k) {
                    Element& element = elements_[2 * i + k];
                    new (&element) Element;
                    element.number = 10 * (i + 1) + k;
                    note(stack_->push(element) ? 1 : 0);
                }
            });
        return {std::move(name), std::move(program)};
    }

  private:
    void take(std::size_t all) {
        SpinWait wait;
        for (std::size_t taken = 0; taken < all;) {
            Element* element = stack_->take_oldest_first();
            if (element == nullptr) wait.turn();
            for (; element != nullptr; element = element->next) {
                note(element->number);
                ++taken;
            }
        }
        WeakMemory::current().check(stack_->empty(), "what was taken is still there");
    }

    Stack* stack_ = nullptr;
    alignas(64) std::array<Element, 4>& elements_ = *reinterpret_cast<std::array<Element, 4>*>(room_);
    alignas(64) static inline std::byte room_[sizeof(std::array<Element, 4>)];
};

TEST(Model, PushStack) {
    StackUse stack;
    Protocol("push stack")
        .use(stack.use("two push one", {1, 1}))
        .use(stack.use("one pushes two", {2}))
        .use(stack.use("two push two and one", {2, 1}))
        .check({"push_stack"}, {{"push_stack, empty() load: without seq_cst", "needed by mailbox and grace periods"},
                                {"push_stack, empty() load: relaxed", "the same; who takes acquires"},
                                {"push_stack, push() cas: without seq_cst", "needed by mailbox and grace periods"},
                                {"push_stack, take_newest_first() condition: never", shortcut}});
}

class RingUse {
  public:
    // The receiver takes up to so many at once.
    ProtocolUse use(std::string name, std::uint64_t tasks, std::uint32_t budget = 2) {
        ModelProgram program;
        program.begin = [this] {
            ring_ = ModelMemory::make<MailRing>();
            for (Mail*& mail : mails_) mail = static_cast<Mail*>(ModelMemory::allocate(sizeof(Mail), alignof(Mail)));
        };
        program.threads.emplace_back([this, tasks, budget] { take(tasks, budget); });
        program.threads.emplace_back([this, tasks] {
            SpinWait wait;
            for (std::uint64_t i = 0; i < tasks; ++i) {
                Mail& mail = *new (mails_[i]) Mail(i + 1);
                note(ring_->room_in_line());
                while (!ring_->push(mail)) wait.turn();
            }
        });
        return {std::move(name), std::move(program)};
    }

  private:
    void take(std::uint64_t tasks, std::uint32_t budget) {
        WeakMemory& memory = WeakMemory::current();
        std::uint64_t taken = 0;
        auto sink = [&](Task& task) {
            memory.check(number_of(task) == ++taken, "another task than the next");
            new (&task) Mail(0); // the receiver's now
        };
        for (SpinWait wait; taken < tasks;) {
            ring_->prefetch();
            bool const is_there = !ring_->empty();
            std::uint32_t const fill = ring_->fill_above(0);
            std::uint32_t const count = ring_->take(budget, sink);
            memory.check(count >= std::min(fill, budget) && (!is_there || count != 0), "fewer than were seen");
            memory.check(count <= budget, "more than were wanted");
            note((is_there ? 1 : 0) + 2 * fill + 8 * count + 32 * ring_->empty_rounds());
            if (count == 0) wait.turn();
        }
        memory.check(ring_->empty() && ring_->fill_above(0) == 0, "more than were sent");
    }

    MailRing* ring_ = nullptr;
    std::array<Mail*, 5> mails_{};
};

TEST(Model, MailRing) {
    RingUse ring;
    Protocol("mail ring")
        .use(ring.use("one", 1))
        .use(ring.use("one lap and a half", 3))
        .use(ring.use("one at a time", 3, 1))
        .use(ring.use("two laps", 5))
        .check({"mail_ring,"},
               {{"mail_ring, empty() load 2: without seq_cst", "needed by the mailbox, where it is noticed"},
                {"mail_ring, empty() load 2: relaxed", "the same; take() acquires"},
                {"mail_ring, fill_above() condition 1: always", "a slot of the next lap is not filled either"},
                {"mail_ring, has_room() condition 1: never", shortcut},
                {"mail_ring, has_room() load: without acquire", load_buffering},
                {"mail_ring, take() store: without release", load_buffering},
                {"mail_ring, push() condition 2: always", "asks for a line ahead"},
                {"mail_ring, push() condition 2: never", "asks for a line ahead"},
                {"mail_ring, take() condition 3: always", "stores what is there"}});
}

// Rings are given by place, and their memory is brought by who gets a block's first place.
class RingsUse {
  public:
    ProtocolUse use(std::string name, std::size_t rings, std::size_t cores, bool is_out = false) {
        ModelProgram program;
        program.begin = [this, rings, is_out] {
            rings_ =
                ModelMemory::make<MailRings>(std::move(MailRings::Memory::create(rings, NodeId{}).value()), NodeId{});
            model_memory_is_out = is_out;
        };
        for (std::size_t i = 0; i < cores; ++i)
            program.threads.emplace_back([this] {
                MailRing* const ring = rings_->open(); // two that have the same one construct it twice, which races
                note(ring != nullptr ? 1 : 0);
                if (ring != nullptr) WeakMemory::current().check(ring->has_room(), "a new ring has room");
            });
        return {std::move(name), std::move(program)};
    }

  private:
    MailRings* rings_ = nullptr;
};

TEST(Model, MailRings) {
    RingsUse rings;
    Protocol("mail rings")
        .use(rings.use("a block", 1, 1))
        .use(rings.use("two blocks", 3, 3))
        .use(rings.use("more than there are", 2, 3))
        .use(rings.use("no memory", 3, 3, true))
        .check({"mail_rings"});
}

// A receiver that sleeps when it has nothing, and senders that go by rings, or by the stack.
class MailboxUse {
  public:
    struct Shape {
        std::vector<std::uint64_t> sends; // of each sender
        std::size_t turns = 1;            // of a receiver that finds nothing, before it waits for good
        bool has_rings = true;
        bool is_out = false; // of memory for rings
        std::uint32_t budget = 2;
        bool is_long = false;
        bool is_large = false;
        bool looks = true;     // before it collects
        bool is_known = false; // a mail has come before, so that the ring is watched
    };

    ProtocolUse use(std::string name, Shape shape) {
        ModelProgram program;
        program.begin = [this, shape] {
            arch::make_model_cores(shape.sends.size() + 1);
            mailbox_ =
                ModelMemory::make<Mailbox>(std::move(Mailbox::Memory::create(shape.sends.size(), NodeId{}).value()));
            for (Mail*& mail : mails_) mail = static_cast<Mail*>(ModelMemory::allocate(sizeof(Mail), alignof(Mail)));
            for (void*& outbox : outboxes_) outbox = ModelMemory::allocate(sizeof(Outbox), alignof(Outbox));
            model_memory_is_out = shape.is_out;
            if (!shape.is_known) return;
            Outbox& outbox = open(0);
            static_cast<void>(outbox.send(make(1, 4)));
            confirm(outbox);
            mailbox_->collect(1, [](Task&) {});
        };
        program.threads.emplace_back([this, shape] { receive(shape); });
        for (std::size_t i = 0; i < shape.sends.size(); ++i)
            program.threads.emplace_back([this, i, shape] {
                if (shape.has_rings)
                    send(i, shape);
                else
                    send_from_outside(i, shape.sends[i]);
            });
        return {std::move(name), std::move(program), shape.turns, shape.is_long, shape.is_large};
    }

  private:
    void receive(Shape const& shape) {
        WeakMemory& memory = WeakMemory::current();
        std::uint64_t all = 0;
        for (std::uint64_t const count : shape.sends) all += count;
        std::array<std::uint64_t, 2> last{};
        std::uint64_t taken = 0;
        auto const sink = [&](Task& task) {
            std::uint64_t const number = number_of(task);
            std::uint64_t& before = last[number / 10];
            memory.check(number % 10 == before + 1, "not FIFO");
            before = number % 10;
            new (&task) Mail(0);
            ++taken;
        };
        SpinWait wait;
        while (taken < all) {
            bool const has_mail = shape.looks && mailbox_->has_mail();
            std::uint32_t const count = mailbox_->collect(shape.budget, sink);
            memory.check(!has_mail || count != 0, "mail was seen, and is gone");
            memory.check(count <= shape.budget, "more than was wanted");
            note((has_mail ? 1 : 0) + 2 * count);
            if (count != 0) continue;
            mailbox_->sleep_unless_mail([] {
                note(100);
                arch::halt_until_attention();
            });
            if (arch::needs_attention()) static_cast<void>(arch::take_attention());
            wait.turn();
        }
        note(mailbox_->high_water());
        memory.check(!mailbox_->has_mail(), "more than was sent");
    }
    Mail& make(std::size_t sender, std::uint64_t number) {
        return *new (mails_[5 * sender + number]) Mail(10 * sender + number + 1);
    }
    static void wake() {
        note(7);
        arch::wake(the_receiver);
    }
    Outbox& open(std::size_t sender) { return *new (outboxes_[sender]) Outbox(the_receiver, *mailbox_, sender); }
    static void confirm(Outbox& outbox) {
        if (outbox.flush()) wake();
        store_load_fence();
        if (outbox.confirm()) wake();
        note(outbox.take_waited() + (outbox.has_waiting() ? 10 : 0));
    }
    void send(std::size_t sender, Shape const& shape) {
        Outbox& outbox = shape.is_known ? *static_cast<Outbox*>(outboxes_[sender]) : open(sender);
        for (std::uint64_t i = 0; i < shape.sends[sender]; ++i) {
            Mail& mail = make(sender, i);
            bool const is_added = outbox.add(mail);
            note(is_added ? 1 : 0);
            if (!is_added && outbox.send(mail)) wake();
        }
        for (SpinWait wait; outbox.needs_flush(); wait.turn()) {
            confirm(outbox);
            if (!outbox.needs_flush()) break;
        }
    }
    void send_from_outside(std::size_t sender, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i)
            if (mailbox_->push_without_ring(make(sender, i))) wake();
    }

    Mailbox* mailbox_ = nullptr;
    std::array<Mail*, 10> mails_{};
    std::array<void*, 2> outboxes_{};
};

TEST(Model, Mailbox) {
    MailboxUse mailbox;
    Protocol("mailbox")
        .use(mailbox.use("one from outside", {.sends = {1}, .has_rings = false}))
        .use(mailbox.use("two from outside", {.sends = {2}, .has_rings = false, .budget = 1}))
        .use(mailbox.use("one by its ring", {.sends = {1}}))
        .use(mailbox.use("one by its ring, found empty twice", {.sends = {1}, .turns = 2}))
        .use(mailbox.use("two by one ring", {.sends = {2}}))
        .use(mailbox.use("one by a ring that is watched", {.sends = {1}, .turns = 2, .is_known = true}))
        .use(mailbox.use("no memory for a ring", {.sends = {2}, .is_out = true}))
        .use(mailbox.use("more than the ring holds", {.sends = {3}, .turns = 0, .budget = 1, .is_large = true}))
        .use(mailbox.use("five by one ring", {.sends = {5}, .turns = 0, .is_long = true}))
        .use(mailbox.use("two senders", {.sends = {1, 1}, .turns = 0, .budget = 1, .is_long = true}))
        .use(mailbox.use("two senders from outside", {.sends = {1, 1}, .has_rings = false, .is_long = true}))
        .check({"mailbox", "doorbell", "outbox", "mail_stack", "push_stack", "attention, notify", "attention, leave"},
               {{"attention, notify() condition: always", shortcut},
                {"doorbell, must_ring() condition 2: always", "long: two ring in place of one"},
                {"mailbox, collect() condition 2: always", "asks rings for no task"},
                {"mailbox, collect() condition 4: always", of_two_senders},
                {"mailbox, collect() condition 4: never", of_two_senders},
                {"mailbox, collect() condition 5: never", of_two_senders},
                {"mailbox, collect() condition 7: always", "asks rings for no task"},
                {"mailbox, collect() condition 8: always", of_two_senders},
                {"mailbox, collect() condition 8: never", of_two_senders},
                {"mailbox, collect() condition 9: always", of_two_senders},
                {"mailbox, collect_ring() condition 1: always", "long: looks for more tasks than there are"},
                {"mailbox, collect_ring() condition 2: always", "stops watching at once, and is told again"},
                {"mailbox, collect_ring() condition 2: never", "stops watching only before it sleeps"},
                {"mailbox, collect_stack() condition 1: never", shortcut},
                {"mailbox, is_on() condition: never", "turns on what is on"},
                {"mailbox, open() condition: never", "stores that there is none, as before"},
                {"outbox, add() condition 1: always", "each leaves alone"},
                {"outbox, add() condition 2: always", "each leaves alone"},
                {"outbox, confirm() condition 1: always", "looks once more"},
                {"outbox, flush() condition 1: always", "publishes nothing"},
                {"outbox, flush() condition 3: never", shortcut},
                {"outbox, flush() condition 4: never", shortcut},
                {"outbox, publish() condition 1: never", of_five_mails},
                {"outbox, send_waiting() condition 2: always", of_five_mails},
                {"outbox, watch() condition 1: always", "turns on what is on"},
                {"outbox, flush() condition 3: always", of_full_ring},
                {"outbox, flush() condition 4: always", of_full_ring},
                {"outbox, has_waiting() condition: never", of_full_ring},
                {"outbox, needs_flush() condition 3: never", of_full_ring},
                {"outbox, publish() condition 2: never", of_full_ring},
                {"outbox, send() condition 2: never", of_full_ring},
                {"outbox, send_waiting() condition 1: always", of_full_ring},
                {"outbox, send_waiting() condition 1: never", of_full_ring},
                {"outbox, send_waiting() condition 2: never", of_full_ring},
                {"mailbox, collect_ring() condition 1: never", of_full_ring},
                {"attention, leave_word() add: without seq_cst", "needed by grace periods"},
                {"doorbell, must_ring() condition 1: always", "long: the exchange looks, too"},
                {"mailbox, collect() condition 9: never", of_two_senders},
                {"mailbox, sleep_unless_mail() condition 1: never", "long: polls in place of sleeping"},
                {"mailbox, sleep_unless_mail() condition 2: never", "long: polls in place of sleeping"},
                {"push_stack, push() condition 2: always", "nobody asks here"},
                {"push_stack, push() condition 2: never", "nobody asks here"},
                {"push_stack, take_newest_first() condition: never", shortcut}});
}

// Lost wake-ups that are planted: somebody waits for ever, and the trace says who, and for what.
TEST(Model, LostWakeUpsAreShown) {
    MailboxUse mailbox;
    for (std::string const mutant : {
             "doorbell, going_to_sleep() store: without seq_cst", // the sender's look may come before it
             "doorbell, must_ring() load: without seq_cst",       // the same, by the sender
             "mailbox, stop_watching() add 1: without seq_cst",   // the ring is looked into before it is left
             "outbox, confirm() condition 2: never",              // nobody looks after the fence
         }) {
        Protocol("mailbox")
            .use(mailbox.use("one from outside", {.sends = {1}, .has_rings = false}))
            .use(mailbox.use("one by its ring, found empty twice", {.sends = {1}, .turns = 2}))
            .use(mailbox.use("watched", {.sends = {1}, .turns = 2, .is_known = true}))
            .check_lost_wake_up(mutant);
    }
}

} // namespace
} // namespace mxk::test
