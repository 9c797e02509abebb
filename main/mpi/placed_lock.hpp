// A lock of a kind, in the regions of all ranks, and this rank's node of it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "bench/lock/team.hpp"
#include "locks/lock_kind.hpp"
#include "main/mpi/mpi_transport.hpp"

namespace mxk::mpi {

class PlacedLock {
  public:
    // Collective, and so is its end: all ranks at the same place, with a barrier before the first use and after the
    // last one. Whether the regions were large enough, transport.has_failed() says.
    PlacedLock(locks::MpiTransport& transport, locks::LockForm const& form, locks::WorkerNumber home = 0,
               locks::Handed max_passes = locks::default_passes)
        : form_(&form)
        , lock_(form.bytes, form.alignment)
        , node_(form.node_bytes, form.node_alignment) {
        locks::OneSidedSite site(transport);
        site.set_home(home);
        site.set_max_passes(max_passes);
        form.construct(lock_.at(), &site);
        form.construct_node(node_.at());
    }
    ~PlacedLock() {
        form_->destroy_node(node_.at());
        form_->destroy(lock_.at());
    }
    PlacedLock(PlacedLock const&) = delete;
    PlacedLock& operator=(PlacedLock const&) = delete;

    [[nodiscard]] bench::UsedLock used() const { return {.form = form_, .lock = lock_.at(), .node = node_.at()}; }
    void lock() { form_->lock(lock_.at(), node_.at()); }
    void unlock() { form_->unlock(lock_.at(), node_.at()); }

  private:
    class Memory {
      public:
        Memory(std::size_t bytes, std::size_t alignment)
            : alignment_(static_cast<std::align_val_t>(alignment))
            , memory_(::operator new(bytes, alignment_)) {}
        ~Memory() { ::operator delete(memory_, alignment_); }
        Memory(Memory const&) = delete;
        Memory& operator=(Memory const&) = delete;
        [[nodiscard]] void* at() const { return memory_; }

      private:
        std::align_val_t alignment_;
        void* memory_;
    };

    locks::LockForm const* form_;
    Memory lock_;
    Memory node_;
};

} // namespace mxk::mpi
