// A table of one's own for mxk-peers: std::unordered_map in 64 parts, each behind a reader-writer lock.
//
//     g++ -std=c++20 -O2 -shared -fPIC -I peers/include examples/own/table.cpp -o own_table.so
//     build/linux/mxk-peers --load ./own_table.so 'bench peer --peer own-table,tbb-hash-map --cores 1,2'
#include <mxk/own.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

namespace {

class Table {
  public:
    Table(std::size_t capacity, std::size_t /*cores*/) {
        for (Part& part : parts_) part.pairs.reserve(capacity / parts_.size());
    }

    std::size_t size() const {
        std::size_t sum = 0;
        for (Part const& part : parts_) sum += part.pairs.size();
        return sum;
    }
    bool insert(std::uint64_t key, std::uint64_t value) {
        Part& part = part_of(key);
        std::unique_lock const guard(part.lock);
        return part.pairs.emplace(key, value).second;
    }
    std::optional<std::uint64_t> find(std::uint64_t key) {
        Part& part = part_of(key);
        std::shared_lock const guard(part.lock);
        auto const found = part.pairs.find(key);
        if (found == part.pairs.end()) return std::nullopt;
        return found->second;
    }
    bool erase(std::uint64_t key) {
        Part& part = part_of(key);
        std::unique_lock const guard(part.lock);
        return part.pairs.erase(key) == 1;
    }

    bool update(std::uint64_t key, std::uint64_t value) {
        return change(key, [value](std::uint64_t) { return value; }).has_value();
    }
    bool upsert(std::uint64_t key, std::uint64_t value) {
        Part& part = part_of(key);
        std::unique_lock const guard(part.lock);
        return part.pairs.insert_or_assign(key, value).second;
    }
    std::optional<std::uint64_t> modify(std::uint64_t key, std::uint64_t addend) {
        return change(key, [addend](std::uint64_t before) { return before + addend; });
    }

  private:
    struct alignas(64) Part {
        std::shared_mutex lock;
        std::unordered_map<std::uint64_t, std::uint64_t> pairs;
    };

    Part& part_of(std::uint64_t key) { return parts_[key >> 58]; } // the upper six bits: keys look random
    template <typename Change> std::optional<std::uint64_t> change(std::uint64_t key, Change change) {
        Part& part = part_of(key);
        std::unique_lock const guard(part.lock);
        auto const found = part.pairs.find(key);
        if (found == part.pairs.end()) return std::nullopt;
        std::uint64_t const before = found->second;
        found->second = change(before);
        return before;
    }

    std::array<Part, 64> parts_;
};

} // namespace

MXK_OWN_TABLE(Table, "own-table", "examples/own (2026)", "std::unordered_map in 64 parts with std::shared_mutex")
