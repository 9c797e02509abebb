#include "tools/simulator/model/sampled_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace mxk::simulator {
namespace {

// What is known counts half as much when another interval has come.
constexpr double forgetting = 0.5;

// A node that ran few instructions of a block has about the mean of all nodes, as if so many of that were its own.
constexpr double instructions_of_all = 1000;

// A block says something of progress if so many of its instructions are expected.
constexpr double min_expected = 500;

constexpr double max_pace = 16;

// Of a result, that neither intervals nor gaps show: runs that were compared with whole ones were off by 0.7 % so.
constexpr double unseen_error = 0.01;

// Student's t, 97.5 %, by degrees of freedom from 2 on.
constexpr std::array<double, 9> students_t = {4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
constexpr double normal = 1.96;

} // namespace

void SampledCosts::clear() {
    known_.clear();
    known_length_ = 0;
    any_.assign(machine_.nodes, {});
    pace_ = 1;
    gap_ = gaps_ = made_in_gaps_ = 0;
    misses_.clear();
}

SampledCosts::Cost SampledCosts::sum(ByNode const& costs) {
    Cost all;
    for (Cost const& cost : costs) all += cost;
    return all;
}

/// What cores did since their statistics were reset; while they sleep, it is no code's time.
void SampledCosts::add(std::span<Core const* const> cores, double sign) {
    for (Core const* const core : cores) {
        unsigned const node = machine_.node_of(machine_.core_of(core->number()));
        for (BlockTime const& block : core->blocks()) {
            ByNode& costs = interval_[block.address];
            costs.resize(machine_.nodes);
            Time const time = block.stack.total() - block.stack[Cause::Idle];
            costs[node] += Cost{static_cast<double>(time), static_cast<double>(block.instructions)} * sign;
        }
    }
}

void SampledCosts::begin_interval(std::span<Core const* const> cores) {
    interval_.clear();
    add(cores, -1);
}

void SampledCosts::end_interval(std::span<Core const* const> cores, Time length) {
    add(cores, 1);
    InstructionsOfBlocks run;
    for (auto const& [address, costs] : interval_) run[address] = sum(costs).instructions;
    std::optional<double> const made = progress(run, length);
    if (made && gap_ > 0) misses_.push_back((*made - 1) * std::exchange(gap_, 0));

    for (auto& [address, costs] : known_)
        for (Cost& cost : costs) cost = cost * forgetting;
    for (Cost& cost : any_) cost = cost * forgetting;
    known_length_ = known_length_ * forgetting + static_cast<double>(length);
    for (auto const& [address, costs] : interval_) {
        ByNode& known = known_[address];
        known.resize(machine_.nodes);
        for (unsigned node = 0; node != machine_.nodes; ++node) {
            known[node] += costs[node];
            any_[node] += costs[node];
        }
    }
}

/// By what is known: the median over blocks. Those that wait run more often when others are slower; they are few.
std::optional<double> SampledCosts::progress(InstructionsOfBlocks const& run, Time length) const {
    std::vector<double> ratios;
    for (auto const& [address, costs] : known_) {
        double const expected = sum(costs).instructions * static_cast<double>(length) / known_length_;
        if (expected < min_expected) continue;
        auto const found = run.find(address);
        ratios.push_back(found == run.end() ? 0 : found->second / expected);
    }
    if (ratios.empty()) return std::nullopt;
    auto const middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::ranges::nth_element(ratios, middle);
    return *middle;
}

void SampledCosts::end_gap(InstructionsOfBlocks const& skipped, Time length) {
    std::optional<double> const made = progress(skipped, length);
    if (!made) return;
    auto const time = static_cast<double>(length);
    gap_ = time;
    gaps_ += time;
    made_in_gaps_ += *made * time;
    pace_ = std::clamp(pace_ * *made, 1 / max_pace, max_pace);
}

std::optional<double> SampledCosts::of_block(std::uint64_t address, unsigned node) const {
    auto const found = known_.find(address);
    if (found == known_.end()) return std::nullopt;
    Cost const all = sum(found->second);
    if (all.instructions < 1) return std::nullopt;
    Cost cost = all * (instructions_of_all / all.instructions);
    cost += found->second[node];
    return cost.mean() * pace_;
}

double SampledCosts::of_any(unsigned node) const {
    Cost const& cost = any_[node];
    return (cost.instructions < 1 ? static_cast<double>(per_cycle) : cost.mean()) * pace_;
}

std::optional<double> SampledCosts::error() const {
    std::size_t const count = misses_.size();
    if (count < 3) return std::nullopt;
    double const sum = std::accumulate(misses_.begin(), misses_.end(), 0.0);
    double squares = 0;
    for (double const miss : misses_) squares += miss * miss;
    double const t = count - 3 < students_t.size() ? students_t[count - 3] : normal;
    return unseen_error + std::abs(made_in_gaps_ / gaps_ - 1) + (std::abs(sum) + t * std::sqrt(squares)) / 2 / gaps_;
}

} // namespace mxk::simulator
