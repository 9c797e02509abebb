#include "bench/machine/random_lines.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/prefetch.hpp"

namespace mxk::bench {
namespace {

template <LineHint hint> void ask_for(std::uint64_t const* line) {
    if constexpr (hint == LineHint::T0) prefetch_by<PrefetchHint::T0>(line);
    if constexpr (hint == LineHint::T1) prefetch_by<PrefetchHint::T1>(line);
    if constexpr (hint == LineHint::T2) prefetch_by<PrefetchHint::T2>(line);
    if constexpr (hint == LineHint::Nta) prefetch_by<PrefetchHint::Nta>(line);
    if constexpr (hint == LineHint::Write) prefetch_for_write(line);
}

} // namespace

// A line: its number, then a counter of additions. Of streamed ones all words but the first are 1.
void RandomLines::prepare() {
    for (std::uint64_t number = 0; number <= mask_; ++number) {
        words_[number * words_per_line] = number;
        words_[number * words_per_line + 1] = 0;
    }
    *this = RandomLines(words_);
}

void RandomLines::visit(LineMix mix, LinesAhead ahead, std::size_t lines) {
    switch (ahead.hint) {
    case LineHint::None: return visit_by<LineHint::None>(mix, 0, lines);
    case LineHint::T0: return visit_by<LineHint::T0>(mix, ahead.distance, lines);
    case LineHint::T1: return visit_by<LineHint::T1>(mix, ahead.distance, lines);
    case LineHint::T2: return visit_by<LineHint::T2>(mix, ahead.distance, lines);
    case LineHint::Nta: return visit_by<LineHint::Nta>(mix, ahead.distance, lines);
    case LineHint::Write: break;
    }
    visit_by<LineHint::Write>(mix, ahead.distance, lines);
}

template <LineHint hint> void RandomLines::visit_by(LineMix mix, std::uint32_t distance, std::size_t lines) {
    switch (mix) {
    case LineMix::Read: return read_lines<hint, 0>(distance, lines);
    case LineMix::ThreeToOne: return read_lines<hint, 3>(distance, lines);
    case LineMix::TwoToOne: return read_lines<hint, 2>(distance, lines);
    case LineMix::OneToOne: return read_lines<hint, 1>(distance, lines);
    case LineMix::Streamed: break;
    }
    stream_lines(lines);
}

template <LineHint hint, std::size_t adds>
[[gnu::noinline]] void RandomLines::read_lines(std::uint32_t distance, std::size_t lines) {
    constexpr std::size_t group = adds == 0 ? 1 : adds;
    std::size_t const groups = (lines + group - 1) / group;
    std::uint64_t* const words = words_.data();
    Order order = order_;
    std::array<std::uint64_t, max_distance> asked; // the next lines: a ring
    for (std::uint32_t i = 0; i < distance; ++i) asked[i] = order.next();
    std::uint64_t wrong = wrong_;
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < groups; ++i) {
        for (std::size_t in_group = 0; in_group < group; ++in_group) {
            std::uint64_t number = order.next();
            if constexpr (hint != LineHint::None) {
                ask_for<hint>(words + number * words_per_line);
                number = std::exchange(asked[at], number);
                at = (at + 1) & (distance - 1);
            }
            std::uint64_t* const line = words + number * words_per_line;
            wrong |= line[0] ^ number;
            if (adds != 0 && in_group == group - 1) ++line[1];
        }
    }
    order.go_back(distance);
    order_ = order;
    wrong_ = wrong;
    visits_ += groups * group;
    if (adds != 0) additions_ += groups;
}

[[gnu::noinline]] void RandomLines::stream_lines(std::size_t lines) {
    using Pair [[gnu::vector_size(16)]] = std::uint64_t;
    constexpr Pair ones{1, 1};
    Order order = order_;
    for (std::size_t i = 0; i < lines; ++i) {
        std::uint64_t const number = order.next();
        auto* const line = reinterpret_cast<Pair*>(&words_[number * words_per_line]);
        Pair const first{number, 1};
        asm volatile("movntdq %1, %0" : "=m"(line[0]) : "x"(first));
        for (std::size_t pair = 1; pair < words_per_line / 2; ++pair)
            asm volatile("movntdq %1, %0" : "=m"(line[pair]) : "x"(ones));
    }
    asm volatile("sfence" : : : "memory");
    order_ = order;
    visits_ += lines;
    streamed_ += lines;
}

bool RandomLines::verified() const {
    std::uint64_t wrong = wrong_;
    std::uint64_t counted = 0;
    for (std::uint64_t number = 0; number <= mask_; ++number) {
        auto const line = words_.subspan(number * words_per_line, words_per_line);
        wrong |= line[0] ^ number;
        counted += line[1];
        if (streamed_ != 0 && line[1] == 1)
            for (std::uint64_t const word : line.subspan(2)) wrong |= word ^ 1;
    }
    return wrong == 0 && counted == additions_ + std::min<std::uint64_t>(streamed_, mask_ + 1);
}

} // namespace mxk::bench
