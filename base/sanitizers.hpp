// Which sanitizer a build has: GCC says it by macros, Clang by features.
#pragma once

#ifdef __has_feature
#define MXK_HAS_FEATURE(feature) __has_feature(feature)
#else
#define MXK_HAS_FEATURE(feature) 0
#endif

namespace mxk {

#if defined(__SANITIZE_ADDRESS__) || MXK_HAS_FEATURE(address_sanitizer)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || MXK_HAS_FEATURE(thread_sanitizer)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif

} // namespace mxk

#undef MXK_HAS_FEATURE
