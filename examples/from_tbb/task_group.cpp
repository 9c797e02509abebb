// For oneTBB: a Fibonacci number, by recursion. docs/library.md shows what changes for MXK.
#include <cstdio>

#include <oneapi/tbb/task_group.h>

long fibonacci(int n) {
    if (n < 2) return n;
    if (n < 16) return fibonacci(n - 1) + fibonacci(n - 2);
    long left = 0;
    long right = 0;
    tbb::task_group group;
    group.run([&] { left = fibonacci(n - 1); });
    group.run([&] { right = fibonacci(n - 2); });
    group.wait();
    return left + right;
}

int main() {
    long const number = fibonacci(32);
    std::printf("the 32nd is %ld\n", number);
}
