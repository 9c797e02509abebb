// The chains of a concurrent table: keys that come, go, are found and replaced while others do the same in one chain,
// and while it is split or joined. What each operation says must be what some order of all of them on its key says,
// too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/spin_wait.hpp"
#include "hashtable/shared/concurrent/chains.hpp"
#include "tests/model/atomic.hpp"
#include "tests/model/operation_order.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

using concurrent::Chains;
using concurrent::end_of_chains;
using concurrent::HeadBlock;
using concurrent::Lookup;
using concurrent::MarkedLink;
using concurrent::Node;

// Two keys have one hash; those from 5 on are in the upper half of the chain when it is split.
constexpr std::uint64_t hash_of(std::uint64_t key) {
    std::uint64_t const in_half = key == 3 ? 4 : key % 4 * 2; // 8 is the first of the upper half
    return key > 4 ? (std::uint64_t{1} << 62) + in_half : in_half;
}

// What a pair is: written before it is inserted, and read by who finds it, which is a race where it is not published.
struct Entry : Node {
    Entry(std::uint64_t its_key, std::uint64_t its_value)
        : key(its_key)
        , value(its_value) {
        hash = hash_of(its_key);
    }
    ModelPlain<std::uint64_t> key;
    ModelPlain<std::uint64_t> value;
    std::size_t reclaimed = 0; // of the harness
};

struct Reclaim {
    void operator()(Node& node) const {
        WeakMemory::current().check(++static_cast<Entry&>(node).reclaimed == 1, "a node is given back twice");
    }
};

enum class Does : std::uint8_t {
    Insert,  // where there is none of the key
    Add,     // in front of what there is
    Put,     // or replaces it
    Replace, // what is there
    Remove,
    RemoveAll,
    Find,
    FindEach, // with another look-up beside it
    Visit,    // by a walk along the chain
    Count,    // all of it: the last one, which nobody removes, is one of them
    // On no key.
    Transfer, // of the chain: the resize begins
    Separate, // the resize ends
    Grace,    // waits for all sections that may have begun before
    GiveBack, // the same; then what it has removed is used for something else
    Await     // that the grace period has begun: this section is later
};

struct Step {
    Does does;
    std::uint64_t key = 0;
};

class ChainsUse {
  public:
    enum class Resize : std::uint8_t { None, Grow, Shrink };
    struct Set {
        std::vector<std::uint64_t> keys; // that are there
        Resize resize = Resize::None;
        bool is_transferred = false;          // before the threads begin
        std::vector<std::uint64_t> removed{}; // after that
    };

    // A thread's steps are one section, which ends with them.
    ProtocolUse use(std::string name, Set set, std::vector<std::vector<Step>> threads, bool is_long = false) {
        ModelProgram program;
        bool const has_grace = does(threads, Does::Grace) || does(threads, Does::GiveBack);
        std::vector<std::size_t> early; // sections that may have begun before a grace period
        for (std::size_t i = 0; i < threads.size(); ++i)
            if (!does({threads[i]}, Does::Await) && !does({threads[i]}, Does::Grace) &&
                !does({threads[i]}, Does::GiveBack))
                early.push_back(i);
        program.begin = [this, set, early, count = threads.size()] {
            begin(set, count);
            early_ = early;
        };
        for (std::size_t i = 0; i < threads.size(); ++i)
            program.threads.emplace_back([this, set, has_grace, i, steps = threads[i]] {
                for (Step const& step : steps) run(set, i, step);
                if (has_grace) grace_->ended[i].store(1, std::memory_order_release);
            });
        program.end = [this, set, has_ended = does(threads, Does::Separate)] { end(set, has_ended); };
        return {std::move(name), std::move(program), 0, is_long};
    }

  private:
    struct Done {
        Step step;
        std::uint64_t result; // the value that was there; 0: none
        std::uint64_t value;  // the one that was put
    };
    struct Grace {
        ModelAtomic<std::uint32_t> has_begun{0};
        std::array<ModelAtomic<std::uint32_t>, max_model_threads> ended{};
    };

