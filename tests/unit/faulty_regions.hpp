// Tables that are wrong on purpose, each in one way and only now and then: the checker must notice. None has a data
// race, so that ThreadSanitizer does not notice first.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/units.hpp"
#include "hashtable/batch/batch.hpp"

namespace mxk::test {

// A region of each type for each core, from 0 on; key k belongs to region k mod n.
template <typename Region> class RegionPerCore {
  public:
    explicit RegionPerCore(std::size_t cores) {
        for (std::size_t i = 0; i < cores; ++i) regions_.push_back(std::make_unique<Region>());
    }
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return key % regions_.size(); }
    [[nodiscard]] static CoreId core(std::size_t region) { return core_id(region); }
    Region& region(std::size_t at) { return *regions_[at]; }

  private:
    std::vector<std::unique_ptr<Region>> regions_;
};

// Without a fault.
class PlainRegion {
  public:
    bool insert(std::uint64_t key, std::uint64_t value) { return pairs_.emplace(key, value).second; }
    std::optional<std::uint64_t> find(std::uint64_t key) const {
        auto const at = pairs_.find(key);
        return at != pairs_.end() ? std::optional(at->second) : std::nullopt;
    }
    bool erase(std::uint64_t key) { return pairs_.erase(key) != 0; }
    bool update(std::uint64_t key, std::uint64_t value) {
        auto const at = pairs_.find(key);
        if (at != pairs_.end()) at->second = value;
        return at != pairs_.end();
    }
    bool upsert(std::uint64_t key, std::uint64_t value) { return pairs_.insert_or_assign(key, value).second; }
    template <typename Change> std::optional<std::uint64_t> modify(std::uint64_t key, Change change) {
        auto const before = find(key);
        if (before) pairs_[key] = change(*before);
        return before;
    }

  protected:
    // Every so often.
    bool now(unsigned rarely) { return ++operations_ % rarely == 0; }

    std::unordered_map<std::uint64_t, std::uint64_t> pairs_;

  private:
    unsigned operations_ = 0;
};

struct LosesInserts : PlainRegion {
    bool insert(std::uint64_t key, std::uint64_t value) {
        if (!pairs_.contains(key) && now(8)) return true;
        return PlainRegion::insert(key, value);
    }
};

struct InsertsTwice : PlainRegion {
    bool insert(std::uint64_t key, std::uint64_t value) { return PlainRegion::insert(key, value) || now(8); }
};

// An insert of a key that is there is refused, and yet leaves its value.
struct Overwrites : PlainRegion {
    bool insert(std::uint64_t key, std::uint64_t value) {
        bool const is_new = PlainRegion::insert(key, value);
        if (!is_new && now(8)) pairs_[key] = value;
        return is_new;
    }
};

struct LosesUpdates : PlainRegion {
    bool update(std::uint64_t key, std::uint64_t value) {
        return pairs_.contains(key) && now(8) ? true : PlainRegion::update(key, value);
    }
};

// What another operation has written since the last modify is lost.
struct ModifiesAnOldValue : PlainRegion {
    template <typename Change> std::optional<std::uint64_t> modify(std::uint64_t key, Change change) {
        auto const before = find(key);
        if (!before) return before;
        std::uint64_t const seen = now(8) && last.contains(key) ? last[key] : *before;
        last[key] = pairs_[key] = change(seen);
        return before;
    }
    std::unordered_map<std::uint64_t, std::uint64_t> last;
};

// An upsert of a key that is there leaves the old value.
struct UpsertsNewKeysOnly : PlainRegion {
    bool upsert(std::uint64_t key, std::uint64_t value) {
        return now(8) ? insert(key, value) : PlainRegion::upsert(key, value);
    }
};

struct FindsInAnOldCopy : PlainRegion {
    std::optional<std::uint64_t> find(std::uint64_t key) {
        if (now(4)) copy = pairs_;
        auto const at = copy.find(key);
        return at != copy.end() ? std::optional(at->second) : std::nullopt;
    }
    std::unordered_map<std::uint64_t, std::uint64_t> copy;
};

