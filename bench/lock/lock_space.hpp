// What locks of one process stand on in a run: the fabric, and a lock of any kind with a node for each of its users.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "bench/lock/lock_options.hpp"
#include "bench/lock/team.hpp"
#include "kernel/memory/node_vector.hpp"
#include "locks/fabric/emulated.hpp"
#include "locks/fabric/lock_topology.hpp"
#include "locks/fabric/smp.hpp"

namespace mxk::bench {

// The fabric. Stays where it is.
class LockSpace {
  public:
    // `emulated`: none for one memory. Locks' home is the first of `cores`.
    LockSpace(locks::LockTopology const& topology, std::optional<locks::Emulated> emulated, CoreId home,
              locks::MaxPasses max_passes)
        : topology_(topology)
        , smp_(topology, smp_has_failed_)
        , emulated_(std::move(emulated)) {
        smp_.set_max_passes(max_passes);
        if (!emulated_) return;
        emu_.emplace(*emulated_);
        emu_->set_home(static_cast<locks::WorkerNumber>(index(home)));
        emu_->set_max_passes(max_passes);
    }
    LockSpace(locks::LockTopology const&&, std::optional<locks::Emulated>, CoreId, locks::MaxPasses) = delete;
    LockSpace(LockSpace const&) = delete;
    LockSpace& operator=(LockSpace const&) = delete;

    [[nodiscard]] locks::LockTopology const& topology() const { return topology_; }
    [[nodiscard]] void const* site() const {
        return emu_ ? static_cast<void const*>(&*emu_) : static_cast<void const*>(&smp_);
    }
    // Null: one memory. Else workers are simulated.
    [[nodiscard]] locks::Emulated* emulated() { return emulated_ ? &*emulated_ : nullptr; }
    // There was not enough memory for a lock that was made.
    [[nodiscard]] bool has_failed() const { return emulated_ ? emulated_->has_failed() : smp_has_failed_; }
    // Of locks so far, in the memory of each worker; 0 of one memory.
    [[nodiscard]] std::size_t region_bytes() { return emulated_ ? emulated_->reserve(0, 1) : 0; }
    [[nodiscard]] locks::OneSidedCounts operations_of(CoreId core) const {
        return emulated_ ? emulated_->counts_of(static_cast<locks::WorkerNumber>(index(core)))
                         : locks::OneSidedCounts{};
    }

  private:
    locks::LockTopology const& topology_;
    bool smp_has_failed_ = false;
    locks::SmpSite smp_;
    std::optional<locks::Emulated> emulated_;
    std::optional<locks::OneSided::Site> emu_;
};

// Locks of one kind, and nodes of them for the workers of a team, in each one's memory.
class LocksInUse {
  public:
    // Errors: no memory. While nobody uses the space's locks.
    static Result<LocksInUse> create(locks::LockForm const& form, LockSpace& space, std::span<CoreId const> cores,
                                     std::size_t count = 1) {
        LocksInUse made(form);
        auto const memory_of = [&](CoreId core) {
            return space.topology().memory_of(static_cast<locks::WorkerNumber>(index(core)));
        };
        made.locks_ = MXK_TRY(NodeArray<std::byte>::create(count * made.lock_stride_, memory_of(cores[0])));
        made.nodes_ = MXK_TRY(NodeVector<NodeArray<std::byte>>::create(cores.size(), memory_of(cores[0])));
        for (CoreId const core : cores)
            made.nodes_.emplace(MXK_TRY(NodeArray<std::byte>::create(count * made.node_stride_, memory_of(core))));
        for (; made.count_ < count; ++made.count_) {
            form.construct(made.lock(made.count_), space.site());
            for (std::size_t user = 0; user < cores.size(); ++user) form.construct_node(made.node(made.count_, user));
        }
        if (space.has_failed()) return Error("out of memory: no room for the lock's parts");
        return made;
    }
    LocksInUse(LocksInUse&& other) noexcept
        : form_(other.form_)
        , lock_stride_(other.lock_stride_)
        , node_stride_(other.node_stride_)
        , count_(std::exchange(other.count_, 0))
        , locks_(std::move(other.locks_))
        , nodes_(std::move(other.nodes_)) {}
    LocksInUse& operator=(LocksInUse&&) = delete;
    ~LocksInUse() {
        for (std::size_t at = 0; at < count_; ++at) {
            for (std::size_t user = 0; user < nodes_.size(); ++user) form_->destroy_node(node(at, user));
            form_->destroy(lock(at));
        }
    }

    [[nodiscard]] UsedLock used(std::size_t at, std::size_t user) const { return {form_, lock(at), node(at, user)}; }

  private:
    explicit LocksInUse(locks::LockForm const& form)
        : form_(&form)
        , lock_stride_(align_up(form.bytes, std::max(form.alignment, cache_line_bytes)))
        , node_stride_(align_up(form.node_bytes, std::max(form.node_alignment, cache_line_bytes))) {}

    [[nodiscard]] void* lock(std::size_t at) const { return locks_.data() + at * lock_stride_; }
    [[nodiscard]] void* node(std::size_t at, std::size_t user) const { return nodes_[user].data() + at * node_stride_; }

    locks::LockForm const* form_;
    std::size_t lock_stride_;
    std::size_t node_stride_;
    std::size_t count_ = 0; // constructed
    NodeArray<std::byte> locks_;
    NodeVector<NodeArray<std::byte>> nodes_;
};

} // namespace mxk::bench
