#include "bench/workload/phases.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kernel/console/values.hpp"

namespace mxk::bench {
namespace {

constexpr std::array<std::pair<std::string_view, Mix::Kind>, 3> pure = {
    {{"insert", Mix::Kind::Insert}, {"find", Mix::Kind::Find}, {"erase", Mix::Kind::Erase}}};
constexpr std::array<std::pair<std::string_view, Mix::Kind>, 2> with_shares = {
    {{"mixed:", Mix::Kind::Mixed}, {"loaded:", Mix::Kind::Loaded}}};

Error unexpected(std::string_view text) {
    return Error::of("expected insert, find, erase, mixed:I/F/E or loaded:I/F/E with three percentages that add up to "
                     "100, got '{}'",
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
    auto const* const known =
        std::ranges::find_if(with_shares, [&](auto const& one) { return text.starts_with(one.first); });
    if (known == with_shares.end()) return unexpected(text);
    std::string_view rest = text.substr(known->first.size());
    auto const insert = next_share(rest);
    auto const find = next_share(rest);
    auto const erase = next_share(rest);
    if (!insert || !find || !erase || !rest.empty()) return unexpected(text);
    mix = {known->second, insert.value(), find.value(), erase.value()};
    if (mix.insert + mix.find + mix.erase != 100) return unexpected(text);
    return {};
}

void print_value(TextSink& out, Mix const& mix) {
    for (auto const& [prefix, kind] : with_shares)
        if (kind == mix.kind) return format(out, "{}{}/{}/{}", prefix, mix.insert, mix.find, mix.erase);
    if (mix.kind == Mix::Kind::Trace) return out.write("trace");
    if (mix.kind == Mix::Kind::Load) out.write("load");
    if (mix.kind == Mix::Kind::Run) out.write("run");
    for (auto const& [name, kind] : pure)
        if (kind == mix.kind) out.write(name);
}

Result<void> Phases::append(Mix const& mix) {
    Mix const& last = list().back();
    if (mix.has_shares() || last.has_shares()) return Error("expected a phase with shares alone");
    if (mix.kind <= last.kind) return Error("expected each phase up to once, in the order insert,find,erase");
    phases_[size_++] = mix; // kinds ascend, so there are never more than `max`
    return {};
}

Result<void> parse_value(std::string_view text, Phases& phases) {
    std::string_view rest = text;
    for (bool first = true;; first = false) {
        std::size_t const comma = std::min(rest.find(','), rest.size());
        Mix mix;
        MXK_TRY(parse_value(rest.substr(0, comma), mix));
        if (first) {
            phases = mix;
        } else if (auto const appended = phases.append(mix); !appended) {
            return Error::of("{}, got '{}'", appended.error().message(), text);
        }
        if (comma == rest.size()) break;
        rest.remove_prefix(comma + 1);
    }
    phases.is_default_ = false;
    return {};
}

void print_value(TextSink& out, Phases const& phases) {
    std::string_view separator;
    for (Mix const& mix : phases.list()) {
        out.write(separator);
        print_value(out, mix);
        separator = ",";
    }
}

void describe_value(TextSink& out, Phases const&) {
    out.write("PHASE,...|mixed:I/F/E|loaded:I/F/E");
}

void complete_value(console::Candidates& candidates, Phases const&) {
    bool const is_first = candidates.word().find(',') == std::string_view::npos;
    candidates.start_last_of_list();
    for (auto const& [name, kind] : pure) candidates.offer(name);
    if (!is_first) return;
    for (auto const& [prefix, kind] : with_shares) candidates.offer(prefix);
}

} // namespace mxk::bench
