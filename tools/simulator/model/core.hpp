// A core, or a thread of one: instructions are dispatched in order, `width` a cycle, begin when their operands are
// known, and retire in order; `window` of them may be under way, so independent loads overlap and dependent ones do
// not. (The interval model of Karkhanis and Smith, and of Sniper, with times per instruction.) What is left out:
// execution ports, the front end but for branches and fetches that miss, wrong-path accesses.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/simulator/model/block_profile.hpp"
#include "tools/simulator/model/core_threads.hpp"
#include "tools/simulator/model/cpi_stack.hpp"
#include "tools/simulator/model/instruction.hpp"
#include "tools/simulator/model/machine_model.hpp"
#include "tools/simulator/model/memory_access.hpp"
#include "tools/simulator/model/memory_model.hpp"
#include "tools/simulator/model/predictor.hpp"
#include "tools/simulator/model/store_forwarding.hpp"

namespace mxk::simulator {

class Core {
  public:
    /// All must outlive it. threads: of the core that it is one of. number: below the machine's processors.
    Core(Machine const& machine, Memory& memory, CoreThreads& threads, unsigned number);
    Core(Core const&) = delete;
    Core& operator=(Core const&) = delete;

    /// The next instruction of the program, with its accesses in the order in which it does them. Accesses of a locked
    /// instruction may be of any kind. A Fetch, of the line that the instruction is in, is needed only when that line
    /// is another one than before. branch_taken: of a conditional branch.
    void execute(Instruction const& instruction, std::span<Access const> accesses, bool branch_taken);

    /// From now on, time is counted for the block of code that begins there.
    void begin_block(std::uint64_t address) { block_ = &profile_[address]; }

    /// When the youngest instruction was dispatched: the core that is behind is the one with the smallest.
    Time now() const { return dispatched_; }
    /// When all instructions are done: what rdtsc reads.
    Time retired() const { return retired_; }

    /// Sleeps until then, if that is not in the past.
    void idle_until(Time time) { advance(time, Cause::Idle); }
    /// Goes on then, if that is not in the past; what was until then is nobody's time.
    void skip_until(Time time);
    /// Waits until then for other reasons.
    void wait_until(Time time) { advance(time, Cause::Synchronisation); }
    /// Whether it runs: of one that sleeps, nothing is executed. At first all sleep.
    void set_awake(bool awake);
    /// A halted core is woken at that time, and continues after what that takes.
    void wake(Time time);
    /// Continues with a handler of an interrupt that was sent at that time.
    void interrupt(Time sent);

    unsigned number() const { return number_; }
    std::uint64_t instructions() const { return instructions_; }
    CpiStack const& stack() const { return stack_; }
    std::vector<BlockTime> blocks() const { return profile_.blocks(); }
    void reset_statistics();

  private:
    /// Whom time is blamed on: another core's cache is, for a line.
    struct Blame {
        Cause cause;
        std::uint64_t physical_address = 0;
    };
    struct Loaded {
        Time start; // when its address was known
        Time done;
        Time translation;
        Blame blame;
    };
    struct PendingStore {
        Time written;
        Blame blame;
    };

    Time dispatch();
    void load(Access const& access, Time addresses, std::uint64_t code, Loaded& loaded);
    void fetch(Access const& access, std::uint64_t code);
    Time prefetch(Access const& access, Time addresses, std::uint64_t code);
    void store(Access const& access, Time data, std::uint64_t code);
    Time locked(std::span<Access const> accesses, Time operands, std::uint64_t code, Loaded& loaded);
    void retire(Time dispatch, Time done, Loaded const& loaded, Cause rest);
    void after(Instruction const& instruction, Time done, bool branch_taken);
    void hold_dispatch(Time until, Blame const& blame);
    void advance(Time time, Cause cause);
    void charge(Cause cause, Time time) {
        stack_[cause] += time;
        block_->stack[cause] += time;
    }
    void charge(Blame const& blame, Time time) {
        charge(blame.cause, time);
        if (blame.cause == Cause::OtherCore) memory_.blame(blame.physical_address, time);
    }
    Time ready(Registers registers, Time at_first) const;
    /// The place of what a full window or store buffer waits for: the next one, where the thread has all of it.
    std::size_t oldest(std::size_t next, std::size_t size) const {
        if (!threads_.are_several()) return next;
        std::size_t const back = next + size - threads_.part_of(size);
        return back < size ? back : back - size;
    }

    Memory& memory_;
    CoreThreads& threads_;
    bool awake_ = false;
    CoreParameters const parameters_;
    Time const load_latency_;
    unsigned const number_;

    Time dispatched_ = 0;
    Time retired_ = 0;
    Time step_ = 0;          // the next instruction's share of a cycle
    unsigned remainder_ = 0; // of per_cycle / width, so that `width` steps are a cycle
    Time dispatch_from_ = 0; // what the front end waits for
    Blame dispatch_blame_{Cause::Base};
    Time loads_done_ = 0; // all older loads
    Time loads_from_ = 0; // younger loads wait for a fence or locked instruction
    Time stores_written_ = 0;
    Blame stores_blame_{Cause::Base}; // what the youngest store waits for
    std::array<Time, register_count> ready_{};

    std::vector<Time> window_; // when the instruction `window` before retired
    std::size_t window_at_ = 0;
    std::vector<PendingStore> stores_;
    std::size_t stores_at_ = 0;

    StoreForwarding forwarding_;
    Predictor predictor_;
    std::uint64_t instructions_ = 0;
    CpiStack stack_;
    BlockProfile profile_;
    BlockTime* block_;
};

} // namespace mxk::simulator
