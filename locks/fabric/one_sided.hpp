// The fabric of memory that is reached from elsewhere: each worker has a region, and words in it are named by worker
// and displacement, never by address. A transport moves them (transport.hpp); those of the caller's node are also plain
// memory. What of a lock is in regions is at the same displacement in all of them.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "base/units.hpp"
#include "locks/fabric/group_rooms.hpp"
#include "locks/fabric/handed.hpp"
#include "locks/fabric/lock_counts.hpp"
#include "locks/fabric/lock_topology.hpp"
#include "locks/fabric/transport.hpp"

namespace mxk::locks {

// A word in a region, in a line of its own, as the workers of its node see it.
template <typename V> class alignas(cache_line_bytes) PlainWord {
  public:
    constexpr explicit PlainWord(V value = V{})
        : value_(value) {}
    [[nodiscard]] V load(std::memory_order order) const { return value_.load(order); }
    void store(V value, std::memory_order order) { value_.store(value, order); }
    std::atomic<V>& atomic() { return value_; }

  private:
    std::atomic<V> value_;
};

// Where a lock's home is, and who its users are: workers, or groups of them, for each of which its first worker's
// memory stands.
class OneSidedSite {
  public:
    explicit OneSidedSite(Transport& transport)
        : transport_(&transport) {}
    [[nodiscard]] Transport& transport() const { return *transport_; }
    [[nodiscard]] LockTopology const& topology() const { return transport_->topology(); }
    [[nodiscard]] WorkerNumber home() const { return home_; }
    // Whose record is the caller's.
    [[nodiscard]] WorkerNumber representative() const {
        WorkerNumber const self = current_worker();
        return users_are_groups_ ? topology().first_of(level_, topology().group_of(level_, self)) : self;
    }
    [[nodiscard]] OneSidedSite at_group(Level level, std::size_t group) const {
        OneSidedSite site(*transport_);
        site.set_home(topology().first_of(level, group));
        site.set_max_passes(max_passes_);
        return site;
    }
    [[nodiscard]] OneSidedSite of_groups(Level level) const {
        OneSidedSite site = *this;
        site.level_ = level;
        site.users_are_groups_ = true;
        return site;
    }
    void fail() const { transport_->fail(); }
    void set_home(WorkerNumber home) { home_ = home; }
    [[nodiscard]] Handed max_passes(Level level = Level::Node) const { return max_passes_.of(level); }
    void set_max_passes(MaxPasses passes) { max_passes_ = passes; }

