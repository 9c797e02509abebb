#include "arch/x86_64/board/kcs_access.hpp"

#include "arch/cpu.hpp"
#include "arch/x86_64/cpu/registers.hpp"

namespace mxk::arch::kcs {
namespace {

std::size_t offset_of(Place const& place, Register which) {
    return static_cast<std::size_t>(which) * place.spacing;
}

std::uint8_t read(void* context, Register which) {
    Place const& place = *static_cast<Place const*>(context);
    std::size_t const offset = offset_of(place, which);
    if (place.registers != nullptr) return *reinterpret_cast<std::uint8_t volatile*>(place.registers + offset);
    return in8(static_cast<std::uint16_t>(place.port + offset));
}

void write(void* context, Register which, std::uint8_t value) {
    Place const& place = *static_cast<Place const*>(context);
    std::size_t const offset = offset_of(place, which);
    if (place.registers != nullptr)
        *reinterpret_cast<std::uint8_t volatile*>(place.registers + offset) = value;
    else
        out8(static_cast<std::uint16_t>(place.port + offset), value);
}

std::uint64_t nanoseconds(void* /*context*/) {
    std::uint64_t const per_microsecond = timestamp_frequency() / 1'000'000 + 1;
    return raw(timestamp()) / per_microsecond * 1000;
}

} // namespace

Access access_to(Place const& place) {
    return {const_cast<Place*>(&place), &read, &write, &nanoseconds};
}

} // namespace mxk::arch::kcs
