// The free extents of a row of frames, by the number of their first frame. A tree whose leaf i holds the length of the
// extent that begins at frame i (0: none does), and each entry above the maximum of 16 below, a cache line (a
// tournament tree: Knuth, TAOCP 3, 5.2.3). So the lowest extent that is long enough, the neighbours of a frame and a
// change each take one way through the levels: six for 64 GiB. Four bytes a frame and a fifteenth more, in memory of
// the caller's that may hold anything: a block of 16 is cleared when the entry above stops being 0, and not read
// before. For one core at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mxk {

class ExtentTree {
  public:
    static constexpr std::size_t none = SIZE_MAX;
    static constexpr std::size_t max_frames = INT32_MAX; // 8 TiB

    // Of no frames.
    constexpr ExtentTree() = default;
    // Of frames 0 to `frames` - 1, up to max_frames, with no extent. `memory`: bytes_for(frames), aligned to a cache
    // line.
    ExtentTree(std::byte* memory, std::size_t frames);
    [[nodiscard]] static std::size_t bytes_for(std::size_t frames);

    // From now on the extent that begins at `first` has so many frames; 0: none begins there.
    void set(std::size_t first, std::size_t length);
    // How many frames the extent has that begins at `first`, which is one.
    [[nodiscard]] std::size_t length(std::size_t first) const { return static_cast<std::size_t>(levels_[0][first]); }

    // The lowest extent that begins at `from` or behind it and has no fewer than `length` frames, which are 1 or more;
    // or none.
    [[nodiscard]] std::size_t find(std::size_t length, std::size_t from) const;
    // The highest one that begins in front of `end`, or none.
    [[nodiscard]] std::size_t find_before(std::size_t end) const;
    [[nodiscard]] std::size_t max_length() const;

  private:
    static constexpr unsigned fanout_bits = 4;
    static constexpr std::size_t fanout = std::size_t{1} << fanout_bits;
    static constexpr std::size_t max_depth = 32 / fanout_bits;

    [[nodiscard]] static std::size_t count_above(std::size_t count);
    // The entry of a level that stands above a frame.
    [[nodiscard]] static std::size_t entry_above(std::size_t frame, std::size_t level) {
        return frame >> (fanout_bits * level);
    }
    [[nodiscard]] std::size_t lowest_level(std::size_t frame, std::size_t length) const;
    void clear_way_to(std::size_t frame);

    // From the leaves up to a single block. Below an entry that is 0 the memory holds anything.
    std::array<std::int32_t*, max_depth> levels_{};
    std::size_t depth_ = 0;
    std::size_t frames_ = 0;
};

} // namespace mxk
