// What compiled code calls from a C library: the functions that GCC may call on its own in freestanding code, and what
// the freestanding part of the C++ library calls. Plain string instructions: fast on every CPU with ERMSB, and nothing
// hot in MXK copies memory.
#include <cstddef>
#include <cstdint>

#include "base/panic.hpp"

extern "C" {

void* memcpy(void* __restrict target, void const* __restrict source, std::size_t bytes) {
    void* destination = target;
    asm volatile("rep movsb" : "+D"(destination), "+S"(source), "+c"(bytes)::"memory");
    return target;
}

void* memset(void* target, int value, std::size_t bytes) {
    void* destination = target;
    asm volatile("rep stosb" : "+D"(destination), "+c"(bytes) : "a"(value) : "memory");
    return target;
}

void* memmove(void* target, void const* source, std::size_t bytes) {
    if (reinterpret_cast<std::uintptr_t>(target) - reinterpret_cast<std::uintptr_t>(source) >= bytes)
        return memcpy(target, source, bytes);
    // The target begins inside the source: from the end down.
    auto* destination = static_cast<char*>(target) + bytes;
    auto const* from = static_cast<char const*>(source) + bytes;
    while (bytes-- > 0) {
        *--destination = *--from;
        asm volatile("" ::: "memory"); // keeps GCC from turning the loop into a call of memmove
    }
    return target;
}

int memcmp(void const* left, void const* right, std::size_t bytes) {
    auto const* a = static_cast<unsigned char const*>(left);
    auto const* b = static_cast<unsigned char const*>(right);
    for (; bytes > 0; --bytes, ++a, ++b)
        if (*a != *b) return *a < *b ? -1 : 1;
    return 0;
}

void* memchr(void const* bytes, int value, std::size_t count) {
    auto const* byte = static_cast<unsigned char const*>(bytes);
    for (; count > 0; --count, ++byte)
        if (*byte == static_cast<unsigned char>(value)) return const_cast<unsigned char*>(byte);
    return nullptr;
}

std::size_t strlen(char const* text) {
    std::size_t length = 0;
    while (text[length] != '\0') {
        ++length;
        asm volatile("");
    }
    return length;
}
}

namespace std {

// string_view::substr() with a start behind the end. From GCC 13 on the library ends there itself.
#if _GLIBCXX_RELEASE < 13
void __throw_out_of_range_fmt(char const* what, ...) {
    mxk::panic("out of range: {}", what);
}
#else
void terminate() noexcept {
    mxk::panic("out of range");
}
#endif

} // namespace std
