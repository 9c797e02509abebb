// What a shared table wants to know of grace periods and of its caller's core. A class of its own, so that a test may
// have grace periods without a machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/panic.hpp"
#include "kernel/sync/rcu/rcu.hpp"

namespace mxk {

// Any core, in a read section; never blocks.
class MachineGrace {
  public:
    // Once the machine has grace periods (rcu::create()), for as long as it has them.
    MachineGrace()
        : periods_(rcu::periods()) {
        expect(periods_ != nullptr, "a table that is read under RCU is made on a machine that has grace periods");
    }

    // Whether the machine has grace periods: only where it has may others read what the caller gives back.
    [[nodiscard]] static bool exists() { return rcu::periods() != nullptr; }

    // A grace period after which nobody uses what the caller has just unlinked by a plain store. The next one would do
    // behind a fence. Without: as long as the caller is in its read section, the next one does not end, and when it
    // has, the store is seen by all; so the one after it waits for all who have not seen it.
    [[nodiscard]] std::uint64_t after_readers() const { return periods_->begun() + 2; }
    // acquire: what readers have done before its end is done before what the caller does next.
    [[nodiscard]] bool is_over(std::uint64_t number) const { return periods_->done() >= number; }
    // Somebody waits for it.
    void want(std::uint64_t number) const { periods_->ask_for(number, rcu::Urgency::Batched); }
    // Runs after the next grace period.
    static void call(rcu::Callback& callback) { rcu::call(callback); }

    // Which core the caller runs or lives on.
    [[nodiscard]] static std::size_t place() { return index(arch::home_core()); }

  private:
    rcu::GracePeriods* periods_;
};

} // namespace mxk
