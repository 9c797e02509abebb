#include "tests/model/protocol.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <thread>

#include "arch/cpu.hpp"
#include "base/log.hpp"
#include "base/refusal.hpp"
#include "base/spin_wait.hpp"
#include "kernel/memory/memory.hpp"
#include "tests/model/atomic.hpp"
#include "tests/unit/long_tests.hpp"

namespace mxk::test {
namespace {

Protocol::Outcome outcome; // of the execution under way

// Executions of one use.
std::size_t max_executions() {
    return operations(50'000, 5'000'000);
}
constexpr rlim_t max_seconds = 300;

// What a use may set, in begin() or later.
void reset_settings() {
    processors_may_be_taken = false;
    model_has_membarrier = true;
    model_has_avx2 = false;
    model_time = {};
    model_time_of_look = 0;
    model_warnings = 0;
    model_memory_is_out = false;
    model_memory_is_refused = false;
}

} // namespace

void note(std::uint64_t value) {
    std::size_t const self = WeakMemory::current().self();
    outcome[self == 0 ? outcome.size() - 1 : self - 1].push_back(value);
}

Protocol& Protocol::use(ProtocolUse use) {
    if (!use.is_long || tests_are_long()) known_.push_back({std::move(use), 0, {}});
    return *this;
}

ModelExploration Protocol::explore(ProtocolUse const& use, std::size_t max, std::set<Outcome>& outcomes) {
    ModelProgram program = use.program;
    program.may_be_cut = Places::mutant() == nullptr;
    program.begin = [&] {
        ModelMemory::begin_run();
        reset_settings();
        outcome.assign(use.program.threads.size() + 1, {});
        use.program.begin();
    };
    program.end = [&] {
        use.program.end();
        outcomes.insert(outcome);
    };
    WeakMemory memory;
    return memory.explore(program, max, use.turns);
}

std::string Protocol::first_error() {
    for (Known& known : known_)
        if (ModelExploration const explored = explore(known.use, max_executions(), known.outcomes);
            !explored.error.empty())
            return explored.error + "\n" + explored.trace;
    return {};
}

bool Protocol::explore_all() {
    Places::forget();
    executions_ = 0;
    std::size_t cut = 0;
    for (Known& known : known_) {
        ModelExploration const explored = explore(known.use, max_executions(), known.outcomes);
        EXPECT_EQ(explored.error, "") << name_ << ", " << known.use.name << "\n" << explored.trace;
        EXPECT_TRUE(explored.is_complete || !explored.error.empty())
            << known.use.name << " has more than " << explored.executions << " executions";
        known.executions = explored.executions;
        executions_ += explored.executions;
        cut += explored.cut;
        std::cout << name_ << ", " << known.use.name << ": " << explored.executions << " executions, of which "
                  << explored.stopped << " waited, " << known.outcomes.size() << " outcomes, " << explored.excluded
                  << " excluded" << std::endl;
    }
    EXPECT_EQ(cut, 0U) << cut << " of " << executions_ << " executions had too many events, and were cut";
    ::testing::Test::RecordProperty("executions", static_cast<int>(executions_));
    // What costs less is tried first.
    std::ranges::stable_sort(known_, {}, &Known::executions);
    return !::testing::Test::HasFailure();
}

void Protocol::check(std::vector<std::string> const& places, Reasons const& unnoticed) {
    if (!explore_all()) return;
    std::vector<Mutant> mutants = Places::mutants();
    std::set<std::string> unused(places.begin(), places.end());
    std::erase_if(mutants, [&](Mutant const& mutant) {
        std::string const name = Places::name(mutant);
        bool is_changed = false;
        for (std::string const& begin : places) {
            if (!name.starts_with(begin)) continue;
            unused.erase(begin);
            is_changed = true;
        }
        return !is_changed;
    });
    for (std::string const& begin : unused) ADD_FAILURE() << "no place begins so: " << begin;
    std::vector<Verdict> const verdicts = try_all(mutants);
    std::set<std::string> missed;
    std::size_t counts[2][3] = {}; // orders, conditions, by verdict
    for (std::size_t i = 0; i < mutants.size(); ++i) {
        ++counts[mutants[i].is_condition() ? 1 : 0][static_cast<std::size_t>(verdicts[i])];
        if (verdicts[i] == Verdict::OtherOutcomes && tests_are_long())
            std::cout << "by its outcomes only: " << Places::name(mutants[i]) << '\n';
        if (verdicts[i] == Verdict::Unnoticed) missed.insert(Places::name(mutants[i]));
    }
    auto const is_meant = [](std::string const& key, std::string const& name) {
        return key.ends_with('*') ? name.starts_with(key.substr(0, key.size() - 1)) : name == key;
    };
    for (std::string const& name : missed)
        EXPECT_TRUE(std::ranges::any_of(unnoticed, [&](auto const& meant) { return is_meant(meant.first, name); }))
            << "not noticed, and no reason is given: " << name;
    for (auto const& [key, reason] : unnoticed)
        EXPECT_TRUE(std::ranges::any_of(missed, [&](std::string const& name) { return is_meant(key, name); }) ||
                    (tests_are_long() && reason.starts_with("long:")))
            << "noticed, or no mutant: " << key << " (" << reason << ")";
    auto const text = [&](std::size_t kind) {
        auto const& [missed_now, errors, others] = counts[kind];
        return std::to_string(errors + others) + " of " + std::to_string(missed_now + errors + others) + " noticed (" +
               std::to_string(others) + " by outcomes)";
    };
    std::cout << "model " << name_ << ": " << executions_ << " executions; orders and stores " << text(0)
              << ", conditions " << text(1) << '\n';
    ::testing::Test::RecordProperty("mutants", static_cast<int>(mutants.size()));
}

void Protocol::check_lost_wake_up(std::string const& mutant) {
    std::string const found = found_with(mutant);
    EXPECT_EQ(found.find("all that are left wait for ever\n"), 0U) << mutant << "\n" << found;
    EXPECT_NE(found.find("\nthread 1 waits: it goes on reading 0, written by 0."), std::string::npos) << found;
    if (tests_are_long()) std::cout << mutant << "\n" << found;
}

std::string Protocol::found_with(std::string const& mutant) {
    Places::forget();
    for (Known& known : known_) explore(known.use, max_executions(), known.outcomes);
    std::vector<Mutant> const mutants = Places::mutants();
    auto const wanted = std::ranges::find(mutants, mutant, [](Mutant const& made) { return Places::name(made); });
    if (wanted == mutants.end()) return "no mutant " + mutant;
    Places::set(&*wanted);
    std::string result = first_error();
    Places::set(nullptr);
    return result;
}

// By an error, or because outcomes are others.
Protocol::Verdict Protocol::try_mutant(Mutant const& mutant) const {
    Places::set(&mutant);
    for (Known const& known : known_) {
        if (known.use.is_large && !tests_are_long()) continue;
        std::set<Outcome> outcomes;
        // One that has many more executions is not tried to their end: others than those wanted are none.
        std::size_t const max = 2 * known.executions + std::min<std::size_t>(2'000, 100 + 20 * known.executions);
        ModelExploration const explored = explore(known.use, max, outcomes);
        if (!explored.error.empty()) return Verdict::Error;
        if (!std::ranges::includes(known.outcomes, outcomes)) return Verdict::OtherOutcomes;
        if (explored.is_complete && outcomes != known.outcomes) return Verdict::OtherOutcomes;
    }
    return Verdict::Unnoticed;
}

// Each in a process of its own: a mutant may read where nothing is, or never end.
std::vector<Protocol::Verdict> Protocol::try_all(std::vector<Mutant> const& mutants) const {
    std::vector<Verdict> verdicts(mutants.size(), Verdict::Unnoticed);
    std::map<pid_t, std::size_t> running;
    std::size_t const together = std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t next = 0; next < mutants.size() || !running.empty();) {
        if (next < mutants.size() && running.size() < together) {
            std::cout.flush();
            pid_t const child = fork();
            if (child == 0) {
                rlimit const time{max_seconds, max_seconds};
                rlimit const none{0, 0};
                setrlimit(RLIMIT_CPU, &time);
                setrlimit(RLIMIT_CORE, &none);
                _exit(static_cast<int>(try_mutant(mutants[next])));
            }
            if (child < 0) {
                ADD_FAILURE() << "no process for a mutant";
                return verdicts;
            }
            running.emplace(child, next++);
            continue;
        }
        int status = 0;
        pid_t const ended = wait(&status);
        auto const found = running.find(ended);
        if (found == running.end()) continue;
        bool const is_too_long = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
        EXPECT_FALSE(is_too_long) << Places::name(mutants[found->second]) << " took more than " << max_seconds << " s";
        verdicts[found->second] = WIFSIGNALED(status) ? Verdict::Error // it crashes
                                                      : static_cast<Verdict>(WEXITSTATUS(status));
        running.erase(found);
    }
    return verdicts;
}

} // namespace mxk::test