    static bool does(std::vector<std::vector<Step>> const& threads, Does what) {
        return std::ranges::any_of(threads, [&](auto const& steps) {
            return std::ranges::any_of(steps, [&](Step const& step) { return step.does == what; });
        });
    }

    static auto is(std::uint64_t key) {
        return [key](Node const& node) {
            WeakMemory::current().check(node.hash == hash_of(key), "another hash than that which is looked for");
            return static_cast<Entry const&>(node).key == key;
        };
    }

    void begin(Set const& set, std::size_t count) {
        new (&end_of_chains) Node{{}, ~std::uint64_t{0}};
        entries_.clear();
        inserted_ = 0;
        done_.assign(count, {});
        HeadBlock& first = *ModelMemory::make<HeadBlock>(set.resize == Resize::Shrink ? 2U : 1U, 0U);
        chains_ = ModelMemory::make<Chains<Reclaim>>(first, Reclaim());
        grace_ = ModelMemory::make<Grace>();
        for (std::uint64_t const key : set.keys) {
            chains_->insert(make(key, value_of_begin(key)));
            ++inserted_;
        }
        if (set.is_transferred) {
            begin_resize(set);
            chains_->transfer(0);
        }
        for (std::uint64_t const key : set.removed)
            WeakMemory::current().check(chains_->remove(hash_of(key), is(key)) != nullptr, "it was there");
    }
    static std::uint64_t value_of_begin(std::uint64_t key) { return 100 + key; }

    Entry& make(std::uint64_t key, std::uint64_t value) {
        Entry& entry = *ModelMemory::make<Entry>(key, value);
        entries_.push_back(&entry);
        return entry;
    }
    void begin_resize(Set const& set) {
        unsigned const order = set.resize == Resize::Shrink ? 1 : 2;
        chains_->begin(*ModelMemory::make<HeadBlock>(order, MarkedLink::invalid));
    }
    static std::uint64_t value_of(Node* node) { return node != nullptr ? static_cast<Entry*>(node)->value.read() : 0; }

    void run(Set const& set, std::size_t thread, Step step) {
        std::uint64_t const value = 10 * (thread + 1) + done_[thread].size();
        std::uint64_t result = 0;
        switch (step.does) {
        case Does::Insert: result = value_of(chains_->insert_unique(make(step.key, value), is(step.key))); break;
        case Does::Add: chains_->insert(make(step.key, value)); break;
        case Does::Put: result = value_of(chains_->replace_or_insert(make(step.key, value), is(step.key))); break;
        case Does::Replace: result = value_of(chains_->replace(make(step.key, value), is(step.key))); break;
        case Does::Remove: result = value_of(chains_->remove(hash_of(step.key), is(step.key))); break;
        case Does::RemoveAll: result = chains_->remove_all(hash_of(step.key), is(step.key)); break;
        case Does::Find: result = value_of(chains_->find(hash_of(step.key), is(step.key))); break;
        case Does::FindEach: {
            std::array lookups{Lookup{hash_of(step.key)}, Lookup{hash_of(1)}};
            chains_->find_each(lookups,
                               [&](std::size_t at, Node const& node) { return is(at == 0 ? step.key : 1)(node); });
            result = value_of(lookups[0].node);
            note(value_of(lookups[1].node));
            break;
        }
        case Does::Visit: {
            std::uint64_t from = 0;
            std::size_t visits = 0;
            do {
                from = chains_->visit_from(from, [&](Node& node) {
                    if (static_cast<Entry&>(node).key != step.key) return;
                    result = value_of(&node);
                    ++visits;
                });
            } while (from != 0);
            WeakMemory::current().check(visits <= 1, "a node is visited twice");
            break;
        }
        case Does::Count: {
            Node const* const last = entries_.front();
            std::size_t counts_last = 0;
            for (Node* node = chains_->find(hash_of(step.key), is(step.key)); node != nullptr;
                 node = chains_->find_next(*node, is(step.key))) {
                counts_last += node == last ? 1 : 0;
                ++result;
            }
            WeakMemory::current().check(counts_last == 1, "one that is there all the time");
            break;
        }
        case Does::Transfer: begin_resize(set); return chains_->transfer(0);
        case Does::Separate: chains_->separate(0); return finish(set);
        case Does::Grace: return await_early();
        case Does::GiveBack: return give_back();
        case Does::Await:
            for (SpinWait wait; grace_->has_begun.load(std::memory_order_acquire) == 0;) wait.turn();
            return;
        }
        note(result);
        bool const inserts = step.does == Does::Insert    ? result == 0
                             : step.does == Does::Replace ? result != 0
                                                          : step.does == Does::Add || step.does == Does::Put;
        if (inserts) ++inserted_;
        done_[thread].push_back({step, result, value});
    }
    // The other buckets are empty.
    void finish(Set const& set) {
        if (set.resize != Resize::None) chains_->transfer(1), chains_->separate(1);
        chains_->finish();
    }
    void await_early() {
        grace_->has_begun.store(1, std::memory_order_release);
        for (std::size_t const i : early_)
            for (SpinWait wait; grace_->ended[i].load(std::memory_order_acquire) == 0;) wait.turn();
    }
    void give_back() {
        std::vector<Entry*> mine;
        for (Entry* entry : entries_)
            if (entry->reclaimed != 0) mine.push_back(entry);
        await_early();
        for (Entry* entry : mine) {
            new (entry) Entry(7, 0);
            entry->reclaimed = 1;
        }
    }

