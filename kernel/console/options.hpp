// Typed options. A command declares a struct whose members hold the defaults, and a schema that ties option names to
// members; parse() fills the struct, print_help() lists the schema, complete_options() serves Tab:
//
//     struct ProbeOptions { CountList cores{1}; std::uint64_t operations = 24'000'000; bool json = false; };
//     constexpr auto probe_schema = schema<ProbeOptions>(
//         option<&ProbeOptions::cores>("cores", "core counts, one result row each", between(1, 1024)),
//         option<&ProbeOptions::operations>("ops", "operations per run", between(1, 4'000'000'000)),
//         flag<&ProbeOptions::json>("json", "one line per result for tools"));
//
// Members: unsigned integers, double, bool (flag), CountList, std::string_view, WordList (may be given again and
// again); std::optional of these, for what may be left out; enumerations with `constexpr auto value_names(E) { return
// std::array{NamedValue{E::A, "a"}, ...}; }`; and any type with `Result<void> parse_value(std::string_view, T&)`, `void
// print_value(TextSink&, T const&)`, if there is more to say than VALUE, `void describe_value(TextSink&, T const&)`,
// and for Tab `void complete_value(Candidates&, T const&)`. All are found by argument-dependent lookup. Any core;
// blocks only as the sink does.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/result.hpp"
#include "base/text.hpp"
#include "kernel/console/completion.hpp"
#include "kernel/console/option_value.hpp"

namespace mxk::console {

// One entry of a schema, with the types of struct and member erased.
struct Option {
    enum class Kind : std::uint8_t { Value, Flag, Positional };

    std::string_view name; // without the dashes
    std::string_view meaning;
    Kind kind;
    bool repeatable;
    Bounds bounds;
    void* (*part)(void* target); // the struct's base, or the struct, that has the member: what the two below take
    Result<void> (*assign_part)(void* part, std::string_view text, Bounds const& bounds);
    void (*print_part)(TextSink& out, void const* part);
    void (*describe)(TextSink& out);
    void (*complete)(Candidates& candidates);

    Result<void> assign(void* target, std::string_view text) const { return assign_part(part(target), text, bounds); }
    void print(TextSink& out, void const* target) const { print_part(out, part(const_cast<void*>(target))); }
};

// Called by nothing: reaching it makes a flag<>() that is no bool, or a bool that is no flag, a compile-time error.
void only_a_bool_is_a_flag();

template <typename MemberPointer> struct TypeOfMember;
template <typename T, typename C> struct TypeOfMember<T C::*> {
    using type = T;
    using Class = C;
};

// One for each base of each struct: what a base's members need is the same in all structs that have it.
template <typename Struct, typename Base> void* base_of(void* target) {
    return static_cast<Base*>(static_cast<Struct*>(target));
}

// An entry that knows its member, but not yet the struct it will be used with: that may be derived from the member's.
template <auto member> struct MemberOption {
    std::string_view name;
    std::string_view meaning;
    Option::Kind kind;
    Bounds bounds;

    using Member = typename TypeOfMember<decltype(member)>::type;
    using Class = typename TypeOfMember<decltype(member)>::Class;

    static constexpr std::size_t size = 1;
    template <typename Struct> constexpr void add_to(Option*& next) const { *next++ = bind<Struct>(); }

    template <typename Struct> [[nodiscard]] constexpr Option bind() const {
        if (!bounds_fit<typename ValueOf<Member>::Type>(bounds)) bounds_do_not_fit_the_member();
        if (std::is_same_v<Member, bool> != (kind == Option::Kind::Flag)) only_a_bool_is_a_flag();
        return {.name = name,
                .meaning = meaning,
                .kind = kind,
                .repeatable = std::is_same_v<Member, WordList>,
                .bounds = bounds,
                .part = &base_of<Struct, Class>,
                .assign_part = &assign,
                .print_part = &print,
                .describe = &OptionValue<Member>::describe,
                .complete = &OptionValue<Member>::complete};
    }

  private:
    static Result<void> assign(void* part, std::string_view text, Bounds const& limits) {
        return OptionValue<Member>::parse(text, static_cast<Class*>(part)->*member, limits);
    }
    static void print(TextSink& out, void const* part) {
        OptionValue<Member>::print(out, static_cast<Class const*>(part)->*member);
    }
};

// --name VALUE or --name=VALUE
template <auto member>
consteval MemberOption<member> option(std::string_view name, std::string_view meaning, Bounds bounds = {}) {
    return {name, meaning, Option::Kind::Value, bounds};
}
// --name sets a bool member to true.
template <auto member> consteval MemberOption<member> flag(std::string_view name, std::string_view meaning) {
    return {name, meaning, Option::Kind::Flag, {}};
}
// Takes a word without dashes; several of them are filled in the order of the schema, a WordList takes all that come.
template <auto member>
consteval MemberOption<member> positional(std::string_view name, std::string_view meaning, Bounds bounds = {}) {
    return {name, meaning, Option::Kind::Positional, bounds};
}

template <typename Struct, std::size_t count> struct Schema {
    static_assert(count <= 64, "parse() keeps one bit per option");
    std::array<Option, count> options;
};

// Entries that many schemas have, as one entry.
template <auto... members> struct OptionsTogether : MemberOption<members>... {
    static constexpr std::size_t size = sizeof...(members);
    template <typename Struct> constexpr void add_to(Option*& next) const {
        (static_cast<MemberOption<members> const&>(*this).template add_to<Struct>(next), ...);
    }
};
template <auto... members> consteval OptionsTogether<members...> together(MemberOption<members>... entries) {
    return {entries...};
}

template <typename Struct, typename... Entries>
consteval Schema<Struct, (std::size_t{0} + ... + Entries::size)> schema(Entries... entries) {
    Schema<Struct, (std::size_t{0} + ... + Entries::size)> result{};
    Option* next = result.options.data();
    (entries.template add_to<Struct>(next), ...);
    return result;
}

Result<void> parse_erased(std::span<std::string_view const> arguments, std::span<Option const> options, void* target);
void print_help_erased(TextSink& out, std::span<Option const> options, void const* defaults);
void complete_options_erased(std::span<std::string_view const> before, std::span<Option const> options,
                             Candidates& candidates);
// Whether the word that follows `before` is the value of an option.
bool awaits_value(std::span<std::string_view const> before, std::span<Option const> options);

// Fills `target`, which holds the defaults. An error names the argument that is wrong and what was expected; `target`
// is then half filled and must not be used.
template <typename Struct, std::size_t count>
Result<void> parse(std::span<std::string_view const> arguments, Schema<Struct, count> const& schema, Struct& target) {
    return parse_erased(arguments, schema.options, &target);
}

// One line per option: what is expected, what it means, what it is when it is not given.
template <typename Struct, std::size_t count>
void print_help(TextSink& out, Schema<Struct, count> const& schema, Struct const& defaults) {
    print_help_erased(out, schema.options, &defaults);
}

// Offers the options that are not among the words `before`, or the values of the option whose value comes next.
template <typename Struct, std::size_t count>
void complete_options(std::span<std::string_view const> before, Schema<Struct, count> const& schema,
                      Candidates& candidates) {
    complete_options_erased(before, schema.options, candidates);
}

} // namespace mxk::console
