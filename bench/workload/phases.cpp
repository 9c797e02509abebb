#include "bench/workload/phases.hpp"

#include <algorithm>

namespace mxk::bench {

Result<void> Phases::append(Mix const& mix) {
    Mix const& last = list().back();
    if (mix.kind == Mix::Kind::Mixed || last.kind == Mix::Kind::Mixed) return Error("expected a mixed phase alone");
    if (mix.kind <= last.kind) return Error("expected each phase up to once, in the order insert,find,erase");
    phases_[size_++] = mix; // kinds ascend, so there are never more than `most`
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
        if (comma == rest.size()) return {};
        rest.remove_prefix(comma + 1);
    }
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
    out.write("PHASE,...|mixed:I/F/E");
}

} // namespace mxk::bench
