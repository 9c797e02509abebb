// The lines of a concurrent table: keys that come, go, are found and overwritten while others do the same in one
// bucket, and while it is moved. What each operation says must be what some order of all of them on its key says, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "hashtable/shared/concurrent_lines.hpp"
#include "tests/model/atomic.hpp"
#include "tests/model/operation_order.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

// Of 16 keys each four neighbours stand in one bucket, if there are four.
struct FourParts {
    std::uint64_t operator()(std::uint64_t key) const {
        WeakMemory::current().check(key < 16, "a key that nobody has");
        return key << 60;
    }
};
using Table = ConcurrentLines<FourParts>;
constexpr std::array<std::uint64_t, 4> first_of_parts{1, 4, 8, 12};

enum class Does : std::uint8_t {
    Insert,
    Fill, // the same, up to another key
    Upsert,
    Update,
    Modify,
    Erase,
    Turn, // inserts and erases
    Find,
    FindEach, // with other look-ups in front of it and behind
    Walk,     // over all pairs, bucket by bucket
    WalkOn,   // for a bucket
    WalkRest, // from there
    // On no key.
    Grow,   // begins to
    Shrink, // begins to
    Move,   // a slice
    MoveAll,
    Reserve, // for so many keys
    Free,    // the callbacks run
    Size,    // how many keys there are
    Blocks,  // of memory: so many can be had
    Bytes,   // the same: no larger one can be had
    Pass     // so many grace periods, between sections
};

struct Step {
    Does does;
    std::uint64_t key = 0;
    std::uint64_t last_key = 0;
};

constexpr std::size_t max_blocks = 100;
constexpr std::size_t max_bytes = 10'000;

struct Set {
    std::vector<std::uint64_t> keys = {}; // that are there
    std::size_t buckets = 1;
    Does resize = Does::Find;               // or Grow, Shrink: has begun
    std::vector<std::uint64_t> erased = {}; // that were there before
    bool has_passed = false;                // then two grace periods
    std::size_t blocks = max_blocks;        // of memory can be had
    std::size_t block_bytes = max_bytes;    // of each
    bool has_listener = false;
    std::size_t owners = 1;
};

class LinesUse {
  public:
    ProtocolUse use(std::string name, Set const& set, std::vector<std::vector<Step>> threads, bool is_large = false) {
        ModelProgram program;
        auto const passes = [](std::vector<Step> const& steps) {
            return std::ranges::count(steps, Does::Pass, &Step::does) != 0;
        };
        bool const has_grace = std::ranges::any_of(threads, passes);
        program.begin = [this, set, count = threads.size()] { begin(set, count); };
        for (std::size_t i = 0; i < threads.size(); ++i)
            program.threads.emplace_back([this, is_alone = threads.size() == 1,
                                          is_awaited = has_grace && !passes(threads[i]), i, steps = threads[i]] {
                if (is_awaited) periods_->begin_section();
                for (Step const& step : steps) run(i, step);
                if (is_awaited) periods_->end_section();
                note(periods_->wanted[i]);
            });
        program.end = [this, set] { end(set); };
        return {std::move(name), std::move(program), 0, false, is_large};
    }

  private:
    // What is kept under the number that a table has as a value: a race for who finds it before it is published.
    using Content = ModelPlain<std::uint64_t>;
    struct Done {
        Step step;
        std::uint64_t result; // the value that was there, or whether there was one; 0: none
        std::uint64_t value;  // the one that was put
        bool is_full = false;
    };