    // Nobody is in a section any more: who comes now must not meet what was given back.
    void check_given_back() const {
        for (HeadBlock* block : {&chains_->current(), chains_->next()})
            for (std::size_t at = 0; block != nullptr && at < block->size(); ++at) {
                MarkedLink const head = (*block)[at].load(std::memory_order_relaxed);
                if (head.is_invalid()) continue;
                for (Node* node = head.node(); node != &end_of_chains; node = next_of(*node))
                    WeakMemory::current().check(static_cast<Entry*>(node)->reclaimed == 0,
                                                "what was given back can be met");
            }
    }
    void end(Set const& set, bool has_ended) {
        check_given_back();
        if (set.resize != Resize::None) {
            if (!has_ended) chains_->separate(0), finish(set);
            chains_->forget_last();
        }
        std::size_t const count = chains_->check();
        WeakMemory& memory = WeakMemory::current();
        memory.check(end_of_chains.link.load(std::memory_order_relaxed) == MarkedLink(), "the end is written");
        std::size_t left = 0;
        std::size_t reclaimed = 0;
        for (Entry* entry : entries_) {
            bool const is_linked = is_in_chains(*entry);
            memory.check(!is_linked || entry->reclaimed == 0, "what was given back is in a chain");
            memory.check(!is_linked || !entry->link.load(std::memory_order_relaxed).is_deleted(),
                         "what was removed is in a chain");
            left += is_linked ? 1 : 0;
            reclaimed += entry->reclaimed;
        }
        memory.check(left == count, "the chains have another number of nodes");
        memory.check(left + reclaimed == inserted_, "what was removed is not given back");
        for (std::uint64_t const key : {1U, 2U, 3U, 5U, 6U, 8U}) check_key(set, key);
    }
    static Node* next_of(Node const& node) { return node.link.load(std::memory_order_relaxed).node(); }
    bool is_in_chains(Entry const& entry) const {
        for (Node* node = chains_->first(entry.hash); node != &end_of_chains; node = next_of(*node))
            if (node == &entry) return true;
        return false;
    }

