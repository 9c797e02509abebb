#include "bench/task_measure.hpp"

#include "kernel/console/values.hpp"

namespace mxk::bench {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, all_measures.size()> names{
    "local", "hop", "stream", "mail", "round-trip", "remote-round-trip", "wake"};

} // namespace

std::string_view name_of(Measure measure) {
    return names[static_cast<std::size_t>(measure)];
}

Result<void> parse_value(std::string_view text, MeasureSet& measures) {
    measures = {};
    for (std::string_view rest = text;;) {
        std::string_view const name = rest.substr(0, rest.find(','));
        measures.add(all_measures[MXK_TRY(console::parse_name(name, names))]);
        if (name.size() == rest.size()) return {};
        rest.remove_prefix(name.size() + 1);
    }
}

void print_value(TextSink& out, MeasureSet const& measures) {
    std::string_view separator;
    for (Measure const measure : all_measures) {
        if (!measures.has(measure)) continue;
        out.write(separator);
        out.write(name_of(measure));
        separator = ",";
    }
}

void describe_value(TextSink& out, MeasureSet const&) {
    out.write("NAME,NAME,...");
}

} // namespace mxk::bench
