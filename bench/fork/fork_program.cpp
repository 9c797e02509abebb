#include "bench/fork/fork_program.hpp"

#include <algorithm>
#include <bit>

#include "bench/workload/random.hpp"

namespace mxk::bench {
namespace {

using enum ForkProgramName;

std::uint64_t fibonacci_number(unsigned n) {
    std::uint64_t number = 0;
    for (std::uint64_t next = 1; n != 0; --n) {
        std::uint64_t const sum = number + next;
        number = next;
        next = sum;
    }
    return number;
}

// By the size of the board, from 0 on.
constexpr std::array<std::uint64_t, max_queens + 1> queen_solutions{
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14'200, 73'712, 365'596, 2'279'184, 14'772'512};

// Numbers so small that sums of products of three are exact.
Result<NodeArray<double>> draw_numbers(std::size_t count, NodeId node, Random& random) {
    auto numbers = MXK_TRY(NodeArray<double>::create(count, node));
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<double>(random.below(16));
    return numbers;
}

// From 4 on, by doublings, each half as often as the one before.
std::uint32_t sparse_row_length(std::size_t row) {
    constexpr int max_doublings = 12;
    return 4U << std::min(std::countr_zero(splitmix(row * splitmix_step)), max_doublings);
}

double weight_of(std::size_t row) {
    return static_cast<double>(1 + row % 7);
}

double dot(double const* left, double const* right, std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += left[i] * right[i];
    return sum;
}

} // namespace

[[gnu::noinline]] void multiply_block(double const* a, double const* b, double* __restrict c, std::size_t stride) {
    for (std::size_t i = 0; i < matrix_block; ++i)
        for (std::size_t k = 0; k < matrix_block; ++k) {
            double const factor = a[i * stride + k];
            for (std::size_t j = 0; j < matrix_block; ++j) c[i * stride + j] += factor * b[k * stride + j];
        }
}

std::uint64_t ForkProgram::loop_nanoseconds(ForkProgramName name) {
    return name == Loop10 ? 10 : name == Loop100 ? 100 : name == Loop1000 ? 1000 : 0;
}

[[gnu::noinline]] std::uint64_t ForkProgram::iterate(std::uint64_t value, RowSteps step, std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps; ++i) value = value * step.factor + step.summand;
    return value;
}

std::uint64_t ForkProgram::steps_for(std::uint64_t nanoseconds) {
    // Some iterations are under way at a time where they are short: as it is measured, so is it calibrated.
    std::uint64_t steps = 4 * nanoseconds;
    for (int round = 0; round < 5; ++round) {
        ForkProgram loop(Loop10, {});
        loop.loop_steps_ = steps;
        loop.iterations_ = 2'000'000 / nanoseconds + 1;
        Cycles const start = clock::timestamp();
        loop.run_loop(SerialForks{});
        std::uint64_t const took = raw(clock::to_nanoseconds(clock::timestamp() - start));
        steps = std::max<std::uint64_t>(steps * nanoseconds * loop.iterations_ / std::max<std::uint64_t>(took, 1), 1);
    }
    return steps;
}

Result<ForkProgram> ForkProgram::create(ForkProgramName name, ForkSizes const& sizes, std::uint64_t loop_steps,
                                        NodeId node) {
    ForkProgram program(name, sizes);
    program.loop_steps_ = loop_steps;
    MXK_TRY(program.prepare(node));
    return program;
}

Result<void> ForkProgram::prepare(NodeId node) {
    switch (name_) {
    case TreeT3: waiting_ = MXK_TRY(NodeArray<TreeNode>::create(BinomialTree::max_waiting, node)); return {};
    case Matrix: return prepare_matrix(node);
    case Sort: return prepare_keys(node);
    case Spmv: return prepare_sparse(node);
    case Loop10:
    case Loop100:
    case Loop1000: iterations_ = sizes_.loop_ms * 1'000'000ULL / loop_nanoseconds(name_); return {};
    case Fib:
    case TreeT1:
    case Queens: break;
    }
    return {};
}

Result<void> ForkProgram::prepare_matrix(NodeId node) {
    std::size_t const size = sizes_.matrix;
    Random random(size);
    dense_.a = MXK_TRY(draw_numbers(size * size, node, random));
    dense_.b = MXK_TRY(draw_numbers(size * size, node, random));
    dense_.vector = MXK_TRY(draw_numbers(size, node, random));
    dense_.c = MXK_TRY(NodeArray<double>::create_zeroed(size * size, node));
    dense_.product = MXK_TRY(NodeArray<double>::create(size, node));
    for (std::size_t row = 0; row < size; ++row)
        dense_.product[row] = dot(&dense_.b[row * size], dense_.vector.data(), size);
    return {};
}

// (a b) times the vector is a times what b makes of it; all of these sums are exact.
bool ForkProgram::is_matrix_right() const {
    std::size_t const size = sizes_.matrix;
    for (std::size_t row = 0; row < size; ++row)
        if (dot(&dense_.c[row * size], dense_.vector.data(), size) !=
            dot(&dense_.a[row * size], dense_.product.data(), size))
            return false;
    return true;
}

Result<void> ForkProgram::prepare_keys(NodeId node) {
    keys_.values = MXK_TRY(NodeArray<std::uint64_t>::create(sizes_.keys, node));
    keys_.beside = MXK_TRY(NodeArray<std::uint64_t>::create_zeroed(sizes_.keys, node));
    Random random(sizes_.keys);
    for (std::size_t i = 0; i < sizes_.keys; ++i) keys_.sum += keys_.values[i] = random.next();
    return {};
}

bool ForkProgram::are_keys_right() const {
    auto const keys = keys_.values.span().first(sizes_.keys);
    std::uint64_t sum = 0;
    for (std::uint64_t const key : keys) sum += key;
    return sum == keys_.sum && std::is_sorted(keys.begin(), keys.end());
}

Result<void> ForkProgram::prepare_sparse(NodeId node) {
    std::size_t const rows = sizes_.rows;
    Random random(rows);
    sparse_.starts = MXK_TRY(NodeArray<std::uint32_t>::create(rows + 1, node));
    sparse_.vector = MXK_TRY(draw_numbers(rows, node, random));
    sparse_.product = MXK_TRY(NodeArray<double>::create_zeroed(rows, node));
    sparse_.starts[0] = 0;
    for (std::size_t row = 0; row < rows; ++row) sparse_.starts[row + 1] = sparse_.starts[row] + sparse_row_length(row);
    sparse_.values = MXK_TRY(draw_numbers(sparse_.starts[rows], node, random));
    sparse_.columns = MXK_TRY(NodeArray<std::uint32_t>::create(sparse_.starts[rows], node));
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = sparse_.starts[row]; i < sparse_.starts[row + 1]; ++i) {
            auto const column = static_cast<std::uint32_t>(random.below(rows));
            sparse_.columns[i] = column;
            sparse_.weighted_sum += weight_of(row) * sparse_.values[i] * sparse_.vector[column];
        }
    return {};
}

