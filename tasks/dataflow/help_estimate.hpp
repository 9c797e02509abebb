// Whether a core that has nothing to do takes another's tasks, or leaves them to it. What waits for less time than it
// takes to fetch it, its owner runs sooner itself, with its data in its cache: two cores that share a pipe of small
// tasks are slower than one. So the one that would help first looks for some time at how fast the other gets on, and
// takes what that one would not come to within as long again. (Falt 2010, section 5.4, steals at once; `bench dataflow
// pipe` has both.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/units.hpp"

namespace mxk::dataflow {

// Of one core about another, or about the cores of its node.
class HelpEstimate {
  public:
    // A look: tasks that wait there now, and those that were run there so far. True: one may be taken. The first one of
    // a series knows nothing yet. However far looks are apart, what nobody runs meanwhile is worth it at the second.
    [[nodiscard]] bool is_worth(std::size_t waiting, std::uint64_t done, Cycles now, Cycles patience,
                                std::uint32_t series) {
        if (patience == Cycles{}) return waiting != 0;
        std::uint64_t const elapsed = raw(now - looked_);
        bool const is_first = series != series_;
        if (is_first || elapsed >= raw(patience)) {
            // Those that the other will have run itself when as much time as its patience has passed.
            std::uint64_t const own = is_first ? waiting : raw(patience) * (done - done_) / elapsed;
            left_ = waiting > own ? waiting - own : 0;
            looked_ = now;
            done_ = done;
            series_ = series;
        }
        return waiting != 0 && left_ != 0;
    }
    void took_one() {
        if (left_ != 0) --left_;
    }

  private:
    Cycles looked_{};
    std::uint64_t done_ = 0;
    std::uint64_t left_ = 0;   // to be taken until the next look
    std::uint32_t series_ = 0; // the first one is 1
};

// Whether a core that has come to help goes on with a request that another core leads, which is the first that served
// it. It goes where that one is quick: its tasks are so short that moving their lines to and fro takes longer, and it
// comes to all that wait within its patience. Without this, two cores that once share a pipe of small tasks, since one
// of them had lost its processor for a moment, share it for ever, and take turns at every box.
class StayEstimate {
  public:
    static constexpr std::uint64_t quick_tasks = 8; // within the patience: shorter ones are not worth sharing

    enum class Word : std::uint8_t { Stay, Lead, Leave };
    // Before each unbound task of the request: whether look() has anything to find.
    [[nodiscard]] bool is_due(std::uint32_t leader, Cycles now, Cycles patience) const {
        return leader != leader_ || now - looked_ >= patience;
    }
    // When that is due: tasks of the request that wait, and those that the leader has run so far. Lead: the leader runs
    // nothing. The first look at a leader knows nothing yet.
    [[nodiscard]] Word look(std::uint32_t leader, std::size_t waiting, std::uint64_t done, Cycles now,
                            Cycles patience) {
        std::uint64_t const elapsed = raw(now - looked_);
        bool const is_first = leader != leader_;
        std::uint64_t const ran = done - done_;
        leader_ = leader;
        looked_ = now;
        done_ = done;
        if (is_first) return Word::Stay;
        if (ran == 0) return Word::Lead;
        std::uint64_t const soon = raw(patience) * ran / elapsed;
        return soon > quick_tasks && soon >= waiting ? Word::Leave : Word::Stay;
    }
    // It does something else from now on.
    void forget() { leader_ = nobody; }

  private:
    static constexpr std::uint32_t nobody = UINT32_MAX;

    std::uint32_t leader_ = nobody;
    Cycles looked_{};
    std::uint64_t done_ = 0;
};

} // namespace mxk::dataflow
