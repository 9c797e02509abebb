#include "kernel/acpi/memory_image.hpp"

#include <algorithm>
#include <cstdint>

#include "base/bytes.hpp"

namespace mxk::acpi {
namespace {

constexpr std::size_t base_offset = memory_image_mark.size();
constexpr std::size_t memory_offset = base_offset + sizeof(std::uint64_t);
constexpr std::size_t max_root_pointer_bytes = 36;

} // namespace

bool MemoryImage::begins(std::span<std::byte const> file) {
    return file.size() >= memory_image_mark.size() &&
           std::string_view(reinterpret_cast<char const*>(file.data()), memory_image_mark.size()) == memory_image_mark;
}

Result<MemoryImage> MemoryImage::open(std::span<std::byte const> file) {
    if (!begins(file)) {
        return Error::of("expected an image of firmware's memory, which begins with '{}'", memory_image_mark);
    }
    auto const base = read<std::uint64_t>(file, base_offset);
    if (!base || file.size() == memory_offset) {
        return Error::of("expected an address and memory behind '{}', got {} bytes", memory_image_mark,
                         file.size() - base_offset);
    }
    auto const memory = file.subspan(memory_offset);
    if (memory.size() > UINT64_MAX - *base) {
        return Error::of("expected memory that ends within 64 bits, got {} bytes from {} on", memory.size(),
                         PhysicalAddress{*base});
    }
    return MemoryImage(PhysicalAddress{*base}, memory);
}

std::span<std::byte const> MemoryImage::root_pointer() const {
    return memory_.first(std::min(memory_.size(), max_root_pointer_bytes));
}

std::span<std::byte const> MemoryImage::view(PhysicalAddress address, std::size_t bytes) {
    if (address < base_ || address - base_ > memory_.size() || bytes > memory_.size() - (address - base_)) return {};
    return memory_.subspan(address - base_, bytes);
}

} // namespace mxk::acpi
