// A copy of bytes at an address that is a multiple of 64, of exactly their size: AddressSanitizer sees a step beyond
// it.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace mxk::test {

class AlignedBytes {
  public:
    explicit AlignedBytes(std::span<std::byte const> bytes)
        : memory_(static_cast<std::byte*>(::operator new(bytes.size(), alignment)))
        , size_(bytes.size()) {
        if (!bytes.empty()) std::memcpy(memory_.get(), bytes.data(), bytes.size());
    }

    [[nodiscard]] std::span<std::byte> span() const { return {memory_.get(), size_}; }

  private:
    static constexpr std::align_val_t alignment{64};
    struct Free {
        void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
    };

    std::unique_ptr<std::byte, Free> memory_;
    std::size_t size_;
};

} // namespace mxk::test
