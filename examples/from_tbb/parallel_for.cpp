// For oneTBB: how many primes there are below 200000. docs/library.md shows what changes for MXK.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <oneapi/tbb/parallel_for.h>

int main() {
    std::size_t const end = 200'000;
    std::vector<char> is_prime(end);
    tbb::parallel_for(std::size_t{2}, end, [&](std::size_t i) {
        std::size_t divisor = 2;
        while (divisor * divisor <= i && i % divisor != 0) ++divisor;
        is_prime[i] = divisor * divisor > i;
    });
    std::printf("%td primes\n", std::count(is_prime.begin(), is_prime.end(), 1));
}
