// What locks count, where they do: compiled out of locks that are used, kept in those of tests and benchmarks.
#pragma once

#include <cstdint>

#include "locks/fabric/lock_topology.hpp"

namespace mxk::locks {

// What a user of a lock has seen of it. Kept with its node; only its own worker writes it.
struct LockCounts {
    std::uint64_t immediate = 0;       // acquisitions that found the lock free
    std::uint64_t delayed = 0;         // all others
    std::uint64_t local_releases = 0;  // of locks of nodes: handed on within a node
    std::uint64_t global_releases = 0; // and free for the workers of all nodes
    std::uint64_t cache_releases = 0;  // of the local ones: within a cache

    LockCounts& operator+=(LockCounts const& other) {
        immediate += other.immediate;
        delayed += other.delayed;
        local_releases += other.local_releases;
        global_releases += other.global_releases;
        cache_releases += other.cache_releases;
        return *this;
    }
};

// One-sided operations of a worker, by where the word was.
struct OneSidedCounts {
    std::uint64_t home = 0;     // a lock's home, on any node
    std::uint64_t others = 0;   // a record on another node
    std::uint64_t near = 0;     // a record on the own node
    std::uint64_t messages = 0; // sent

    OneSidedCounts& operator+=(OneSidedCounts const& other) {
        home += other.home;
        others += other.others;
        near += other.near;
        messages += other.messages;
        return *this;
    }
    bool operator==(OneSidedCounts const&) const = default;
};

// Of fabrics that do not count.
struct NoCounts {
    static void acquired(bool /*at_once*/) {}
    static void released(bool /*locally*/) {}
    static void released(Level /*within*/) {}
    static bool was_at_once() { return true; }
};
struct Counting {
    void acquired(bool at_once) {
        ++(at_once ? counts.immediate : counts.delayed);
        at_once_ = at_once;
    }
    void released(bool locally) { ++(locally ? counts.local_releases : counts.global_releases); }
    void released(Level within) {
        released(within != Level::Machine);
        if (within == Level::Cache) ++counts.cache_releases;
    }
    // Of the last acquisition.
    [[nodiscard]] bool was_at_once() const { return at_once_; }
    LockCounts counts;

  private:
    bool at_once_ = true;
};

} // namespace mxk::locks
