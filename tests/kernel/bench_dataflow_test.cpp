// `bench dataflow` on real cores, small: every benchmark of every discipline is verified; a check sum finds a row that
// was lost; plans of requests are read as they are written, and what is wrong in one is said.
#include <algorithm>
#include <array>
#include <string_view>

#include "arch/machine.hpp"
#include "bench/dataflow/graph_shape.hpp"
#include "bench/dataflow/node_distances.hpp"
#include "bench/dataflow/request_stream.hpp"
#include "bench/dataflow/row_work.hpp"
#include "kernel/console/command.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/workers.hpp"

namespace mxk::bench {
namespace {

// All cores work at once, and wait for each other.
bool dataflow_takes_minutes() {
    return arch::describe_machine().is_emulated() && workers::count() > 32;
}

// `bench dataflow NAME` with these words.
template <std::size_t count>
console::Outcome run_dataflow(std::string_view name, std::array<std::string_view, count> words) {
    FixedText<1> nowhere;
    for (console::Command const* const command : console::registered_commands()) {
        if (command->parent != "bench dataflow" || command->name != name) continue;
        console::Invocation invocation(nowhere);
        invocation.arguments = words;
        return command->run(invocation);
    }
    bool const there_is_such_a_benchmark = false;
    MXK_CHECK(there_is_such_a_benchmark);
    return console::Outcome::Failed;
}

constexpr std::string_view every_discipline = "--discipline=requests,two-fifos,one-fifo,one-lifo,original,core-fifo";
using DataflowWords = std::array<std::string_view, 6>;

MXK_TEST(bench_dataflow, empty_tasks_are_right) {
    if (dataflow_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    MXK_CHECK(run_dataflow("task", DataflowWords{every_discipline, "--ops=500", "--repeat=1", "--warm-up=0",
                                                 "--sleep=loose", "--steals-first"}) == console::Outcome::Ok);
}

MXK_TEST(bench_dataflow, pipes_are_right) {
    if (dataflow_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    MXK_CHECK(run_dataflow("pipe", DataflowWords{every_discipline, "--rows=1,100", "--envelopes=40", "--capacity=1",
                                                 "--repeat=1", "--no-peers"}) == console::Outcome::Ok);
    MXK_CHECK(run_dataflow("pipe", DataflowWords{"--rows=8", "--envelopes=40", "--slow=50", "--stages=5", "--repeat=1",
                                                 "--no-peers"}) == console::Outcome::Ok);
}

MXK_TEST(bench_dataflow, forks_and_joins_are_right) {
    if (dataflow_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    MXK_CHECK(run_dataflow("fork", DataflowWords{every_discipline, "--rows=50", "--envelopes=1,10", "--requests=3",
                                                 "--repeat=1", "--no-peers"}) == console::Outcome::Ok);
}

MXK_TEST(bench_dataflow, a_flood_leaves_nothing) {
    if (dataflow_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    MXK_CHECK(run_dataflow("flood", DataflowWords{every_discipline, "--rows=50", "--envelopes=3", "--requests=1,20",
                                                  "--repeat=1", "--warm-up=1"}) == console::Outcome::Ok);
}

MXK_TEST(bench_dataflow, requests_that_come_one_after_the_other_are_right) {
    if (dataflow_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    MXK_CHECK(run_dataflow("stagger", DataflowWords{every_discipline, "--rows=50", "--envelopes=3", "--requests=10",
                                                    "--repeat=1", "--warm-up=0"}) == console::Outcome::Ok);
}

MXK_TEST(bench_dataflow, mixed_requests_are_right) {
    if (dataflow_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    MXK_CHECK(run_dataflow("mix", DataflowWords{every_discipline, "--rows=50", "--envelopes=5", "--requests=2x1,2x3",
                                                "--repeat=1", "--warm-up=0"}) == console::Outcome::Ok);
}

MXK_TEST(bench_dataflow, what_is_sorted_is_in_order) {
    if (dataflow_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    for (std::string_view const rows : {"--rows=1", "--rows=37", "--rows=64"})
        MXK_CHECK(run_dataflow("sort", DataflowWords{rows, "--all-rows=333", "--requests=1x2", "--repeat=1",
                                                     "--warm-up=0", every_discipline}) == console::Outcome::Ok);
}

MXK_TEST(bench_dataflow, a_sweep_has_the_recommended_size) {
    if (dataflow_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    MXK_CHECK(run_dataflow("sweep", DataflowWords{"--kib=1", "--all-rows=500", "--requests=2", "--stages=1",
                                                  "--repeat=1", "--warm-up=0"}) == console::Outcome::Ok);
}

MXK_TEST(bench_dataflow, cores_that_sleep_wake_for_a_request) {
    if (dataflow_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    MXK_CHECK(run_dataflow("idle", DataflowWords{every_discipline, "--ms=2", "--pings=5", "--cores=2", "--repeat=1",
                                                 "--warm-up=0"}) == console::Outcome::Ok);
}

MXK_TEST(bench_dataflow, requests_and_their_memory_lie_where_they_were_placed) {
    if (dataflow_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    std::array<std::string_view, 8> words{"--cores=up-to:8", "--rows=100", "--envelopes=64", "--requests=5",
                                          "--table-kib=4",   "--repeat=1", "--warm-up=1",    "--work=1"};
    MXK_CHECK(run_dataflow("place", words) == console::Outcome::Ok);
    // More that have begun and wait on another node than a scheduler has places for requests.
    words[3] = "--requests=60";
    words[6] = "--way=moved";
    MXK_CHECK(run_dataflow("place", words) == console::Outcome::Ok);
    words[3] = "--requests=5";
    words[6] = "--warm-up=1";
    words[7] = "--discipline=two-fifos,original,core-fifo";
    MXK_CHECK(run_dataflow("place", words) == console::Outcome::Ok);
}

MXK_TEST(bench_dataflow, requests_move_to_nodes_with_nothing_to_do_and_do_not_come_back) {
    if (dataflow_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    std::array<std::string_view, 9> const words{
        "--cores=up-to:8",  "--rows=64",  "--envelopes=20", "--requests=30", "--giant-envelopes=200",
        "--giant-stages=8", "--every=50", "--repeat=1",     "--warm-up=0"};
    MXK_CHECK(run_dataflow("balance", words) == console::Outcome::Ok);
}

MXK_TEST(bench_dataflow, distances_between_nodes_are_measured_for_the_scheduler) {
    if (dataflow_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    FixedText<1> nowhere;
    console::Invocation const invocation(nowhere);
    auto const measured = NodeDistances::measure(Progress(invocation));
    MXK_CHECK(measured.ok());
    if (!measured) return;
    std::size_t const nodes = system_topology().nodes.size();
    MXK_CHECK_EQUAL(measured.value().span().size(), nodes * nodes);
    MXK_CHECK_EQUAL(std::ranges::min(measured.value().span()), 10);
    MXK_CHECK(run_dataflow("place", DataflowWords{"--distances=measured", "--rows=10", "--envelopes=8", "--way=0/far",
                                                  "--repeat=1", "--warm-up=0"}) == console::Outcome::Ok);
}

MXK_TEST(bench_dataflow, every_task_is_stolen) {
    if (dataflow_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    if (workers::count() < 2) MXK_SKIP("needs two cores");
    MXK_CHECK(run_dataflow("steal", DataflowWords{"--discipline=requests,two-fifos,one-fifo,one-lifo", "--ops=200",
                                                  "--cores=node:0", "--repeat=1", "--warm-up=0", "--sleep=loose"}) ==
              console::Outcome::Ok);
}

MXK_TEST(bench_dataflow, a_check_sum_is_that_of_the_rows) {
    GraphShape const shape{.envelopes = 3, .rows = 5, .branches = 2, .stages = 2, .work = 3, .slow = 4};
    std::array<std::uint64_t, 5> rows{};
    std::uint64_t sum = 0;
    for (std::uint32_t branch = 0; branch < shape.branches; ++branch)
        for (std::uint32_t envelope = 0; envelope < shape.envelopes; ++envelope) {
            make_rows(std::uint64_t{envelope} * shape.rows, rows.data(), rows.size());
            for (std::uint32_t stage = 0; stage < shape.stages; ++stage)
                work_rows(rows.data(), rows.data(), rows.size(), shape.work_of(branch, stage));
            sum += sum_rows(rows.data(), rows.size());
        }
    MXK_CHECK_EQUAL(shape.check_sum(), sum);
    GraphResult done{.check_sum = sum, .rows = shape.all_rows()};
    MXK_CHECK(done.is_right(shape));
    done.check_sum += 1;
    MXK_CHECK(!done.is_right(shape));
    done = {.check_sum = sum, .rows = shape.all_rows() - 1};
    MXK_CHECK(!done.is_right(shape));
}

MXK_TEST(bench_dataflow, plans_of_requests_are_read) {
    RequestPlans plans;
    MXK_CHECK(parse_value("16x4,1x1", plans).ok());
    MXK_CHECK_EQUAL(plans.size(), 2);
    MXK_CHECK_EQUAL(plans[0].requests(), 64);
    MXK_CHECK_EQUAL(plans[0].at_once, 4);
    auto const no_number = parse_value("16", plans);
    MXK_CHECK(!no_number.ok());
    if (!no_number)
        MXK_CHECK_EQUAL(no_number.error().message(),
                        "expected a number of rounds, x, and of requests at once, got '16'");
    for (std::string_view const wrong : {"x4", "4x", "0x4", "4x0", "1x1,", ""})
        MXK_CHECK(!parse_value(wrong, plans).ok());
}

} // namespace
} // namespace mxk::bench
