// What MXK's tables are compared with: a peer is a concurrent table that others wrote; a reference is what can be had
// where nothing is shared (table_bounds.cpp), the bound the fastest of them. Each is a constant
// that registers itself where it is defined, all those of one library in one file:
//
//     constexpr Peer cuckoo{.name = "cuckoo", .library = MXK_PEER_LIBRARY, ..., .create = ...};
//     MXK_REGISTER(mxk_peers, Peer, cuckoo);
//
// A peer whose library was not there when this was built is registered too, with the reason (see peers.cmake).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "base/histogram.hpp"
#include "base/registry.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "bench/frame/kind_names.hpp"
#include "bench/workload/instructions.hpp"

namespace mxk::bench {

// A peer's table in a run: what each core calls, on that core, all at once, but for prepare() and size(). What the
// table throws is an error. It costs one virtual call for each piece of a slice.
class PeerTable {
  public:
    using Values = std::span<std::optional<std::uint64_t>>;
    struct Taken {
        std::size_t instructions;
        std::uint64_t wrong;
    };

    PeerTable() = default;
    PeerTable(PeerTable const&) = delete;
    PeerTable& operator=(PeerTable const&) = delete;
    virtual ~PeerTable() = default;

    // What this core runs next, all of it: the time to make what it would have to make meanwhile. Not measured. Any
    // core, while nobody uses the table.
    Result<void> prepare(std::size_t core, std::span<Instruction const> slice) {
        return caught([&] { make_ready(core, slice); });
    }
    // Runs the instructions [from, to) of a core's slice, in order; gives how many had another result than the expected
    // one. Counts how long each took in `latency`, unless that is null: from the call, or from the prefetch of its
    // line, to the result.
    Result<std::uint64_t> run(std::size_t core, std::span<Instruction const> slice, std::size_t from, std::size_t to,
                              Histogram* latency) {
        return caught([&] { return run_piece(core, slice, from, to, latency); });
    }
    // Runs up to `max` of the instructions, one after the other as `head` gives them, from which all cores take; fewer
    // when there are no more.
    Result<Taken> run_shared(std::size_t core, std::span<Instruction const> all, std::atomic<std::size_t>& head,
                             std::size_t max) {
        return caught([&] { return take(core, all, head, max); });
    }
    // The value of each of the keys, nothing if the key is not there.
    Result<void> find_all(std::size_t core, std::span<std::uint64_t const> keys, Values values) {
        return caught([&] { look_up(core, keys, values); });
    }
    // As the table itself counts. While nobody uses it.
    virtual std::size_t size() = 0;

  private:
    template <typename Function> static Result<std::invoke_result_t<Function>> caught(Function function) {
        try {
            if constexpr (std::is_void_v<std::invoke_result_t<Function>>)
                return function(), Result<void>();
            else
                return function();
        } catch (std::exception const& failure) {
            return Error(failure.what());
        }
    }

    virtual void make_ready(std::size_t /*core*/, std::span<Instruction const> /*slice*/) {}
    virtual std::uint64_t run_piece(std::size_t core, std::span<Instruction const> slice, std::size_t from,
                                    std::size_t to, Histogram* latency) = 0;
    // Not called where the peer says why not (no_shared, no_common).
    virtual Taken take(std::size_t, std::span<Instruction const>, std::atomic<std::size_t>&, std::size_t) {
        throw std::logic_error("it takes no instructions one by one");
    }
    virtual void look_up(std::size_t, std::span<std::uint64_t const>, Values) {
        throw std::logic_error("its keys are each core's own");
    }
};

// Those of a run: place i of it is the i-th.
using Cores = std::span<CoreId const>;

// Why a peer cannot take its instructions from a queue that all cores share (Peer::no_shared).
inline constexpr std::string_view takes_many = "it takes several instructions at once";
inline constexpr std::string_view has_own_keys = "each core has its own keys, in its own slice";

struct Peer {
    enum class Kind : std::uint8_t { Peer, Reference, Bound };

    std::string_view name;
    Kind kind = Kind::Peer;
    std::string_view library{};    // with its version
    std::string_view setup{};      // one line: how it is used
    std::string_view missing{};    // why it was not built; empty: it was
    std::string_view no_erase{};   // why it cannot erase; empty: it can
    std::string_view no_repeats{}; // why it cannot tell whether a key is there already; empty: it can
    std::string_view no_shared{};  // why it cannot take its instructions one by one; empty: it can
    std::string_view no_common{};  // why its cores cannot work on the same keys; empty: they can
    std::string_view no_updates{}; // why it cannot overwrite a value, with as many cores as there are; empty: it can
    std::string_view no_missed_writes{}; // why it cannot leave a key alone that is to be updated and is not there
    // A table for `capacity` keys, of which each of `cores` inserts its share. Throws what its library throws.
    std::unique_ptr<PeerTable> (*create)(std::size_t capacity, Cores cores) = nullptr;
};

constexpr std::string_view name_of(Peer::Kind kind) {
    constexpr std::array<std::string_view, 3> names{"peer", "reference", "bound"};
    return names[static_cast<std::size_t>(kind)];
}

MXK_REGISTRY(mxk_peers, Peer, registered_peers)

template <> struct KindRegistry<Peer> {
    static constexpr auto all = &registered_peers;
    static constexpr std::string_view what = "peer";
    static constexpr std::string_view list = "bench peer --list";
    static constexpr std::string_view none_given = "all";
};

} // namespace mxk::bench
