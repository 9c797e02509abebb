// Names in options and results: sets of enumerators that people type by name (`--measure local,wake`), and values with
// names that stand in a row of results besides what all rows have. An enumeration has `constexpr auto value_names(E)`
// (kernel/console/options.hpp), in the order of its enumerators, of which there are up to 32.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/format.hpp"
#include "base/panic.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/completion.hpp"
#include "kernel/console/option_value.hpp"
#include "kernel/console/values.hpp"

namespace mxk::bench {

// Whether value_names() stands in the order of the enumerators, from 0 on.
template <typename E> consteval bool names_are_in_order() {
    for (std::size_t at = 0; auto const& known : value_names(E{}))
        if (known.value != static_cast<E>(at++)) return false;
    return true;
}

template <typename E> constexpr std::string_view name_of(E value) {
    static_assert(names_are_in_order<E>());
    return value_names(E{})[static_cast<std::size_t>(value)].name;
}

// Texts of a list with commas between.
template <typename Function> void for_each_name(std::string_view list, Function function) {
    while (!list.empty()) {
        std::size_t const comma = std::min(list.find(','), list.size());
        function(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
}

// Empty where nobody has chosen.
template <typename E> class NameSet {
  public:
    constexpr NameSet() = default;
    constexpr NameSet(std::initializer_list<E> values) {
        for (E const value : values) add(value);
    }

    constexpr void add(E value) { bits_ |= bit(value); }
    [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
    [[nodiscard]] constexpr bool has(E value) const { return (bits_ & bit(value)) != 0; }
    bool operator==(NameSet const&) const = default;

  private:
    static constexpr std::uint32_t bit(E value) { return std::uint32_t{1} << static_cast<unsigned>(value); }

    std::uint32_t bits_ = 0;
};

// What kernel/console/options.hpp asks of an option's type: names with commas between.
template <typename E> Result<void> parse_value(std::string_view text, NameSet<E>& set) {
    set = {};
    for (std::string_view rest = text;;) {
        std::string_view const name = rest.substr(0, rest.find(','));
        E value{};
        MXK_TRY(console::OptionValue<E>::parse(name, value, {}));
        set.add(value);
        if (name.size() == rest.size()) return {};
        rest.remove_prefix(name.size() + 1);
    }
}
template <typename E> void print_value(TextSink& out, NameSet<E> const& set) {
    std::string_view separator;
    for (auto const& known : value_names(E{})) {
        if (!set.has(known.value)) continue;
        out.write(separator);
        out.write(known.name);
        separator = ",";
    }
}
template <typename E> void describe_value(TextSink& out, NameSet<E> const&) {
    out.write("NAME,NAME,...");
}
template <typename E> void complete_value(console::Candidates& candidates, NameSet<E> const&) {
    candidates.start_last_of_list();
    console::OptionValue<E>::complete(candidates);
}

// A few of them: what the run was told (Settings), and what else it found (Findings).
template <typename T> class NamedValues {
  public:
    static constexpr std::size_t capacity = 16;

    struct Entry {
        std::string_view name; // as in JSON; a constant
        T value{0U};
    };

    void add(std::string_view name, T value) {
        expect(size_ < capacity, "no more named values than there is room for");
        entries_[size_++] = {name, value};
    }
    [[nodiscard]] std::span<Entry const> entries() const { return {entries_.data(), size_}; }

  private:
    std::array<Entry, capacity> entries_{};
    std::size_t size_ = 0;
};

using Settings = NamedValues<FormatArgument>;
using Findings = NamedValues<double>;

} // namespace mxk::bench