    // Of one key: whether its operations have an order in which they give what they gave, and what is there at the end.
    void check_key(Set const& set, std::uint64_t key) {
        std::vector<std::vector<Done>> by_thread;
        for (auto const& all : done_) {
            by_thread.emplace_back();
            for (Done const& done : all) {
                if (done.step.key == key) by_thread.back().push_back(done);
                if (done.step.does == Does::Add && done.step.key == key) return; // several of one key: by outcomes only
            }
        }
        if (std::ranges::count(set.keys, key) > 1) return;
        bool const was_there = std::ranges::find(set.keys, key) != set.keys.end() &&
                               std::ranges::find(set.removed, key) == set.removed.end();
        std::uint64_t const last = value_of(chains_->find(hash_of(key), is(key)));
        note(last);
        check_order(by_thread, was_there ? value_of_begin(key) : 0, last, gives, after);
    }
    static bool gives(Done const& done, std::uint64_t now) {
        return done.result == (done.step.does == Does::RemoveAll ? (now != 0 ? 1 : 0) : now);
    }
    static std::uint64_t after(Done const& done, std::uint64_t now) {
        switch (done.step.does) {
        case Does::Insert: return now != 0 ? now : done.value;
        case Does::Put: return done.value;
        case Does::Replace: return now != 0 ? done.value : 0;
        case Does::Remove:
        case Does::RemoveAll: return 0;
        default: return now;
        }
    }

    Chains<Reclaim>* chains_ = nullptr;
    Grace* grace_ = nullptr;
    std::vector<Entry*> entries_;
    std::vector<std::vector<Done>> done_;
    std::vector<std::size_t> early_;
    std::size_t inserted_ = 0;
};

constexpr char const* looks_again = "looks again, and finds that it is done";

