#include "tests/model/stepped_workers.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/splitmix.hpp"

namespace mxk::test {
namespace {

// Of an operation on a word: the worker has a copy; another one of its node has changed it, or of another node.
constexpr SteppedWorkers::Time own_time = 1;
constexpr SteppedWorkers::Time near_time = 8;
constexpr SteppedWorkers::Time far_time = 40;

} // namespace

SteppedWorkers::SteppedWorkers(std::size_t workers, std::size_t on_each_node, std::uint64_t seed, Mutant const* mutant)
    : on_each_node_(on_each_node)
    , seed_(seed)
    , mutant_(mutant)
    , workers_(workers) {
    current_ = this;
}
SteppedWorkers::~SteppedWorkers() {
    current_ = nullptr;
}

void SteppedWorkers::begin() {
    SteppedWorkers& all = current();
    all.body_(all.self_);
    all.workers_[all.self_].has_ended = true;
    setcontext(&all.main_);
}

std::optional<locks::WorkerNumber> SteppedWorkers::next() const {
    std::optional<locks::WorkerNumber> first;
    for (std::size_t i = 0; i < workers_.size(); ++i)
        if (!workers_[i].has_ended && (!first || workers_[i].time < workers_[*first].time))
            first = static_cast<locks::WorkerNumber>(i);
    return first;
}

bool SteppedWorkers::run(std::function<void(locks::WorkerNumber)> body) {
    body_ = std::move(body);
    for (Worker& worker : workers_) {
        worker.stack = std::make_unique<std::byte[]>(stack_bytes);
        getcontext(&worker.context);
        worker.context.uc_stack.ss_sp = worker.stack.get();
        worker.context.uc_stack.ss_size = stack_bytes;
        worker.context.uc_link = nullptr;
        makecontext(&worker.context, &SteppedWorkers::begin, 0);
    }
    is_running_ = true;
    for (std::optional<locks::WorkerNumber> worker; error_.empty() && (worker = next());) {
        self_ = *worker;
        swapcontext(&main_, &workers_[self_].context);
    }
    is_running_ = false;
    return error_.empty();
}

void SteppedWorkers::fail(char const* what) {
    error_ = what;
    setcontext(&main_);
    std::abort();
}

std::uint64_t SteppedWorkers::random(std::uint64_t bound) {
    return splitmix(seed_ += splitmix_step) % bound;
}

void SteppedWorkers::pass(Time time) {
    if (++steps_ > max_steps) fail("somebody waits for ever");
    workers_[self_].time += time + random(2);
    if (next() != self_) swapcontext(&workers_[self_].context, &main_);
}

void SteppedWorkers::access(Line const& line, bool has_copy) {
    ++(has_copy ? hits_ : misses_);
    if (has_copy || !line.writer) return pass(own_time);
    pass(*line.writer / on_each_node_ == self_ / on_each_node_ ? near_time : far_time);
}
void SteppedWorkers::read(Line& line) {
    if (!is_running_) return; // the lock's constructor
    std::uint64_t const bit = std::uint64_t{1} << self_;
    access(line, (line.readers & bit) != 0);
    line.readers |= bit;
}
void SteppedWorkers::change(Line& line) {
    if (!is_running_) return;
    std::uint64_t const bit = std::uint64_t{1} << self_;
    access(line, line.writer == self_ && line.readers == bit);
    line.writer = self_;
    line.readers = bit;
}
bool SteppedWorkers::writes(Line& line, std::source_location const& from) {
    if (!is_running_) return true;
    Place const place{.from = from, .kind = PlaceKind::Store};
    note(place);
    change(line);
    return !is(place, Mutation::Drop);
}

bool SteppedWorkers::condition(bool is_true, std::source_location const& from) {
    if (!is_running_) return is_true;
    Place const place{.from = from, .kind = PlaceKind::Condition};
    note(place);
    if (++steps_ > max_steps) fail("somebody waits for ever");
    if (is(place, Mutation::Always)) return true;
    return is_true && !is(place, Mutation::Never);
}

void SteppedWorkers::note(Place const& place) {
    auto const is_same = [&](Place const& other) { return other.is_same(place); };
    if (mutant_ == nullptr && std::ranges::none_of(places_, is_same)) places_.push_back(place);
}
bool SteppedWorkers::is(Place const& place, Mutation mutation) const {
    return mutant_ != nullptr && mutant_->mutation == mutation && mutant_->place.is_same(place);
}

} // namespace mxk::test
