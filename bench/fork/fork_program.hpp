// The programs of `bench fork-join`, with what they work on and what has to come out. One is made for each run, and is
// run once, by any runtime (forks.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/result.hpp"
#include "bench/dataflow/row_work.hpp"
#include "bench/fork/forks.hpp"
#include "bench/fork/recursions.hpp"
#include "bench/fork/tree_search.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/frame/names.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/fork/sorting.hpp"

namespace mxk::bench {

enum class ForkProgramName : std::uint8_t {
    Fib,
    TreeT1,
    TreeT3,
    Queens,
    Matrix,
    Sort,
    Loop10,
    Loop100,
    Loop1000,
    Spmv
};
constexpr auto value_names(ForkProgramName) {
    using enum ForkProgramName;
    using Named = console::NamedValue<ForkProgramName>;
    return std::array{Named{Fib, "fib"},        Named{TreeT1, "tree-t1"},   Named{TreeT3, "tree-t3"},
                      Named{Queens, "queens"},  Named{Matrix, "matrix"},    Named{Sort, "sort"},
                      Named{Loop10, "loop-10"}, Named{Loop100, "loop-100"}, Named{Loop1000, "loop-1000"},
                      Named{Spmv, "spmv"}};
}

struct ForkSizes {
    std::uint32_t fib = 32;
    std::uint32_t queens = 12;
    std::uint32_t matrix = 512;     // rows and columns: a power of two, no less than a block has
    std::uint32_t keys = 1U << 20;  // of a sort
    std::uint32_t loop_ms = 50;     // that a loop takes on one core, about
    std::uint32_t rows = 64 * 1024; // of the sparse matrix
};

// A tree that is deeper than a core's stack allows.
template <typename Forks> TreeCounts search_deep_tree(Forks forks, std::span<TreeNode> /*waiting*/) {
    return search<BinomialTree>(forks);
}
inline TreeCounts search_deep_tree(SerialForks /*forks*/, std::span<TreeNode> waiting) {
    return search_by_list<BinomialTree>(waiting);
}
// Without memory it has no node, which is wrong.
inline TreeCounts search_deep_tree(CoreForks /*forks*/, std::span<TreeNode> /*waiting*/) {
    auto const counts = run_forked([] { return search_node<BinomialTree>(TreeNode::root(BinomialTree::seed)); });
    return counts ? counts.value() : TreeCounts{};
}

class ForkProgram {
  public:
    // With memory of that node. `loop_steps`: of a loop, as steps_for() gives them. Errors: no memory.
    static Result<ForkProgram> create(ForkProgramName name, ForkSizes const& sizes, std::uint64_t loop_steps,
                                      NodeId node);
    // 0: it is no loop.
    static std::uint64_t loop_nanoseconds(ForkProgramName name);
    // Multiplications, one after the other, that an iteration of so many nanoseconds takes on this core.
    static std::uint64_t steps_for(std::uint64_t nanoseconds);

    // How long it took. The runtime's threads, or cores, are awake then: what wakes them does not count. Called on the
    // core that begins.
    template <typename Forks> Cycles time(Forks forks) {
        forks.enter([this](auto& its) { woken_ = fibonacci(its, 20); });
        measured_part_begins();
        Cycles const start = clock::timestamp();
        run(forks);
        Cycles const elapsed = clock::timestamp() - start;
        measured_part_ends();
        return elapsed;
    }

    // Afterwards.
    [[nodiscard]] bool is_right() const;
    [[nodiscard]] std::uint64_t operations() const;

  private:
    struct DenseProduct {
        NodeArray<double> a, b, c;
        NodeArray<double> vector, product; // and b times that vector
    };
    struct Keys {
        NodeArray<std::uint64_t> values, beside;
        std::uint64_t sum = 0;
    };
    struct SparseProduct {
        NodeArray<std::uint32_t> starts, columns; // of rows, in the two behind
        NodeArray<double> values, vector, product;
        double weighted_sum = 0; // of the right product
    };
    static constexpr std::uint64_t sparse_passes = 8;

    ForkProgram(ForkProgramName name, ForkSizes const& sizes)
        : name_(name)
        , sizes_(sizes) {}
    Result<void> prepare(NodeId node);
    Result<void> prepare_matrix(NodeId node);
    Result<void> prepare_keys(NodeId node);
    Result<void> prepare_sparse(NodeId node);
    [[nodiscard]] bool is_matrix_right() const;
    [[nodiscard]] bool are_keys_right() const;
    [[nodiscard]] bool is_sparse_right() const;

    template <typename Forks> void run(Forks forks) {
        using enum ForkProgramName;
        switch (name_) {
        case Fib: return forks.enter([this](auto& its) { sum_ = fibonacci(its, sizes_.fib); });
        case TreeT1: return forks.enter([this](auto& its) { tree_ = search<GeometricTree>(its); });
        case TreeT3: return forks.enter([this](auto& its) { tree_ = search_deep_tree(its, waiting_.span()); });
        case Queens:
            return forks.enter([this](auto& its) { queens_ = place_queens(its, {}, (1U << sizes_.queens) - 1); });
        case Matrix:
            return forks.enter([this](auto& its) {
                multiply(its, dense_.a.data(), dense_.b.data(), dense_.c.data(), sizes_.matrix, sizes_.matrix);
            });
        case Sort:
            return forks.enter([this](auto& its) {
                std::less<> less;
                forks::MergeSort<std::uint64_t, std::less<>, false>(less).sort(
                    its, keys_.values.span().first(sizes_.keys), keys_.beside.span().first(sizes_.keys), false);
            });
        case Loop10:
        case Loop100:
        case Loop1000: return run_loop(forks);
        case Spmv: return run_sparse(forks);
        }
    }
    template <typename Forks> void run_loop(Forks forks) {
        sum_ = forks.sum(iterations_, [step = RowSteps::of(1), steps = loop_steps_](std::uint64_t value) {
            return iterate(value, step, steps);
        });
    }
    // An iteration of a loop: not inline, so that it is the same code for all runtimes, at the same place.
    static std::uint64_t iterate(std::uint64_t value, RowSteps step, std::uint64_t steps);
    template <typename Forks> void run_sparse(Forks forks) {
        for (std::uint64_t pass = 0; pass < sparse_passes; ++pass)
            forks.for_parts(sizes_.rows, [this](std::uint64_t begin, std::uint64_t end) {
                for (; begin != end; ++begin) {
                    double sum = 0;
                    for (std::size_t i = sparse_.starts[begin]; i < sparse_.starts[begin + 1]; ++i)
                        sum += sparse_.values[i] * sparse_.vector[sparse_.columns[i]];
                    sparse_.product[begin] = sum;
                }
            });
    }

    ForkProgramName name_;
    ForkSizes sizes_;
    std::uint64_t woken_ = 0;
    std::uint64_t sum_ = 0;
    TreeCounts tree_;
    NodeArray<TreeNode> waiting_;
    QueenCounts queens_;
    DenseProduct dense_;
    Keys keys_;
    std::uint64_t loop_steps_ = 0;
    std::uint64_t iterations_ = 0;
    SparseProduct sparse_;
};

} // namespace mxk::bench
