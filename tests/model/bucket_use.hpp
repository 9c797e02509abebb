// A table of pairs that others read in place while its owner changes it, under the model checker. What each find says
// must be what some order of all operations on its key says, too.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/atomic.hpp"
#include "tests/model/operation_order.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {

enum class Does : std::uint8_t {
    Insert,
    Update,
    Erase,
    Find,
    Forget, // no memory can be had from here on
    Work,   // the table grows, or shrinks, by a bucket, or a part of it moves
    Move,   // is to, from here on
    Pass    // a grace period
};

struct Step {
    Does does;
    std::uint64_t key = 0;
};

// As many erases as bring the version back.
inline std::vector<Step> around(std::uint64_t key, std::uint64_t other) {
    using enum Does;
    return {{Erase, key}, {Insert, other}, {Erase, other}, {Insert, key},
            {Erase, key}, {Insert, other}, {Erase, other}, {Insert, key}};
}

// Tested: made in begin(); insert(key, value), update(key, value), erase(key), find(key) of the owner, read(key) of any
// thread; size(), lines(), pairs(), as many as there are, work(), move(), pass(threads).
template <typename Tested> class BucketUse {
  public:
    // `load`: for the table's constructor.
    explicit BucketUse(double load)
        : load_(load) {}

    // The first thread is the owner's; `keys` were inserted before, one after the other, and then this was done.
    ProtocolUse use(std::string name, std::uint64_t keys, std::vector<std::vector<Step>> threads, bool is_long = false,
                    std::vector<Step> const& before = {}) {
        ModelProgram program;
        program.begin = [this, keys, before, count = threads.size()] { begin(keys, count, before); };
        for (std::size_t i = 0; i < threads.size(); ++i)
            program.threads.emplace_back([this, i, steps = threads[i]] {
                for (Step const& step : steps) run(i, step);
            });
        program.end = [this] { end(); };
        return {std::move(name), std::move(program), 0, is_long};
    }

  private:
    // What is kept under the number that is a key's value: a race for who finds it before it is published.
    using Content = ModelPlain<std::uint64_t>;
    struct Done {
        Step step;
        std::uint64_t result; // the value that was found, or whether the key was there; 0: it was not
        std::uint64_t value;  // the one that was put
        bool is_full = false;
    };

    void begin(std::uint64_t keys, std::size_t count, std::vector<Step> const& before) {
        make_model_node(model_node_bytes);
        model_blocks = 100;
        done_.assign(count, {});
        contents_.fill(nullptr);
        table_.emplace(load_);
        for (std::uint64_t key = 1; key <= keys; ++key) table_->insert(key, put(key));
        for (Step const& step : before) run(0, step);
        done_.assign(count, {});
        first_.fill(0);
        for (std::uint64_t key = 1; key < first_.size(); ++key) first_[key] = got(table_->read(key));
    }
    std::uint64_t put(std::uint64_t value) {
        contents_.at(value) = ModelMemory::make<Content>(value);
        return value;
    }
    [[nodiscard]] std::uint64_t got(std::optional<std::uint64_t> value) const {
        if (!value) return 0;
        bool const was_put = *value < contents_.size() && contents_[*value] != nullptr;
        WeakMemory::current().check(was_put, "a value that nobody has put");
        return contents_[*value]->read();
    }

    void run(std::size_t thread, Step step) {
        std::uint64_t const value = 40 * (thread + 1) + done_[thread].size();
        std::uint64_t result = 0;
        bool is_full = false;
        switch (step.does) {
        case Does::Insert: {
            Insert const said = table_->insert(step.key, put(value));
            result = said == Insert::Present ? 1 : 0;
            is_full = said == Insert::Full;
            break;
        }
        case Does::Forget: model_blocks = 0; return;
        case Does::Work: return table_->work();
        case Does::Move: return table_->move();
        case Does::Pass: return table_->pass(done_.size());
        case Does::Update: result = table_->update(step.key, put(value)) ? 1 : 0; break;
        case Does::Erase: result = table_->erase(step.key) ? 1 : 0; break;
        case Does::Find: result = got(table_->read(step.key)); break;
        }
        note(result);
        done_[thread].push_back({step, result, value, is_full});
    }

    void end() {
        note(table_->size());
        note(table_->lines());
        WeakMemory::current().check(table_->pairs() == table_->size(), "other pairs than are counted");
        for (std::uint64_t key = 1; key < first_.size(); ++key) check_key(key, first_[key]);
    }
    // Whether the operations have an order in which they give what they gave, and what is there at the end.
    void check_key(std::uint64_t key, std::uint64_t first) {
        std::vector<std::vector<Done>> by_thread;
        for (auto const& all : done_) {
            by_thread.emplace_back();
            std::ranges::copy_if(all, std::back_inserter(by_thread.back()),
                                 [&](Done const& done) { return done.step.key == key; });
        }
        std::uint64_t const last = got(table_->read(key));
        auto const* const found = table_->find(key);
        WeakMemory::current().check((found != nullptr) == (last != 0), "the owner finds another one");
        note(last);
        check_order(by_thread, first, last, gives, after);
    }
    static bool gives(Done const& done, std::uint64_t now) {
        return done.step.does == Does::Find ? done.result == now : done.result == (now != 0 ? 1 : 0);
    }
    static std::uint64_t after(Done const& done, std::uint64_t now) {
        switch (done.step.does) {
        case Does::Insert: return now != 0 || done.is_full ? now : done.value;
        case Does::Update: return now != 0 ? done.value : 0;
        case Does::Erase: return 0;
        default: return now;
        }
    }

    double load_;
    std::optional<Tested> table_;
    std::array<std::uint64_t, 40> first_{}; // by key, its value before the threads; 0: it is not there
    std::array<Content*, 160> contents_{};
    std::vector<std::vector<Done>> done_;
};

} // namespace mxk::test
