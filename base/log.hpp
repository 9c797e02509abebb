// The log: lines for people on the console's sink. A line comes out whole whichever cores write. Warnings are also
// kept (the first `kept_warnings`, and how many there were), because a result must carry them: "not found" never
// degrades silently. Any core; never from an interrupt handler that returns.
#pragma once

#include <cstddef>
#include <span>

#include "base/format.hpp"

namespace mxk::log {

using Line = FixedText<240>;
constexpr std::size_t kept_warnings = 32;

// Where lines go; set once, before the first line. Without a sink lines are dropped, warnings are still kept.
void set_sink(TextSink& sink);

void write_line(std::string_view level, Line& line);
void keep_warning(Line const& line);

// The warnings so far, the first few of them in their words. Any core; one that comes meanwhile may be missing.
std::span<Line const> warnings();
std::size_t warning_count();

template <typename... Arguments>
void info(FormatString<std::type_identity_t<Arguments>...> pattern, Arguments const&... arguments) {
    Line line;
    format(line, pattern, arguments...);
    write_line("", line);
}

// What failed, for those who are told of warnings only, too.
template <typename... Arguments>
void error(FormatString<std::type_identity_t<Arguments>...> pattern, Arguments const&... arguments) {
    Line line;
    format(line, pattern, arguments...);
    write_line("ERROR ", line);
}

template <typename... Arguments>
void warn(FormatString<std::type_identity_t<Arguments>...> pattern, Arguments const&... arguments) {
    Line line;
    format(line, pattern, arguments...);
    keep_warning(line);
    write_line("WARN ", line);
}

} // namespace mxk::log
