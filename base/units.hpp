// Strong types for what must not be mixed up: cores, nodes, APIC ids, physical addresses, cycles, nanoseconds.
// Core and node ids are dense (they index arrays); APIC ids and proximity domains are the firmware's and sparse.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace mxk {

enum class CoreId : std::uint32_t {};
enum class NodeId : std::uint32_t {};
enum class ApicId : std::uint32_t {};
enum class PhysicalAddress : std::uint64_t {};

// Ticks of the time-stamp counter; how many make a second is known to kernel/clock only.
enum class Cycles : std::uint64_t {};
enum class Nanoseconds : std::uint64_t {};

constexpr std::size_t index(CoreId core) {
    return static_cast<std::size_t>(core);
}
constexpr std::size_t index(NodeId node) {
    return static_cast<std::size_t>(node);
}
constexpr CoreId core_id(std::size_t index) {
    return static_cast<CoreId>(index);
}
constexpr NodeId node_id(std::size_t index) {
    return static_cast<NodeId>(index);
}

constexpr std::uint64_t raw(ApicId id) {
    return static_cast<std::uint64_t>(id);
}
constexpr std::uint64_t raw(PhysicalAddress address) {
    return static_cast<std::uint64_t>(address);
}
constexpr std::uint64_t raw(Cycles cycles) {
    return static_cast<std::uint64_t>(cycles);
}
constexpr std::uint64_t raw(Nanoseconds time) {
    return static_cast<std::uint64_t>(time);
}

constexpr Nanoseconds microseconds(std::uint64_t count) {
    return static_cast<Nanoseconds>(count * 1000);
}

constexpr PhysicalAddress operator+(PhysicalAddress address, std::uint64_t bytes) {
    return static_cast<PhysicalAddress>(raw(address) + bytes);
}
constexpr std::uint64_t operator-(PhysicalAddress a, PhysicalAddress b) {
    return raw(a) - raw(b);
}
constexpr Cycles operator+(Cycles a, Cycles b) {
    return static_cast<Cycles>(raw(a) + raw(b));
}
constexpr Cycles operator-(Cycles a, Cycles b) {
    return static_cast<Cycles>(raw(a) - raw(b));
}

constexpr std::size_t KiB = std::size_t{1} << 10;
constexpr std::size_t MiB = std::size_t{1} << 20;
constexpr std::size_t GiB = std::size_t{1} << 30;
constexpr std::size_t cache_line_bytes = 64;

// `alignment` is a power of two.
constexpr std::uint64_t align_down(std::uint64_t value, std::uint64_t alignment) {
    return value & ~(alignment - 1);
}
constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
    return align_down(value + alignment - 1, alignment);
}
constexpr bool is_aligned(std::uint64_t value, std::uint64_t alignment) {
    return (value & (alignment - 1)) == 0;
}

} // namespace mxk