    void begin(Set const& set, std::size_t count) {
        make_model_node(model_node_bytes);
        model_blocks = max_blocks;
        model_block_bytes = max_bytes;
        work_ = 0;
        walk_ = {};
        walked_ = {};
        periods_ = model_periods = ModelMemory::make<ModelPeriods>();
        done_.assign(count, {});
        contents_.fill(nullptr);
        std::vector<Owner> owners;
        owners.reserve(set.owners);
        for (std::size_t i = 0; i < set.owners; ++i) owners.push_back({core_id(i), node_id(0)});
        table_ = ModelMemory::make<Table>(Table::create({.keys = 0}, owners).value());
        for (std::size_t buckets = 1; buckets < set.buckets; buckets *= 2) {
            table_->begin_growing();
            move_all();
        }
        for (std::uint64_t const key : set.erased) {
            table_->insert(key, put(key));
            table_->erase(key);
        }
        for (std::uint64_t const key : set.keys) table_->insert(key, put(key));
        if (set.resize == Does::Grow) table_->begin_growing();
        if (set.resize == Does::Shrink) table_->begin_shrinking();
        if (set.has_listener) table_->tell(&listener_);
        if (set.has_passed) {
            periods_->begun.store(2, std::memory_order_relaxed);
            periods_->done.store(2, std::memory_order_relaxed);
        }
        periods_->callbacks = {};
        model_blocks = set.blocks;
        model_block_bytes = set.block_bytes;
    }
    std::uint64_t put(std::uint64_t value) {
        contents_.at(value) = ModelMemory::make<Content>(value);
        return value;
    }
    std::uint64_t got(std::optional<std::uint64_t> value) const {
        if (!value) return 0;
        bool const was_put = *value < contents_.size() && contents_[*value] != nullptr;
        WeakMemory::current().check(was_put, "a value that nobody has put");
        return contents_[*value]->read();
    }
    void move_all() {
        while (table_->work()) {
        }
    }

    void run(std::size_t thread, Step step) {
        std::uint64_t const value = 20 * (thread + 1) + done_[thread].size();
        std::uint64_t result = 0;
        bool is_full = false;
        auto const note_insert = [&](Insert said) {
            result = said == Insert::Present ? 1 : 0;
            is_full = said == Insert::Full;
        };
        switch (step.does) {
        case Does::Insert: note_insert(table_->insert(step.key, put(value))); break;
        case Does::Upsert: note_insert(table_->upsert(step.key, put(value))); break;
        case Does::Update: result = table_->update(step.key, put(value)) ? 1 : 0; break;
        case Does::Modify: result = got(table_->modify(step.key, [&](std::uint64_t) { return put(value); })); break;
        case Does::Erase: result = table_->erase(step.key) ? 1 : 0; break;
        case Does::Find: result = got(table_->find(step.key)); break;
        case Does::FindEach: result = find_each(step.key); break;
        case Does::Walk: result = walk(step.key); break;
        case Does::WalkOn: return note(walk_on(1) ? 1 : 0);
        case Does::WalkRest:
            note(walk_on(~std::size_t{0}) ? 1 : 0);
            result = walked(step.key);
            break;
        case Does::Fill:
            for (std::uint64_t key = step.key; key <= step.last_key; ++key) run(thread, {Does::Insert, key});
            return;
        case Does::Turn: return run(thread, {Does::Insert, step.key}), run(thread, {Does::Erase, step.key});
        case Does::Grow: return note(table_->begin_growing() ? 1 : 0);
        case Does::Shrink: return note(table_->begin_shrinking() ? 1 : 0);
        case Does::Move: return note(table_->work() ? 1 : 0);
        case Does::MoveAll: return move_all();
        case Does::Reserve: return note(table_->reserve(step.key) ? 1 : 0);
        case Does::Blocks: return void(model_blocks = step.key);
        case Does::Bytes: return void(model_block_bytes = step.key);
        case Does::Size: return note(table_->size());
        case Does::Free: return periods_->run_callbacks();
        case Does::Pass:
            for (std::size_t i = 0; i < step.key; ++i) periods_->pass(done_.size());
            return;
        }
        note(result);
        if (done_.size() == 1) note(table_->is_resizing() ? 0 : table_->bucket_count());
        done_[thread].push_back({step, result, value, is_full});
    }
    std::uint64_t find_each(std::uint64_t key) {
        std::array<std::uint64_t, 4> const keys{3, key, 1, ~std::uint64_t{0}}; // the last one is behind the others
        std::array<std::size_t, 3> times{};
        std::uint64_t result = 0;
        table_->find_each(std::span(keys).first(3), [&](std::size_t at, std::optional<std::uint64_t> value) {
            WeakMemory::current().check(at < times.size() && ++times[at] == 1, "another one is looked up");
            if (at == 1)
                result = got(value);
            else
                note(got(value));
        });
        WeakMemory::current().check(times == std::array<std::size_t, 3>{1, 1, 1}, "one is not looked up");
        return result;
    }
    // By one thread.
    bool walk_on(std::size_t buckets) {
        return table_->visit_some(walk_, buckets, [&](std::uint64_t key, std::uint64_t value) {
            note(key);
            WeakMemory::current().check(walked_.emplace(key, got(value)).second, "a key is visited twice");
        });
    }
    std::uint64_t walked(std::uint64_t key) const {
        auto const found = walked_.find(key);
        return found == walked_.end() ? 0 : found->second;
    }
    std::uint64_t walk(std::uint64_t key) {
        while (walk_on(1)) {
        }
        return walked(key);
    }

