#include "tools/simulator/model/core.hpp"

#include <algorithm>
#include <bit>

namespace mxk::simulator {

Core::Core(Machine const& machine, Memory& memory, CoreThreads& threads, unsigned number)
    : memory_(memory)
    , threads_(threads)
    , parameters_(machine.core)
    , load_latency_(machine.l1.latency)
    , number_(number)
    , window_(machine.core.window)
    , stores_(machine.core.store_buffer, PendingStore{0, {Cause::Base}})
    , predictor_(machine.core, number)
    , block_(&profile_[0]) {}

inline Time Core::ready(Registers registers, Time at_first) const {
    Time time = at_first;
    for (; registers != 0; registers &= registers - 1)
        time = std::max(time, ready_[static_cast<unsigned>(std::countr_zero(registers))]);
    return time;
}

inline void Core::hold_dispatch(Time until, Blame const& blame) {
    if (until <= dispatch_from_) return;
    dispatch_from_ = until;
    dispatch_blame_ = blame;
}

inline Time Core::dispatch() {
    step_ = per_cycle / parameters_.width;
    remainder_ += static_cast<unsigned>(per_cycle % parameters_.width);
    if (remainder_ >= parameters_.width) {
        remainder_ -= parameters_.width;
        ++step_;
    }
    dispatched_ = std::max({dispatched_ + step_, dispatch_from_, window_[oldest(window_at_, window_.size())]});
    if (threads_.are_several()) dispatched_ += threads_.dispatch(dispatched_);
    return dispatched_;
}

inline void Core::load(Access const& access, Time addresses, std::uint64_t code, Loaded& loaded) {
    Time const start = std::max(addresses, loads_from_);
    Answer const answer = memory_.access(number_, access, start, code);
    Loaded one{start, answer.done, answer.translation, {cause_of(answer.source), access.physical_address}};
    StoreForwarding::Entry const* const stored = forwarding_.find(access.physical_address);
    // Unless another core has taken the line since.
    bool const has_line = answer.source == Source::L1 || answer.hit_under_way;
    if (stored != nullptr && stored->written > start && has_line)
        one = {start, std::max(start, stored->data) + load_latency_, 0, {Cause::L1}};
    if (one.done >= loaded.done) loaded = one;
    loads_done_ = std::max(loads_done_, one.done);
}

void Core::fetch(Access const& access, std::uint64_t code) {
    Answer const answer = memory_.access(number_, access, dispatched_, code);
    if (answer.done > dispatched_) hold_dispatch(answer.done, {cause_of(answer.source), access.physical_address});
}

Time Core::prefetch(Access const& access, Time addresses, std::uint64_t code) {
    return memory_.access(number_, access, addresses, code).accepted;
}

/// Stores are written in order, after they retired; lines are asked for when they retire, so that stores overlap.
inline void Core::store(Access const& access, Time data, std::uint64_t code) {
    Answer const answer = memory_.access(number_, access, retired_, code);
    stores_written_ = std::max(stores_written_ + per_cycle, answer.done);
    stores_blame_ = {cause_of(answer.source), access.physical_address};
    stores_[stores_at_] = {stores_written_, stores_blame_};
    if (++stores_at_ == stores_.size()) stores_at_ = 0;
    forwarding_.store(access.physical_address, access.bytes, data, stores_written_);
}

Time Core::locked(std::span<Access const> accesses, Time operands, std::uint64_t code, Loaded& loaded) {
    Time const stores = stores_written_;
    Time const start = std::max({operands, loads_done_, stores});
    if (stores > operands && stores >= loads_done_) loaded = {operands, stores, 0, stores_blame_};
    Time line = start + load_latency_;
    for (Access access : accesses) {
        if (access.kind == Kind::Fetch) continue;
        bool const first = access.kind == Kind::Load || access.kind == Kind::LockedLoad;
        access.kind = first ? Kind::LockedLoad : Kind::LockedStore;
        Answer const answer = memory_.access(number_, access, first ? start : line, code);
        if (!first) continue;
        if (answer.done > line)
            loaded = {start, answer.done, answer.translation, {cause_of(answer.source), access.physical_address}};
        line = std::max(line, answer.done);
    }
    Time const done = std::max(start, line - load_latency_) + parameters_.atomic;
    loads_from_ = loads_done_ = stores_written_ = done;
    stores_blame_ = {Cause::Synchronisation};
    return done;
}

void Core::execute(Instruction const& instruction, std::span<Access const> accesses, bool branch_taken) {
    std::uint64_t const code = instruction.address;
    bool stores = false;
    for (Access const& access : accesses) {
        if (access.kind == Kind::Fetch) fetch(access, code);
        stores = stores || writes(access.kind);
    }
    if (stores) {
        PendingStore const& oldest_one = stores_[oldest(stores_at_, stores_.size())];
        hold_dispatch(oldest_one.written, oldest_one.blame);
    }

    Time const begin = dispatch();
    Time const addresses = ready(instruction.address_registers, begin);
    Time const operands = ready(instruction.sources, begin);
    Time const latency = cycles(instruction.latency_cycles);
    Loaded loaded{begin, 0, 0, {Cause::Base}};
    Cause rest = Cause::Base;
    Time done = begin;

    switch (instruction.type) {
    case Class::Locked:
        rest = Cause::Synchronisation;
        done = locked(accesses, std::max(operands, addresses), code, loaded);
        break;
    case Class::Fence:
        rest = Cause::Synchronisation;
        loaded = {begin, stores_written_, 0, stores_blame_};
        done = std::max({begin, loads_done_, stores_written_}) + latency;
        loads_from_ = done;
        break;
    case Class::LoadFence:
    case Class::Pause:
        rest = Cause::Synchronisation;
        done = instruction.type == Class::Pause ? begin + parameters_.pause : std::max(begin, retired_) + latency;
        break;
    case Class::Serialising:
    case Class::SerialIo:
    case Class::Halt:
    case Class::Mwait: done = std::max({begin, retired_, stores_written_}) + latency; break;
    case Class::Prefetch:
        for (Access const& access : accesses)
            if (is_prefetch(access.kind)) done = prefetch(access, addresses, code);
        break;
    default:
        for (Access const& access : accesses)
            if (access.kind == Kind::Load || access.kind == Kind::LockedLoad) load(access, addresses, code, loaded);
        done = std::max(operands, loaded.done) + latency;
        break;
    }

    for (Registers left = instruction.destinations; left != 0; left &= left - 1)
        ready_[static_cast<unsigned>(std::countr_zero(left))] = done;
    retire(begin, done, loaded, rest);
    if (stores && instruction.type != Class::Locked)
        for (Access const& access : accesses)
            if (writes(access.kind)) store(access, done, code);
    after(instruction, done, branch_taken);
}

/// What younger instructions wait for before they are dispatched.
inline void Core::after(Instruction const& instruction, Time done, bool branch_taken) {
    switch (instruction.type) {
    case Class::ConditionalBranch:
        if (predictor_.misses(instruction.address, branch_taken))
            hold_dispatch(done + parameters_.branch_miss, {Cause::Branch});
        break;
    case Class::LoadFence:
    case Class::Serialising:
    case Class::SerialIo:
    case Class::Pause:
    case Class::Halt:
    case Class::Mwait: hold_dispatch(done, {Cause::Synchronisation}); break;
    default: break;
    }
}

/// Time since the last retirement is blamed: first the wait for dispatch, then for memory, the rest on `rest`.
inline void Core::retire(Time dispatch, Time done, Loaded const& loaded, Cause rest) {
    Time const next = retired_ + step_;
    ++instructions_;
    ++block_->instructions;
    charge(Cause::Base, step_);
    retired_ = std::max(next, done);
    if (done > next) {
        Time from = next;
        if (dispatch > from) {
            charge(dispatch == dispatch_from_ ? dispatch_blame_ : Blame{Cause::Base}, dispatch - from);
            from = dispatch;
        }
        Time const memory_begin = std::clamp(loaded.start, from, done);
        Time const memory_end = std::clamp(loaded.done, memory_begin, done);
        Time const translation = std::min(loaded.translation, memory_end - memory_begin);
        charge(Cause::Tlb, translation);
        charge(loaded.blame, memory_end - memory_begin - translation);
        charge(rest, done - from - (memory_end - memory_begin));
    }
    window_[window_at_] = retired_;
    if (++window_at_ == window_.size()) window_at_ = 0;
}

void Core::advance(Time time, Cause cause) {
    if (time > retired_) {
        charge(cause, time - retired_);
        retired_ = time;
    }
    dispatched_ = std::max(dispatched_, retired_);
}

void Core::skip_until(Time time) {
    retired_ = std::max(retired_, time);
    dispatched_ = std::max(dispatched_, retired_);
}

void Core::set_awake(bool awake) {
    if (awake == awake_) return;
    awake_ = awake;
    if (awake)
        threads_.wakes();
    else
        threads_.sleeps();
}

void Core::wake(Time time) {
    set_awake(true);
    idle_until(time);
    wait_until(retired_ + parameters_.halt_wake);
}

void Core::interrupt(Time sent) {
    wait_until(std::max(retired_, sent + parameters_.interrupt));
}

void Core::reset_statistics() {
    instructions_ = 0;
    stack_ = {};
    std::uint64_t const block = block_->address;
    profile_.reset();
    block_ = &profile_[block];
}

} // namespace mxk::simulator
