#include "bench/machine/load_reader.hpp"

#include <algorithm>

#include "arch/cpu.hpp"
#include "kernel/clock.hpp"

namespace mxk::bench {
namespace {

constexpr std::size_t piece_words = 16 * KiB / sizeof(std::uint64_t);

} // namespace

void LoadReader::read_piece() {
    Words const part = words_.subspan(next_, std::min(piece_words, words_.size() - next_));
    Cycles const start = clock::timestamp();
    verified_ = read_words(part) == sum_from(first_ + next_, part.size()) && verified_;
    Cycles const read = clock::timestamp();
    if (bytes_ == 0) start_ = start;
    bytes_ += part.size_bytes();
    next_ += part.size();
    if (next_ == words_.size()) next_ = 0;

    double const pause = static_cast<double>(raw(read - start)) * (1 - share_) / share_;
    Cycles const resume = read + static_cast<Cycles>(static_cast<std::uint64_t>(pause));
    while (clock::timestamp() < resume) arch::pause();
    end_ = clock::timestamp();
}

double LoadReader::bytes_per_second() const {
    if (bytes_ == 0) return 0;
    return static_cast<double>(bytes_) * static_cast<double>(clock::frequency()) /
           static_cast<double>(raw(end_ - start_));
}

} // namespace mxk::bench
