// Words of 64 bits in the regions, for what a test or a benchmark does beside locks: not counted as a lock's.
#pragma once

#include <cstdint>

#include "main/mpi/mpi_transport.hpp"

namespace mxk::mpi {

class Operations {
  public:
    explicit Operations(locks::MpiTransport& transport)
        : transport_(&transport) {}

    // Collective: a word at `rank`, in a line of its own.
    [[nodiscard]] locks::Target place(Rank rank) const {
        return {.worker = rank, .at = transport_->reserve(sizeof(std::uint64_t), cache_line_bytes), .is_home = false};
    }
    std::uint64_t swap(locks::Target to, std::uint64_t value) const {
        std::uint64_t before = 0;
        world().fetch({.rank = to.worker, .at = to.at}, sizeof value, Atomic::Replace, &value, &before);
        return before;
    }
    // Neither is atomic.
    [[nodiscard]] std::uint64_t load(locks::Target from) const {
        std::uint64_t value = 0;
        world().get({.rank = from.worker, .at = from.at}, sizeof value, &value);
        return value;
    }
    void store(locks::Target to, std::uint64_t value) const {
        world().put({.rank = to.worker, .at = to.at}, sizeof value, &value);
        world().flush(to.worker);
    }

  private:
    [[nodiscard]] World& world() const { return transport_->world(); }
    locks::MpiTransport* transport_;
};

} // namespace mxk::mpi
