// An address space beside the kernel's own: what a core finds in the window while the space is active there. Several at
// a time, up to the tags that there are; each core has one of them active, or none. It knows which cores have used it,
// so that nobody else is asked to forget anything of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/mapping/coherence.hpp"
#include "kernel/memory/mapping/page_table.hpp"
#include "kernel/topology/cluster_mask.hpp"

namespace mxk::mapping {

class AddressSpace {
  public:
    // Its page tables on `node`. Errors: no memory; no tag. Any core; blocks for a lock.
    static Result<AddressSpace> create(Coherence& coherence, NodeId node);
    AddressSpace(AddressSpace&& other) noexcept
        : coherence_(std::exchange(other.coherence_, nullptr))
        , tag_(other.tag_)
        , table_(std::move(other.table_))
        , users_(other.users_.load(std::memory_order_relaxed)) {}
    AddressSpace& operator=(AddressSpace&&) = delete;
    // No core has it active, and nothing is mapped in it. Callers as Coherence::make_authoritative().
    ~AddressSpace();

    [[nodiscard]] unsigned tag() const { return tag_; }
    [[nodiscard]] PageTable& table() { return table_; }

    // The cores, by number (processor_numbers.hpp), that may have used it. seq_cst: a core that is not found here
    // finds, in its page tables, what the caller has changed before by an atomic read-modify-write; pairs with
    // add_user().
    [[nodiscard]] ClusterMask users() const { return ClusterMask::from_word(users_.load(std::memory_order_seq_cst)); }
    // A core, before it makes the space active. True if it was none before.
    bool add_user(std::size_t number) {
        std::uint64_t before = users_.load(std::memory_order_relaxed);
        for (;;) {
            ClusterMask mask = ClusterMask::from_word(before);
            if (mask.contains(number)) return false;
            mask.add(number);
            if (users_.compare_exchange_weak(before, mask.word(), std::memory_order_seq_cst, std::memory_order_relaxed))
                return true;
        }
    }

  private:
    AddressSpace(Coherence& coherence, unsigned tag, PageTable table)
        : coherence_(&coherence)
        , tag_(tag)
        , table_(std::move(table)) {}

    Coherence* coherence_; // null: moved from
    unsigned tag_;
    PageTable table_;
    std::atomic<std::uint64_t> users_{0}; // a ClusterMask
};

} // namespace mxk::mapping