    void end(Set const& set) {
        WeakMemory& memory = WeakMemory::current();
        note(model_blocks);
        note(model_warnings);
        note(work_);
        note(table_->bucket_count());
        model_blocks = max_blocks;
        model_block_bytes = max_bytes;
        do move_all();
        while (table_->try_again());
        memory.check(!table_->is_resizing(), "a resize does not end");
        table_->check();
        std::set<void const*> firsts;
        std::size_t behind = 0;
        for (std::uint64_t const key : first_of_parts) {
            if (!firsts.insert(table_->line_of(key)).second) continue;
            auto const* line = static_cast<ConcurrentLine const*>(table_->line_of(key));
            while ((line = line->next()) != nullptr) ++behind;
        }
        memory.check(behind == table_->lines_behind(), "a line is lost");
        note(behind);
        for (std::uint64_t key = 1; key < 16; ++key) check_key(set, key);
        memory.check(table_->begin_growing() && table_->is_resizing(), "no other resize can begin");
    }
    // Whether the operations have an order in which they give what they gave, and what is there at the end.
    void check_key(Set const& set, std::uint64_t key) {
        std::vector<std::vector<Done>> by_thread;
        for (auto const& all : done_) {
            by_thread.emplace_back();
            std::ranges::copy_if(all, std::back_inserter(by_thread.back()),
                                 [&](Done const& done) { return done.step.key == key; });
        }
        std::uint64_t const last = got(table_->find(key));
        note(last);
        check_order(by_thread, std::ranges::count(set.keys, key) != 0 ? key : 0, last, gives, after);
    }
    static bool gives(Done const& done, std::uint64_t now) {
        switch (done.step.does) {
        case Does::Modify:
        case Does::Find:
        case Does::FindEach:
        case Does::Walk:
        case Does::WalkRest: return done.result == now;
        default: return done.is_full ? now == 0 : done.result == (now != 0 ? 1 : 0);
        }
    }
    static std::uint64_t after(Done const& done, std::uint64_t now) {
        if (done.is_full) return now;
        switch (done.step.does) {
        case Does::Insert: return now != 0 ? now : done.value;
        case Does::Upsert: return done.value;
        case Does::Update:
        case Does::Modify: return now != 0 ? done.value : 0;
        case Does::Erase: return 0;
        default: return now;
        }
    }

    struct Listener : ResizeListener {
        explicit Listener(LinesUse& its_use)
            : ResizeListener{[](ResizeListener& self) { ++static_cast<Listener&>(self).use.work_; }}
            , use(its_use) {}
        LinesUse& use;
    };

    Listener listener_{*this};
    std::size_t work_ = 0; // how often it was told
    LineWalk walk_;
    std::map<std::uint64_t, std::uint64_t> walked_;
    Table* table_ = nullptr;
    ModelPeriods* periods_ = nullptr;
    std::array<Content*, 100> contents_{};
    std::vector<std::vector<Done>> done_;
};

constexpr char const* looks_again = "looks again, and finds the same";
constexpr char const* saves_work = "a look that saves work";
constexpr char const* not_so_many = "two look for so many buckets";
constexpr char const* start_finds_it = "start() finds that a resize is under way";

