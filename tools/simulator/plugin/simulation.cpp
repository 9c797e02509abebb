#include "tools/simulator/plugin/simulation.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mxk::simulator {
namespace {

// Outside of the measured part: as far as cores' clocks may be apart, in cycles.
constexpr std::uint64_t outside_lookahead_cycles = 1000;

// In a measured part where it is skipped: near enough for cores that wait for each other.
constexpr std::uint64_t skipping_lookahead_cycles = 1000;

// What an access to a device takes there: about what a chip set of real machines needs.
constexpr double device_access_nanoseconds = 500;

Machine read_machine(std::string const& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("machine: cannot read " + path);
    return Machine::read(file);
}

} // namespace

Simulation::Simulation(Options const& options, unsigned cores)
    : options_(options)
    , machine_(read_machine(options.machine))
    , memory_(machine_)
    , results_(machine_)
    , sampling_(cycles(options.sample_cycles), cycles(options.sample_period_cycles), options.seed)
    , costs_(machine_)
    , device_access_(machine_.of_nanoseconds(device_access_nanoseconds))
    , turns_(cores, options.seed)
    , recorders_(cores)
    , cpus_(cores)
    , was_woken_(cores)
    , clock_(*this, machine_.hertz)
    , pages_(registers_)
    , blocks_(options.whole ? 0 : options.begin, options.whole ? 0 : options.end,
              {machine_.core.pause, 2 * device_access_})
    , idle_thread_([this] { return pass_time(); }) {
    if (cores > machine_.processors())
        throw std::runtime_error("expected no more than the machine's " + std::to_string(machine_.processors()) +
                                 " processors");
    memory_.map(options_.memory);
    for (unsigned core = 0; core != machine_.cores; ++core) threads_of_.emplace_back(machine_.core);
    for (unsigned number = 0; number != machine_.processors(); ++number)
        models_of_.emplace_back(machine_, memory_, threads_of_[machine_.core_of(number)], number);
    if (!std::ofstream(options_.result)) throw std::runtime_error("result: cannot write " + options_.result);
}

void Simulation::core_appears(unsigned core) {
    cpus_.at(core) = qemu_get_cpu(static_cast<int>(core));
    if (core != 0) return;
    clock_.take_over();
    registers_.find();
    if (options_.whole) begin_region(0);
}

unsigned Simulation::number_of(CPUState const* core) const {
    return static_cast<unsigned>(std::ranges::find(cpus_, core) - cpus_.begin());
}

void Simulation::comes_unasked(std::uintptr_t place) {
    unsigned const core = number_of(current_cpu);
    if (!turns_.is_awake(core)) {
        wake_interrupted();
        if (!turns_.is_awake(core)) wake(core, latest());
    }
    if (turns_.holder() == Turns::nobody) pass_turn();
    if (turns_.holder() != core) leave(place);
}

void Simulation::leave(std::uintptr_t place) {
    cpu_exit(current_cpu);
    cpu_loop_exit_restore(current_cpu, place);
}

void Simulation::finish(unsigned core, Block& next) {
    Recorder& recorder = recorders_[core];
    Block const& block = *recorder.block();
    if (!recorder.was_cut() && !block.may_lead_to(next.address)) next.handles_interrupts = true;
    account(core, recorder.end(), next.address);
    if (!models_ && !(skips_ && !block.skipped_costs.empty())) turns_.set_clock(core, turns_.clock(core) + block.extra);
    recorder.clear();
}

/// The core's clock is behind the block's instructions below `end` then. It is the time when they have retired: what
/// the core's own time stamps say, and when others see what it has stored.
void Simulation::account(unsigned core, unsigned end, std::uint64_t next) {
    if (models_) {
        recorders_[core].execute(models_of_[core], end, next);
        turns_.set_clock(core, models_of_[core].retired());
    } else {
        Block& block = *recorders_[core].block();
        unsigned const count = recorders_[core].skip(end);
        turns_.set_clock(core, turns_.clock(core) + (skips_ ? skip(core, block, count) : cycles(count)));
    }
}

/// What so many of its instructions take without a model, in a measured part.
Time Simulation::skip(unsigned core, Block& block, unsigned count) {
    skipped_ += count;
    block.skipped += count;
    unsigned const node = machine_.node_of(machine_.core_of(core));
    if (!block.skipped_costs.empty()) return block.skipped_costs[node] * count / block.instructions.size();
    return static_cast<Time>(skipped_cost_of_any_[node] * count);
}

void Simulation::count_interrupt(unsigned core) {
    if (was_woken_[core]) {
        was_woken_[core] = false; // the way to the handler is part of what it takes to wake up
        return;
    }
    if (models_) {
        models_of_[core].interrupt(models_of_[core].retired());
        turns_.set_clock(core, models_of_[core].retired());
    } else if (!skips_) { // there it is part of what the block takes
        turns_.set_clock(core, turns_.clock(core) + machine_.core.interrupt);
    }
}