// What was erased is there again, as if a move to another place had begun before.
struct BringsBack : PlainRegion {
    bool insert(std::uint64_t key, std::uint64_t value) {
        bring_back();
        return PlainRegion::insert(key, value);
    }
    bool erase(std::uint64_t key) {
        bring_back();
        auto const value = find(key);
        if (value && now(8)) erased = {key, *value};
        return PlainRegion::erase(key);
    }
    void bring_back() {
        if (erased) pairs_.emplace(erased->first, erased->second);
        erased.reset();
    }
    std::optional<std::pair<std::uint64_t, std::uint64_t>> erased;
};

// Has no place now and then, and says so though it has one.
struct IsFull : PlainRegion {
    TableResult insert(std::uint64_t key, std::uint64_t value) {
        if (now(8)) return TableResult::Full;
        return PlainRegion::insert(key, value) ? TableResult::Yes : TableResult::No;
    }
};

constexpr std::size_t shared_keys = 16; // of the two below: from 1 on

// May be touched by all cores at a time; each of its steps is atomic, but no operation is.
template <typename Delay> class SharedSlots {
  public:
    bool insert(std::uint64_t key, std::uint64_t value) {
        // relaxed: it is wrong in any order
        if (slots_[key].load(std::memory_order_relaxed) != 0) return false;
        Delay::point();
        slots_[key].store(value, std::memory_order_relaxed);
        return true;
    }
    std::optional<std::uint64_t> find(std::uint64_t key) const {
        std::uint64_t const value = slots_[key].load(std::memory_order_relaxed);
        return value != 0 ? std::optional(value) : std::nullopt;
    }
    bool erase(std::uint64_t key) {
        if (slots_[key].load(std::memory_order_relaxed) == 0) return false;
        Delay::point();
        slots_[key].store(0, std::memory_order_relaxed);
        return true;
    }
    bool update(std::uint64_t key, std::uint64_t value) {
        return modify(key, [value](std::uint64_t) { return value; }).has_value();
    }
    bool upsert(std::uint64_t key, std::uint64_t value) { return !update(key, value) && insert(key, value); }
    template <typename Change> std::optional<std::uint64_t> modify(std::uint64_t key, Change change) {
        auto const before = find(key);
        if (!before) return before;
        Delay::point();
        slots_[key].store(change(*before), std::memory_order_relaxed);
        return before;
    }

  private:
    std::array<std::atomic<std::uint64_t>, shared_keys> slots_{}; // 0: not there
};

// Its owner publishes what has become of a key, for finds of any core. Rightly: before the operation has ended; or too
// late: when the next one begins.
template <bool is_late> class Publishes : public PlainRegion {
  public:
    bool insert(std::uint64_t key, std::uint64_t value) {
        if (is_late) publish();
        return published(key, PlainRegion::insert(key, value));
    }
    bool erase(std::uint64_t key) {
        if (is_late) publish();
        return published(key, PlainRegion::erase(key));
    }
    bool update(std::uint64_t key, std::uint64_t value) {
        if (is_late) publish();
        return published(key, PlainRegion::update(key, value));
    }
    bool upsert(std::uint64_t key, std::uint64_t value) {
        if (is_late) publish();
        return published(key, PlainRegion::upsert(key, value));
    }
    template <typename Change> std::optional<std::uint64_t> modify(std::uint64_t key, Change change) {
        if (is_late) publish();
        auto const before = PlainRegion::modify(key, change);
        published(key, before.has_value());
        return before;
    }
    [[nodiscard]] std::optional<std::uint64_t> find_anywhere(std::uint64_t key) const {
        // relaxed: the value is all there is to see
        std::uint64_t const value = slots_[key].load(std::memory_order_relaxed);
        return value != 0 ? std::optional(value) : std::nullopt;
    }

  private:
    bool published(std::uint64_t key, bool result) {
        last_key_ = key;
        if (!is_late) publish();
        return result;
    }
    void publish() { slots_[last_key_].store(find(last_key_).value_or(0), std::memory_order_relaxed); }

    std::uint64_t last_key_ = 0;                                  // 0: none yet
    std::array<std::atomic<std::uint64_t>, shared_keys> slots_{}; // 0: not there
};

} // namespace mxk::test
