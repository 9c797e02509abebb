// What prefetching is called in options and results.
#pragma once

#include <array>

#include "base/json.hpp"
#include "base/prefetch_plan.hpp"
#include "kernel/console/options.hpp"
#include "tasks/prefetching.hpp"

namespace mxk {

constexpr auto value_names(PrefetchHint) {
    using Name = console::NamedValue<PrefetchHint>;
    return std::array{Name{PrefetchHint::T0, "t0"}, Name{PrefetchHint::T1, "t1"}, Name{PrefetchHint::T2, "t2"},
                      Name{PrefetchHint::Nta, "nta"}};
}
constexpr std::string_view name_of(PrefetchHint hint) {
    return value_names(hint)[static_cast<std::size_t>(hint)].name;
}

namespace prefetching {

constexpr auto value_names(Calibrate) {
    using Name = console::NamedValue<Calibrate>;
    return std::array{Name{Calibrate::Auto, "auto"}, Name{Calibrate::Yes, "yes"}, Name{Calibrate::No, "no"}};
}
constexpr auto value_names(Source) {
    using Name = console::NamedValue<Source>;
    return std::array{Name{Source::Default, "default"}, Name{Source::Calibrated, "calibrated"},
                      Name{Source::Given, "given"}};
}
constexpr std::string_view name_of(Source source) {
    return value_names(source)[static_cast<std::size_t>(source)].name;
}

// The plan in use, as it stands in the machine's description: what `prefetch` takes again as options.
inline void write_plan(JsonWriter& json) {
    json.begin_object("prefetch");
    json.field("hint", mxk::name_of(prefetch_plan.hint));
    json.field("far", prefetch_plan.far);
    json.field("near", prefetch_plan.near);
    json.field("calibrated", state().source == Source::Calibrated);
    json.field("source", name_of(state().source));
    json.end_object();
}

} // namespace prefetching
} // namespace mxk
