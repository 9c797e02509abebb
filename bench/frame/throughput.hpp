// Operations per second as every benchmark shows them: columns of a row for people, fields of an object for tools.
#pragma once

#include <cstdint>

#include "base/json.hpp"
#include "base/text.hpp"
#include "bench/frame/statistics.hpp"

namespace mxk::bench {

// The columns' heads and their values: runs, seconds, millions of operations per second. No line end.
void print_throughput_head(TextSink& out);
void print_throughput(TextSink& out, std::uint64_t operations, Summary const& throughput);

// The fields "seconds" and "throughput" of the object that is open.
void write_throughput(JsonWriter& json, std::uint64_t operations, Summary const& throughput);

} // namespace mxk::bench
