// The batches of one client, and how its regions share them: each region has two of its own, one to be filled while
// another is away, and takes from what is spare no more than it leaves to the others (dynamic thresholds: Choudhury and
// Hahne, 1998). So one slow owner holds up to half of the spare batches, and however many are slow, some are left for
// the rest. For one core at a time.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/node_array.hpp"
#include "tasks/task.hpp"

namespace mxk {

template <typename BatchType> class BatchSupply {
  public:
    static constexpr std::size_t own = 2;

    // Memory for two batches for each region and `spare` for all of them. Errors and callers as NodeArray::create.
    static Result<BatchSupply> create(std::size_t regions, std::size_t spare, NodeId node) {
        return BatchSupply(MXK_TRY(NodeArray<BatchType>::create(regions * own + spare, node)), regions * own + spare,
                           spare);
    }

    // Makes the batches. Once, before the first take().
    template <typename... Arguments> void fill(Arguments&... arguments) {
        for (std::size_t at = count_; at-- > 0;) put_away(*new (&room_[at]) BatchType(arguments...));
    }

    // A batch for a region that has taken `held` so far; null if it must wait until it gives one of them back, of which
    // it then has no less than two.
    [[nodiscard]] BatchType* take(std::size_t held) {
        if (held >= own) {
            if (held - own >= spare_) return nullptr;
            --spare_;
        }
        ++out_;
        // Last in, first out: the one that is likely still cached. There is one: no region has more than its own
        // but by the spare ones.
        return static_cast<BatchType*>(std::exchange(free_, free_->next));
    }

    // From a region that held `held`, this one counted.
    void give_back(BatchType& batch, std::size_t held) {
        if (held > own) ++spare_;
        --out_;
        put_away(batch);
    }

    // Batches taken and not given back.
    [[nodiscard]] std::size_t out() const { return out_; }

  private:
    BatchSupply(NodeArray<BatchType> room, std::size_t count, std::size_t spare)
        : room_(std::move(room))
        , count_(count)
        , spare_(spare) {}

    void put_away(BatchType& batch) {
        batch.next = free_;
        free_ = &batch;
    }

    NodeArray<BatchType> room_;
    Task* free_ = nullptr;
    std::size_t count_;
    std::size_t spare_;
    std::size_t out_ = 0;
};

} // namespace mxk
