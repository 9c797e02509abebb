// Where text goes. A TextSink takes bytes (the serial line, a log, a test's buffer); FixedText keeps them inside itself
// and cuts what does not fit, so that error messages need no allocator.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace mxk {

class TextSink {
  public:
    virtual void write(std::string_view text) = 0;
    // How wide a row may be that is not to be broken; 0: as wide as it is, since no terminal shows it.
    [[nodiscard]] virtual std::size_t columns() const { return 0; }

  protected:
    ~TextSink() = default;
};

template <std::size_t Capacity> class FixedText final : public TextSink {
  public:
    constexpr FixedText() = default;
    constexpr FixedText(std::string_view text) { append(text); }

    void write(std::string_view text) override { append(text); }

    constexpr void append(std::string_view text) {
        std::size_t const count = std::min(text.size(), Capacity - size_);
        std::copy_n(text.begin(), count, characters_.begin() + size_);
        size_ += count;
    }
    constexpr void clear() { size_ = 0; }

    [[nodiscard]] constexpr std::string_view view() const { return {characters_.data(), size_}; }
    [[nodiscard]] constexpr bool full() const { return size_ == Capacity; }

  private:
    std::array<char, Capacity> characters_{};
    std::size_t size_ = 0;
};

} // namespace mxk
