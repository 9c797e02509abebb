// The fabric of the model checker (weak_memory.hpp): the locks' own sources, whose words are locations of the model.
// What only a holder touches is a location, too, whose accesses must not race (Plain).
//
// A test may change what the lock does at one place of its source (Mutation): leave out an order or a store, or write
// another value. A lock is right if its tests notice that.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "locks/fabric/handed.hpp"
#include "locks/fabric/lock_counts.hpp"
#include "locks/fabric/lock_topology.hpp"
#include "tests/model/fabric_records.hpp"
#include "tests/model/model_memory.hpp"
#include "tests/model/places.hpp"
#include "tests/model/weak_memory.hpp"

namespace mxk::test {

template <typename V, bool near> class ModelWord {
    static_assert(sizeof(V) <= sizeof(std::uint64_t));
    using From = std::source_location;

  public:
    explicit ModelWord(V value = V{}, From from = From::current()) {
        WeakMemory::current().write({.where = this, .from = from, .is_plain = true, .constructs = true},
                                    model_bits(value));
    }
    ModelWord(ModelWord const&) = delete;
    ModelWord& operator=(ModelWord const&) = delete;

    [[nodiscard]] V load(std::memory_order order, From from = From::current()) const { return load_at(order, from); }
    [[nodiscard]] V read(std::memory_order order = std::memory_order_acquire, From from = From::current()) const {
        return load_at(order, from);
    }
    void store(V value, std::memory_order order, From from = From::current()) { store_at(value, order, from); }
    void put(V value, std::memory_order order = std::memory_order_release, From from = From::current()) {
        store_at(value, order, from);
    }
    void acc(V value, std::memory_order order = std::memory_order_release, From from = From::current()) {
        store_at(value, order, from);
    }
    void acc_later(V value, From from = From::current()) { store_at(value, std::memory_order_release, from); }

    V swap(V value, std::memory_order order = std::memory_order_acq_rel, From from = From::current()) {
        return update({from, near, PlaceKind::Swap, order, std::is_integral_v<V>}, value);
    }
    V cas(V expected, V desired, std::memory_order order = std::memory_order_acq_rel, From from = From::current()) {
        return update({from, near, PlaceKind::Cas, order, std::is_integral_v<V>}, desired, expected);
    }
    V add(V addend, std::memory_order order = std::memory_order_acq_rel, From from = From::current()) {
        return update({from, near, PlaceKind::Add, order, std::is_integral_v<V>}, addend);
    }

  private:
    [[nodiscard]] V load_at(std::memory_order order, From const& from) const {
        return from_model_bits<V>(Places::load(this, {from, near, PlaceKind::Load, order}));
    }
    void store_at(V value, std::memory_order order, From const& from) {
        Places::store(this, {from, near, PlaceKind::Store, order, std::is_integral_v<V>}, sizeof(V), model_bits(value));
    }
    V update(Place const& place, V value, V expected = V{}) {
        return from_model_bits<V>(Places::update(this, place, sizeof(V), [&](std::uint64_t old) {
            std::uint64_t const next = place.kind == PlaceKind::Add ? old + model_bits(value) : model_bits(value);
            return WeakMemory::Change{next, place.kind != PlaceKind::Cas || old == model_bits(expected)};
        }));
    }

    V at_{}; // an address of its own
};

// What each user has for all locks: Hemlock's word, if there is such a lock.
class ModelUsers {
  public:
    using Word = ModelWord<std::uint64_t, false>;
    static void begin_run() { words_ = {}; }
    static void need_words(std::size_t users) {
        for (std::size_t i = 0; i < users; ++i)
            if (words_[i] == nullptr) words_[i] = ModelMemory::make<Word>();
        is_kept_ = {};
    }
    static Word& word() { return *words_[self()]; }
    static Word* reference() { return words_[self()]; }
    // At the user's end its word must not be needed any more: see keep_user() of lock_records.hpp.
    static void keep() { is_kept_[self()] = true; }
    static void end() {
        if (words_[self()] == nullptr) return;
        std::size_t turns = 0;
        while (is_kept_[self()] && word().load(std::memory_order_acquire) != 0) WeakMemory::current().turn(turns++);
        new (words_[self()]) Word; // the memory is used for something else
    }

  private:
    static std::size_t self() { return WeakMemory::current().self() - 1; }
    static inline std::array<Word*, max_model_threads> words_{};
    static inline std::array<bool, max_model_threads> is_kept_{};
};

struct ModelSite {
    locks::LockTopology const* its_topology;
    locks::Handed its_max_passes = locks::default_passes;

