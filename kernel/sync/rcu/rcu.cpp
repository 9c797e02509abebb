#include "kernel/sync/rcu/rcu.hpp"

#include <cstddef>
#include <new>

#include "base/panic.hpp"

namespace mxk::rcu {
namespace {

// Not an object of its own: the bare machine destroys nothing at its end.
alignas(GracePeriods) constinit std::byte room[sizeof(GracePeriods)]{};

} // namespace

constinit GracePeriods* current = nullptr;

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

} // namespace mxk::rcu
