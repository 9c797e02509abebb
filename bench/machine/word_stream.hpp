// What bandwidth is measured with: words in order, read, written or copied by a core, 16 bytes at a time. Word i of a
// memory holds first + i, so that every word that was not moved, or moved to another place, is noticed. All spans are
// of whole cache lines, aligned to them. And what one core does with them: its part of a transfer, or reads a share of
// its time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.hpp"
#include "bench/frame/names.hpp"

namespace mxk::bench {

using Words = std::span<std::uint64_t>;

// Ordinary stores: each line is read from memory before it is written to.
void write_words(Words words, std::uint64_t first);
// Stores past the caches (MOVNTDQ, SDM volume 1 section 10.4.6.2), which are visible to all when this returns.
void stream_words(Words words, std::uint64_t first);
// The sum of all.
std::uint64_t read_words(Words words);
// `from` and `to`: of the same size.
void copy_words(Words from, Words to);

// What read_words() gives for so many words that begin with `first`.
std::uint64_t sum_from(std::uint64_t first, std::size_t count);
// Whether each word has its value.
bool words_count_from(Words words, std::uint64_t first);

// Part `part` of `parts` nearly equal ones, whole lines.
Words part_of(Words words, std::size_t part, std::size_t parts);

// What is done with the lines, by what the memory sees: a line that is added to is read first and written back later.
// So of 3:1 each third line is added to (three are read, one is written), of 1:1 each. Streamed: whole lines are
// written past the caches, and none is read.
enum class LineMix : std::uint8_t { Read, ThreeToOne, TwoToOne, OneToOne, Streamed };
constexpr auto value_names(LineMix) {
    using Named = console::NamedValue<LineMix>;
    return std::array{Named{LineMix::Read, "read"}, Named{LineMix::ThreeToOne, "3:1"}, Named{LineMix::TwoToOne, "2:1"},
                      Named{LineMix::OneToOne, "1:1"}, Named{LineMix::Streamed, "streamed"}};
}

enum class Transfer : std::uint8_t { Read, Write, Copy, WriteStreaming };

// As they stand in results.
constexpr auto value_names(Transfer) {
    using Named = console::NamedValue<Transfer>;
    return std::array{Named{Transfer::Read, "read"}, Named{Transfer::Write, "write"}, Named{Transfer::Copy, "copy"},
                      Named{Transfer::WriteStreaming, "write-streaming"}};
}

// On one core: prepare(), pass() as often as wanted, verified().
class TransferPart {
  public:
    // `source`: what is read, written to, or copied from; `target`: what copies go to. `run`: another number for each
    // run, so that what an earlier one has left does not count as moved.
    TransferPart(Transfer transfer, Words source, Words target, std::uint64_t run)
        : transfer_(transfer)
        , source_(source)
        , target_(target)
        , first_(run << 32) {}

    void prepare();
    void pass();
    // After the last pass: every sum read and every word written is the expected one.
    [[nodiscard]] bool verified() const;

    // That a pass moves: of a copy both those read and those written, as STREAM counts (McCalpin 1995).
    [[nodiscard]] std::size_t bytes_per_pass() const {
        return source_.size_bytes() * (transfer_ == Transfer::Copy ? 2 : 1);
    }

  private:
    Transfer transfer_;
    Words source_;
    Words target_;
    std::uint64_t first_; // the first word's value
    bool sums_are_right_ = true;
};

// A core that loads the memory a share of its time. Others ask it afterwards.
class MemoryLoad {
  public:
    // `words`: that count from `first` (words_count_from()). `share`: of its time, more than 0, up to 1. Of a mix that
    // writes, so many pieces are written with ordinary stores, which read them first; the same ones in each lap.
    MemoryLoad(Words words, std::uint64_t first, double share, LineMix mix)
        : words_(words)
        , first_(first)
        , share_(share)
        , mix_(mix) {}

    // The next piece, then a pause so long that the share is kept: some microseconds.
    void do_piece();

    // That were moved per second, from the first piece on, those that are read before they are written twice. 0: none.
    [[nodiscard]] double bytes_per_second() const;
    // All sums were those of the words that are there, and all that was written is there. Reads all of that.
    [[nodiscard]] bool verified() const;

  private:
    [[nodiscard]] Words piece_at(std::size_t word) const;
    [[nodiscard]] bool is_written(std::size_t word) const;
    // The first word's value, of a piece that is written in this lap.
    [[nodiscard]] std::uint64_t value_at(std::size_t word, std::uint64_t lap) const {
        return first_ + word + (lap << 40);
    }

    Words words_;
    std::uint64_t first_;
    double share_;
    LineMix mix_;
    std::size_t next_ = 0;  // word
    std::uint64_t lap_ = 1; // 0: what was there
    std::uint64_t bytes_ = 0;
    Cycles start_{};
    Cycles end_{};
    bool sums_are_right_ = true;
};

} // namespace mxk::bench
