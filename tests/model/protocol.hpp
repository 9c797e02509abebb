// A protocol between threads under the model checker, and whether what its source says is needed: all executions of
// some small uses are right; then each order that is stronger than relaxed is weakened, each store and fence is left
// out, and each condition is taken for true and for false, one at a time, and every one of these mutants must be
// noticed: by an error, or because the uses have other outcomes than they have. What is not noticed is named, with the
// reason.
//
//     Protocol("push stack").use({"two push", {.begin = ..., .threads = {...}, .end = ...}}).check({{"mutant",
//     "why"}});
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/model_memory.hpp"
#include "tests/model/places.hpp"
#include "tests/model/weak_memory.hpp"

namespace mxk::test {

struct ProtocolUse {
    std::string name;
    ModelProgram program; // begin() finds ModelMemory empty, and the platform's settings as at first
    std::size_t turns = 0;
    bool is_long = false;  // tried with MXK_LONG_TESTS only
    bool is_large = false; // the same of its mutants
};

// What a thread, or end(), has seen: part of the outcome of the execution.
void note(std::uint64_t value);

class Protocol {
  public:
    using Outcome = std::vector<std::vector<std::uint64_t>>; // by thread, the last one of end()
    using Reasons = std::map<std::string,
                             std::string>; // by mutant, or with * at the end several; "long: ...": those uses notice it

    explicit Protocol(std::string name)
        : name_(std::move(name)) {}
    Protocol& use(ProtocolUse use);
    // The uses as they are, and no mutants.
    void check_uses() { explore_all(); }
    // Of a use that is wrong; empty: none is.
    std::string first_error();
    // `places`: how the names of those begin that are changed ("mail_ring, take() swap"); each is the beginning of
    // some.
    void check(std::vector<std::string> const& places, Reasons const& unnoticed);
    void check(std::vector<std::string> const& places) { check(places, {}); }
    // With this mutant thread 1 waits for ever, and the trace says for what.
    void check_lost_wake_up(std::string const& mutant);

  private:
    // False: a use is wrong as it is.
    bool explore_all();
    enum class Verdict : std::uint8_t { Unnoticed, Error, OtherOutcomes };
    struct Known {
        ProtocolUse use;
        std::size_t executions = 0;
        std::set<Outcome> outcomes;
    };
    static ModelExploration explore(ProtocolUse const& use, std::size_t max, std::set<Outcome>& outcomes);
    // The error and below it the execution; empty: nothing is found.
    [[nodiscard]] std::string found_with(std::string const& mutant);
    [[nodiscard]] Verdict try_mutant(Mutant const& mutant) const;
    [[nodiscard]] std::vector<Verdict> try_all(std::vector<Mutant> const& mutants) const;

    std::string name_;
    std::vector<Known> known_;
    std::size_t executions_ = 0; // of all uses
};

} // namespace mxk::test
