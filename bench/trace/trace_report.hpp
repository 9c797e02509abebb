// What the operations of a trace have come to, for people and for tools: the numbers of `tools/mxk trace replay`.
#pragma once

#include "base/json.hpp"
#include "base/text.hpp"
#include "bench/trace/trace_replay.hpp"

namespace mxk::bench {

// A line.
void print_trace_results(TextSink& out, TraceResults const& results);
// A field `trace`.
void write_trace_results(JsonWriter& json, TraceResults const& results);

} // namespace mxk::bench
