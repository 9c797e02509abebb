// What the program's environment asks for, before anything of it runs:
//
//     MXK_LOCK=KIND          its mutexes are locks of that kind; without it glibc's
//     MXK_LOCK_REPORT=1      at its end, what was seen of each mutex, on standard error
//     MXK_LOCK_NODES=N       the processors are cut into N nodes, for trying locks for nodes where there is one
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "main/preload/condition_queue.hpp"
#include "main/preload/mutex_operations.hpp"
#include "main/preload/mutex_record.hpp"
#include "main/preload/mutex_statistics.hpp"
#include "main/preload/preload_memory.hpp"
#include "main/preload/processors.hpp"
#include "main/preload/suite_mutex.hpp"

namespace mxk::preload {
namespace {

constexpr std::size_t max_nodes = 64;

constinit char const* kind_name = "glibc";
constinit bool uses_suite = false;
constinit bool has_report = false;

std::string_view variable(char const* name) {
    char const* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

// Before main, since nobody can say it later.
[[noreturn]] void refuse(std::string_view name, std::string_view expected, std::string_view got) {
    auto const say = [](std::string_view text) {
        [[maybe_unused]] ssize_t const written = write(STDERR_FILENO, text.data(), text.size());
    };
    for (std::string_view const text :
         {std::string_view("mxk-locks: "), name, std::string_view(": expected "), expected})
        say(text);
    if (expected.empty()) {
        say("one of");
        for (locks::LockKind const* kind : locks::registered_lock_kinds()) {
            if (!kind->forms.threads.is_there()) continue;
            say(" ");
            say(kind->name);
        }
    }
    for (std::string_view const text : {std::string_view(", got '"), got, std::string_view("'\n")}) say(text);
    _exit(2);
}

void before_fork() {
    hold_records();
    is_forking = true;
}
void after_fork() {
    is_forking = false;
    release_records();
}
void begin_child() {
    is_forking = false;
    release_records();
    forget_waiters();
    each_record([](MutexRecord& record) {
        if (record.statistics != nullptr) *record.statistics = MutexStatistics{};
    });
    if (uses_suite) repair_suite();
}

Operations const& choose() {
    find_glibc();
    std::string_view const name = variable("MXK_LOCK");
    std::string_view const report = variable("MXK_LOCK_REPORT");
    if (!report.empty() && report != "0" && report != "1") refuse("MXK_LOCK_REPORT", "0 or 1", report);
    has_report = report == "1";
    if (name.empty() && !has_report) return glibc;
    std::string_view const asked_nodes = variable("MXK_LOCK_NODES");
    ReadNumber const nodes = read_number(asked_nodes);
    if (nodes.length != asked_nodes.size() || nodes.value > max_nodes || (nodes.value == 0 && nodes.length != 0))
        refuse("MXK_LOCK_NODES", "a number from 1 to 64", asked_nodes);
    locks::LockKind const* const kind = name.empty() ? nullptr : find_kind(name);
    if (!name.empty() && kind == nullptr) refuse("MXK_LOCK", "", name);
    find_processors(nodes.value);
    prepare_for_threads();
    // Mostly the first to be registered: before fork() the last to be called, in the child the first.
    pthread_atfork(&before_fork, &after_fork, &begin_child);
    if (kind == nullptr) {
        prepare_records(
            0, [](MutexRecord&) {}, true);
        return measured_operations;
    }
    uses_suite = true;
    kind_name = kind->name.data(); // a literal
    start_suite(*kind, has_report);
    return suite_operations(has_report);
}

// The first caller, which may be a constructor of another library, chooses; others wait for that.
void start() {
    KeptErrno const kept;
    enum : int { Not, Begun, Done };
    static constinit std::atomic<int> state{Not};
    int expected = Not;
    if (state.compare_exchange_strong(expected, Begun, std::memory_order_acq_rel)) {
        operations.store(&choose(), std::memory_order_release);
        state.store(Done, std::memory_order_release);
    }
    while (state.load(std::memory_order_acquire) != Done) sched_yield();
}

[[gnu::constructor]] void start_at_load() {
    start();
}
[[gnu::destructor]] void report_at_exit() {
    if (has_report) write_report(kind_name);
}

// Of Operations: start(), and then the one that was chosen.
template <auto member> struct First;
template <typename... Arguments, int (*Operations::*member)(Arguments...)> struct First<member> {
    static int call(Arguments... arguments) {
        start();
        return (chosen().*member)(arguments...);
    }
};
template <ConditionOperations Operations::*version, auto member> struct FirstOfCondition;
template <ConditionOperations Operations::*version, typename... Arguments,
          int (*ConditionOperations::*member)(Arguments...)>
struct FirstOfCondition<version, member> {
    static int call(Arguments... arguments) {
        start();
        return (chosen().*version.*member)(arguments...);
    }
};
template <ConditionOperations Operations::*version>
constexpr ConditionOperations first_of_conditions{
    .init = &FirstOfCondition<version, &ConditionOperations::init>::call,
    .destroy = &FirstOfCondition<version, &ConditionOperations::destroy>::call,
    .wait = &FirstOfCondition<version, &ConditionOperations::wait>::call,
    .timedwait = &FirstOfCondition<version, &ConditionOperations::timedwait>::call,
    .signal = &FirstOfCondition<version, &ConditionOperations::signal>::call,
    .broadcast = &FirstOfCondition<version, &ConditionOperations::broadcast>::call};
constinit Operations const first_operations{.lock = &First<&Operations::lock>::call,
                                            .trylock = &First<&Operations::trylock>::call,
                                            .timedlock = &First<&Operations::timedlock>::call,
                                            .clocklock = &First<&Operations::clocklock>::call,
                                            .unlock = &First<&Operations::unlock>::call,
                                            .destroy = &First<&Operations::destroy>::call,
                                            .clockwait = &First<&Operations::clockwait>::call,
                                            .condition = first_of_conditions<&Operations::condition>,
                                            .old_condition = first_of_conditions<&Operations::old_condition>};

} // namespace

constinit std::atomic<Operations const*> operations{&first_operations};

} // namespace mxk::preload
