// Queries of tests: waiting for them from the console's task, and boxes that many of them need.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/log.hpp"
#include "tasks/dataflow/graph/model.hpp"
#include "tests/kernel/dataflow/requests.hpp"

namespace mxk::dataflow_tests {

using dataflow::Box;
using dataflow::Column;
using dataflow::Envelope;
using dataflow::EnvelopePointer;
using dataflow::Model;
using dataflow::Query;
using dataflow::Step;

// Envelopes of one number each, from 0 on.
struct Numbers : Box {
    static constexpr std::array<std::string_view, 0> inputs{};
    static constexpr bool has_output = true;
    Numbers(Query& query, CoreId core, std::uint64_t how_many)
        : Box(query, core)
        , count(how_many) {}
    Result<Step> produce(CoreScheduler&) override {
        if (next_number == count) return Step::Done;
        auto envelope = Envelope::create(1, next_number);
        auto column = Column::create_for<std::uint64_t>(1);
        if (!envelope || !column) return dataflow::no_memory_for_envelopes();
        *column.writable<std::uint64_t>() = next_number++;
        envelope->columns[0] = std::move(column);
        emit(std::move(envelope));
        return Step::More;
    }
    std::uint64_t count;
    std::uint64_t next_number = 0;
};

// What came to a sink.
struct Seen {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    bool is_in_order = true;
    std::uint64_t last = 0;
    bool has_ended = false;
};
struct Sum : Box {
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = false;
    static constexpr bool has_many_inputs = true;
    Sum(Query& query, CoreId core, Seen* its_seen)
        : Box(query, core)
        , seen(*its_seen) {}
    Result<Step> receive(CoreScheduler&, std::size_t, EnvelopePointer envelope) override {
        std::uint64_t const number = *envelope->values<std::uint64_t>(0);
        seen.is_in_order = seen.is_in_order && (seen.count == 0 || number > seen.last);
        seen.last = number;
        seen.sum += number;
        ++seen.count;
        return Step::More;
    }
    Result<Step> finish(CoreScheduler&) override {
        seen.has_ended = true;
        return Step::Done;
    }
    Seen& seen;
};

// Wants some envelopes only.
struct First : Box {
    static constexpr std::array<std::string_view, 1> inputs{"in"};
    static constexpr bool has_output = true;
    First(Query& query, CoreId core, std::uint64_t how_many)
        : Box(query, core)
        , left(how_many) {}
    Result<Step> receive(CoreScheduler&, std::size_t, EnvelopePointer envelope) override {
        emit(std::move(envelope));
        return --left == 0 ? Step::Done : Step::More;
    }
    std::uint64_t left;
};

// One query of a checked model on these cores. The console's task.
inline Result<void> run_on(std::span<CoreId const> cores, Model const& model, SchedulerOptions const& options = {}) {
    auto scheduler = MXK_TRY(Scheduler::create(cores, options));
    Query query(model);
    scheduler->submit(query);
    return query.wait();
}
inline Result<void> run(Model const& model, SchedulerOptions const& options = {}) {
    return run_on(all_cores().span(), model, options);
}

// What a model that cannot work is refused with.
template <typename Make> void check_model_error(Make make, std::string_view expected) {
    Model model;
    make(model);
    auto const result = model.check();
    MXK_CHECK(!result.ok());
    if (result.ok()) return;
    if (result.error().message() != expected) log::info("got: {}", result.error().message());
    MXK_CHECK(result.error().message() == expected);
}

constexpr std::uint64_t sum_below(std::uint64_t count) {
    return count * (count - 1) / 2;
}

} // namespace mxk::dataflow_tests
