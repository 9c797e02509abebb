// The heap in builds that check it (MXK_CHECK_HEAP: metal-debug and the sanitized ones): each object lies between two
// red zones and behind a head that says how large it is, whether it is in use, and who asked for it. A size that is not
// the one of the allocation, an object that is freed twice or was none, and bytes written in front of it or behind it
// panic at the free; bytes written to it after that, when its place is given out again.
//
//     [ head 32 | red zone 16 or more ] [ object ] [ red zone 16 ]
//
// Not checked: objects that are aligned to more than a cache line.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mxk::heap {

#ifdef MXK_CHECK_HEAP
inline constexpr bool is_checked = true;
#else
inline constexpr bool is_checked = false;
#endif

// As allocate() and deallocate() of heap.hpp, by which they are called. Where is_checked is false they are not there.
[[nodiscard]] void* allocate_checked(std::size_t bytes, std::size_t alignment);
void deallocate_checked(void* object, std::size_t bytes, std::size_t alignment);

// A place of the program that has allocated what is not freed.
struct Holder {
    std::uintptr_t site = 0; // where allocate() has returned to
    std::size_t objects = 0;
    std::size_t bytes = 0;
};
// Calls visit(holder, context) for each such place, in no order. Any core; a moment's values. None where is_checked is
// false.
void for_each_holder(void (*visit)(Holder const& holder, void* context), void* context);

} // namespace mxk::heap
