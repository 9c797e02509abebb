// A recording as chunks of bytes, each of which can be read without the others, and a chunk as a line of text with a
// number and a checksum: so that of a log in which lines are missing or damaged the others can be used, and the rest
// asked for again. The format stands in docs/timeline.md; tools/mxk_host/timeline/ reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/text.hpp"
#include "tasks/timeline/timeline.hpp"

namespace mxk::timeline {

// What a chunk begins with.
enum class ChunkKind : std::uint8_t { Head, Core, Events };
constexpr std::uint64_t format_version = 1;

// The bytes of one chunk.
class Chunk {
  public:
    static constexpr std::size_t capacity = 720; // 960 characters

    void clear() { size_ = 0; }
    void put(std::uint8_t byte);
    // Seven bits in each byte, the low ones first; the highest bit says that more follow.
    void put_number(std::uint64_t number);
    // A difference, modulo 2^64: small ones of either sign take one byte (0, -1, 1, -2 ... as 0, 1, 2, 3 ...).
    void put_difference(std::uint64_t from, std::uint64_t to);
    void put_text(std::string_view text);

    [[nodiscard]] std::span<std::byte const> bytes() const { return {bytes_.data(), size_}; }
    [[nodiscard]] std::size_t room() const { return capacity - size_; }

  private:
    std::array<std::byte, capacity> bytes_{};
    std::size_t size_ = 0;
};

class ChunkSink {
  public:
    // False: no more are wanted.
    virtual bool take(std::uint32_t number, std::span<std::byte const> chunk) = 0;

  protected:
    ~ChunkSink() = default;
};

// What stands in the first chunk.
struct Head {
    std::uint64_t frequency;   // time stamps per second
    std::uint64_t load_offset; // arch::load_offset()
    std::string_view platform;
    std::string_view build;
};

// All chunks of a recording in order, which are the same ones each time.
void cut(Recording const& recording, Head const& head, ChunkSink& sink);

// TRACE <recording> <number>/<count> <base64> <CRC-32 of the line before this word's blank>, in one write.
void write_line(TextSink& out, std::uint32_t recording, std::uint32_t number, std::uint32_t count,
                std::span<std::byte const> chunk);

} // namespace mxk::timeline
