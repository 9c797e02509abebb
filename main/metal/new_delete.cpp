// `new` and `delete` of the kernel: the heap of the core (kernel/memory/heap/heap.hpp). There are no exceptions: where
// memory has run out, `new` ends the kernel, and `new (std::nothrow)` is null. `delete` is told the size by the
// compiler; where it is not, it cannot give anything back, and says so. `delete[]` often is not, so that what `new[]`
// gives has its size in front of it.
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/panic.hpp"
#include "kernel/memory/heap/heap.hpp"

namespace std {
// What `new (std::nothrow)` names.
nothrow_t const nothrow{}; // NOLINT(cert-dcl58-cpp): the library that has it is not linked
} // namespace std

namespace {

void* allocate_or_panic(std::size_t bytes, std::size_t alignment) {
    void* const place = mxk::heap::allocate(bytes, alignment);
    if (place == nullptr) mxk::panic("out of memory: `new` wants {} bytes", bytes);
    return place;
}
void deallocate(void* place, std::size_t bytes, std::size_t alignment) {
    if (place != nullptr) mxk::heap::deallocate(place, bytes, alignment);
}
[[noreturn]] void refuse(void* place) {
    mxk::panic("`delete` of {} without its size", place);
}
constexpr std::size_t default_alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
constexpr std::size_t raw(std::align_val_t alignment) {
    return static_cast<std::size_t>(alignment);
}

// Arrays, whose size stands right in front of them.
std::size_t head_bytes(std::size_t alignment) {
    return alignment > default_alignment ? alignment : default_alignment;
}
void* begin_array(void* place, std::size_t bytes, std::size_t alignment) {
    if (place == nullptr) return nullptr;
    auto* const array = static_cast<std::byte*>(place) + head_bytes(alignment);
    *reinterpret_cast<std::size_t*>(array - sizeof(std::size_t)) = bytes;
    return array;
}
std::size_t with_head(std::size_t bytes, std::size_t alignment) {
    std::size_t const whole = bytes + head_bytes(alignment);
    return whole < bytes ? SIZE_MAX : whole; // which no memory has
}
void* allocate_array(std::size_t bytes, std::size_t alignment) {
    return begin_array(mxk::heap::allocate(with_head(bytes, alignment), alignment), bytes, alignment);
}
void* allocate_array_or_panic(std::size_t bytes, std::size_t alignment) {
    return begin_array(allocate_or_panic(with_head(bytes, alignment), alignment), bytes, alignment);
}
void deallocate_array(void* array, std::size_t alignment) {
    if (array == nullptr) return;
    auto* const start = static_cast<std::byte*>(array);
    std::size_t const bytes = *reinterpret_cast<std::size_t*>(start - sizeof(std::size_t));
    mxk::heap::deallocate(start - head_bytes(alignment), bytes + head_bytes(alignment), alignment);
}

} // namespace

void* operator new(std::size_t bytes) {
    return allocate_or_panic(bytes, default_alignment);
}
void* operator new[](std::size_t bytes) {
    return allocate_array_or_panic(bytes, default_alignment);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return allocate_or_panic(bytes, raw(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return allocate_array_or_panic(bytes, raw(alignment));
}
void* operator new(std::size_t bytes, std::nothrow_t const& /*tag*/) noexcept {
    return mxk::heap::allocate(bytes, default_alignment);
}
void* operator new[](std::size_t bytes, std::nothrow_t const& /*tag*/) noexcept {
    return allocate_array(bytes, default_alignment);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, std::nothrow_t const& /*tag*/) noexcept {
    return mxk::heap::allocate(bytes, raw(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, std::nothrow_t const& /*tag*/) noexcept {
    return allocate_array(bytes, raw(alignment));
}
void operator delete(void* place, std::size_t bytes) noexcept {
    deallocate(place, bytes, default_alignment);
}
void operator delete[](void* place, std::size_t /*bytes*/) noexcept {
    deallocate_array(place, default_alignment);
}
void operator delete(void* place, std::size_t bytes, std::align_val_t alignment) noexcept {
    deallocate(place, bytes, raw(alignment));
}
void operator delete[](void* place, std::size_t /*bytes*/, std::align_val_t alignment) noexcept {
    deallocate_array(place, raw(alignment));
}
void operator delete(void* place) noexcept {
    refuse(place);
}
void operator delete[](void* place) noexcept {
    deallocate_array(place, default_alignment);
}
void operator delete(void* place, std::align_val_t /*alignment*/) noexcept {
    refuse(place);
}
void operator delete[](void* place, std::align_val_t alignment) noexcept {
    deallocate_array(place, raw(alignment));
}
