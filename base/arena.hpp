// Memory that is handed out bit by bit and given back, if at all, as a whole: what boot finds out (topology, tables,
// per-core structures) lives as long as the kernel; what a command finds out may come from a source that takes
// everything back at once. Grows by chunks, so nothing found out is limited by a constant. Not thread-safe: one core
// uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

#include "base/result.hpp"
#include "base/units.hpp"

namespace mxk {

// A source of chunks that knows its own, so that it can take them back when nobody uses them any more.
class ChunkSource {
  public:
    // `bytes` or more, aligned to a page, or an empty span when there is no more.
    virtual std::span<std::byte> take_chunk(std::size_t bytes) = 0;

  protected:
    ~ChunkSource() = default;
};

class Arena {
  public:
    // The same as a plain function: for memory that is never given back.
    using Source = std::span<std::byte> (*)(std::size_t bytes);

    explicit Arena(Source source)
        : source_(source) {}
    // `chunks` must outlive the arena and all that was taken from it.
    explicit Arena(ChunkSource& chunks)
        : chunks_(&chunks) {}
    Arena(Arena const&) = delete;
    Arena& operator=(Arena const&) = delete;

    // `count` value-initialised objects, or an error when the source is dry.
    template <typename T> Result<std::span<T>> array(std::size_t count, std::size_t alignment = alignof(T)) {
        static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
        if (count > SIZE_MAX / 2 / sizeof(T)) return Error::of("out of memory: {} objects wanted", count);
        void* const place = take(count * sizeof(T), alignment < alignof(T) ? alignof(T) : alignment);
        if (place == nullptr) return Error::of("out of memory: {} bytes wanted", count * sizeof(T));
        T* const first = static_cast<T*>(place);
        for (std::size_t i = 0; i < count; ++i) new (static_cast<void*>(first + i)) T{};
        return std::span<T>(first, count);
    }

  private:
    void* take(std::size_t bytes, std::size_t alignment) {
        for (int attempt = 0; attempt < 2; ++attempt) {
            auto const start = align_up(reinterpret_cast<std::uintptr_t>(free_.data()), alignment);
            std::size_t const skipped = start - reinterpret_cast<std::uintptr_t>(free_.data());
            if (free_.data() != nullptr && skipped <= free_.size() && bytes <= free_.size() - skipped) {
                std::byte* const result = free_.data() + skipped;
                free_ = free_.subspan(skipped + bytes);
                return result;
            }
            free_ = more(bytes + alignment < chunk_bytes ? chunk_bytes : bytes + alignment);
        }
        return nullptr;
    }

    std::span<std::byte> more(std::size_t bytes) {
        return chunks_ != nullptr ? chunks_->take_chunk(bytes) : source_(bytes);
    }

    static constexpr std::size_t chunk_bytes = 64 * KiB;

    // Exactly one is set.
    Source source_ = nullptr;
    ChunkSource* chunks_ = nullptr;
    std::span<std::byte> free_;
};

} // namespace mxk