TEST(Model, Chains) {
    using enum Does;
    using enum ChainsUse::Resize;
    ChainsUse chains;
    Protocol("chains")
        .use(chains.use("two insert one key", {}, {{{Insert, 1}}, {{Insert, 1}}}))
        .use(chains.use("two insert two keys, one finds", {}, {{{Insert, 1}}, {{Insert, 2}}, {{Find, 2}}}))
        .use(chains.use("inserts, finds and removes", {}, {{{Insert, 1}}, {{Find, 1}, {Remove, 1}}}))
        .use(chains.use("two remove one key", {{1}}, {{{Remove, 1}}, {{Remove, 1}}}))
        .use(chains.use("two remove neighbours", {{1, 2}}, {{{Remove, 1}}, {{Remove, 2}}}))
        .use(chains.use("removes before what is inserted", {{1}}, {{{Remove, 1}}, {{Insert, 2}}}))
        .use(chains.use("finds behind what is removed", {{1, 2}}, {{{Remove, 1}}, {{Find, 2}}}))
        .use(chains.use("two of one hash", {{2}}, {{{Insert, 3}}, {{Remove, 2}}, {{Find, 2}}}))
        .use(chains.use("one of two of one hash", {{2, 3}}, {{{Remove, 2}}, {{FindEach, 2}}}))
        .use(chains.use("two replace", {{1}}, {{{Put, 1}}, {{Replace, 1}}}))
        .use(chains.use("replaces what is not there", {}, {{{Insert, 1}}, {{Replace, 1}}}))
        .use(chains.use("replaced and removed", {{1}}, {{{Put, 1}}, {{Remove, 1}}}))
        .use(chains.use("replaced and found", {{1}}, {{{Replace, 1}}, {{Find, 1}}}))
        .use(chains.use("replaced behind others", {{1, 2, 5}}, {{{Remove, 1}}, {{Replace, 5}}}))
        .use(chains.use("put behind others", {{1, 2, 5}}, {{{Remove, 1}}, {{Put, 5}}}))
        .use(chains.use("removed behind others", {{1, 2, 5}}, {{{Remove, 1}}, {{Remove, 5}}}))
        .use(chains.use("all of one key", {{1}}, {{{RemoveAll, 1}}, {{Put, 1}}}))
        .use(chains.use("two of one key", {{1, 1}}, {{{RemoveAll, 1}}, {{Remove, 1}}}))
        .use(chains.use("several looked up", {{1, 2}}, {{{Replace, 2}}, {{FindEach, 2}}}))
        .use(chains.use("looked up, but not there", {{2}}, {{{Remove, 2}}, {{FindEach, 3}}}))
        .use(chains.use("visited", {{1, 2}}, {{{Replace, 1}}, {{Visit, 1}}}))
        .use(chains.use("given back", {{1}}, {{{Remove, 1}, {GiveBack}}, {{Find, 1}}, {{Await}, {Find, 1}}}))
        .use(chains.use("split, found", {{1, 5}, Grow}, {{{Transfer}}, {{Find, 5}}}))
        .use(chains.use("split, visited below", {{1, 5}, Grow}, {{{Transfer}}, {{Visit, 1}}}))
        .use(chains.use("split, visited above", {{1, 5}, Grow}, {{{Transfer}}, {{Visit, 5}}}))
        .use(chains.use("split, inserted below", {{1, 5}, Grow}, {{{Transfer}}, {{Insert, 2}}}))
        .use(chains.use("split, replaced below", {{1, 5}, Grow}, {{{Transfer}}, {{Replace, 1}}}))
        .use(chains.use("split, inserted above", {{1, 5}, Grow}, {{{Transfer}}, {{Insert, 6}}}, true))
        .use(chains.use("split, replaced", {{1}, Grow}, {{{Transfer}}, {{Replace, 1}}}, true))
        .use(chains.use("split, removed below", {{1, 5}, Grow}, {{{Transfer}}, {{Remove, 1}}}, true))
        .use(chains.use("split, removed first", {{1, 2, 5}, Grow}, {{{Transfer}}, {{Remove, 1}}}))
        .use(chains.use("split, removed above", {{1, 5}, Grow}, {{{Transfer}}, {{Remove, 5}}}))
        .use(chains.use("split, only above", {{5}, Grow}, {{{Transfer}}, {{Remove, 5}}}, true))
        .use(chains.use("split, removed, looked up", {{1, 5}, Grow, true}, {{{Remove, 5}, {FindEach, 5}}, {{Find, 5}}}))
        .use(chains.use("split, given back", {{1, 5}, Grow, true}, {{{Remove, 5}, {GiveBack}}, {{Await}, {Find, 2}}}))
        .use(chains.use("split, removed and looked up", {{1, 5}, Grow}, {{{Transfer}}, {{Remove, 5}, {FindEach, 5}}},
                        true))
        .use(chains.use("cut, found", {{1, 5}, Grow, true}, {{{Separate}}, {{Find, 5}}}))
        .use(chains.use("cut, visited", {{1, 5}, Grow, true}, {{{Separate}}, {{Visit, 5}}}))
        .use(chains.use("cut, inserted below", {{1, 5}, Grow, true}, {{{Separate}}, {{Insert, 2}}}))
        .use(chains.use("cut, inserted above", {{1, 5}, Grow, true}, {{{Separate}}, {{Insert, 8}}}))
        .use(chains.use("cut, inserted last", {{1, 5}, Grow, true}, {{{Separate}}, {{Insert, 6}}}))
        .use(chains.use("cut, removed below", {{1, 5}, Grow, true}, {{{Separate}}, {{Remove, 1}}}))
        .use(chains.use("cut, removed first", {{1, 2, 5}, Grow, true}, {{{Separate}}, {{Remove, 1}}}))
        .use(chains.use("cut, replaced", {{1, 5}, Grow, true}, {{{Separate}}, {{Replace, 1}}}))
        .use(chains.use("cut, replaced above", {{1, 5}, Grow, true}, {{{Separate}}, {{Replace, 5}}}))
        .use(chains.use("cut, removed above", {{1, 5}, Grow, true}, {{{Separate}}, {{Remove, 5}}}))
        .use(chains.use("split and cut", {{1, 5}, Grow},
                        {{{Transfer}, {Grace}, {Separate}}, {{Find, 5}}, {{Await}, {Find, 5}}}))
        .use(chains.use("joined, found", {{1, 5}, Shrink}, {{{Transfer}}, {{Find, 5}}}))
        .use(chains.use("joined, visited", {{1, 5}, Shrink}, {{{Transfer}}, {{Visit, 5}}}))
        .use(chains.use("joined, inserted below", {{1, 5}, Shrink}, {{{Transfer}}, {{Insert, 2}}}))
        .use(chains.use("joined, added below", {{1, 5}, Shrink}, {{{Transfer}}, {{Add, 2}}}))
        .use(chains.use("joined, inserted above", {{1, 5}, Shrink}, {{{Transfer}}, {{Insert, 8}}}))
        .use(chains.use("joined, added above", {{1, 5}, Shrink}, {{{Transfer}}, {{Add, 5}}}))
        .use(chains.use("joined, replaced above", {{1, 5}, Shrink}, {{{Transfer}}, {{Put, 5}}}, true))
        .use(chains.use("joined, removed first", {{1, 2, 5}, Shrink}, {{{Transfer}}, {{Remove, 1}}}))
        .use(chains.use("joined, removed below", {{1, 5}, Shrink}, {{{Transfer}}, {{Remove, 1}}}, true))
        .use(chains.use("joined, removed above", {{1, 5}, Shrink}, {{{Transfer}}, {{Remove, 5}}}))
        .use(chains.use("unjoined, found", {{1, 5}, Shrink, true}, {{{Separate}}, {{Find, 5}}}))
        .use(chains.use("unjoined, removed above", {{1, 5}, Shrink, true}, {{{Separate}}, {{Remove, 5}}}))
        .check({"chain_updates", "chains,", "marked_link"},
               {{"chain_updates, clear_joint() condition 1: always", "asked of what is JOINT only"},
                {"chain_updates, clear_joint() condition 2: always", looks_again},
                {"chain_updates, search() condition 8: always", looks_again},
                {"chain_updates, set_joint() condition 1: always", "writes the mark that is there"},
                {"chain_updates, set_joint() condition 2: always", looks_again},
                {"chains, append() condition 3: never", looks_again},
                {"chains, end_of_bucket() condition 3: never",
                 "the first hash behind the last head is 2^64, which is 0, too"},
                {"chains, find_each() condition 1: never", "of 64 look-ups, which have too many events"},
                {"chains, freeze() condition 1: always", "writes the mark that is there"},
                {"chains, freeze() condition 2: never", looks_again},
                {"chains, move() condition: never", "the heads have changed, and both changes fail"},
                {"chains, place_in_next() condition 3: always", "joins the upper head's chain earlier"},
                {"chains, remove_all() condition 3: always", "sweeps where nothing was removed"},
                {"chains, split() condition 3: always", "writes the mark that is there"},
                {"chains, split() condition 4: always", looks_again},
                {"chains, unjoin() condition 3: always", "sweeps where nothing was removed"}});
}

