// The programs of `bench fork-join` on real cores, small: what each runtime finds is right, and nothing is right that
// was not run. The trees, which have one size: tests/system/test_bench_fork_join.py.
#include <array>
#include <cstdint>

#include "bench/fork/fork_peer.hpp"
#include "kernel/testing.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk::bench {
namespace {

constexpr ForkSizes small{.fib = 12, .queens = 6, .matrix = 64, .keys = 40'000, .loop_ms = 1, .rows = 500};

void check_program(ForkPeer const& runtime, ForkProgramName name, std::span<CoreId const> cores) {
    constexpr std::uint64_t steps = 3;
    auto program = ForkProgram::create(name, small, steps, node_id(0));
    MXK_CHECK(program.ok());
    if (!program.ok()) return;
    MXK_CHECK(!program.value().is_right());
    auto const ran = runtime.run(program.value(), cores);
    MXK_CHECK(ran.ok());
    MXK_CHECK(program.value().is_right());
    MXK_CHECK(program.value().operations() > 0);
    if (!ran.ok() || !ran.value().steals || cores.size() != 1) return;
    for (std::uint64_t const steals : *ran.value().steals) MXK_CHECK_EQUAL(steals, std::uint64_t{0});
}

MXK_TEST(bench_fork_join, programs_are_right) {
    using enum ForkProgramName;
    NodeVector<CoreId> const cores = all_cores();
    for (auto const* const name : {"serial", "mxk"}) {
        auto const* const runtime = console::find_by_name(registered_fork_peers(), name);
        MXK_CHECK(runtime != nullptr);
        if (runtime == nullptr) return;
        for (ForkProgramName const program : {Fib, Queens, Matrix, Sort, Loop10, Spmv})
            for (std::size_t const count : {std::size_t{1}, cores.size()})
                check_program(*runtime, program, cores.span().last(count));
    }
}

// As sha1sum says, of 20 bytes 0, and of the state of the root of T1 and the number 3.
MXK_TEST(bench_fork_join, a_state_of_a_tree_is_a_sha1) {
    constexpr std::array<std::uint32_t, 5> root{0x6768'033e, 0x2164'6824, 0x7bd0'31a0, 0xa2d9'876d, 0x7981'8f8f};
    constexpr std::array<std::uint32_t, 5> child{0x4e62'c778, 0x9552'ef31, 0xfa42'8ed5, 0xd902'3d3f, 0x3ec3'68ef};
    MXK_CHECK(TreeNode::root(0).state == root);
    MXK_CHECK(TreeNode::root(GeometricTree::seed).child(3).state == child);
    MXK_CHECK_EQUAL(TreeNode::root(GeometricTree::seed).child(3).depth, std::uint32_t{1});
}

} // namespace
} // namespace mxk::bench
