// An object of an allocator under a benchmark, and what stands in it: its first word, which no other object has at that
// time, is written when it is allocated and looked at when it is freed. An allocator that gives one place to two is
// found out by whichever of them is freed first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxk::bench {

constexpr std::size_t min_object_bytes = sizeof(std::uint64_t);

struct LiveObject {
    std::uint64_t* place = nullptr;
    std::uint64_t word = 0; // the number above, the bytes below

    [[nodiscard]] std::size_t bytes() const { return word & 0xffff'ffff; }
};

constexpr std::uint64_t word_of(std::uint64_t number, std::size_t bytes) {
    return number << 32 | bytes;
}

// Numbers of which every core has its own.
class ObjectNumbers {
  public:
    ObjectNumbers() = default;
    ObjectNumbers(std::size_t place, std::size_t cores)
        : next_(place)
        , step_(cores) {}
    std::uint64_t next() { return next_ += step_; }

  private:
    std::uint64_t next_ = 0;
    std::uint64_t step_ = 1;
};

// Volatile: an allocator that is inlined writes to the same place, and the compiler sees it.
inline void write_word(std::uint64_t* place, std::uint64_t word) {
    *static_cast<std::uint64_t volatile*>(place) = word;
}
inline bool holds_word(std::uint64_t const* place, std::uint64_t word) {
    return *static_cast<std::uint64_t const volatile*>(place) == word;
}

// Of an allocator: `static void* allocate(std::size_t bytes)` and `static void deallocate(void* place, std::size_t
// bytes)`. False: no memory.
template <typename A>
[[gnu::always_inline]] inline bool allocate_object(LiveObject& object, std::size_t bytes, std::uint64_t number) {
    auto* const place = static_cast<std::uint64_t*>(A::allocate(bytes));
    if (place == nullptr) [[unlikely]]
        return false;
    object = {place, word_of(number, bytes)};
    write_word(place, object.word);
    return true;
}

// Whether it still held what was written.
template <typename A> [[gnu::always_inline]] inline bool free_object(LiveObject const& object) {
    bool const is_right = holds_word(object.place, object.word);
    A::deallocate(object.place, object.bytes());
    return is_right;
}

} // namespace mxk::bench