// Two actors, one of whom begins to split or to join the chain first, or ends that: inserts and removals at both ends
// of the cut, everything with one key that two have or that is the first of the upper half, halves that become empty or
// were, and look-ups of all of it.
struct Plan {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint64_t> removed;
    std::array<std::vector<Step>, 2> steps;
};
std::vector<Plan> plans() {
    using enum Does;
    return {
        {{1, 8}, {}, {{{{Insert, 5}, {Remove, 8}, {Find, 1}}, {{Remove, 1}, {Put, 8}, {Insert, 2}}}}},
        {{5, 8, 1}, {5}, {{{{Insert, 8}, {Remove, 8}, {Find, 8}}, {{Remove, 8}, {Put, 8}, {Replace, 8}}}}},
        {{2, 8}, {2}, {{{{Insert, 1}, {Remove, 1}, {Insert, 5}}, {{Insert, 1}, {Replace, 1}, {Remove, 8}}}}},
        {{1}, {}, {{{{Remove, 1}, {Find, 5}, {Insert, 8}}, {{Put, 5}, {Find, 1}, {Remove, 5}}}}},
        {{1, 2, 5}, {}, {{{{Insert, 8}, {Find, 1}, {Find, 5}}, {{Remove, 2}, {Find, 8}, {Find, 5}}}}},
        {{1, 2, 5}, {}, {{{{Insert, 8}, {Remove, 1}, {Find, 5}}, {{Replace, 2}, {Replace, 5}, {Find, 8}}}}},
        {{1, 5}, {}, {{{{Insert, 2}, {Find, 5}, {Remove, 1}}, {{Insert, 8}, {Remove, 5}, {Find, 2}}}}},
        {{1, 8, 5}, {}, {{{{Find, 8}, {Remove, 5}, {Find, 1}}, {{Remove, 8}, {Find, 5}, {Insert, 8}}}}},
        {{1, 5}, {}, {{{{Find, 5}, {Find, 1}, {Remove, 5}}, {{Replace, 5}, {Remove, 1}, {Find, 5}}}}},
        {{1, 8}, {}, {{{{Remove, 8}, {Find, 2}, {Insert, 8}}, {{Find, 2}, {Remove, 8}, {Find, 2}}}}},
    };
}