/// Between two blocks of the holder, when something may be to do.
void Simulation::attend(unsigned core, std::uintptr_t place) {
    if (has_ended_.load(std::memory_order_relaxed)) leave(place); // QEMU's main loop stops the cores in a moment
    latest_.store(turns_.clock(core), std::memory_order_relaxed);
    attention_.store(Turns::never, std::memory_order_relaxed); // before interruptions are looked for
    wake_interrupted();
    if (one_more_is_awake_) pass_turn();
    if (measures() && now(core) >= sampling_.next()) change_phase(now(core));
    bool const timers_ran = run_due_timers();
    if (one_more_is_awake_ || turns_.clock(core) > turns_.limit()) pass_turn();
    Time const due = next_timer_ <= turns_.others() ? next_timer_ : Turns::never;
    Time const next = std::min({turns_.limit(), due, measures() ? sampling_.next() : Turns::never});
    Time expected = Turns::never;
    attention_.compare_exchange_strong(expected, next, std::memory_order_relaxed);
    if (timers_ran || turns_.holder() != core) leave(place);
}

/// Those that all cores have come to. False if there were none.
bool Simulation::run_due_timers() {
    Time const now = std::min(turns_.clock(turns_.holder()), turns_.others());
    if (!asks_for_timers_ && next_timer_ > now) return false;
    BigLock const lock;
    asks_for_timers_ = false;
    next_timer_ = clock_.next_timer(now);
    if (next_timer_ > now) return false;
    clock_.run_timers(now);
    next_timer_ = clock_.next_timer(now);
    wake_interrupted();
    return true;
}

void Simulation::pass_turn() {
    one_more_is_awake_ = false;
    unsigned const before = turns_.holder();
    done_.fill({});
    if (skips_)
        turns_.pass_to_nearest(lookahead());
    else
        turns_.pass(lookahead());
    unsigned const holder = turns_.holder();
    attention_.store(0, std::memory_order_relaxed);
    if (holder == before) return;
    holder_cpu_ = holder == Turns::nobody ? nullptr : cpus_[holder];
    changes_of_marks_.fetch_add(1);
    if (holder != Turns::nobody) stop_mark_.set(cpus_[holder], false);
    if (before != Turns::nobody && turns_.is_awake(before)) stop_mark_.set(cpus_[before], true);
    changes_of_marks_.fetch_add(1);
}

void Simulation::wake(unsigned core, Time at) {
    Time const begin = std::max(turns_.clock(core), at);
    if (models_) {
        models_of_[core].wake(begin);
        turns_.wake(core, models_of_[core].retired());
    } else {
        turns_.wake(core, begin + machine_.core.halt_wake);
    }
    was_woken_[core] = true;
    stop_mark_.set(cpus_[core], turns_.holder() != Turns::nobody && turns_.holder() != core);
    one_more_is_awake_ = true; // the holder does not know of it
    attention_.store(0, std::memory_order_relaxed);
}

/// Cores that sleep and were interrupted, if that is reason enough to wake up.
void Simulation::wake_interrupted() {
    std::vector<Interruption> found;
    {
        std::scoped_lock const lock(interruptions_lock_);
        if (interruptions_.empty()) return;
        found.swap(interruptions_);
    }
    for (Interruption const& one : found) {
        if (turns_.is_awake(one.core) || cpu_thread_is_idle(cpus_[one.core])) continue;
        wake(one.core, one.at);
    }
}

void Simulation::halts(Instruction const& instruction) {
    unsigned const core = turns_.holder();
    Recorder& recorder = recorders_[core];
    account(core, static_cast<unsigned>(recorder.place_of(instruction)) + 1, instruction.address);
    recorder.clear();
    Time const at = now(core);
    latest_.store(at, std::memory_order_relaxed);
    turns_.sleep(core);
    models_of_[core].set_awake(false);
    was_woken_[core] = false;
    pass_turn();
    interrupt(cpus_[core], at); // what is already pending will not come again
    if (turns_.holder() == Turns::nobody) idle_thread_.tell();
}