TEST(Model, Lines) {
    using enum Does;
    LinesUse lines;
    constexpr std::uint64_t line_bytes = sizeof(ConcurrentLine); // no array can be had then
    Protocol("lines")
        .use(lines.use("walked beside nobody", {{1}}, {{{Walk, 1}}, {}}))
        .use(lines.use("no keys", {{1}}, {{{Find, 0}, {Erase, 0}, {FindEach, 0}}}))
        .use(lines.use("grows by itself", {{1, 2, 3}}, {{{Fill, 4, 6}, {Fill, 8, 9}, {Find, 2}}}))
        .use(lines.use("tells that it grows", {.keys = {1, 2, 3, 4}, .has_listener = true}, {{{Fill, 5, 8}}}))
        .use(lines.use("tells it again", {.keys = {1}, .buckets = 2, .has_listener = true},
                       {{{Grow}, {Insert, 2}, {Fill, 8, 9}}}))
        .use(lines.use("asks seldom", {.buckets = 8, .owners = 2}, {{{Fill, 1, 4}}}))
        .use(lines.use("no smaller than at first", {}, {{{Turn, 1}, {Turn, 2}, {Turn, 3}, {Turn, 4}}}))
        .use(lines.use("no smaller than reserved", {}, {{{Reserve, 6}, {Turn, 1}, {Turn, 2}, {Turn, 3}, {Insert, 4}}}))
        .use(lines.use("tries later to grow", {.keys = {1, 2, 3, 4}, .block_bytes = line_bytes},
                       {{{Fill, 5, 8}, {Bytes, max_bytes}, {Fill, 9, 11}}}))
        .use(lines.use("tries again after a success", {.keys = {1, 2, 3, 4}, .block_bytes = line_bytes},
                       {{{Fill, 5, 8}, {Bytes, max_bytes}, {Grow}, {MoveAll}, {Shrink}, {MoveAll}, {Insert, 9}}}))
        .use(lines.use("tries later to shrink", {.buckets = 4, .block_bytes = line_bytes},
                       {{{Turn, 8},
                         {Turn, 9},
                         {Turn, 10},
                         {Insert, 1},
                         {Bytes, max_bytes},
                         {Turn, 8},
                         {Shrink},
                         {MoveAll},
                         {Turn, 9},
                         {Turn, 9},
                         {Turn, 8},
                         {Turn, 9}}}))
        .use(lines.use("shrinks by itself", {{1, 8}, 4}, {{{Erase, 1}, {Erase, 8}, {Turn, 2}, {Turn, 3}, {Insert, 4}}}))
        .use(lines.use("as few as at first", {{1}}, {{{Shrink}}}))
        .use(lines.use("reserved alone", {{1}},
                       {{{Reserve, 2}, {Reserve, 3}, {Reserve, 20}, {Reserve, std::uint64_t{1} << 60}, {Shrink}}}))
        .use(lines.use("reserved, no memory", {.keys = {1}, .blocks = 0}, {{{Reserve, 3}}}))
        .use(lines.use("reserved, and there", {.keys = {1}, .blocks = 0}, {{{Reserve, 1}}}))
        .use(lines.use("reserved, no memory for lines", {.keys = {1, 2, 3, 4}, .blocks = 2},
                       {{{Reserve, 5}, {Insert, 5}}}))
        .use(lines.use("no memory for an array", {.keys = {1}, .blocks = 0},
                       {{{Grow}, {Grow}, {Blocks, 1}, {Grow}, {Blocks, 5}, {Grow}, {MoveAll}, {Blocks, 0}, {Grow}}}))
        .use(lines.use("no memory while moved", {.keys = {1, 2, 3, 4}, .resize = Grow, .blocks = 0},
                       {{{Insert, 5}, {MoveAll}, {Blocks, 5}, {MoveAll}, {Insert, 5}}}))
        .use(lines.use("too little memory while moved", {.keys = {1, 2, 3, 4, 5}, .resize = Grow, .blocks = 1},
                       {{{MoveAll}}}))
        .use(lines.use("no memory, claimed again", {.keys = {1, 2, 3, 4}, .resize = Grow, .blocks = 0},
                       {{{MoveAll}, {Blocks, 5}, {Erase, 1}, {Erase, 2}, {Erase, 3}, {Erase, 4}}}))
        .use(lines.use("lines used again", {{1, 2, 3, 4, 5}, 1, Grow},
                       {{{MoveAll}, {Insert, 6}, {Pass, 2}, {Fill, 7, 11}}}))
        .use(lines.use("walked in parts", {{1, 4, 8}, 2}, {{{WalkOn}, {Grow}, {MoveAll}, {WalkOn}, {WalkRest, 8}}}))
        .use(lines.use("walked in parts, shrunk", {{1, 4, 8}, 2}, {{{WalkOn}, {Shrink}, {MoveAll}, {WalkRest, 8}}}))
        .use(lines.use("inserted and found", {}, {{{Insert, 1}}, {{Find, 1}}}))
        .use(lines.use("inserted and walked", {}, {{{Insert, 1}}, {{Walk, 1}}}))
        .use(lines.use("two insert one key", {}, {{{Insert, 1}}, {{Insert, 1}}}))
        .use(lines.use("two insert two keys, one finds", {}, {{{Insert, 1}}, {{Insert, 2}}, {{Find, 2}}}))
        .use(lines.use("inserted behind a full line", {{1, 2}}, {{{Insert, 3}}, {{Find, 3}}}))
        .use(lines.use("inserted behind a full line, walked", {{1, 2}}, {{{Insert, 3}}, {{Walk, 3}}}))
        .use(lines.use("inserted in front of another line", {{1, 2, 3, 4}}, {{{Insert, 5}}, {{Find, 4}}}))
        .use(lines.use("two insert behind a full line", {{1, 2}}, {{{Insert, 3}}, {{Upsert, 3}}}))
        .use(lines.use("found behind a full line", {{1, 2, 3}}, {{{Erase, 2}}, {{Find, 3}}}))
        .use(lines.use("several looked up", {{1, 2, 3}}, {{{Update, 3}}, {{FindEach, 3}}}))
        .use(lines.use("several looked up in two buckets", {{1, 8}, 2}, {{{Update, 8}}, {{FindEach, 8}}}))
        .use(lines.use("overwritten and found", {{1}}, {{{Update, 1}}, {{Find, 1}}}))
        .use(lines.use("two overwrite", {{1}}, {{{Upsert, 1}}, {{Modify, 1}}}))
        .use(lines.use("three modify", {{1}}, {{{Modify, 1}}, {{Modify, 1}}, {{Modify, 1}}}))
        .use(lines.use("erased and found", {{1}}, {{{Erase, 1}}, {{Find, 1}}}))
        .use(lines.use("erased and inserted elsewhere", {{1}}, {{{Erase, 1}, {Insert, 1}}, {{Find, 1}, {Find, 1}}}))
        .use(lines.use("counted", {}, {{{Insert, 1}}, {{Erase, 1}}, {{Size}}}))
        .use(lines.use("two erase one key", {{1}}, {{{Erase, 1}}, {{Erase, 1}}}))
        .use(lines.use("erased and inserted", {{1}}, {{{Erase, 1}}, {{Insert, 1}}}))
        .use(lines.use("erased, another one inserted", {.keys = {1, 2}, .has_passed = true},
                       {{{Erase, 1}, {Insert, 3}}, {{Find, 1}}}))
        .use(lines.use("erased before, another one inserted", {.keys = {2}, .erased = {1}, .has_passed = true},
                       {{{Insert, 3}}, {{Find, 3}}}))
        .use(lines.use("erased before, not over", {.keys = {2}, .erased = {1}}, {{{Insert, 3}}, {{Find, 3}}}))
        .use(lines.use("used again", {{1, 2}}, {{{Erase, 1}, {Pass, 2}, {Insert, 3}}, {{Find, 1}}}))
        .use(
            lines.use("another one finds it used again", {{1, 2}}, {{{Erase, 1}, {Pass, 2}, {Insert, 3}}, {{Find, 3}}}))
        .use(lines.use("walked", {{1, 2}}, {{{Erase, 1}}, {{Walk, 1}}}))
        .use(lines.use("grown, found", {{1, 8}, 1, Grow}, {{{Move}}, {{Find, 8}}}))
        .use(lines.use("grown, several looked up", {{1, 8}, 1, Grow}, {{{Move}}, {{FindEach, 8}}}))
        .use(lines.use("grown, walked", {{1, 8}, 1, Grow}, {{{Move}}, {{Walk, 8}}}))
        .use(lines.use("grown, overwritten, walked", {{1, 8}, 1, Grow}, {{{Move}}, {{Update, 8}, {Walk, 8}}}))
        .use(lines.use("grown, inserted", {{1}, 1, Grow}, {{{Move}}, {{Insert, 8}}}))
        .use(lines.use("grown, erased", {{1, 8}, 1, Grow}, {{{Move}}, {{Erase, 8}}}))
        .use(lines.use("grown, overwritten", {{1, 8}, 1, Grow}, {{{Move}}, {{Update, 8}, {Find, 8}}}))
        .use(lines.use("begins to grow, found", {{1, 8}}, {{{Grow}, {Move}}, {{Find, 8}}}))
        .use(lines.use("two move one bucket", {{1, 8}, 1, Grow}, {{{Move}}, {{Move}}}))
        .use(lines.use("two move", {{1, 8}, 2, Grow}, {{{Move}, {Find, 8}}, {{Move}, {Find, 1}}}))
        .use(lines.use("two begin to grow", {{1, 8}}, {{{Grow}, {Move}}, {{Grow}}}))
        .use(lines.use("three begin to grow", {{1, 8}}, {{{Grow}, {Move}}, {{Grow}}, {{Grow}}}))
        .use(lines.use("three begin to grow, no memory", {.buckets = 2, .block_bytes = 330},
                       {{{Grow}, {MoveAll}}, {{Grow}}, {{Grow}}}))
        .use(lines.use("full, moved by a writer", {{1, 2}, 1, Grow}, {{{Insert, 8}}, {{Find, 2}}}))
        .use(lines.use("full, moved by two", {{1, 2}, 1, Grow}, {{{Insert, 8}}, {{Move}}}))
        .use(lines.use("shrunk, found", {{1, 8}, 2, Shrink}, {{{Move}}, {{Find, 8}}}))
        .use(lines.use("shrunk, walked", {{1, 8}, 2, Shrink}, {{{Move}}, {{Walk, 8}}}))
        .use(lines.use("shrunk, inserted", {{1}, 2, Shrink}, {{{Move}}, {{Insert, 8}}}))
        .use(lines.use("shrunk, inserted in a full bucket", {{1, 2}, 2, Shrink}, {{{Insert, 3}}, {{Find, 2}}}))
        .use(lines.use("shrunk, erased", {{1, 8}, 2, Shrink}, {{{Move}}, {{Erase, 8}}}))
        .use(lines.use("two shrink", {{1, 8}, 4, Shrink}, {{{Move}, {Find, 8}}, {{Move}, {Find, 1}}}))
        .use(lines.use("two segments", {.keys = {1, 8}, .resize = Grow, .owners = 2},
                       {{{Move}, {Find, 8}}, {{Move}, {Find, 1}}}))
        .use(lines.use("array given back", {{1}, 1, Grow}, {{{Move}, {Pass, 2}, {Free}}, {{Find, 1}}}))
        .use(lines.use("line given back", {{1, 2, 8}, 1, Grow, {9}}, {{{Move}, {Pass, 2}, {Insert, 3}}, {{Find, 8}}}))
        .use(lines.use("reserved", {{1}}, {{{Reserve, 3}}, {{Insert, 2}}}))
        .use(lines.use("no memory for a line", {.keys = {1, 2}, .blocks = 0}, {{{Insert, 3}}, {{Insert, 3}}}))
        .use(lines.use("full, three", {{1, 2}}, {{{Insert, 3}}, {{Upsert, 3}}, {{Find, 3}}}, true))
        .use(lines.use("full, erased, walked", {{1, 2, 3}}, {{{Insert, 4}}, {{Erase, 3}}, {{Walk, 3}}}, true))
        .use(lines.use("erased, passed, used again", {{1, 2}}, {{{Erase, 1}}, {{Pass, 2}}, {{Insert, 3}, {Find, 2}}},
                       true))
        .use(lines.use("grown, written, found", {{1, 8}, 1, Grow}, {{{Move}}, {{Update, 8}}, {{Find, 8}}}, true))
        .use(lines.use("grown, erased, inserted", {{1, 8}, 1, Grow}, {{{Move}}, {{Erase, 8}}, {{Insert, 8}}}, true))
        .use(lines.use("grown, two move, written", {{1, 8}, 2, Grow}, {{{MoveAll}}, {{MoveAll}}, {{Update, 8}}}, true))
        .use(lines.use("shrunk, written, found", {{1, 8}, 2, Shrink}, {{{Move}}, {{Update, 8}}, {{Find, 8}}}, true))
        .use(lines.use("shrunk, erased, walked", {{1, 8}, 2, Shrink}, {{{Move}}, {{Erase, 8}}, {{Walk, 1}}}, true))
        .use(lines.use("shrunk, inserted by two", {{1}, 2, Shrink}, {{{Move}}, {{Insert, 8}}, {{Upsert, 8}}}, true))
        .use(lines.use("line given back, looked up by two", {{1, 2, 8}, 1, Grow, {9}},
                       {{{Move}, {Pass, 2}, {Insert, 3}}, {{Find, 8}}, {{Walk, 8}}}, true))
        .use(lines.use("grown and shrunk, found", {{8}, 1, Grow},
                       {{{Move}, {Shrink}, {Move}}, {{Update, 8}, {Find, 8}}}, true))
        .use(lines.use("erased, one passed", {{1, 2}}, {{{Erase, 1}}, {{Pass, 1}, {Insert, 3}}, {{Find, 1}}}, true))
        .use(lines.use("reserved by two", {}, {{{Reserve, 3}}, {{Reserve, 5}}}, true))
        .check({"concurrent_line,", "concurrent_lines,", "concurrent_bucket,", "key_counters,", "line_array,",
                "line_growth,", "line_resize,", "line_walk,", "overflow_lines,"},
               {{"concurrent_bucket, search() condition 3: never", "takes a free place further behind"},
                {"concurrent_lines, find_each() condition 4: always", looks_again},
                {"concurrent_lines, find_each() condition 5: always", looks_again},
                {"key_counters, of() condition: never", "the rest of a division that changes nothing"},
                {"line_array, create() condition 1: never", not_so_many},
                {"line_array, create() condition 3: never", "large pages are for large arrays"},
                {"line_array, create() condition 5: always", "writes what is written again"},
                {"line_array, create() condition 5: never", "of the first array, which begin() makes"},
                {"line_array, take_failure() condition 1: always", saves_work},
                {"line_array, take_failure() condition 2: always", "claims what is moved once more"},
                {"line_growth, consider() condition 1: never", start_finds_it},
                {"line_growth, has_memory_for() condition 2: never", not_so_many},
                {"line_growth, make_room() condition 1: never", "moves a slice each time that it is asked"},
                {"line_growth, make_room() condition 3: never", start_finds_it},
                {"line_resize, move_group() condition 2: always", "used where the table grows"},
                {"line_resize, work() condition 3: never", saves_work},
                {"line_walk, visit_share<*", "asks where a key belongs that belongs nowhere else"},
                {"overflow_lines, behind() condition: never", "of builds that check"},
                {"overflow_lines, take_retired() condition 3: always", looks_again}});
}