class ChainPlans {
  public:
    explicit ChainPlans(std::string name)
        : protocol_(std::move(name)) {}
    // In each resize, at its beginning or its end, by either actor.
    void use(std::string const& name, Plan const& plan, std::size_t operations, bool is_long = false) {
        using enum ChainsUse::Resize;
        for (ChainsUse::Resize const resize : {Grow, Shrink})
            for (bool const ends : {false, true})
                for (std::size_t resizer = 0; resizer < 2; ++resizer) {
                    std::vector<std::vector<Step>> steps;
                    for (std::vector<Step> const& all : plan.steps)
                        steps.emplace_back(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(operations));
                    steps[resizer].insert(steps[resizer].begin(), {ends ? Does::Separate : Does::Transfer});
                    protocol_.use(chains_.use(name + (resize == Grow ? ", split" : ", joined") + (ends ? ", ends" : ""),
                                              {plan.keys, resize, ends, plan.removed}, std::move(steps), is_long));
                }
    }
    void check() { protocol_.check_uses(); }

  private:
    ChainsUse chains_;
    Protocol protocol_;
};

TEST(Model, ChainPlans) {
    ChainPlans all("plans of chains");
    std::size_t number = 0;
    for (Plan const& plan : plans()) {
        ++number;
        all.use("plan " + std::to_string(number), plan, 1);
        all.use("plan " + std::to_string(number) + ", two operations", plan, 2, true);
    }
    all.check();
}

// Equal keys, of which the first is removed, more come, and one is there all the time.
TEST(Model, ChainEqualKeys) {
    using enum Does;
    ChainPlans all("equal keys of a chain");
    for (std::uint64_t const key : {1U, 8U})
        for (auto const& [a, b] : std::vector<std::pair<Does, Does>>{{Add, Remove},
                                                                     {Add, Add},
                                                                     {Remove, Remove},
                                                                     {Count, Add},
                                                                     {Count, Remove},
                                                                     {RemoveAll, Add},
                                                                     {RemoveAll, Remove},
                                                                     {RemoveAll, RemoveAll}})
            all.use("keys " + std::to_string(key), {{key, key}, {}, {{{{a, key}}, {{b, key}}}}}, 1,
                    key == 8 && a == RemoveAll && b != Add);
    all.check();
}

// What must be noticed.
TEST(Model, ChainCutWithoutAGracePeriod) {
    using enum Does;
    ChainsUse chains;
    EXPECT_NE(Protocol("cut at once")
                  .use(chains.use("inserted", {{1, 2, 5}, ChainsUse::Resize::Grow},
                                  {{{Transfer}, {Separate}}, {{Insert, 8}, {Find, 5}}}))
                  .first_error(),
              "");
}

} // namespace
} // namespace mxk::test
