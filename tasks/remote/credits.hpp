// How many requests an endpoint may have on the way to one peer: the flow control of a network. A request takes a
// credit, and its reply brings it back; a reply takes none, since the asking endpoint has kept a number for it. So a
// peer has no more than `all` requests of this endpoint at a time, in memory that it has from the start, and two peers
// that flood each other cannot wait for each other: what answers a request asks for nothing.
#pragma once

#include <cstdint>

#include "base/panic.hpp"

namespace mxk::remote {

class Credits {
  public:
    explicit Credits(std::uint32_t all)
        : left_(all)
        , all_(all) {}

    // Whether one was left.
    [[nodiscard]] bool take() {
        if (left_ == 0) return false;
        --left_;
        return true;
    }
    void give_back() {
        expect(left_ < all_, "a peer answers a request once");
        ++left_;
    }
    [[nodiscard]] std::uint32_t on_the_way() const { return all_ - left_; }

  private:
    std::uint32_t left_;
    std::uint32_t all_;
};

} // namespace mxk::remote