/// On the idle thread.
IdleThread::Next Simulation::pass_time() {
    using Next = IdleThread::Next;
    BigLock const lock;
    if (cpus_[0] == nullptr || has_ended_.load(std::memory_order_relaxed)) return Next::Later;
    unsigned const changes = changes_of_marks_.load();
    bool const all_sleep = all_cpu_threads_idle();
    // While it looked at one core after the other, the stop mark may have gone from the one to the other.
    if (changes % 2 != 0 || changes_of_marks_.load() != changes) return Next::Later;
    if (!all_sleep) return turns_.holder() == Turns::nobody ? Next::Soon : Next::Later;
    if (turns_.holder() != Turns::nobody) { // it sleeps again without having run, as after a reset
        models_of_[turns_.holder()].set_awake(false);
        turns_.sleep(turns_.holder());
        pass_turn();
    }
    wake_interrupted();
    if (turns_.holder() == Turns::nobody) {
        Time const due = clock_.next_timer(latest());
        if (due == Turns::never) return Next::Later;
        latest_.store(std::max(latest(), due), std::memory_order_relaxed);
        clock_.run_timers(latest());
        asks_for_timers_ = true;
        wake_interrupted();
        pass_turn();
    }
    if (turns_.holder() == Turns::nobody) return Next::Soon;
    qemu_cpu_kick(cpus_[turns_.holder()]);
    return Next::Later;
}

void Simulation::access(Instruction const& instruction, Access access) {
    if (skips_) { // caches and memory go on
        if (instruction.type == Class::Locked)
            access.kind = access.kind == Kind::Load ? Kind::LockedLoad : Kind::LockedStore;
        unsigned const core = turns_.holder();
        memory_.access(core, access, turns_.clock(core), instruction.address);
        return;
    }
    Recorder& recorder = recorders_[turns_.holder()];
    if (recorder.has(instruction)) {
        recorder.add(static_cast<unsigned>(recorder.place_of(instruction)), access);
    } else if (recorder.block() != nullptr) {
        recorder.cut_behind(instruction.address);
        recorder.add(recorder.end() - 1, access);
    }
}

void Simulation::prefetch(Instruction const& instruction) {
    Recorder& recorder = recorders_[turns_.holder()];
    if (!models_ || !recorder.has(instruction)) return;
    MemoryOperand const& operand = instruction.memory;
    std::array<std::uint64_t, 16> values{};
    for (std::uint8_t const number : {operand.base, operand.index})
        if (number != MemoryOperand::none) values[number] = registers_.general(number);
    std::uint64_t segment = 0;
    if (operand.segment == MemoryOperand::Segment::Fs) segment = registers_.system(SystemRegister::FsBase);
    if (operand.segment == MemoryOperand::Segment::Gs) segment = registers_.system(SystemRegister::GsBase);
    std::uint64_t const address = operand.address(values, segment);
    Page const& page = pages_.find(address);
    if (!page.mapped) return;
    constexpr std::uint64_t in_page = 0xfff;
    Kind kind = Kind::PrefetchL1;
    if (instruction.hint == Hint::L2) kind = Kind::PrefetchL2;
    if (instruction.hint == Hint::NonTemporal) kind = Kind::PrefetchNonTemporal;
    if (instruction.hint == Hint::ForWrite) kind = Kind::PrefetchForWrite;
    recorder.add(static_cast<unsigned>(recorder.place_of(instruction)),
                 {.virtual_address = address,
                  .physical_address = page.physical + (address & in_page),
                  .bytes = 1,
                  .kind = kind,
                  .page_bits = page.bits});
}

void Simulation::reads_time(Instruction const& instruction) {
    unsigned const core = turns_.holder();
    Recorder const& recorder = recorders_[core];
    if (recorder.has(instruction))
        account(core, static_cast<unsigned>(recorder.place_of(instruction)), instruction.address);
}

/// Nothing runs behind the write that ends QEMU: what would still run until QEMU has ended depends on the host.
void Simulation::writes_port(std::uint64_t port) {
    constexpr std::uint64_t exit_port = 0xf4;
    constexpr unsigned rdx = 2;
    constexpr std::uint64_t port_mask = 0xffff;
    if (port == 0) port = registers_.general(rdx) & port_mask;
    if (port != exit_port) return;
    if (measures()) end_region(now(turns_.holder()));
    has_ended_.store(true, std::memory_order_relaxed);
    attention_.store(0, std::memory_order_relaxed);
}

Time Simulation::ticks() {
    unsigned const core = turns_.holder();
    if (core == Turns::nobody) return latest();
    return now(core);
}

Time Simulation::device_time() {
    asks_for_timers_ = true;
    attention_.store(0, std::memory_order_relaxed);
    unsigned const core = turns_.holder();
    if (core == Turns::nobody) return latest();
    if (!models_ && recorders_[core].block() != nullptr) turns_.set_clock(core, turns_.clock(core) + device_access_);
    return ticks();
}

void Simulation::interrupt(CPUState* cpu, Time at) {
    unsigned const core = number_of(cpu);
    if (core == turns_.count()) return;
    {
        std::scoped_lock const lock(interruptions_lock_);
        interruptions_.push_back({core, at});
    }
    attention_.store(0, std::memory_order_relaxed);
}

void Simulation::mark(unsigned core, Marker marker) {
    if (marker == Marker::Begin && measuring_++ == 0) begin_region(turns_.clock(core));
    if (marker == Marker::End && measuring_ != 0 && --measuring_ == 0) end_region(now(core));
}

