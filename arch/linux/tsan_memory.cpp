// What Clang makes of memcpy() and the like under ThreadSanitizer, for programs of g++, whose runtime does not have
// these names: the functions themselves, which the runtime watches. Weak, since Clang's runtime has its own.
#include <cstddef>
#include <cstring>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define MXK_PLAIN [[gnu::weak, clang::disable_sanitizer_instrumentation]]

extern "C" {
MXK_PLAIN void* __tsan_memcpy(void* to, void const* from, std::size_t bytes) {
    return memcpy(to, from, bytes);
}
MXK_PLAIN void* __tsan_memmove(void* to, void const* from, std::size_t bytes) {
    return memmove(to, from, bytes);
}
MXK_PLAIN void* __tsan_memset(void* to, int value, std::size_t bytes) {
    return memset(to, value, bytes);
}
}
#endif
#endif
