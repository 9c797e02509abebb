// Free objects of one block, linked through themselves. A list that is put down has its length in its first object, and
// there the address of another list, too: so whole lists are handed on and counted in constant time.
//
//     list:   [ next | length 3, list behind ] -> [ next | - ] -> [ next | - ] -> null
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace mxk::heap {

class FreeObject {
  public:
    // In front of `next`.
    [[gnu::always_inline]] static FreeObject* link(void* object, FreeObject* next) {
        auto* const first = static_cast<FreeObject*>(object);
        first->next_ = next;
        return first;
    }
    [[nodiscard]] FreeObject* next() const { return next_; }
    void set_next(FreeObject* next) { next_ = next; }

    // Of the first object of a list: says that the list has so many, up to 65535, and which one, or null, is behind it.
    // Addresses have 48 bits, of which the highest stands for those above.
    void put_down(std::uint32_t length, FreeObject* list_behind) {
        word_ = length | reinterpret_cast<std::uintptr_t>(list_behind) << length_bits;
    }
    [[nodiscard]] std::uint32_t length() const { return static_cast<std::uint32_t>(word_ & max_length); }
    [[nodiscard]] FreeObject* list_behind() const {
        return reinterpret_cast<FreeObject*>(static_cast<std::int64_t>(word_) >> length_bits);
    }

  private:
    static constexpr unsigned length_bits = 16;
    static constexpr std::uint64_t max_length = (1U << length_bits) - 1;

    FreeObject* next_;
    std::uint64_t word_;
};
static_assert(sizeof(FreeObject) == 16);

} // namespace mxk::heap
