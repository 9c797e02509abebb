// A string of a fixed number of bytes as a key. All bytes 0 is what an empty place of a table holds, as the number 0
// is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mxk {

template <std::size_t Size> class Bytes {
  public:
    static_assert(Size % sizeof(std::uint64_t) == 0 && Size > 0, "keys are compared by words");
    static constexpr std::size_t words = Size / sizeof(std::uint64_t);

    constexpr Bytes() = default;
    // The first Size characters of the text; zeros behind a shorter one.
    explicit Bytes(std::string_view text) { text.copy(reinterpret_cast<char*>(words_.data()), Size); }

    [[nodiscard]] std::uint64_t word(std::size_t at) const { return words_[at]; }
    friend bool operator==(Bytes const&, Bytes const&) = default;

  private:
    std::array<std::uint64_t, words> words_{};
};

} // namespace mxk
