// What MXK's tables are compared with: a peer is a concurrent table that others wrote; a reference is what can be had
// where nothing is shared (table_reference.cpp). Each is a constant that registers itself where it is defined, all
// those of one library in one file:
//
//     constexpr Peer cuckoo{.name = "cuckoo", .library = MXK_PEER_LIBRARY, ..., .create = &create_table<CuckooTable>};
//     MXK_REGISTER(mxk_peers, Peer, cuckoo);
//
// A peer whose library was not there when this was built is registered too, with the reason (see peers.cmake).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/registry.hpp"
#include "base/result.hpp"
#include "bench/peers/peer_names.hpp"
#include "bench/workload/instructions.hpp"

namespace mxk::bench {

// A peer's table in a run. Its cost is one virtual call for each piece of a slice.
class PeerTable {
  public:
    PeerTable() = default;
    PeerTable(PeerTable const&) = delete;
    PeerTable& operator=(PeerTable const&) = delete;
    virtual ~PeerTable() = default;

    // Runs the instructions [from, to) of a core's slice, in order; gives how many had another result than the expected
    // one. Errors: what the table threw. On that core, all cores at once.
    virtual Result<std::uint64_t> run(std::size_t core, std::span<Instruction const> slice, std::size_t from,
                                      std::size_t to) = 0;

    // As the table itself counts. While nobody uses it.
    virtual std::size_t size() = 0;
};

// Those of a run: place i of it is the i-th.
using Cores = std::span<CoreId const>;

struct Peer {
    enum class Kind : std::uint8_t { Peer, Reference };

    std::string_view name;
    Kind kind = Kind::Peer;
    std::string_view library{};    // with its version
    std::string_view setup{};      // one line: how it is used
    std::string_view missing{};    // why it was not built; empty: it was
    std::string_view no_erase{};   // why it cannot erase; empty: it can
    std::string_view no_repeats{}; // why it cannot tell whether a key is there already; empty: it can
    // A table for `capacity` keys, of which each of `cores` inserts its share. Throws what its library throws.
    std::unique_ptr<PeerTable> (*create)(std::size_t capacity, Cores cores) = nullptr;
};

constexpr std::string_view name_of(Peer::Kind kind) {
    return kind == Peer::Kind::Peer ? "peer" : "reference";
}

MXK_REGISTRY(mxk_peers, Peer, registered_peers)

template <> struct PeerRegistry<Peer> {
    static constexpr auto all = &registered_peers;
    static constexpr std::string_view list = "bench peer --list";
};

} // namespace mxk::bench