  private:
    Transport* transport_;
    WorkerNumber home_ = 0;
    Level level_ = Level::Machine;
    bool users_are_groups_ = false;
    MaxPasses max_passes_;
};

// near: of locks whose users are all of one node, whose operations the processor makes.
template <bool near> struct BasicOneSided {
    using Count = Counting;
    using Near = BasicOneSided<true>;
    using Site = OneSidedSite;
    static constexpr bool is_one_memory = false;
    static constexpr bool is_near = near;

    template <typename V> using Word = PlainWord<V>;
    template <typename V> using Plain = V;

    // A word of another worker.
    template <typename V> class FarWord {
        static_assert(std::is_trivially_copyable_v<V> && std::has_single_bit(sizeof(V)) && sizeof(V) <= 8);

      public:
        FarWord(Transport& transport, Target target)
            : transport_(&transport)
            , target_(target) {}
        V swap(V value, std::memory_order order = std::memory_order_acq_rel) const {
            if constexpr (near) return word().exchange(value, order);
            return operate(WordAccess::Swap, order, value);
        }
        V cas(V expected, V desired, std::memory_order order = std::memory_order_acq_rel) const {
            if constexpr (!near) return operate(WordAccess::CompareAndSwap, order, desired, expected);
            word().compare_exchange_strong(expected, desired, order, std::memory_order_relaxed);
            return expected;
        }
        V add(V addend, std::memory_order order = std::memory_order_acq_rel) const {
            if constexpr (!near)
                return operate(WordAccess::Add, order, addend);
            else
                return word().fetch_add(addend, order);
        }
        [[nodiscard]] V read(std::memory_order order = std::memory_order_acquire) const {
            if constexpr (near) return word().load(order);
            return operate(WordAccess::Read, order, V{});
        }
        void put(V value, std::memory_order order = std::memory_order_release) const {
            store(WordAccess::Put, order, value);
        }
        void acc(V value, std::memory_order order = std::memory_order_release) const {
            store(WordAccess::Accumulate, order, value);
        }
        void acc_later(V value) const { store(WordAccess::AccumulateLater, std::memory_order_release, value); }

      private:
        [[nodiscard]] std::atomic<V>& word() const {
            auto* const at = transport_->address(target_.worker, target_.at);
            return std::launder(reinterpret_cast<PlainWord<V>*>(at))->atomic();
        }
        void store(WordAccess access, std::memory_order order, V value) const {
            if constexpr (near)
                word().store(value, order);
            else
                operate(access, order, value);
        }
        V operate(WordAccess access, std::memory_order order, V value, V expected = V{}) const {
            WordOperation operation{.access = access, .bytes = sizeof(V), .order = order, .value = 0};
            std::memcpy(&operation.value, &value, sizeof(V));
            std::memcpy(&operation.expected, &expected, sizeof(V));
            std::uint64_t const before = transport_->operate(target_, operation);
            std::memcpy(static_cast<void*>(&value), &before, sizeof(V));
            return value;
        }
        Transport* transport_;
        Target target_;
    };

    // A record of a worker.
    template <typename Record> struct Ref {
        std::int32_t worker = -1;
        constexpr Ref() = default;
        constexpr Ref(std::nullptr_t) {} // NOLINT(google-explicit-constructor): as of pointers
        constexpr explicit Ref(WorkerNumber number)
            : worker(static_cast<std::int32_t>(number)) {}
        constexpr explicit operator bool() const { return worker >= 0; }
        bool operator==(Ref const&) const = default;
    };

    static WorkerNumber self() { return current_worker(); }

    class Wait {
      public:
        template <typename Part>
        explicit Wait(Part const& part)
            : transport_(&part.transport()) {}
        void turn() { transport_->progress(); }

      private:
        Transport* transport_;
    };
    template <typename Part> static std::uint64_t nanoseconds(Part const& part) {
        return part.transport().nanoseconds();
    }

    // What all parts of a lock have: the same records at one displacement of all regions.
    template <typename Record> class Part {
      public:
        [[nodiscard]] Transport& transport() const { return *transport_; }

      protected:
        explicit Part(Site const& site)
            : transport_(&site.transport())
            , at_(transport_->make(sizeof(Record), alignof(Record), [](std::byte* at) { new (at) Record{}; })) {}
        Record& at(WorkerNumber worker) const {
            return *std::launder(reinterpret_cast<Record*>(transport_->address(worker, at_)));
        }
        template <typename V> FarWord<V> far_word(WorkerNumber worker, Word<V> Record::*word, bool is_home) const {
            // By the ABI of C++ on x86-64 a pointer to a data member is its offset.
            auto const offset = static_cast<Displacement>(std::bit_cast<std::ptrdiff_t>(word));
            return {*transport_, {.worker = worker, .at = at_ + offset, .is_home = is_home}};
        }

      private:
        Transport* transport_;
        Displacement at_;
    };

    template <typename Record> class Home : public Part<Record> {
      public:
        explicit Home(Site const& site)
            : Part<Record>(site)
            , home_(site.home()) {}
        template <typename V> FarWord<V> far(Word<V> Record::*word) const { return this->far_word(home_, word, true); }
        Record& direct() const { return this->at(home_); }

      private:
        WorkerNumber home_;
    };

    template <typename Record> class Records : public Part<Record> {
      public:
        struct Own {};
        explicit Records(Site const& site)
            : Part<Record>(site)
            , site_(site) {}
        Record& own(Own& /*own*/) const { return this->at(site_.representative()); }
        Ref<Record> ref(Own& /*own*/) const { return Ref<Record>(site_.representative()); }
        template <typename V> FarWord<V> far(Ref<Record> ref, Word<V> Record::*word) const {
            return this->far_word(static_cast<WorkerNumber>(ref.worker), word, false);
        }
        Record& direct(Ref<Record> ref) const { return this->at(static_cast<WorkerNumber>(ref.worker)); }
        // The worker itself, also where groups are the users; empty messages to it, which it receives from any.
        [[nodiscard]] Ref<Record> receiver() const { return Ref<Record>(self()); }
        void send(Ref<Record> receiver) const { this->transport().send(static_cast<WorkerNumber>(receiver.worker)); }
        void receive() const { this->transport().receive(); }

      private:
        Site site_;
    };

    // A word of each user. It is one for each lock, too: regions have no word that all locks know.
    class Grants {
        struct Grant {
            Word<std::uint64_t> word{0};
        };

      public:
        using Own = typename Records<Grant>::Own;
        using Ref = BasicOneSided::template Ref<Grant>;
        explicit Grants(Site const& site)
            : records_(site) {}
        [[nodiscard]] Transport& transport() const { return records_.transport(); }
        Ref ref(Own& own) const { return records_.ref(own); }
        Word<std::uint64_t>& own(Own& own) const { return records_.own(own).word; }
        FarWord<std::uint64_t> far(Ref ref) const { return records_.far(ref, &Grant::word); }
        [[nodiscard]] static std::uint64_t lock_identity() { return 64; }
        static void keep_user() {} // regions stay

      private:
        Records<Grant> records_;
    };

    // The first record is a second one of the home.
    template <typename Record> class RotatingRecords {
      public:
        // Which one is the caller's; nothing yet: its own.
        struct Own {
            Ref<Record> kept{};
        };
        explicit RotatingRecords(Site const& site)
            : records_(site)
            , extras_(site)
            , home_(site.home()) {}
        [[nodiscard]] Transport& transport() const { return records_.transport(); }
        Ref<Record> take(Own& own) const { return own.kept ? own.kept : records_.ref(none_); }
        void keep(Own& own, Ref<Record> ref) const { own.kept = ref; }
        [[nodiscard]] Ref<Record> first() const { return Ref<Record>(extra_bit | home_); }
        void end(Ref<Record> /*ref*/) const {}
        template <typename V> FarWord<V> far(Ref<Record> ref, Word<V> Record::*word) const {
            auto const worker = static_cast<WorkerNumber>(ref.worker);
            return (worker & extra_bit) != 0 ? extras_.far(Ref<Record>(worker & ~extra_bit), word)
                                             : records_.far(ref, word);
        }
        Record& direct(Ref<Record> ref) const {
            auto const worker = static_cast<WorkerNumber>(ref.worker);
            return (worker & extra_bit) != 0 ? extras_.direct(Ref<Record>(worker & ~extra_bit)) : records_.direct(ref);
        }

      private:
        static constexpr WorkerNumber extra_bit = WorkerNumber{1} << 30;
        Records<Record> records_;
        Records<Record> extras_;
        WorkerNumber home_;
        [[no_unique_address]] mutable typename Records<Record>::Own none_{};
    };

    template <typename T> using PerGroup = locks::PerGroup<BasicOneSided, T>;

    template <typename Record> class Groups : public Part<Record> {
      public:
        Groups(Site const& site, Level level)
            : Part<Record>(site)
            , level_(level) {}
        [[nodiscard]] std::size_t size() const { return topology().groups(level_); }
        [[nodiscard]] std::uint32_t own_group() const { return topology().group_of(level_, self()); }
        Record& own() const { return this->at(topology().first_of(level_, own_group())); }
        template <typename V> FarWord<V> far(std::size_t group, Word<V> Record::*word) const {
            return this->far_word(topology().first_of(level_, group), word, false);
        }

      private:
        [[nodiscard]] LockTopology const& topology() const { return this->transport().topology(); }
        Level level_;
    };
};

using OneSided = BasicOneSided<false>;

} // namespace mxk::locks
