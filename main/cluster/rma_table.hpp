// What a table of several ranks is compared with: one that no core answers for, in windows that all ranks reach by
// MPI's one-sided operations. Open addressing with linear probing, cut over ranks by the key's hash; a place is a key
// and a value. A find gets places one after the other, an insert takes an empty place by a compare-and-swap of its key
// and puts the value, an erase puts a mark over the key. So an operation waits for as many round trips as it makes
// accesses. Keys 0 and 2^64-1 are no keys.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/spin_wait.hpp"
#include "hashtable/fraction.hpp"
#include "hashtable/hash.hpp"
#include "main/cluster/mpi_world.hpp"

namespace mxk::cluster {

class RmaTable {
  public:
    // Collective: with room for so many keys on `ranks` ranks together, half full then.
    RmaTable(MpiWorld& world, std::size_t keys, Rank ranks)
        : world_(world)
        , ranks_(ranks)
        , places_(2 * (keys / ranks + keys / ranks / 8 + 1024)) {
        world.open_window(places_ * sizeof(Place));
    }
    ~RmaTable() { world_.close_window(); } // collective
    RmaTable(RmaTable const&) = delete;
    RmaTable& operator=(RmaTable const&) = delete;

    // Whether it was new. Not for a key that another rank inserts or erases at the moment.
    bool insert(std::uint64_t key, std::uint64_t value) {
        Way way = way_of(key);
        for (;; way.at = next(way.at)) {
            std::uint64_t const before = world_.compare_and_swap(way.rank, way.at * sizeof(Place), 0, key);
            if (before != 0 && before != key) continue;
            if (before == key) return false;
            world_.put(way.rank, way.at * sizeof(Place) + sizeof key, std::as_bytes(std::span(&value, 1)));
            return true;
        }
    }
    std::optional<std::uint64_t> find(std::uint64_t key) {
        auto const found = look(key);
        return found ? std::optional(found->place.value) : std::nullopt;
    }
    bool erase(std::uint64_t key) {
        auto const found = look(key);
        if (!found) return false;
        return world_.compare_and_swap(found->way.rank, found->way.at * sizeof(Place), key, erased) == key;
    }

    // Collective: what others ask is done only while this rank calls MPI.
    void serve_until_all_have_come() {
        world_.begin_barrier();
        while (!world_.is_done()) offer_processor();
    }

  private:
    struct Place {
        std::uint64_t key;
        std::uint64_t value;
    };
    struct Way {
        Rank rank;
        std::size_t at;
    };
    struct Found {
        Way way;
        Place place;
    };
    static constexpr std::uint64_t erased = ~std::uint64_t{0};

    [[nodiscard]] Way way_of(std::uint64_t key) const {
        std::uint64_t const hash = MixedHash()(key);
        return {static_cast<Rank>(high_product(hash * golden_ratio, ranks_)), high_product(hash, places_)};
    }
    [[nodiscard]] std::size_t next(std::size_t at) const { return at + 1 == places_ ? 0 : at + 1; }
    std::optional<Found> look(std::uint64_t key) {
        Way way = way_of(key);
        for (;; way.at = next(way.at)) {
            Place place{};
            world_.get(way.rank, way.at * sizeof(Place), std::as_writable_bytes(std::span(&place, 1)));
            if (place.key == key) return Found{way, place};
            if (place.key == 0) return std::nullopt;
        }
    }

    MpiWorld& world_;
    Rank ranks_;
    std::size_t places_; // of each rank
};

} // namespace mxk::cluster
