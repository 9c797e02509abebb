// The workers of a simulation (stepped_fabric.hpp): a context each, of which the one that is farthest behind in
// simulated time runs until its next step.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "locks/fabric/lock_topology.hpp"
#include "tests/model/places.hpp"

namespace mxk::test {

class SteppedWorkers {
  public:
    using Time = std::uint64_t;
    // Who has a copy of a word, and who has changed it last.
    struct Line {
        std::optional<locks::WorkerNumber> writer;
        std::uint64_t readers = 0; // a bit each
    };

    // `mutant`: null: the source as it is, whose places are noted.
    SteppedWorkers(std::size_t workers, std::size_t on_each_node, std::uint64_t seed, Mutant const* mutant);
    ~SteppedWorkers();
    SteppedWorkers(SteppedWorkers const&) = delete;
    SteppedWorkers& operator=(SteppedWorkers const&) = delete;

    // The one that runs. Its functions below are for its workers, while they run.
    static SteppedWorkers& current() { return *current_; }

    // Each worker calls body(number). False: error() says why it did not come to its end; then what the bodies have
    // made is never destroyed.
    bool run(std::function<void(locks::WorkerNumber)> body);
    [[nodiscard]] std::string const& error() const { return error_; }
    [[nodiscard]] std::vector<Place> const& places() const { return places_; }
    // Looks at words that found somebody else's change, of all workers; and the others.
    [[nodiscard]] std::uint64_t misses() const { return misses_; }
    [[nodiscard]] std::uint64_t hits() const { return hits_; }

    [[nodiscard]] locks::WorkerNumber self() const { return self_; }
    [[nodiscard]] Time now() const { return workers_[self_].time; }
    void pass(Time time); // time, and others have their turn
    void pause() { pass(pause_time); }
    void read(Line& line);
    void change(Line& line);
    // As change(). False: this write is left out.
    bool writes(Line& line, std::source_location const& from);
    bool condition(bool is_true, std::source_location const& from);
    [[noreturn]] void fail(char const* what);
    // Uniform, from 0 to bound - 1.
    std::uint64_t random(std::uint64_t bound);

  private:
    struct Worker {
        ucontext_t context{};
        std::unique_ptr<std::byte[]> stack;
        Time time = 0;
        bool has_ended = false;
    };
    static constexpr Time pause_time = 10;
    static constexpr std::size_t stack_bytes = 64 * 1024;
    static constexpr std::uint64_t max_steps = 400'000;

    static void begin();
    [[nodiscard]] std::optional<locks::WorkerNumber> next() const;
    void access(Line const& line, bool has_copy);
    [[nodiscard]] bool is(Place const& place, Mutation mutation) const;
    void note(Place const& place);

    static inline SteppedWorkers* current_ = nullptr;
    std::size_t on_each_node_;
    std::uint64_t seed_;
    Mutant const* mutant_;
    std::vector<Worker> workers_;
    std::function<void(locks::WorkerNumber)> body_;
    ucontext_t main_{};
    bool is_running_ = false;
    locks::WorkerNumber self_ = 0;
    std::uint64_t steps_ = 0;
    std::uint64_t misses_ = 0;
    std::uint64_t hits_ = 0;
    std::string error_;
    std::vector<Place> places_;
};

} // namespace mxk::test