    [[nodiscard]] locks::LockTopology const& topology() const { return *its_topology; }
    [[nodiscard]] locks::Handed max_passes(locks::Level /*level*/ = locks::Level::Node) const { return its_max_passes; }
    [[nodiscard]] ModelSite at_group(locks::Level /*level*/, std::size_t /*group*/) const { return *this; }
    [[nodiscard]] ModelSite of_groups(locks::Level /*level*/) const { return *this; }
};

template <bool near> struct BasicModelled : FabricRecords<BasicModelled<near>> {
    using FabricRecords<BasicModelled>::at;
    using Count = locks::NoCounts;
    using Near = BasicModelled<true>;
    using Site = ModelSite;
    static constexpr bool is_near = near;
    static constexpr bool is_one_memory = true;

    template <typename V> using Word = ModelWord<V, near>;
    template <typename V> using Plain = ModelPlain<V>;
    template <typename Record> using Ref = Record*;

    static void fail(char const* what) { WeakMemory::current().fail(what); }
    static locks::WorkerNumber self() { return static_cast<locks::WorkerNumber>(WeakMemory::current().self() - 1); }

    class Wait {
      public:
        template <typename Part> explicit Wait(Part const& /*part*/) {}
        void turn() { WeakMemory::current().turn(turns_++); }

      private:
        std::size_t turns_ = 0;
    };
    template <typename Part> static std::uint64_t nanoseconds(Part const& /*part*/) { return 0; }

    class Grants {
      public:
        struct Own {};
        using Ref = ModelUsers::Word*;
        explicit Grants(Site const& site) { ModelUsers::need_words(site.topology().workers()); }
        static Ref ref(Own& /*own*/) { return ModelUsers::reference(); }
        static ModelUsers::Word& own(Own& /*own*/) { return ModelUsers::word(); }
        static ModelUsers::Word& far(Ref ref) { return *at(ref); }
        static void keep_user() { ModelUsers::keep(); }
    };

    // As with Smp, a record is used again for another one: constructed anew when it is taken and when it is given back.
    template <typename Record> class RotatingRecords {
      public:
        struct Own {};
        explicit RotatingRecords(Site const& /*site*/) {}
        Ref<Record> take(Own& /*own*/) { return first(); }
        void keep(Own& /*own*/, Ref<Record> ref) { end(ref); }
        Ref<Record> first() {
            std::vector<void*>& spare = spare_[WeakMemory::current().self()];
            if (spare.empty()) return new (ModelMemory::make<Line>()) Record{};
            void* const line = spare.back();
            spare.pop_back();
            return new (line) Record{};
        }
        void end(Ref<Record> ref) {
            spare_[WeakMemory::current().self()].push_back(new (static_cast<void*>(ref)) Record{});
        }
        template <typename V> static Word<V>& far(Ref<Record> ref, Word<V> Record::*word) { return at(ref)->*word; }
        static Record& direct(Ref<Record> ref) { return *at(ref); }

      private:
        struct alignas(64) Line {
            std::byte bytes[sizeof(Record)];
        };
        std::array<std::vector<void*>, max_model_threads> spare_{};
    };

    template <typename T> class PerGroup {
      public:
        template <typename Make>
        PerGroup(Site const& site, locks::Level level, Make make)
            : level_(level)
            , topology_(&site.topology()) {
            for (std::size_t group = 0; group < size(); ++group)
                objects_[group] = ModelMemory::make<Object>(make, group);
        }
        [[nodiscard]] std::size_t size() const { return topology_->groups(level_); }
        T& operator[](std::size_t group) const {
            if (group >= size()) fail("what is nowhere is used");
            return objects_[group]->object;
        }
        [[nodiscard]] std::uint32_t own_group() const { return topology_->group_of(level_, self()); }
        T& own() const { return (*this)[own_group()]; }

      private:
        struct Object {
            Object(auto& make, std::size_t group)
                : object(make(group)) {}
            T object;
        };
        locks::Level level_;
        locks::LockTopology const* topology_;
        std::array<Object*, max_model_threads> objects_{};
    };

    template <typename Record> class Groups {
      public:
        Groups(Site const& site, locks::Level level)
            : records_(site, level, [](std::size_t) { return Record{}; }) {}
        [[nodiscard]] std::size_t size() const { return records_.size(); }
        [[nodiscard]] std::uint32_t own_group() const { return records_.own_group(); }
        Record& own() { return records_.own(); }
        template <typename V> Word<V>& far(std::size_t group, Word<V> Record::*word) { return records_[group].*word; }

      private:
        PerGroup<Record> records_;
    };
};

using Modelled = BasicModelled<false>;

} // namespace mxk::test
