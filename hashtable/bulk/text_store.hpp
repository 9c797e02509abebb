// Memory for the byte strings of one region of a bulk table: taken from large pieces one behind the other, and reused
// by size when given back. For one thread at a time. All goes with the store.
#pragma once

#include <array>
#include <cstddef>

#include "base/units.hpp"

namespace mxk {

class TextStore {
  public:
    explicit TextStore(NodeId node)
        : node_(node) {}
    ~TextStore();
    TextStore(TextStore const&) = delete;
    TextStore& operator=(TextStore const&) = delete;

    // What a text of this size takes. 0 for one that is empty.
    static std::size_t room_for(std::size_t size);

    // Keeps room for texts that take `bytes` altogether besides what was promised before: so many cannot fail. False if
    // there is no memory. Blocks for the allocator's lock.
    bool promise(std::size_t bytes);
    void take_back(std::size_t bytes) { promised_ -= bytes; }

    // Room for `size` bytes, or null without memory; `is_promised`: not null. Blocks as promise() does.
    [[nodiscard]] char* allocate(std::size_t size, bool is_promised);
    void free(char* text, std::size_t size);
    // All texts at once, whose memory goes back to the allocator, less what was promised.
    void clear();

    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    struct Chunk; // stands at the beginning of its memory
    struct Freed {
        Freed* next;
    };
    static constexpr std::size_t unit = 16;
    static constexpr std::size_t small_classes = 16; // of 16 to 256 bytes; then powers of two
    static constexpr std::size_t classes = small_classes + 40;

    static std::size_t class_of(std::size_t room);
    bool add_chunk(std::size_t bytes);
    void free_chunks(Chunk* chunk);

    char* fresh_ = nullptr; // what of the newest chunk was never given out: no less than what is promised
    char* fresh_end_ = nullptr;
    std::size_t promised_ = 0;
    std::array<Freed*, classes> freed_{};
    Chunk* newest_ = nullptr;
    std::size_t bytes_ = 0; // of all chunks
    NodeId node_;
};

} // namespace mxk
