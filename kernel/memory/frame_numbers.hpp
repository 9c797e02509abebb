// Numbers for the frames of a node's ranges, in address order: frames are neighbours exactly where their numbers are,
// so between ranges that do not touch one number is left out. The ranges are few, and added at boot.
//
//     addresses:   [ 1000  2000 ]            [ 9000  a000  b000 ]
//     numbers:         0     1    (2: none)      3     4     5
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mxk {

class FrameNumbers {
  public:
    static constexpr std::size_t none = SIZE_MAX;
    static constexpr std::size_t frame_bytes = 4096;

    constexpr FrameNumbers() = default;
    // Those of `others` and of one more range, which overlaps none of them. In `memory`, of bytes_for() one more, which
    // must not be that of the others.
    FrameNumbers(std::byte* memory, FrameNumbers const& others, std::uintptr_t start, std::size_t frames);
    [[nodiscard]] static std::size_t bytes_for(std::size_t ranges);

    // Of the first of so many frames; none unless all are of one range.
    [[nodiscard]] std::size_t number_of(std::uintptr_t address, std::size_t frames) const;
    // Of a frame that has the number.
    [[nodiscard]] std::uintptr_t address_of(std::size_t number) const;
    // Whether one of these frames has a number.
    [[nodiscard]] bool overlap(std::uintptr_t address, std::size_t frames) const;

    [[nodiscard]] std::size_t range_count() const { return ranges_.size(); }
    // All numbers are lower.
    [[nodiscard]] std::size_t end() const;

  private:
    struct Range {
        std::uintptr_t start;
        std::size_t frames;
        std::size_t first; // the number of the frame at its start
        [[nodiscard]] std::uintptr_t end() const { return start + frames * frame_bytes; }
    };
    void append(std::uintptr_t start, std::size_t frames);

    std::span<Range> ranges_; // they ascend and never touch
};

} // namespace mxk
