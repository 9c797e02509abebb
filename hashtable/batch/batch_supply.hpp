// The batches of one client, and how its regions share them: each region has two of its own, one to be filled while
// another is away, and takes from what is spare no more than it leaves to the others (dynamic thresholds: Choudhury and
// Hahne, 1998). So one slow owner holds up to half of the spare batches, and however many are slow, some are left for
// the rest.
//
// A reserve is lent out while an owner does not run at all, so that the core need not wait for it with everything else.
// Its memory is taken when it is first lent: where owners keep their processors there is none. What was borrowed comes
// back with settle(). For one core at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
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

    // Memory for two batches for each region and `spare` for all of them; there may be a reserve. Errors and callers as
    // NodeArray::create.
    static Result<BatchSupply> create(std::size_t regions, std::size_t spare, std::size_t reserve, NodeId node) {
        std::size_t const count = regions * own + std::min(spare, std::numeric_limits<std::size_t>::max() / 2);
        return BatchSupply(MXK_TRY(NodeArray<BatchType>::create(count, node)), count, spare, reserve, node);
    }

    // Makes the batches. Once, before the first take().
    template <typename... Arguments> void fill(Arguments&... arguments) { make(room_, count_, arguments...); }
    // Makes those of the reserve, if that was not done. Without memory there is none, for good. Before the first
    // lend(true); the core that uses the batches, which blocks only for the allocator's lock.
    template <typename... Arguments> void fill_reserve(Arguments&... arguments) {
        if (reserve_ == 0 || reserve_room_.data() != nullptr) return;
        auto room = NodeArray<BatchType>::create(reserve_, node_);
        if (!room) {
            reserve_ = 0;
            return;
        }
        reserve_room_ = std::move(room).value();
        make(reserve_room_, reserve_, arguments...);
    }

    // A batch for a region that has taken `held` so far; null if it must wait until it gives one of them back, of which
    // it then has no less than two.
    [[nodiscard]] BatchType* take(std::size_t held) {
        if (held >= own) {
            if (held - own >= spare_ && !borrow()) return nullptr;
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

    // Whether regions may take from the reserve what their share of the spare ones does not allow.
    void lend(bool lends) { lends_ = lends; }
    [[nodiscard]] bool lends() const { return lends_; }
    [[nodiscard]] bool has_reserve() const { return reserve_ != 0; }
    [[nodiscard]] bool has_borrowed() const { return borrowed_ != 0; }
    // Puts what was borrowed and is not needed any more back into the reserve.
    void settle() {
        std::size_t const back = std::min(borrowed_, spare_ - std::min(spare_, all_spare_));
        spare_ -= back;
        borrowed_ -= back;
        reserve_ += back;
    }

    // All there may be, and which of them this one is, counted from 0.
    [[nodiscard]] std::size_t size() const { return count_ + all_reserve_; }
    [[nodiscard]] std::size_t number_of(BatchType const& batch) const {
        auto const bytes = reinterpret_cast<std::uintptr_t>(&batch) - reinterpret_cast<std::uintptr_t>(room_.data());
        if (bytes < count_ * sizeof(BatchType)) return bytes / sizeof(BatchType);
        return count_ + static_cast<std::size_t>(&batch - reserve_room_.data());
    }

    // Batches taken and not given back.
    [[nodiscard]] std::size_t out() const { return out_; }

  private:
    BatchSupply(NodeArray<BatchType> room, std::size_t count, std::size_t spare, std::size_t reserve, NodeId node)
        : room_(std::move(room))
        , count_(count)
        , spare_(spare)
        , all_spare_(spare)
        , reserve_(reserve)
        , all_reserve_(reserve)
        , node_(node) {}

    template <typename... Arguments>
    void make(NodeArray<BatchType> const& room, std::size_t count, Arguments&... arguments) {
        for (std::size_t at = count; at-- > 0;) put_away(*new (&room[at]) BatchType(arguments...));
    }

    // One more is spare.
    [[gnu::noinline]] bool borrow() {
        if (!lends_ || reserve_ == 0) return false;
        --reserve_;
        ++borrowed_;
        ++spare_;
        return true;
    }

    void put_away(BatchType& batch) {
        batch.next = free_;
        free_ = &batch;
    }

    NodeArray<BatchType> room_;
    NodeArray<BatchType> reserve_room_; // once it was filled
    Task* free_ = nullptr;
    std::size_t count_; // without the reserve
    std::size_t spare_;
    std::size_t out_ = 0;
    std::size_t all_spare_;
    std::size_t reserve_;
    std::size_t all_reserve_;
    std::size_t borrowed_ = 0; // from the reserve; then spare_ <= all_spare_ + borrowed_
    NodeId node_;
    bool lends_ = false;
};

} // namespace mxk
