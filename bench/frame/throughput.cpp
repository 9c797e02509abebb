#include "bench/frame/throughput.hpp"

namespace mxk::bench {

void print_throughput_head(TextSink& out) {
    format(out, "{:>5} {:>10} {:>10} {:>10} {:>10} {:>21}", "runs", "seconds", "M ops/s", "min", "max",
           "95 % interval");
}

void print_throughput(TextSink& out, std::uint64_t operations, Summary const& throughput) {
    FixedText<32> interval("-");
    if (throughput.has_confidence) {
        interval.clear();
        format(interval, "{:.3} - {:.3}", throughput.confidence_low / 1e6, throughput.confidence_high / 1e6);
    }
    format(out, "{:5} {:10.3} {:10.3} {:10.3} {:10.3} {:>21}", throughput.n,
           static_cast<double>(operations) / throughput.median, throughput.median / 1e6, throughput.minimum / 1e6,
           throughput.maximum / 1e6, interval.view());
}

void write_throughput(JsonWriter& json, std::uint64_t operations, Summary const& throughput) {
    json.field("seconds", static_cast<double>(operations) / throughput.median);
    json.begin_object("throughput");
    json.field("n", throughput.n);
    json.field("median", throughput.median);
    json.field("min", throughput.minimum);
    json.field("max", throughput.maximum);
    json.field("mean", throughput.mean);
    if (throughput.has_confidence) {
        json.field("ci95_low", throughput.confidence_low);
        json.field("ci95_high", throughput.confidence_high);
    }
    json.end_object();
}

} // namespace mxk::bench
