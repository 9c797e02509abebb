// The fabric of memory that is reached from elsewhere: each worker has a region, and words in it are named by worker
// and displacement, never by address. A transport moves them (emulated.hpp; main/mpi/): it says which workers are of
// the caller's node, whose words are also plain memory. What of a lock is in regions is at the same displacement in
// all of them.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "base/units.hpp"
#include "locks/fabric/handed.hpp"
#include "locks/fabric/lock_counts.hpp"
#include "locks/fabric/lock_topology.hpp"

namespace mxk::locks {

using Displacement = std::uint32_t;

// Where a one-sided operation goes.
struct Target {
    WorkerNumber worker;
    Displacement at;
    bool is_home; // of a lock's home, for those who count
};

// A word in a region, in a line of its own, as the workers of its node see it.
template <typename V> class alignas(cache_line_bytes) PlainWord {
  public:
    constexpr explicit PlainWord(V value = V{})
        : value_(value) {}
    [[nodiscard]] V load(std::memory_order order) const { return value_.load(order); }
    void store(V value, std::memory_order order) { value_.store(value, order); }
    // For transports.
    std::atomic<V>& atomic() { return value_; }

  private:
    std::atomic<V> value_;
};

// Operations within a node, by the processor: of locks whose users are all of one node.
template <typename Transport> class NearTransport {
  public:
    explicit NearTransport(Transport& beneath)
        : beneath_(&beneath) {}
    [[nodiscard]] Transport& beneath() const { return *beneath_; }

    template <typename V> V swap(Target to, V value, std::memory_order order) {
        return word<V>(to).exchange(value, order);
    }
    template <typename V> V cas(Target to, V expected, V desired, std::memory_order order) {
        word<V>(to).compare_exchange_strong(expected, desired, order, std::memory_order_relaxed);
        return expected;
    }
    template <typename V> V add(Target to, V addend, std::memory_order order) {
        return word<V>(to).fetch_add(addend, order);
    }
    template <typename V> V read(Target to, std::memory_order order) { return word<V>(to).load(order); }
    template <typename V> void put(Target to, V value, std::memory_order order) { word<V>(to).store(value, order); }
    template <typename V> void acc(Target to, V value, std::memory_order order) { word<V>(to).store(value, order); }
    template <typename V> void acc_later(Target to, V value) { acc(to, value, std::memory_order_release); }

  private:
    template <typename V> std::atomic<V>& word(Target to) {
        return std::launder(reinterpret_cast<PlainWord<V>*>(beneath_->address(to.worker, to.at)))->atomic();
    }
    Transport* beneath_;
};

// Transport: what main/mpi/ and emulated.hpp have. Operations: those that move words; Transport, or NearTransport.
template <typename Transport, typename Operations = Transport> struct OneSided {
    using Count = Counting;
    using Near = OneSided<Transport, NearTransport<Transport>>;
    static constexpr bool is_one_memory = false;
    static constexpr bool is_near = !std::is_same_v<Transport, Operations>;

    template <typename V> using Word = PlainWord<V>;
    template <typename V> using Plain = V;

    // A word of another worker.
    template <typename V> class FarWord {
      public:
        FarWord(Transport& transport, Target target)
            : transport_(&transport)
            , target_(target) {}
        V swap(V value, std::memory_order order = std::memory_order_acq_rel) const {
            return operations().swap(target_, value, order);
        }
        V cas(V expected, V desired, std::memory_order order = std::memory_order_acq_rel) const {
            return operations().cas(target_, expected, desired, order);
        }
        V add(V addend, std::memory_order order = std::memory_order_acq_rel) const {
            return operations().add(target_, addend, order);
        }
        [[nodiscard]] V read(std::memory_order order = std::memory_order_acquire) const {
            return operations().template read<V>(target_, order);
        }
        void put(V value, std::memory_order order = std::memory_order_release) const {
            operations().put(target_, value, order);
        }
        void acc(V value, std::memory_order order = std::memory_order_release) const {
            operations().acc(target_, value, order);
        }
        void acc_later(V value) const { operations().acc_later(target_, value); }

      private:
        [[nodiscard]] decltype(auto) operations() const {
            if constexpr (is_near)
                return NearTransport<Transport>(*transport_);
            else
                return static_cast<Transport&>(*transport_);
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

    // Where a lock's home is, and who its users are: workers, or groups of them, for each of which its first worker's
    // memory stands.
    class Site {
      public:
        explicit Site(Transport& transport)
            : transport_(&transport) {}
        [[nodiscard]] Transport& transport() const { return *transport_; }
        [[nodiscard]] LockTopology const& topology() const { return transport_->topology(); }
        [[nodiscard]] WorkerNumber home() const { return home_; }
        // Whose record is the caller's.
        [[nodiscard]] WorkerNumber representative() const {
            WorkerNumber const self = transport_->self();
            return users_are_groups_ ? topology().first_of(level_, topology().group_of(level_, self)) : self;
        }
        [[nodiscard]] typename Near::Site at_group(Level level, std::size_t group) const {
            typename Near::Site site(*transport_);
            site.set_home(topology().first_of(level, group));
            site.set_max_passes(max_passes_);
            return site;
        }
        [[nodiscard]] Site of_groups(Level level) const {
            Site site = *this;
            site.level_ = level;
            site.users_are_groups_ = true;
            return site;
        }
        void set_home(WorkerNumber home) { home_ = home; }
        // How often a lock may be passed on within a group while others wait.
        [[nodiscard]] Handed max_passes() const { return max_passes_; }
        void set_max_passes(Handed passes) { max_passes_ = passes; }

      private:
        Transport* transport_;
        WorkerNumber home_ = 0;
        Level level_ = Level::Machine;
        bool users_are_groups_ = false;
        Handed max_passes_ = default_passes;
    };

    static WorkerNumber self() { return Transport::current_worker(); }

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
            , at_(transport_->reserve(sizeof(Record), alignof(Record))) {
            for (WorkerNumber worker = 0; worker < transport_->topology().workers(); ++worker)
                if (transport_->constructs(worker)) new (transport_->address(worker, at_)) Record{};
        }
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
        using Ref = OneSided::Ref<Grant>;
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

    template <typename T> class PerGroup {
      public:
        template <typename Make>
        PerGroup(Site const& site, Level level, Make make)
            : level_(level)
            , topology_(&site.topology()) {
            if (!objects_.reserve(site.topology().groups(level))) {
                site.transport().fail();
                return;
            }
            for (std::size_t group = 0; group < topology_->groups(level); ++group) objects_.emplace(make, group);
        }
        [[nodiscard]] std::size_t size() const { return topology_->groups(level_); }
        T& operator[](std::size_t group) const { return objects_[group].object; }
        [[nodiscard]] std::uint32_t own_group() const { return topology_->group_of(level_, self()); }
        T& own() const { return (*this)[own_group()]; }

      private:
        struct Object {
            template <typename Make>
            Object(Make& make, std::size_t group)
                : object(make(group)) {}
            T object;
        };
        Level level_;
        LockTopology const* topology_;
        typename Transport::template Objects<Object> objects_;
    };

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

} // namespace mxk::locks
