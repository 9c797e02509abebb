// Keys as a bulk call is given them: anything that lies in memory as one array. Refers to it, and is passed by value.
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <span>
#include <string>
#include <string_view>

#include "base/prefetch.hpp"
#include "hashtable/bulk/table_key.hpp"

namespace mxk {

template <typename Key> class KeyArray {
  public:
    KeyArray() = default;
    template <std::ranges::contiguous_range Range>
    requires std::ranges::sized_range<Range> && std::same_as<std::ranges::range_value_t<Range>, Key>
    KeyArray(Range const& keys) // NOLINT(google-explicit-constructor): a call is given what the caller has
        : keys_(std::ranges::data(keys), std::ranges::size(keys)) {}

    [[nodiscard]] std::size_t size() const { return keys_.size(); }
    [[nodiscard]] Key const& operator[](std::size_t at) const { return keys_[at]; }
    [[nodiscard]] KeyArray part(std::size_t from, std::size_t count) const { return keys_.subspan(from, count); }
    void prefetch(std::size_t at) const { prefetch_for_read(&keys_[at]); }

  private:
    std::span<Key const> keys_;
};

// Strings of either type.
template <TextKey Key> class KeyArray<Key> {
  public:
    KeyArray() = default;
    template <std::ranges::contiguous_range Range>
    requires std::ranges::sized_range<Range> && TextKey<std::ranges::range_value_t<Range>>
    KeyArray(Range const& keys) // NOLINT(google-explicit-constructor)
        : first_(std::ranges::data(keys))
        , size_(std::ranges::size(keys))
        , are_strings_(std::same_as<std::ranges::range_value_t<Range>, std::string>) {}

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::string_view operator[](std::size_t at) const {
        return are_strings_ ? std::string_view(strings()[at]) : views()[at];
    }
    [[nodiscard]] KeyArray part(std::size_t from, std::size_t count) const {
        KeyArray result(*this);
        result.size_ = count;
        if (are_strings_)
            result.first_ = strings() + from;
        else
            result.first_ = views() + from;
        return result;
    }
    void prefetch(std::size_t at) const {
        if (are_strings_)
            prefetch_for_read(&strings()[at]);
        else
            prefetch_for_read(&views()[at]);
    }

  private:
    [[nodiscard]] std::string const* strings() const { return static_cast<std::string const*>(first_); }
    [[nodiscard]] std::string_view const* views() const { return static_cast<std::string_view const*>(first_); }

    void const* first_ = nullptr;
    std::size_t size_ = 0;
    bool are_strings_ = false;
};

} // namespace mxk