// A reader, and a writer with several operations or a whole resize; the key is in the first line, or behind it.
TEST(Model, LinesPlans) {
    using enum Does;
    LinesUse lines;
    Protocol plans("plans of lines");
    for (std::vector<std::uint64_t> const& others : {std::vector<std::uint64_t>{}, {2, 3}}) {
        auto const with = [&](std::vector<std::uint64_t> keys) {
            keys.insert(keys.begin(), others.begin(), others.end());
            return keys;
        };
        std::string const where = others.empty() ? ", first line" : ", behind it";
        auto const use = [&](std::string const& name, Set const& set, std::vector<Step> const& writer,
                             std::vector<Step> const& reader) {
            plans.use(lines.use(name + where, set, {writer, reader}));
        };
        use("erased, elsewhere, again", {with({1})}, {{Erase, 1}, {Insert, 7}, {Insert, 1}}, {{Find, 1}});
        use("erased, inserted, overwritten", {with({1})}, {{Erase, 1}, {Insert, 1}, {Update, 1}}, {{Find, 1}});
        use("the one before is replaced", {with({1, 7})}, {{Erase, 1}, {Upsert, 6}, {Erase, 6}}, {{Find, 7}});
        use("comes and goes", {with({})}, {{Upsert, 1}, {Update, 1}, {Erase, 1}}, {{Find, 1}});
        use("grown in between", {with({1})}, {{Update, 1}, {Grow}, {MoveAll}, {Update, 1}}, {{Find, 1}});
        use("grown, erased", {with({1})}, {{Grow}, {MoveAll}, {Erase, 1}, {Insert, 7}}, {{Find, 1}});
        use("shrunk, overwritten", {with({1}), 2}, {{Shrink}, {MoveAll}, {Update, 1}}, {{Find, 1}});
        use("erased, shrunk", {with({1}), 2}, {{Erase, 1}, {Shrink}, {MoveAll}, {Insert, 1}}, {{Find, 1}});
        use("grown, looked up twice", {with({1})}, {{Grow}, {MoveAll}}, {{Find, 1}, {Find, 1}});
        use("shrunk, looked up twice", {with({1}), 2}, {{Shrink}, {MoveAll}}, {{Find, 1}, {Find, 1}});
        use("erased, looked up twice", {with({1})}, {{Erase, 1}}, {{Find, 1}, {Find, 1}});
        use("put, looked up twice", {with({})}, {{Upsert, 1}}, {{Find, 1}, {Find, 1}});
        use("overwritten, looked up twice", {with({1})}, {{Update, 1}}, {{Find, 1}, {Find, 1}});
    }
    plans.check_uses();
}

} // namespace
} // namespace mxk::test