bool ForkProgram::is_sparse_right() const {
    double sum = 0;
    for (std::size_t row = 0; row < sizes_.rows; ++row) sum += weight_of(row) * sparse_.product[row];
    return sum == sparse_.weighted_sum;
}

bool ForkProgram::is_right() const {
    switch (name_) {
    case Fib: return sum_ == fibonacci_number(sizes_.fib);
    case TreeT1: return tree_ == GeometricTree::published;
    case TreeT3: return tree_ == BinomialTree::published;
    case Queens: return queens_.solutions == queen_solutions[sizes_.queens];
    case Matrix: return is_matrix_right();
    case Sort: return are_keys_right();
    case Loop10:
    case Loop100:
    case Loop1000: return sum_ == RowSteps::of(loop_steps_).sum(iterations_);
    case Spmv: return is_sparse_right();
    }
    return false;
}

std::uint64_t ForkProgram::operations() const {
    switch (name_) {
    case Fib: return fibonacci_number(sizes_.fib + 1) - 1; // calls that are no leaves
    case TreeT1: return GeometricTree::published.nodes;
    case TreeT3: return BinomialTree::published.nodes;
    case Queens: return queens_.boards;
    case Matrix: {
        std::uint64_t const blocks = sizes_.matrix / matrix_block;
        return blocks * blocks * blocks;
    }
    case Sort: return sizes_.keys;
    case Loop10:
    case Loop100:
    case Loop1000: return iterations_;
    case Spmv: return sparse_passes * sparse_.starts[sizes_.rows];
    }
    return 1;
}

} // namespace mxk::bench