void Simulation::begin_region(Time at) {
    pages_.forget();
    for (unsigned core = 0; core != turns_.count(); ++core) {
        Core& model = models_of_[core];
        model.set_awake(turns_.is_awake(core));
        if (turns_.is_awake(core)) model.wait_until(turns_.clock(core));
        model.idle_until(at);
        if (turns_.is_awake(core)) turns_.set_clock(core, model.retired());
    }
    for (Core& model : models_of_) model.reset_statistics();
    memory_.reset_statistics();
    models_ = true;
    region_begin_ = at;
    host_begin_ = std::chrono::steady_clock::now();
    memory_.set_modelled(true);
    phase_begin_ = at;
    modelled_ = 0;
    skipped_ = 0;
    sampling_.begin(at);
    costs_.clear();
    attention_.store(0, std::memory_order_relaxed);
}

void Simulation::end_region(Time at) {
    host_time_ += std::chrono::steady_clock::now() - host_begin_;
    Time const length = end_phase(at);
    if (models_)
        end_modelling(at);
    else
        end_gap(length);
    instructions_ += skipped_;
    for (Core const& model : models_of_) instructions_ += model.instructions();
    std::optional<Sampled> sampled;
    if (sampling_.is_on()) {
        sampled = Sampled{modelled_, skipped_, skipped_ == 0 ? 0 : costs_.error()};
        if (sampled->error && at > region_begin_) // that was of the gaps
            *sampled->error *= 1 - in_cycles(modelled_) / in_cycles(at - region_begin_);
    }
    results_.add_region(region_begin_, at, memory_, all_models(), sampled);
    if (sampled) tell_of_sample(*sampled, at);
    attention_.store(0, std::memory_order_relaxed);
}

/// The length of the phase that ends. Nothing, if the core that ends it is a little behind the one that began it.
Time Simulation::end_phase(Time at) {
    Time const length = at - std::min(at, std::exchange(phase_begin_, at));
    if (models_) modelled_ += length;
    return length;
}

/// In a measured part that is sampled.
void Simulation::change_phase(Time at) {
    Time const length = end_phase(at);
    sampling_.advance(at);
    switch (sampling_.phase()) {
    case Sampling::Phase::WarmUp:
        end_gap(length);
        begin_modelling(at);
        break;
    case Sampling::Phase::Counted: costs_.begin_interval(all_models()); break;
    case Sampling::Phase::Skipped:
        end_modelling(at);
        costs_.end_interval(all_models(), length);
        blocks_.set_skipped_costs(costs_, machine_.nodes);
        skipped_cost_of_any_.clear();
        for (unsigned node = 0; node != machine_.nodes; ++node) skipped_cost_of_any_.push_back(costs_.of_any(node));
        skips_ = true;
        memory_.set_modelled(false);
        break;
    }
}

/// Goes on with the model. Between two blocks: no core is in the middle of one.
void Simulation::begin_modelling(Time at) {
    pages_.forget();
    for (unsigned core = 0; core != turns_.count(); ++core) {
        Core& model = models_of_[core];
        model.set_awake(turns_.is_awake(core));
        model.skip_until(turns_.is_awake(core) ? turns_.clock(core) : at);
    }
    memory_.set_modelled(true);
    models_ = true;
}

void Simulation::end_modelling(Time at) {
    for (unsigned core = 0; core != turns_.count(); ++core) {
        if (turns_.is_awake(core))
            turns_.set_clock(core, models_of_[core].retired());
        else
            models_of_[core].idle_until(at);
    }
    models_ = false;
}

void Simulation::end_gap(Time length) {
    costs_.end_gap(blocks_.take_skipped(), length);
    skips_ = false;
}

std::vector<Core const*> Simulation::all_models() const {
    std::vector<Core const*> cores;
    for (unsigned core = 0; core != turns_.count(); ++core) cores.push_back(&models_of_[core]);
    return cores;
}

Time Simulation::lookahead() const {
    if (models_) return cycles(options_.lookahead_cycles);
    if (!skips_) return cycles(outside_lookahead_cycles);
    return static_cast<Time>(static_cast<double>(cycles(skipping_lookahead_cycles)) * costs_.pace());
}

/// For the rows that the part is in: tools/mxk reads it when they come.
void Simulation::tell_of_sample(Sampled const& sampled, Time end) const {
    std::ofstream file(options_.samples, std::ios::app);
    file << "{\"cycles\": " << in_cycles(end - region_begin_) << ", \"sampled\": " << sampled.json() << "}\n";
}

void Simulation::write_results() {
    if (measures()) end_region(latest());
    std::ofstream file(options_.result);
    results_.write(file, instructions_, host_time_.count());
}

} // namespace mxk::simulator
