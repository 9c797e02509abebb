#include "peers/plain_chase.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <vector>

namespace mxk::bench {
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;
constexpr std::size_t parts = 16; // of a run, timed each for itself
constexpr std::size_t unrolled = 16;

} // namespace

PlainChase::PlainChase(std::size_t bytes)
    : mapped_((bytes + large_page - 1) / large_page * large_page + large_page) {
    void* const place = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) throw std::bad_alloc();
    madvise(place, mapped_, MADV_HUGEPAGE);
    lines_ = static_cast<Line*>(place);
}

PlainChase::~PlainChase() {
    munmap(lines_, mapped_);
}

PlainChase::Line* PlainChase::link(std::size_t lines) {
    void* place = lines_;
    std::size_t room = mapped_;
    auto* const aligned = static_cast<Line*>(std::align(large_page, lines * sizeof(Line), place, room));
    std::vector<std::uint32_t> order(lines);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(lines)); // the same in each run
    for (std::size_t at = 0; at < lines; ++at) aligned[order[at]] = {&aligned[order[(at + 1) % lines]], 0};
    return &aligned[order[0]];
}

bool PlainChase::goes_round(Line* first, std::size_t lines) {
    Line* line = first;
    for (std::size_t at = 0; at < lines; ++at) {
        if (++line->visits != 1) return false;
        line = line->next;
    }
    return line == first;
}

PlainChase::Latency PlainChase::measure(std::size_t bytes, std::size_t loads) {
    std::size_t const lines = bytes / sizeof(Line);
    Line* const first = link(lines);
    bool const verified = goes_round(first, lines); // and brings what has room into the caches
    std::size_t const rounds = std::max(loads, lines) / parts / unrolled + 1;
    std::vector<double> times;
    Line* volatile kept = first; // so that the loads are not left out
    for (std::size_t part = 0; part < parts; ++part) {
        Line* line = kept;
        auto const start = std::chrono::steady_clock::now();
        for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
            for (std::size_t step = 0; step < unrolled; ++step) line = line->next;
        }
        kept = line;
        std::chrono::duration<double, std::nano> const time = std::chrono::steady_clock::now() - start;
        times.push_back(time.count() / static_cast<double>(rounds * unrolled));
    }
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], parts * rounds * unrolled, verified};
}

} // namespace mxk::bench
