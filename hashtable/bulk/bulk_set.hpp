// A set of keys for programs as they are: a Table (bulk_table.hpp) without values. All that is said there of keys,
// threads, order, memory and errors holds here.
//
//     auto set = mxk::Set<std::uint64_t>::create();
//     set.value().insert(keys);                                  // spans, vectors, arrays
//     std::size_t const found = set.value().contains(keys, mask);
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "hashtable/bulk/bulk_table.hpp"

namespace mxk {

struct NoValue {};

// Keys of up to 8 bytes stand eight in a cache line.
template <typename Key> class Set {
    using Keyed = Table<Key, NoValue>;

  public:
    // Of a table without values.
    explicit Set(Keyed table)
        : table_(std::move(table)) {}

    using Keys = typename Keyed::Keys;
    using KeyView = typename Keyed::KeyView;
    using Mask = typename Keyed::Mask;

    static constexpr std::size_t mask_words(std::size_t keys) { return Keyed::mask_words(keys); }

    // While a Runtime runs, which must outlive it. Errors: no memory, `regions` out of range.
    static Result<Set> create(TableOptions const& options = {}) { return Set(MXK_TRY(Keyed::create(options))); }

    // How many are there; their bits are set.
    std::size_t contains(Keys keys, Mask mask = {}) const {
        Keyed::check_sizes(keys.size(), keys.size(), mask.size());
        return table_.look_up(keys, {}, mask);
    }
    // Those that are not there, whose bits are set.
    BulkResult insert(Keys keys, Mask mask = {}) {
        Keyed::check_sizes(keys.size(), keys.size(), mask.size());
        return table_.change(keys, table_operations::InsertKey<NoValue>{}, mask);
    }
    // Never fails.
    BulkResult erase(Keys keys, Mask mask = {}) { return table_.erase(keys, mask); }

    // One key.
    [[nodiscard]] bool contains(KeyView const& key) const { return table_.find(key).has_value(); }
    InsertResult insert(KeyView const& key) { return table_.insert(key, NoValue{}); }
    bool erase(KeyView const& key) { return table_.erase(key); }

    // visit(key) for every key: as the table's.
    template <typename Visit> void for_each(Visit visit) const {
        table_.for_each([&visit](KeyView const& key, NoValue const&) { visit(key); });
    }
    [[nodiscard]] std::size_t region_count() const { return table_.region_count(); }
    template <typename Visit> void for_each_of_region(std::size_t region, Visit visit) const {
        table_.for_each_of_region(region, [&visit](KeyView const& key, NoValue const&) { visit(key); });
    }
    std::size_t clear() { return table_.clear(); }
    void shrink() { table_.shrink(); }
    [[nodiscard]] std::size_t bytes() const { return table_.bytes(); }
    [[nodiscard]] std::size_t size() const { return table_.size(); }
    [[nodiscard]] TableStatistics statistics() const { return table_.statistics(); }
    [[nodiscard]] bool empty() const { return table_.empty(); }

    [[nodiscard]] Keyed const& table() const { return table_; }

  private:
    Keyed table_;
};

} // namespace mxk
