#include "bench/machine/word_stream.hpp"

#include <algorithm>
#include <array>

#include "arch/cpu.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {
namespace {

using Pair [[gnu::vector_size(16)]] = std::uint64_t;

constexpr std::size_t words_per_line = cache_line_bytes / sizeof(std::uint64_t);
constexpr std::size_t words_per_piece = 16 * KiB / sizeof(std::uint64_t);
constexpr std::size_t pairs_per_line = cache_line_bytes / sizeof(Pair);

struct Line {
    std::array<Pair, pairs_per_line> pairs;
};

// Compilers know loops such as these, and would call memcpy() in their place.
void keep_loop() {
    asm volatile("" : : : "memory");
}

Line* lines_of(Words words) {
    return reinterpret_cast<Line*>(words.data());
}

// Calls store(place, value) for each pair of words in order.
template <typename Store> void store_pairs(Words words, std::uint64_t first, Store store) {
    Pair value{first, first + 1};
    constexpr Pair step{2, 2};
    Line* const lines = lines_of(words);
    for (std::size_t at = 0; at < words.size() / words_per_line; ++at) {
        for (Pair& place : lines[at].pairs) {
            store(place, value);
            value += step;
        }
        keep_loop();
    }
}

} // namespace

// The four that are timed stay functions: how they are called is no part of their loops.
[[gnu::noinline]] void write_words(Words words, std::uint64_t first) {
    store_pairs(words, first, [](Pair& place, Pair const& value) { place = value; });
}

[[gnu::noinline]] void stream_words(Words words, std::uint64_t first) {
    store_pairs(words, first, [](Pair& place, Pair const& value) {
        asm volatile("movntdq %1, %0" : "=m"(place) : "x"(value));
    });
    asm volatile("sfence" : : : "memory");
}

[[gnu::noinline]] std::uint64_t read_words(Words words) {
    Line sums{};
    Line const* const lines = lines_of(words);
    for (std::size_t at = 0; at < words.size() / words_per_line; ++at)
        for (std::size_t pair = 0; pair < pairs_per_line; ++pair) sums.pairs[pair] += lines[at].pairs[pair];
    std::uint64_t sum = 0;
    for (Pair const& pair : sums.pairs) sum += pair[0] + pair[1];
    return sum;
}

[[gnu::noinline]] void copy_words(Words from, Words to) {
    Line const* const sources = lines_of(from);
    Line* const targets = lines_of(to);
    for (std::size_t at = 0; at < from.size() / words_per_line; ++at) {
        targets[at] = sources[at];
        keep_loop();
    }
}

std::uint64_t sum_from(std::uint64_t first, std::size_t count) {
    // Of count and count - 1 one is even.
    std::uint64_t const pairs = count % 2 == 0 ? count / 2 * (count - 1) : count * ((count - 1) / 2);
    return first * count + (count == 0 ? 0 : pairs);
}

bool words_count_from(Words words, std::uint64_t first) {
    std::uint64_t wrong = 0;
    for (std::size_t at = 0; at < words.size(); ++at) wrong |= words[at] ^ (first + at);
    return wrong == 0;
}

Words part_of(Words words, std::size_t part, std::size_t parts) {
    std::size_t const lines = words.size() / words_per_line;
    std::size_t const from = lines * part / parts;
    std::size_t const to = lines * (part + 1) / parts;
    return words.subspan(from * words_per_line, (to - from) * words_per_line);
}

void TransferPart::prepare() {
    if (transfer_ == Transfer::Read || transfer_ == Transfer::Copy) write_words(source_, first_);
}

void TransferPart::pass() {
    switch (transfer_) {
    case Transfer::Read:
        sums_are_right_ = read_words(source_) == sum_from(first_, source_.size()) && sums_are_right_;
        return;
    case Transfer::Write: return write_words(source_, ++first_);
    case Transfer::Copy: return copy_words(source_, target_);
    case Transfer::WriteStreaming: break;
    }
    stream_words(source_, ++first_);
}

bool TransferPart::verified() const {
    if (transfer_ == Transfer::Read) return sums_are_right_;
    return words_count_from(transfer_ == Transfer::Copy ? target_ : source_, first_);
}

Words MemoryLoad::piece_at(std::size_t word) const {
    return words_.subspan(word, std::min(words_per_piece, words_.size() - word));
}

bool MemoryLoad::is_written(std::size_t word) const {
    std::size_t const number = word / words_per_piece;
    switch (mix_) {
    case LineMix::Read: return false;
    case LineMix::ThreeToOne: return number % 3 == 2;
    case LineMix::TwoToOne: return number % 2 == 1;
    case LineMix::OneToOne:
    case LineMix::Streamed: break;
    }
    return true;
}

void MemoryLoad::do_piece() {
    Words const part = piece_at(next_);
    Cycles const start = clock::timestamp();
    bool const writes = is_written(next_);
    if (!writes)
        sums_are_right_ = read_words(part) == sum_from(value_at(next_, 0), part.size()) && sums_are_right_;
    else if (mix_ == LineMix::Streamed)
        stream_words(part, value_at(next_, lap_));
    else
        write_words(part, value_at(next_, lap_));
    Cycles const done = clock::timestamp();
    if (bytes_ == 0) start_ = start;
    bytes_ += part.size_bytes() * (writes && mix_ != LineMix::Streamed ? 2 : 1);
    next_ += part.size();
    if (next_ == words_.size()) {
        next_ = 0;
        ++lap_;
    }

    double const pause = static_cast<double>(raw(done - start)) * (1 - share_) / share_;
    Cycles const resume = done + static_cast<Cycles>(static_cast<std::uint64_t>(pause));
    while (clock::timestamp() < resume) arch::pause();
    end_ = clock::timestamp();
}

bool MemoryLoad::verified() const {
    bool are_there = true;
    for (std::size_t word = 0; word < words_.size(); word += words_per_piece) {
        if (!is_written(word)) continue;
        std::uint64_t const lap = word < next_ ? lap_ : lap_ - 1; // the last one that came here
        are_there = words_count_from(piece_at(word), value_at(word, lap)) && are_there;
    }
    return sums_are_right_ && are_there;
}

double MemoryLoad::bytes_per_second() const {
    if (bytes_ == 0) return 0;
    return static_cast<double>(bytes_) * static_cast<double>(clock::frequency()) /
           static_cast<double>(raw(end_ - start_));
}

} // namespace mxk::bench
