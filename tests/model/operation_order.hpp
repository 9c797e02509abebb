// Whether what operations of some threads on one key gave is explained by an order of them, in which those of each
// thread follow each other.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tests/model/weak_memory.hpp"

namespace mxk::test {

template <typename Done> using OperationGives = bool (*)(Done const& done, std::uint64_t now);
template <typename Done> using ValueAfter = std::uint64_t (*)(Done const& done, std::uint64_t now);

template <typename Done>
bool has_order(std::vector<std::span<Done const>>& left, std::uint64_t now, std::uint64_t last,
               OperationGives<Done> gives, ValueAfter<Done> after) {
    bool are_all = true;
    for (std::span<Done const>& thread : left) {
        if (thread.empty()) continue;
        are_all = false;
        Done const& done = thread.front();
        if (!gives(done, now)) continue;
        std::span<Done const> const all = std::exchange(thread, thread.subspan(1));
        bool const found = has_order(left, after(done, now), last, gives, after);
        thread = all;
        if (found) return true;
    }
    return are_all && now == last;
}

// From the key's value `now`, 0 if there is none, to `last`. gives(done, now): whether the operation gives then what it
// gave; after(done, now): the value behind it.
template <typename Done>
void check_order(std::vector<std::vector<Done>> const& by_thread, std::uint64_t now, std::uint64_t last,
                 bool (*gives)(Done const&, std::uint64_t), std::uint64_t (*after)(Done const&, std::uint64_t)) {
    std::vector<std::span<Done const>> left(by_thread.begin(), by_thread.end());
    WeakMemory::current().check(has_order<Done>(left, now, last, gives, after),
                                "no order of the operations gives what they gave");
}

} // namespace mxk::test
