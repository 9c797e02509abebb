// A mapping database without locks: each memory object is one core's, and who wants something of it sends a task there.
// What is withdrawn from its objects an owner records for all of them together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "arch/core_local.hpp"
#include "base/inject.hpp"
#include "base/panic.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/per_core.hpp"
#include "kernel/topology/topology.hpp"
#include "spaces/locking.hpp"

namespace mxk::mapping {

// All functions of the database: tasks of the object's owner. Builds that inject delays check it.
class OwnerLocking {
  public:
    using Records = PerCore<Record>;

    // For these cores, all of the machine. Errors: no memory.
    static Result<Records> make_records(std::span<topology::Core const> cores) {
        auto records = MXK_TRY(Records::with_room(cores.size(), cores.front().node));
        for (topology::Core const& core : cores)
            if (auto const added = records.add(core.node); !added) return added.error();
        return records;
    }
    explicit OwnerLocking(Records records)
        : records_(std::move(records)) {}

    // The part is the owner's id.
    struct PerObject {
        explicit PerObject(std::size_t part)
            : owner(core_id(part)) {}
        CoreId owner;
    };

    class Visit {
      public:
        Visit(OwnerLocking& locking, PerObject const& own)
            : record_(locking.record(own))
            , owner_(own.owner) {
            if constexpr (inject::enabled)
                expect(arch::core_local().id == owner_, "an object that has an owner is touched by that core alone");
        }
        [[nodiscard]] bool covers(PerObject const& other) const { return other.owner == owner_; }
        [[nodiscard]] std::atomic<std::size_t>& in_flight() const { return record_.in_flight; }

      private:
        Record& record_;
        CoreId owner_;
    };

    [[nodiscard]] Record& record(PerObject const& own) const { return records_[own.owner]; }
    [[nodiscard]] bool is_in_flight(PerObject const& own) const { return record(own).is_in_flight(); }

    static void claim(PerObject const& /*own*/) {}
    static void share(PerObject const& /*own*/) {}
    static bool is_settled(PerObject const& /*own*/) { return true; }

    static std::uint64_t shared_locks_taken() { return 0; }
    static std::uint64_t own_locks_taken(PerObject const& /*own*/) { return 0; }

  private:
    Records records_;
};

} // namespace mxk::mapping
