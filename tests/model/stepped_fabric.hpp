// A fabric whose workers run step by step in a simulated time, the same way for each seed: for what locks decide by who
// waits, and for how long, with loops that the model checker (modelled_fabric.hpp) does not come to an end with. A step
// is an operation on a word: it takes longer the farther away the last one was that changed it. All are in one order.
//
// A test may take one condition of a lock's source for true or false, whatever it is, or leave one of its writes out
// (places.hpp): a lock is right if its tests notice that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>

#include "locks/fabric/lock_counts.hpp"
#include "locks/fabric/lock_topology.hpp"
#include "tests/model/fabric_records.hpp"
#include "tests/model/stepped_workers.hpp"

namespace mxk::test {

template <typename V> class SteppedWord {
    using From = std::source_location;

  public:
    explicit SteppedWord(V value = V{})
        : value_(value) {}
    SteppedWord(SteppedWord const&) = delete;
    SteppedWord& operator=(SteppedWord const&) = delete;

    [[nodiscard]] V load(std::memory_order /*order*/) const {
        SteppedWorkers::current().read(line_);
        return value_;
    }
    [[nodiscard]] V read(std::memory_order order = std::memory_order_acquire) const { return load(order); }
    void store(V value, std::memory_order /*order*/, From from = From::current()) {
        if (SteppedWorkers::current().writes(line_, from)) value_ = value;
    }
    void put(V value, std::memory_order order = std::memory_order_release, From from = From::current()) {
        store(value, order, from);
    }
    void acc(V value, std::memory_order order = std::memory_order_release, From from = From::current()) {
        store(value, order, from);
    }
    V add(V addend, std::memory_order /*order*/, From from = From::current()) {
        bool const writes = SteppedWorkers::current().writes(line_, from);
        V const before = value_;
        if (writes) value_ = static_cast<V>(value_ + addend);
        return before;
    }
    V swap(V value, std::memory_order /*order*/) {
        SteppedWorkers::current().change(line_);
        V const before = value_;
        value_ = value;
        return before;
    }
    V cas(V expected, V desired, std::memory_order /*order*/) {
        SteppedWorkers::current().change(line_);
        V const before = value_;
        if (before == expected) value_ = desired;
        return before;
    }

  private:
    V value_;
    mutable SteppedWorkers::Line line_;
};

struct SteppedSite {
    locks::LockTopology const* its_topology;
    [[nodiscard]] locks::LockTopology const& topology() const { return *its_topology; }
};

struct Stepped : FabricRecords<Stepped> {
    using Count = locks::NoCounts;
    using Site = SteppedSite;
    static constexpr bool is_near = false;
    static constexpr bool is_one_memory = true;

    template <typename V> using Word = SteppedWord<V>;
    template <typename Record> using Ref = Record*;

    static void fail(char const* what) { SteppedWorkers::current().fail(what); }
    static locks::WorkerNumber self() { return SteppedWorkers::current().self(); }

    class Wait {
      public:
        template <typename Part> explicit Wait(Part const& /*part*/) {}
        static void turn() { SteppedWorkers::current().pause(); }
    };

    template <typename Record> class Groups {
      public:
        Groups(Site const& site, locks::Level level)
            : topology_(&site.topology())
            , level_(level)
            , records_(std::make_unique<Record[]>(site.topology().groups(level))) {}
        [[nodiscard]] std::size_t size() const { return topology_->groups(level_); }
        [[nodiscard]] std::uint32_t own_group() const { return topology_->group_of(level_, self()); }
        Record& own() { return records_[own_group()]; }
        template <typename V> Word<V>& far(std::size_t group, Word<V> Record::*word) {
            if (group >= size()) fail("what is nowhere is used");
            return records_[group].*word;
        }

      private:
        locks::LockTopology const* topology_;
        locks::Level level_;
        std::unique_ptr<Record[]> records_;
    };
};

} // namespace mxk::test
