#include "kernel/sync/rcu/rcu.hpp"

#include <cstddef>
#include <new>

#include "arch/sections.hpp"
#include "base/panic.hpp"

namespace mxk::rcu {
namespace {

// Not an object of its own: the bare machine destroys nothing at its end.
alignas(GracePeriods) constinit std::byte room[sizeof(GracePeriods)]{};
constinit GracePeriods* current = nullptr;

} // namespace

Result<void> create(std::span<topology::Core const> cores) {
    expect(current == nullptr, "grace periods are prepared once");
    using Core = GracePeriods::Core;
    current = new (room)
        GracePeriods(MXK_TRY(PerCore<Core>::create(cores, [&](std::size_t place) { return Core(cores[place].id); })));
    return {};
}

void forget() {
    if (current != nullptr) current->~GracePeriods();
    current = nullptr;
}

GracePeriods* periods() {
    return current;
}

void call(Callback& callback, Haste haste) {
    current->call(arch::home_core(), callback, haste);
}

} // namespace mxk::rcu
