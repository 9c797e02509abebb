// The simulated machine under QEMU: takes what QEMU's cores do to the model, lets each of them run only when its time
// has come, and gives QEMU's timers and clocks the model's time. What the model is not asked about (everything outside
// of the measured part) takes a cycle per instruction. Of a sampled run parts are modelled, and between them blocks of
// code take what they took there.
//
// QEMU runs all cores on one thread, round robin (-accel tcg,thread=single), so nearly everything here is of that
// thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <fstream>
#include <mutex>
#include <vector>

#include "tools/simulator/model/core.hpp"
#include "tools/simulator/model/core_turns.hpp"
#include "tools/simulator/model/memory_model.hpp"
#include "tools/simulator/model/results.hpp"
#include "tools/simulator/model/sampled_costs.hpp"
#include "tools/simulator/model/sampling.hpp"
#include "tools/simulator/plugin/blocks.hpp"
#include "tools/simulator/plugin/core_registers.hpp"
#include "tools/simulator/plugin/emulator.hpp"
#include "tools/simulator/plugin/idle_thread.hpp"
#include "tools/simulator/plugin/pages.hpp"
#include "tools/simulator/plugin/plugin_options.hpp"
#include "tools/simulator/plugin/recorder.hpp"
#include "tools/simulator/plugin/virtual_clock.hpp"

namespace mxk::simulator {

class Simulation final : public ClockUser {
  public:
    /// cores: QEMU's, of which each is a processor of the machine: a thread of a core. Throws std::runtime_error.
    Simulation(Options const& options, unsigned cores);
    Simulation(Simulation const&) = delete;
    Simulation& operator=(Simulation const&) = delete;

    /// Before a core's first instruction.
    void core_appears(unsigned core);
    Block& translate(qemu_plugin_tb const* block) { return blocks_.find(block, pages_); }

    /// A block is about to run. place: in its machine code, before the first instruction. May not return.
    void block_begins(Block& block, std::uintptr_t place) {
        if (current_cpu != holder_cpu_) comes_unasked(place);
        unsigned const core = turns_.holder();
        Recorder& recorder = recorders_[core];
        if (recorder.block() != nullptr) finish(core, block);
        if (turns_.clock(core) >= attention_.load(std::memory_order_relaxed)) attend(core, place);
        if (block.handles_interrupts) count_interrupt(core);
        recorder.begin(block);
        if (block.marker != Marker::None) mark(core, block.marker);
        if (models_) models_of_[core].begin_block(block.address);
    }
    // All of these: of the core whose turn it is, of which only the holder's instructions run.

    /// After an access; only in a measured part.
    void access(Instruction const& instruction, Access access);
    bool measures() const { return models_ || skips_; }
    /// Where the model is skipped: the holder did the same to that line in this turn already; caches know of it.
    bool was_done(std::uint64_t address, bool store) {
        if (!skips_) return false;
        std::uint64_t const line = address / Machine::line_bytes;
        DoneLine& last = done_[line % done_.size()];
        if (last.line == line && (last.stored || !store)) return true;
        last = {line, store};
        return false;
    }

    // An instruction of the block is about to run.
    void prefetch(Instruction const& instruction);
    void reads_time(Instruction const& instruction);
    void halts(Instruction const& instruction);
    void writes_port(std::uint64_t port); // 0: that rdx names
    void changes_pages() { pages_.forget(); }

    Pages& pages() { return pages_; }
    void write_results();

    Time ticks() override;
    Time device_time() override;
    void interrupt(CPUState* core, Time at) override;
    Time latest() const override { return latest_.load(std::memory_order_relaxed); }

  private:
    struct Interruption {
        unsigned core;
        Time at;
    };

    struct DoneLine {
        std::uint64_t line;
        bool stored;
    };

    void comes_unasked(std::uintptr_t place);
    unsigned number_of(CPUState const* core) const;
    void finish(unsigned core, Block& next);
    void account(unsigned core, unsigned end, std::uint64_t next);
    void attend(unsigned core, std::uintptr_t place);
    [[noreturn]] static void leave(std::uintptr_t place);
    void count_interrupt(unsigned core);

    void pass_turn();
    void wake(unsigned core, Time at);
    void wake_interrupted();
    bool run_due_timers();
    IdleThread::Next pass_time();

    void mark(unsigned core, Marker marker);
    void begin_region(Time at);
    void end_region(Time at);
    Time skip(unsigned core, Block& block, unsigned count);
    void end_gap(Time length);
    void tell_of_sample(Sampled const& sampled, Time end) const;
    void change_phase(Time at);
    Time end_phase(Time at);
    void begin_modelling(Time at);
    void end_modelling(Time at);
    Time now(unsigned core) const { return models_ ? models_of_[core].retired() : turns_.clock(core); }
    Time lookahead() const;
    std::vector<Core const*> all_models() const;

    Options const options_;
    Machine const machine_;
    Memory memory_;
    std::deque<CoreThreads> threads_of_; // by core
    std::deque<Core> models_of_;         // by processor, as all that follows
    Results results_;
    Sampling sampling_;
    SampledCosts costs_;
    Time const device_access_;

    Turns turns_;
    std::vector<Recorder> recorders_;
    std::vector<CPUState*> cpus_;
    CPUState* holder_cpu_ = nullptr; // whose turn it is
    std::vector<bool> was_woken_;    // and has not run since
    StopMark const stop_mark_;
    VirtualClock clock_;
    CoreRegisters registers_;
    Pages pages_;
    Blocks blocks_;

    std::atomic<unsigned> changes_of_marks_ = 0; // begun and ended: odd while they are changed
    std::atomic<Time> attention_ = 0;            // when the holder's clock has come to that, there is more to do
    std::atomic<Time> latest_ = 0;               // of the holder, when it was looked at last, or of the timers that ran
    std::atomic<bool> has_ended_ = false;        // the kernel has told QEMU to end
    bool one_more_is_awake_ = false;             // since the turn was passed on
    bool asks_for_timers_ = true;                // the next one may be another than next_timer_
    Time next_timer_ = 0;
    std::mutex interruptions_lock_;
    std::vector<Interruption> interruptions_;

    bool models_ = false;
    std::vector<double> skipped_cost_of_any_; // by node: of an instruction
    bool skips_ = false;                      // in a measured part between intervals that are modelled
    std::array<DoneLine, 128> done_{};
    unsigned measuring_ = 0; // cores between the two marks
    Time region_begin_ = 0;
    Time phase_begin_ = 0;
    Time modelled_ = 0;              // of the region
    std::uint64_t skipped_ = 0;      // instructions of the region
    std::uint64_t instructions_ = 0; // of all regions
    std::chrono::steady_clock::time_point host_begin_;
    std::chrono::duration<double> host_time_{};

    IdleThread idle_thread_; // last: it uses all of the above
};

} // namespace mxk::simulator
