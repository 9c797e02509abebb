// An application's messages, beside those of locks: each rank sends numbers to the next one, which must get them all,
// in order. A lock that takes an application's message for its own, or the other way round, shows.
#pragma once

#include <cstdint>
#include <deque>

#include "main/mpi/world.hpp"

namespace mxk::mpi {

class Traffic {
  public:
    explicit Traffic(World& world)
        : world_(&world)
        , to_((world.rank() + 1) % world.ranks())
        , from_((world.rank() + world.ranks() - 1) % world.ranks()) {}

    void send() {
        if (world_->all_sent()) values_.clear();
        world_->send_number(to_, values_.emplace_back(sent_++));
        receive();
    }
    // Collective: how many of the messages to this rank are missing, or are not what was sent.
    std::uint64_t finish() {
        std::uint64_t const last = ~std::uint64_t{0};
        world_->send_number(to_, last);
        while (!has_last_ || !world_->all_sent()) {
            receive();
            world_->pause();
        }
        return wrong_;
    }

  private:
    void receive() {
        for (std::uint64_t value = 0; !has_last_ && world_->try_receive_number(from_, value);) {
            has_last_ = value == ~std::uint64_t{0};
            if (!has_last_ && value != received_++) ++wrong_;
        }
    }
    World* world_;
    Rank to_;
    Rank from_;
    std::deque<std::uint64_t> values_; // which do not move
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t wrong_ = 0;
    bool has_last_ = false;
};

} // namespace mxk::mpi
