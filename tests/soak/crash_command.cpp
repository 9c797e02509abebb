// `crash WHAT` and `hang`: each breaks the kernel in one way, so that tests can see how it is reported. They end the
// machine; that is what they are for.
#include <array>
#include <optional>

#include "base/panic.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/options.hpp"
#include "tasks/rcu/rcu_wait.hpp"
#include "tasks/run_on.hpp"
#include "tasks/threads/mutex.hpp"
#include "tasks/threads/thread.hpp"
#include "tasks/workers.hpp"

namespace mxk {
namespace {

enum class Crash : std::uint8_t {
    Null,
    Stack,
    WriteText,
    WriteConstant,
    ExecuteData,
    Assert,
    OtherCore,
    ThreadStack,
    TaskWaits,
    LockTwice,
    SynchronizeInSection,
    BarrierInSection
};

constexpr auto value_names(Crash) {
    using console::NamedValue;
    return std::array{NamedValue{Crash::Null, "null"},
                      NamedValue{Crash::Stack, "stack"},
                      NamedValue{Crash::WriteText, "write-text"},
                      NamedValue{Crash::WriteConstant, "write-constant"},
                      NamedValue{Crash::ExecuteData, "execute-data"},
                      NamedValue{Crash::Assert, "assert"},
                      NamedValue{Crash::OtherCore, "other-core"},
                      NamedValue{Crash::ThreadStack, "thread-stack"},
                      NamedValue{Crash::TaskWaits, "task-waits"},
                      NamedValue{Crash::LockTwice, "lock-twice"},
                      NamedValue{Crash::SynchronizeInSection, "synchronize-in-section"},
                      NamedValue{Crash::BarrierInSection, "barrier-in-section"}};
}

// Volatile, so that the compiler neither knows nor prevents what is wrong with them.
constinit std::uint64_t volatile null_address = 0;
constinit std::uint64_t const a_constant = 1;
constinit std::array<std::uint8_t, 16> some_data{0xc3}; // "ret"

void write_to(std::uint64_t address) {
    *reinterpret_cast<std::uint64_t volatile*>(address) = 1; // NOLINT(performance-no-int-to-ptr)
}

[[gnu::noinline]] std::uint64_t use_up_stack(std::uint64_t depth) {
    std::array<std::uint64_t volatile, 32> frame{};
    frame[depth % frame.size()] = depth;
    if (null_address != 0) return depth; // never, but the compiler cannot know
    return use_up_stack(depth + 1) + frame[depth % frame.size()];
}

void crash_other_core() {
    CoreId const other[] = {core_id(workers::count() - 1)};
    run_on(other, [](Worker&, std::size_t) {
        expect(null_address != 0, "crash other-core: an assertion that does not hold");
        return Step::Done;
    });
}

void run_thread(std::string_view name, void (*entry)(void*)) {
    ThreadOptions const options{.core = core_id(workers::count() - 1), .name = name};
    auto const thread = Thread::create(options, entry, nullptr); // joins
}

void lock_twice(void*) {
    Mutex mutex;
    mutex.lock();
    mutex.lock();
}

void synchronize_in_section(void*) {
    rcu::ReadSection const section;
    rcu::synchronize();
}

void barrier_in_section() {
    rcu::ReadSection const section;
    [[maybe_unused]] auto const waited = rcu::barrier();
}

void do_crash(Crash what) {
    switch (what) {
    case Crash::Null: return write_to(null_address);
    case Crash::Stack: null_address = use_up_stack(0); return;
    case Crash::WriteText: return write_to(reinterpret_cast<std::uint64_t>(&use_up_stack));
    case Crash::WriteConstant: return write_to(reinterpret_cast<std::uint64_t>(&a_constant));
    case Crash::ExecuteData: return reinterpret_cast<void (*)()>(some_data.data())();
    case Crash::Assert: return expect(null_address != 0, "crash assert: an assertion that does not hold");
    case Crash::OtherCore: return crash_other_core();
    case Crash::ThreadStack: return run_thread("deep", [](void*) { null_address = use_up_stack(0); });
    case Crash::TaskWaits: return Semaphore().wait();
    case Crash::LockTwice: return run_thread("locker", &lock_twice);
    case Crash::SynchronizeInSection: return run_thread("reader", &synchronize_in_section);
    case Crash::BarrierInSection: return barrier_in_section();
    }
}

struct CrashOptions {
    std::optional<Crash> what;
};
constexpr auto crash_schema =
    console::schema<CrashOptions>(console::positional<&CrashOptions::what>("WHAT", "how the kernel is to be broken"));

console::Outcome run_crash(console::Invocation& invocation, CrashOptions const& options) {
    if (!options.what) return invocation.fail(Error("crash: expected what to break (see 'help crash')"));
    do_crash(*options.what);
    return invocation.fail(Error("the kernel is still alive, which it should not be"));
}

console::Outcome run_hang(console::Invocation&) {
    Worker::current().run_until([] { return false; });
    return console::Outcome::Ok;
}

constexpr auto crash_command = console::command<&run_crash, crash_schema>(
    {.name = "crash", .summary = "break the kernel on purpose, to see how it reports that", .group = "tests"});
MXK_REGISTER(mxk_commands, console::Command, crash_command);

constexpr auto hang_command =
    console::command<&run_hang>({.name = "hang",
                                 .summary = "never come back to the prompt, to see what the host does about that",
                                 .group = "tests"});
MXK_REGISTER(mxk_commands, console::Command, hang_command);

} // namespace
} // namespace mxk
