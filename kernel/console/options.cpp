#include "kernel/console/options.hpp"

#include "base/format.hpp"
#include "kernel/console/file_name.hpp"
#include "kernel/console/named.hpp"

namespace mxk::console {
namespace {

// The nth positional entry, where a repeatable one is all from its place on; nullptr where there are fewer.
Option const* positional_at(std::span<Option const> options, std::size_t n) {
    for (Option const& option : options) {
        if (option.kind != Option::Kind::Positional) continue;
        if (n == 0 || option.repeatable) return &option;
        --n;
    }
    return nullptr;
}

Option const* find_option(std::span<Option const> options, std::string_view name) {
    for (Option const& option : options) {
        if (option.kind != Option::Kind::Positional && option.name == name) return &option;
    }
    return nullptr;
}

bool looks_like_option(std::string_view argument) {
    return argument.size() > 1 && argument.starts_with('-');
}

// "--name=value" is "--name" with an attached value.
std::string_view name_of(std::string_view argument) {
    return argument.substr(0, argument.find('='));
}

Error unknown_option(std::string_view argument, std::span<Option const> options) {
    FixedText<160> list;
    FixedText<96> meant;
    std::string_view const typed = argument.substr(std::min(argument.find_first_not_of('-'), argument.size()));
    for (Option const& option : options) {
        if (option.kind == Option::Kind::Positional) continue;
        format(list, "{}--{}", list.view().empty() ? "" : ", ", option.name);
        if (similar(typed, option.name)) format(meant, "{}--{}", meant.view().empty() ? "" : ", ", option.name);
    }
    if (list.view().empty()) return Error::of("unknown option {}; there are none here", argument);
    if (!meant.view().empty()) return Error::of("unknown option {}; did you mean {}?", argument, meant.view());
    return Error::of("unknown option {}; expected one of {}{}", argument, list.view(), list.full() ? "..." : "");
}

Result<void> assign(Option const& option, std::string_view value, void* target) {
    auto const assigned = option.assign(target, value);
    if (assigned.ok()) return {};
    std::string_view const dashes = option.kind == Option::Kind::Positional ? "" : "--";
    return Error::of("{}{}: {}", dashes, option.name, assigned.error().message());
}

// The value of the option at arguments[at] or, where that has none attached, the argument behind it: `at` then moves
// on.
Result<std::string_view> value_of(Option const& option, std::span<std::string_view const> arguments, std::size_t& at) {
    std::string_view const argument = arguments[at];
    std::size_t const equals = argument.find('=');
    bool const attached = equals != std::string_view::npos;
    if (option.kind == Option::Kind::Flag) {
        if (attached) return Error::of("--{} takes no value, got '{}'", option.name, argument.substr(equals + 1));
        return std::string_view{};
    }
    if (attached) return argument.substr(equals + 1);
    if (at + 1 < arguments.size() && !arguments[at + 1].starts_with("--")) return arguments[++at];
    FixedText<96> description;
    option.describe(description);
    return Error::of("--{} needs a value: --{} {}", option.name, option.name, description.view());
}

// How an option is written: "--ops COUNT", "--json", "[PREFIX...]".
void print_usage(TextSink& out, Option const& option) {
    if (option.kind == Option::Kind::Positional) {
        return format(out, "[{}{}]", option.name, option.repeatable ? "..." : "");
    }
    format(out, "--{}", option.name);
    if (option.kind == Option::Kind::Flag) return;
    out.write(" ");
    option.bounds.kind == Bounds::Kind::File ? out.write("FILE") : option.describe(out);
}

void complete_value_of(Option const& option, Candidates& candidates) {
    option.bounds.kind == Bounds::Kind::File ? complete_file_name(candidates) : option.complete(candidates);
}

void print_bounds(TextSink& out, Bounds const& bounds) {
    if (bounds.kind == Bounds::Kind::None || bounds.kind == Bounds::Kind::File) return;
    out.write("; ");
    if (bounds.kind == Bounds::Kind::Whole) {
        print_count(out, bounds.low);
        out.write(" to ");
        print_count(out, bounds.high);
    } else {
        print_number(out, bounds.real_low);
        out.write(" to ");
        print_number(out, bounds.real_high);
    }
}

// The option at the end of `before` whose value comes next; nullptr where there is none.
Option const* awaiting_value(std::span<std::string_view const> before, std::span<Option const> options) {
    if (before.empty() || !before.back().starts_with("--")) return nullptr;
    Option const* const option = find_option(options, before.back().substr(2));
    return option != nullptr && option->kind == Option::Kind::Value ? option : nullptr;
}

} // namespace

Result<void> parse_erased(std::span<std::string_view const> arguments, std::span<Option const> options, void* target) {
    std::uint64_t seen = 0;
    std::size_t positionals = 0;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        std::string_view const argument = arguments[at];
        if (!looks_like_option(argument)) {
            Option const* const option = positional_at(options, positionals++);
            if (option == nullptr) return Error::of("unexpected argument '{}'", argument);
            MXK_TRY(assign(*option, argument, target));
            continue;
        }
        std::string_view const name = name_of(argument);
        Option const* const option = name.starts_with("--") ? find_option(options, name.substr(2)) : nullptr;
        if (option == nullptr) return unknown_option(name, options);
        std::uint64_t const bit = std::uint64_t{1} << (option - options.data());
        if ((seen & bit) != 0 && !option->repeatable) return Error::of("{} is given twice", name);
        seen |= bit;
        std::string_view const value = MXK_TRY(value_of(*option, arguments, at));
        MXK_TRY(assign(*option, value, target));
    }
    return {};
}

void print_help_erased(TextSink& out, std::span<Option const> options, void const* defaults) {
    constexpr std::size_t widest_aligned = 32; // a longer one pushes its own meaning to the right, not everybody's
    std::size_t width = 0;
    for (Option const& option : options) {
        FixedText<96> usage;
        print_usage(usage, option);
        if (usage.view().size() <= widest_aligned) width = std::max(width, usage.view().size());
    }
    for (Option const& option : options) {
        FixedText<96> line;
        print_usage(line, option);
        while (line.view().size() < width) line.append(" ");
        format(out, "  {}  {}", line.view(), option.meaning);
        print_bounds(out, option.bounds);
        FixedText<96> initial;
        option.print(initial, defaults);
        if (!initial.view().empty()) format(out, "; default {}", initial.view());
        out.write("\n");
    }
}

bool awaits_value(std::span<std::string_view const> before, std::span<Option const> options) {
    return awaiting_value(before, options) != nullptr;
}

void complete_options_erased(std::span<std::string_view const> before, std::span<Option const> options,
                             Candidates& candidates) {
    if (Option const* const option = awaiting_value(before, options)) return complete_value_of(*option, candidates);
    std::string_view const word = candidates.word();
    if (word.starts_with("--") && word.find('=') != std::string_view::npos) { // "--name=value": the value is completed
        Option const* const option = find_option(options, name_of(word).substr(2));
        candidates.start(word.substr(word.find('=') + 1));
        if (option != nullptr && option->kind == Option::Kind::Value) complete_value_of(*option, candidates);
        return;
    }
    for (Option const& option : options) {
        if (option.kind == Option::Kind::Positional) {
            complete_value_of(option, candidates);
            continue;
        }
        bool const given = std::any_of(before.begin(), before.end(), [&](std::string_view earlier) {
            return earlier.starts_with("--") && name_of(earlier).substr(2) == option.name;
        });
        if (!given || option.repeatable) candidates.offer(option.name, "--");
    }
}

} // namespace mxk::console
