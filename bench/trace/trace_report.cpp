#include "bench/trace/trace_report.hpp"

#include "base/format.hpp"

namespace mxk::bench {
namespace {

// 64 bits, which not all readers of JSON have in a number.
FixedText<24> sum_text(std::uint64_t sum) {
    FixedText<24> text;
    format(text, "0x{:016x}", sum);
    return text;
}

} // namespace

void print_trace_results(TextSink& out, TraceResults const& results) {
    out.write("       trace, did something:");
    std::string_view separator = " ";
    for (std::size_t i = 0; i < results.done.size(); ++i) {
        if (results.done[i] == 0) continue;
        format(out, "{}{} {}", separator, trace_format::operations[i].name, results.done[i]);
        separator = ", ";
    }
    format(out, "; values seen {}; {} keys, content {}\n", sum_text(results.seen).view(), results.keys,
           sum_text(results.content).view());
}

void write_trace_results(JsonWriter& json, TraceResults const& results) {
    json.begin_object("trace");
    json.field("operations", results.operations);
    for (std::size_t i = 0; i < results.done.size(); ++i) json.field(trace_format::operations[i].name, results.done[i]);
    json.field("seen", sum_text(results.seen).view());
    json.field("keys", results.keys);
    json.field("content", sum_text(results.content).view());
    json.end_object();
}

} // namespace mxk::bench
