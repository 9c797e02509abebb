// Threads of all cores that use the same few keys of one table at once, and some of their own in between. However they
// came through each other, each own key is where its thread has left it, and each shared one is in the table as often
// as it was inserted more than erased: once or not at all.
//
// User: what a thread has of the table: insert(key), find(key), erase(key), each true if it did what it says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/panic.hpp"
#include "bench/workload/random.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/layout/chain.hpp"
#include "hashtable/table/travelling_probe.hpp"
#include "tests/kernel/thread_group.hpp"

namespace mxk {

template <typename User> class Contender {
  public:
    static constexpr std::size_t keys_each = 24; // of its own, and as many that all share
    static constexpr std::uint64_t shared_key(std::size_t at) { return at + 1; }

    Contender(User user, std::size_t number, std::uint32_t operations, std::uint64_t seed = 0)
        : user_(std::move(user))
        , number_(number)
        , operations_(operations)
        , random_(seed + number) {}

    void operator()() {
        for (std::uint32_t i = 0; i < operations_; ++i) {
            std::size_t const at = random_.below(keys_each);
            random_.below(2) == 0 ? use_own(at) : use_shared(at);
            if (random_.below(64) == 0) this_thread::yield();
        }
    }

    // Once it has ended.
    [[nodiscard]] std::uint64_t own_key(std::size_t at) const { return (number_ + 1) * keys_each + at + 1; }
    [[nodiscard]] bool has_own(std::size_t at) const { return has_own_[at]; }
    [[nodiscard]] std::int64_t balance_of_shared(std::size_t at) const { return balance_[at]; }
    [[nodiscard]] std::uint64_t wrong() const { return wrong_; } // results of operations on its own keys

  private:
    void use_own(std::size_t at) {
        switch (random_.below(3)) {
        case 0:
            wrong_ += user_.insert(own_key(at)) == has_own_[at] ? 1U : 0U;
            has_own_[at] = true;
            return;
        case 1: wrong_ += user_.find(own_key(at)) != has_own_[at] ? 1U : 0U; return;
        default: break;
        }
        wrong_ += user_.erase(own_key(at)) != has_own_[at] ? 1U : 0U;
        has_own_[at] = false;
    }
    void use_shared(std::size_t at) {
        switch (random_.below(3)) {
        case 0: balance_[at] += user_.insert(shared_key(at)) ? 1 : 0; return;
        case 1: user_.find(shared_key(at)); return;
        default: break;
        }
        balance_[at] -= user_.erase(shared_key(at)) ? 1 : 0;
    }

    User user_;
    std::size_t number_;
    std::uint32_t operations_;
    bench::Random random_;
    std::array<bool, keys_each> has_own_{};
    std::array<std::int64_t, keys_each> balance_{};
    std::uint64_t wrong_ = 0;
};

// How many results and keys are wrong, of threads that have ended; `holds(key)` says whether a key is in the table.
template <typename User, typename Holds>
std::uint64_t count_wrong(NodeVector<Contender<User>> const& contenders, Holds holds) {
    std::uint64_t wrong = 0;
    for (std::size_t at = 0; at < Contender<User>::keys_each; ++at) {
        std::int64_t balance = 0;
        for (auto const& contender : contenders) {
            balance += contender.balance_of_shared(at);
            wrong += holds(contender.own_key(at)) != contender.has_own(at) ? 1U : 0U;
        }
        wrong += balance != (holds(Contender<User>::shared_key(at)) ? 1 : 0) ? 1U : 0U;
    }
    for (auto const& contender : contenders) wrong += contender.wrong();
    return wrong;
}

// Two threads on each core, of which each has what make_user(its number) gives. How many results and keys are wrong.
// The console's task.
template <typename MakeUser, typename Holds>
std::uint64_t contend(std::uint32_t operations, MakeUser make_user, Holds holds, std::uint64_t seed = 0) {
    using Threads = NodeVector<Contender<decltype(make_user(std::size_t{}))>>;
    std::size_t const count = 2 * workers::count();
    auto contenders = Threads::create(count, Worker::current().node());
    expect(contenders.ok(), "a test needs some bytes of memory");
    ThreadGroup group(count);
    for (std::size_t i = 0; i < count; ++i)
        group.start({.core = core_id(i % workers::count()), .name = "contender"},
                    contenders.value().emplace(make_user(i), i, operations, seed));
    group.join();
    return count_wrong(contenders.value(), holds);
}

// A thread with a chained table: has nodes, of which it gets others back than it has given.
template <typename Table> class ChainsUser {
  public:
    // `nodes`: as many as it will ever insert, in memory that lives as long as the table.
    ChainsUser(Table& table, std::span<ChainNode> nodes)
        : table_(table) {
        for (ChainNode& node : nodes) put_by(node);
    }

    bool insert(std::uint64_t key) {
        expect(spare_ != nullptr, "a thread has nodes for all that it inserts");
        ChainNode& node = *spare_;
        ChainNode* const behind = node.next;
        node.key = key;
        if (!table_.insert(node)) return false;
        spare_ = behind;
        return true;
    }
    bool find(std::uint64_t key) { return table_.find(key); }
    bool erase(std::uint64_t key) {
        ChainNode* const node = table_.erase(key);
        if (node != nullptr) put_by(*node);
        return node != nullptr;
    }

  private:
    void put_by(ChainNode& node) { node.next = std::exchange(spare_, &node); }

    Table& table_;
    ChainNode* spare_ = nullptr;
};

// A thread with a table on whose regions operations travel (hashtable/shared/locked_probe.hpp).
template <typename Table> class ProbeUser {
  public:
    explicit ProbeUser(Table& table)
        : table_(table) {}

    bool insert(std::uint64_t key) {
        TravellingProbe probe(key, ~key);
        Probed const probed = table_.put(probe);
        expect(probed != Probed::Full, "a test's table has room for all of its keys twice");
        return probed == Probed::NotThere;
    }
    bool find(std::uint64_t key) {
        TravellingProbe probe(key);
        return table_.find(probe) == Probed::There && probe.value() == ~key;
    }
    bool erase(std::uint64_t key) {
        TravellingProbe probe(key);
        return table_.erase(probe) == Probed::There;
    }
    static bool holds(Table const& table, std::uint64_t key) {
        TravellingProbe probe(key);
        return table.look_up(probe) && probe.value() == ~key;
    }

  private:
    Table& table_;
};

// A thread with a table of keys and values.
template <typename Table> class PairsUser {
  public:
    explicit PairsUser(Table& table)
        : table_(table) {}

    bool insert(std::uint64_t key) { return table_.insert(key, ~key) == Insert::Inserted; }
    bool find(std::uint64_t key) {
        return table_.find(key, [&](std::uint64_t const* value) { return value != nullptr && *value == ~key; });
    }
    bool erase(std::uint64_t key) { return table_.erase(key); }

  private:
    Table& table_;
};

} // namespace mxk
