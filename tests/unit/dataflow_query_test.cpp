// Queries as a program with threads of its own uses them: submitted and waited for by any thread, several at once; and
// each misuse is an error by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "main/library/runtime.hpp"
#include "tasks/dataflow/graph/model.hpp"
#include "tasks/dataflow/scheduler.hpp"

namespace mxk::dataflow {
namespace {

using State = Query::State;

// Envelopes of one number, from 0 on; `end`: after so many.
struct Numbers : Box {
    static constexpr std::array<std::string_view, 0> inputs{};
    static constexpr bool has_output = true;
    Numbers(Query& query, CoreId core, std::uint64_t its_end)
        : Box(query, core)
        , end(its_end) {}
    static Result<ColumnTypes> columns(std::span<InputColumns const>, std::uint64_t) {
        return ColumnTypes::only<std::uint64_t>();
    }
    Result<Step> produce(CoreScheduler&) override {
        auto envelope = Envelope::create(1);
        if (!envelope || !(envelope->columns[0] = Column::create_for<std::uint64_t>(1)))
            return no_memory_for_envelopes();
        *envelope->columns[0].writable<std::uint64_t>() = next_number++;
        emit(std::move(envelope));
        return next_number == end ? Step::Done : Step::More;
    }
    std::uint64_t end;
    std::uint64_t next_number = 0;
};
constexpr std::uint64_t endless = UINT64_MAX;

// Of what type its numbers are to be, and which one it does not take.
template <typename T> struct Sum : Box {
    static constexpr std::array<std::string_view, 1> inputs{"numbers"};
    static constexpr bool has_output = false;
    Sum(Query& query, CoreId core, std::atomic<std::uint64_t>* its_sum, std::uint64_t its_refused)
        : Box(query, core)
        , sum(*its_sum)
        , refused(its_refused) {}
    static Result<ColumnTypes> columns(std::span<InputColumns const> given, std::atomic<std::uint64_t>*,
                                       std::uint64_t) {
        MXK_TRY(given[0].expect(0, column_type_of<T>()));
        return ColumnTypes{};
    }
    Result<Step> receive(CoreScheduler&, std::size_t, EnvelopePointer envelope) override {
        std::uint64_t const number = *envelope->values<std::uint64_t>(0);
        if (number == refused) return Error::of("expected another number than {}", number);
        sum.fetch_add(number, std::memory_order_relaxed);
        return Step::More;
    }
    std::atomic<std::uint64_t>& sum;
    std::uint64_t refused;
};

class DataflowQueryTest : public testing::Test {
  protected:
    void SetUp() override {
        std::vector<CoreId> cores;
        for (auto const& core : runtime_.value().topology().cores) cores.push_back(core.id);
        scheduler_ = Scheduler::create(cores, {});
        ASSERT_TRUE(scheduler_.ok());
    }
    void connect(Model& model, std::uint64_t end, std::uint64_t refused = endless) {
        model.connect(model.add<Numbers>("source", end), model.add<Sum<std::uint64_t>>("sum", &sum_, refused));
    }
    void make(Model& model, std::uint64_t end, std::uint64_t refused = endless) {
        connect(model, end, refused);
        ASSERT_TRUE(model.check().ok());
    }
    void expect_end(Query& query, State state, std::string_view error) {
        scheduler_.value()->submit(query);
        expect_error(query.wait(), error);
        EXPECT_EQ(query.state(), state);
    }
    static void expect_error(Result<void> const& result, std::string_view error) {
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.error().message(), error);
    }
    void wait_for_some() {
        while (sum_.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
    }

    Result<Runtime> runtime_ = Runtime::start({.cores = 4, .nodes = 2, .memory_bytes = 256 * MiB, .own_threads = true});
    std::atomic<std::uint64_t> sum_{0};
    Result<NodeObject<Scheduler>> scheduler_ = Error("none");
};

TEST_F(DataflowQueryTest, any_thread_submits_and_waits) {
    constexpr std::uint64_t count = 200;
    constexpr std::size_t rounds = 20;
    Model model;
    make(model, count);
    std::array<std::thread, 3> threads;
    for (std::thread& thread : threads) {
        thread = std::thread([&] {
            for (std::size_t round = 0; round < rounds; ++round) {
                Query first(model);
                Query second(model);
                EXPECT_EQ(first.state(), State::New);
                scheduler_.value()->submit(first);
                scheduler_.value()->submit(second);
                EXPECT_TRUE(second.wait().ok());
                EXPECT_TRUE(first.wait().ok());
                EXPECT_EQ(first.state(), State::Done);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(sum_, threads.size() * rounds * 2 * (count * (count - 1) / 2));
}

// Several wait for the same one, and block: they take no processor's time.
TEST_F(DataflowQueryTest, waiters_block_until_another_thread_cancels) {
    Model model;
    make(model, endless);
    Query query(model);
    scheduler_.value()->submit(query);
    std::array<std::thread, 3> threads;
    std::array<double, 3> seconds{};
    for (std::size_t at = 0; at < threads.size(); ++at) {
        threads[at] = std::thread([&, at] {
            expect_error(query.wait(), "the query was cancelled");
            timespec used{};
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
            seconds[at] = static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
        });
    }
    wait_for_some();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(query.state(), State::Running);
    expect_error(query.result(), "expected a query that has ended, got one that runs");
    query.cancel();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(query.state(), State::Cancelled);
    EXPECT_LT(*std::ranges::max_element(seconds), 0.1);
}

TEST_F(DataflowQueryTest, one_that_goes_out_of_scope_ends) {
    Model model;
    make(model, endless);
    {
        Query query(model);
        scheduler_.value()->submit(query);
        wait_for_some();
    }
    EXPECT_EQ(scheduler_.value()->unfinished(), 0u);
}

TEST_F(DataflowQueryTest, a_box_that_fails_is_named) {
    Model model;
    make(model, endless, 100);
    Query query(model);
    expect_end(query, State::Failed, "box 'sum': expected another number than 100");
}

TEST_F(DataflowQueryTest, what_was_not_handed_over_has_no_result) {
    Model model;
    make(model, 1);
    Query query(model);
    expect_error(query.wait(), "expected a query that was submitted");
    EXPECT_EQ(query.state(), State::New);
    query.cancel(); // before it is submitted
    expect_end(query, State::Cancelled, "the query was cancelled");
    EXPECT_DEATH(scheduler_.value()->submit(query), "a request is submitted once");
}

// What check() says, if it was asked.
TEST_F(DataflowQueryTest, a_model_that_is_wrong_says_where) {
    Model unchecked;
    connect(unchecked, 1);
    Query of_unchecked(unchecked);
    expect_end(of_unchecked, State::Failed, "expected a model that has passed check(), got another one");

    Model unconnected;
    unconnected.add<Sum<std::uint64_t>>("sum", &sum_, endless);
    expect_error(unconnected.check(), "box 'sum': input 'numbers' is not connected");
    Query of_unconnected(unconnected);
    expect_end(of_unconnected, State::Failed, "box 'sum': input 'numbers' is not connected");

    Model mistyped;
    mistyped.connect(mistyped.add<Numbers>("source", std::uint64_t{1}),
                     mistyped.add<Sum<float>>("sum", &sum_, endless));
    std::string_view const of_type =
        "box 'sum': input 'numbers': expected column 0 from box 'source' to be of type f32, got u64";
    expect_error(mistyped.check(), of_type);
    Query of_mistyped(mistyped);
    expect_end(of_mistyped, State::Failed, of_type);

    Model without_output;
    auto const sum = without_output.add<Sum<std::uint64_t>>("sum", &sum_, endless);
    without_output.connect(sum, sum);
    Query of_without_output(without_output);
    expect_end(of_without_output, State::Failed, "box 'sum' has no output, but is connected to box 'sum'");
}

} // namespace
} // namespace mxk::dataflow
