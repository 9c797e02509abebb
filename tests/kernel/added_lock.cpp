// A lock in one file, which docs/locks.md shows: tickets whose waiters wait longer the more others are before them.
#include <cstdint>

#include "locks/lock_kind.hpp"

namespace mxk::locks {
namespace {

template <typename F> class PatientTicket {
    struct State {
        typename F::template Word<std::uint32_t> next{0};
        typename F::template Word<std::uint32_t> serving{0};
    };

  public:
    struct Node {
        std::uint32_t ticket = 0;
        [[no_unique_address]] typename F::Count count;
    };
    explicit PatientTicket(typename F::Site const& site)
        : home_(site) {}

    void acquire(Node& node) {
        node.ticket = home_.far(&State::next).add(1, std::memory_order_relaxed);
        typename F::Wait wait(home_);
        for (bool at_once = true;; at_once = false) {
            // acquire: pairs with release()
            std::uint32_t before = node.ticket - home_.far(&State::serving).read(std::memory_order_acquire);
            if (before == 0) return node.count.acquired(at_once);
            for (; before != 0; --before) wait.turn();
        }
    }
    void release(Node& node) { home_.far(&State::serving).acc(node.ticket + 1, std::memory_order_release); }

  private:
    typename F::template Home<State> home_;
};

constexpr LockKind patient_ticket{.name = "patient-ticket",
                                  .summary = "tickets, with a pause for each other one before",
                                  .fairness = Fairness::Fifo,
                                  .operations = {.acquire = {{.home = 2}}, .release = {{.home = 1}}},
                                  .forms = lock_forms<PatientTicket>};
MXK_REGISTER(mxk_lock_kinds, LockKind, patient_ticket);

} // namespace
} // namespace mxk::locks
