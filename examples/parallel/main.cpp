// Sorts and sums numbers on all cores: parallel COUNT. From an ordinary thread, which waits.
#include <mxk/parallel.hpp>

#include <functional>
#include <iostream>
#include <span>
#include <vector>

#include "../number.hpp"

int main(int argument_count, char** arguments) {
    auto const count = parse_number(argument_count > 1 ? arguments[1] : "1000000", 1, 1'000'000'000);
    if (!count) return std::cerr << "parallel: expected a number up to 1000000000, got " << arguments[1] << '\n', 2;
    auto runtime = mxk::Runtime::start({.own_threads = true});
    if (!runtime) return std::cerr << "parallel: " << runtime.error().message() << '\n', 1;

    std::vector<std::uint64_t> values(*count);
    mxk::parallel_for(0, *count, [&](std::uint64_t i) { values[i] = (i + 1) * 0x9e37'79b9'7f4a'7c15; });
    auto const sorted = mxk::parallel_sort(std::span(values));
    if (!sorted) return std::cerr << "parallel: " << sorted.error().message() << '\n', 1;
    std::uint64_t const sum = mxk::parallel_reduce(
        0, *count, std::uint64_t{0}, [&](std::uint64_t i) { return values[i]; }, std::plus<>());
    std::cout << *count << " numbers sorted, sum " << sum << '\n';
}
