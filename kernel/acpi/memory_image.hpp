// The firmware's tables of another machine as one file: a piece of physical memory, with the root pointer where it
// begins. The addresses in it are those that the tables name, so that all of the way from the root pointer on is walked
// as on a machine. For machines that no emulator can give, and for firmware with faults.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/physical_reader.hpp"
#include "base/result.hpp"
#include "base/units.hpp"

namespace mxk::acpi {

// The file: these 8 characters, the address of the first byte of memory (8 bytes, little endian), the memory.
constexpr std::string_view memory_image_mark = "MXKACPI1";
constexpr std::size_t max_memory_image_bytes = std::size_t{256} * MiB;

class MemoryImage final : public PhysicalReader {
  public:
    // The result refers to `file`. An error says what was expected. Any core; does not block.
    static Result<MemoryImage> open(std::span<std::byte const> file);

    // Whether a file is meant to be one.
    static bool begins(std::span<std::byte const> file);

    // The root pointer's bytes: 36, or as many as there are.
    [[nodiscard]] std::span<std::byte const> root_pointer() const;

    // Empty where the image has nothing: that is the end of this machine's memory.
    std::span<std::byte const> view(PhysicalAddress address, std::size_t bytes) override;

  private:
    MemoryImage(PhysicalAddress base, std::span<std::byte const> memory)
        : base_(base)
        , memory_(memory) {}

    PhysicalAddress base_;
    std::span<std::byte const> memory_;
};

} // namespace mxk::acpi
