#include "bench/workload/mix.hpp"

#include <array>
#include <utility>

#include "kernel/console/values.hpp"

namespace mxk::bench {
namespace {

constexpr std::array<std::pair<std::string_view, Mix::Kind>, 3> pure = {
    {{"insert", Mix::Kind::Insert}, {"find", Mix::Kind::Find}, {"erase", Mix::Kind::Erase}}};
constexpr std::string_view mixed_prefix = "mixed:";

Error unexpected(std::string_view text) {
    return Error::of("expected insert, find, erase or mixed:I/F/E with three percentages that add up to 100, got '{}'",
                     text);
}

// Cuts the next percentage off `rest`, at '/' or at the end.
Result<std::uint32_t> next_share(std::string_view& rest) {
    std::string_view const part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(part.size() < rest.size() ? part.size() + 1 : part.size());
    return static_cast<std::uint32_t>(MXK_TRY(console::parse_count(part, 0, 100)));
}

} // namespace

Result<void> parse_value(std::string_view text, Mix& mix) {
    for (auto const& [name, kind] : pure) {
        if (text != name) continue;
        mix = {kind};
        return {};
    }
    if (!text.starts_with(mixed_prefix)) return unexpected(text);
    std::string_view rest = text.substr(mixed_prefix.size());
    auto const insert = next_share(rest);
    auto const find = next_share(rest);
    auto const erase = next_share(rest);
    if (!insert || !find || !erase || !rest.empty()) return unexpected(text);
    mix = {Mix::Kind::Mixed, insert.value(), find.value(), erase.value()};
    if (mix.insert + mix.find + mix.erase != 100) return unexpected(text);
    return {};
}

void print_value(TextSink& out, Mix const& mix) {
    if (mix.kind == Mix::Kind::Mixed) return format(out, "{}{}/{}/{}", mixed_prefix, mix.insert, mix.find, mix.erase);
    for (auto const& [name, kind] : pure)
        if (kind == mix.kind) out.write(name);
}

} // namespace mxk::bench
