// For oneTBB: pi, as an integral. docs/library.md shows what changes for MXK.
#include <cstdio>
#include <functional>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

int main() {
    int const steps = 10'000'000;
    auto circle = [](int i) {
        double const x = (i + 0.5) / steps;
        return 4 / (1 + x * x);
    };
    double const sum = tbb::parallel_reduce(
        tbb::blocked_range<int>(0, steps), 0.0,
        [&](tbb::blocked_range<int> const& range, double part) {
            for (int i = range.begin(); i != range.end(); ++i) part += circle(i);
            return part;
        },
        std::plus<>());
    std::printf("pi is %.9f\n", sum / steps);
}
