// Notices that an owner has lost its processor: a client waits for room towards one of its regions, its own core has
// nothing else to do, and no batch has come home from there for longer than an owner that runs takes for all that is
// under way. And that it is back. Only looks at what happens when an operation is refused or the core is idle: where
// owners run, it costs nothing. For one core at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/units.hpp"

namespace mxk {

class DescheduledOwner {
  public:
    // `patience`: how long nothing comes home before the owner counts as absent.
    explicit DescheduledOwner(Cycles patience)
        : patience_(raw(patience)) {}

    // An operation towards this region was refused, and somebody waits for room from now on. While an owner is absent,
    // only refusals towards its region count.
    void refused(std::size_t region) {
        if (is_absent_ && (region != region_ || ++refusals_ < back_after)) return;
        is_absent_ = false;
        region_ = region;
        since_ = 0;
    }

    [[nodiscard]] bool is_watching() const { return region_ != none; }
    [[nodiscard]] std::size_t region() const { return region_; }
    // The core has nothing to do, and somebody still waits for the region. True if its owner is absent, from now on.
    [[nodiscard]] bool look(Cycles now) {
        if (since_ == 0) since_ = raw(now);
        if (is_absent_ || raw(now) - since_ < patience_) return false;
        is_absent_ = true;
        refusals_ = 0;
        return true;
    }
    // Nobody waits for the region any more.
    void stop_watching() {
        if (!is_absent_) region_ = none;
    }

    void end() { is_absent_ = false; }

    [[nodiscard]] bool is_absent() const { return is_absent_; }

  private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    // The first one finds the reserve used up, the second one follows from a batch that came home.
    static constexpr unsigned back_after = 2;

    std::uint64_t patience_; // in time stamps
    std::uint64_t since_ = 0;
    std::size_t region_ = none;
    unsigned refusals_ = 0;
    bool is_absent_ = false;
};

} // namespace mxk
