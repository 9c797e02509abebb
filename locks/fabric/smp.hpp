// The fabric of one shared memory: every word is an atomic, in the kernel and on Linux. What a lock keeps for each of
// its users comes with the user's node, on its stack; nothing here costs more than the lock written by hand would.
//
// A fabric is what a lock's algorithm is written against (docs/locks.md): words of other workers are reached by
// swap(), cas(), add(), read(), put() and acc(), words of the own node by load() and store(), too. Orders are those of
// C++; only this fabric needs them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arch/lock_user.hpp"
#include "arch/sections.hpp"
#include "base/atomic_word.hpp"
#include "base/spin_wait.hpp"
#include "base/units.hpp"
#include "kernel/clock.hpp"
#include "locks/fabric/group_rooms.hpp"
#include "locks/fabric/handed.hpp"
#include "locks/fabric/lock_counts.hpp"
#include "locks/fabric/lock_records.hpp"
#include "locks/fabric/lock_topology.hpp"

namespace mxk::locks {

// Where a lock is and who its users are. By default all cores, with the lock's words where the lock is.
class SmpSite {
  public:
    constexpr SmpSite() = default;
    // Is told when memory is missing: the lock must not be used then.
    SmpSite(LockTopology const& topology, bool& has_failed)
        : topology_(&topology)
        , has_failed_(&has_failed) {}
    SmpSite(LockTopology const&& topology, bool& has_failed) = delete; // it must outlive the locks
    [[nodiscard]] LockTopology const& topology() const { return *topology_; }
    [[nodiscard]] Handed max_passes(Level level = Level::Node) const { return max_passes_.of(level); }
    void set_max_passes(MaxPasses passes) { max_passes_ = passes; }
    void fail() const { *has_failed_ = true; }
    // For a lock of the workers of a group, and for one whose users are groups.
    [[nodiscard]] SmpSite at_group(Level /*level*/, std::size_t /*group*/) const { return *this; }
    [[nodiscard]] SmpSite of_groups(Level /*level*/) const { return *this; }

  private:
    LockTopology const* topology_ = nullptr;
    bool* has_failed_ = nullptr;
    MaxPasses max_passes_;
};

// CountPolicy: NoCounts or Counting. near: for locks whose users are all of one node.
template <typename CountPolicy, bool near = false> struct BasicSmp {
    using Count = CountPolicy;
    using Near = BasicSmp<CountPolicy, true>;
    using Site = SmpSite;
    static constexpr bool is_near = near;
    static constexpr bool is_one_memory = true;

    template <typename V> using Word = AtomicWord<V>;
    // Of a holder at a time, which finds what the one before has left.
    template <typename V> using Plain = V;
    template <typename Record> using Ref = Record*;

    static WorkerNumber self() { return static_cast<WorkerNumber>(index(arch::lock_core())); }

    // One turn of a loop that waits: for (Wait wait(part); ...;) wait.turn();
    class Wait : public SpinWait {
      public:
        template <typename Part> explicit Wait(Part const& /*part*/) {}
    };
    template <typename Part> static std::uint64_t nanoseconds(Part const& /*part*/) {
        return raw(clock::to_nanoseconds(clock::timestamp()));
    }

    // One record, where the lock's home is.
    template <typename Record> class Home {
      public:
        constexpr explicit Home(Site const& /*site*/) {}
        template <typename V> Word<V>& far(Word<V> Record::*word) { return record_.*word; }
        template <typename V> Word<V> const& far(Word<V> Record::*word) const { return record_.*word; }
        Record& direct() { return record_; } // of locks whose users are all of one node

      private:
        Record record_{};
    };

    // A record for each user.
    template <typename Record> class Records {
      public:
        struct Own {
            Record record{};
        };
        constexpr explicit Records(Site const& /*site*/) {}
        static Record& own(Own& own) { return own.record; }
        static Ref<Record> ref(Own& own) { return &own.record; }
        template <typename V> static Word<V>& far(Ref<Record> ref, Word<V> Record::*word) { return ref->*word; }
        static Record& direct(Ref<Record> ref) { return *ref; }
    };

    // A word of each user, for all locks, with the lock's identity in it.
    class Grants {
      public:
        struct Own {};
        using Ref = LockUser*;
        explicit Grants(Site const& /*site*/) {}
        static Ref ref(Own& /*own*/) { return &arch::lock_user(); }
        static Word<std::uint64_t>& own(Own& own) { return ref(own)->grant; }
        static Word<std::uint64_t>& far(Ref ref) { return ref->grant; }
        // Its word is needed until its last grant is answered, also if it does not use locks any more.
        static void keep_user() { locks::keep_user(); }
        [[nodiscard]] std::uint64_t lock_identity() const { return reinterpret_cast<std::uint64_t>(this); }
    };

    // Records that go from user to user, and one that the lock begins with.
    template <typename Record> class RotatingRecords {
        static_assert(sizeof(Record) <= sizeof(LockLine));

      public:
        struct Own {};
        constexpr explicit RotatingRecords(Site const& /*site*/) {}
        // Which one the caller has, and that it has this one now. While it is not preempted. What a line held is left
        // as it is, since nobody reads it.
        static Ref<Record> take(Own& /*own*/) { return new (static_cast<void*>(take_line())) Record{}; }
        static void keep(Own& /*own*/, Ref<Record> ref) { give_line(new (static_cast<void*>(ref)) LockLine); }
        static Ref<Record> first() {
            arch::hold_core(); // the caller is in no section
            auto* const record = new (static_cast<void*>(take_line())) Record{};
            arch::release_core();
            return record;
        }
        // At the lock's end: the one that nobody has.
        static void end(Ref<Record> ref) {
            arch::hold_core();
            give_line(new (static_cast<void*>(ref)) LockLine);
            arch::release_core();
        }
        template <typename V> static Word<V>& far(Ref<Record> ref, Word<V> Record::*word) { return ref->*word; }
        static Record& direct(Ref<Record> ref) { return *ref; }
    };

    template <typename T> using PerGroup = locks::PerGroup<BasicSmp, T>;

    // A record for each group of a level, in the memory of the group's first worker.
    template <typename Record> class Groups {
      public:
        Groups(Site const& site, Level level)
            : records_(site, level, [](std::size_t) { return Record{}; }) {}
        [[nodiscard]] std::size_t size() const { return records_.size(); }
        [[nodiscard]] std::uint32_t own_group() const { return records_.own_group(); }
        Record& own() { return records_.own(); }
        template <typename V> Word<V>& far(std::size_t group, Word<V> Record::*word) { return records_[group].*word; }

      private:
        PerGroup<Record> records_;
    };
};

using Smp = BasicSmp<NoCounts>;
using CountingSmp = BasicSmp<Counting>;

} // namespace mxk::locks
