// What one core moves when bandwidth is measured, and whether it has arrived.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bench/frame/names.hpp"
#include "bench/machine/word_stream.hpp"

namespace mxk::bench {

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

} // namespace mxk::bench
