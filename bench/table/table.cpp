// `bench table`: operations per second of a partitioned hash table, run by one of the engines (engine.hpp), for several
// core counts (thesis section 4, figures 4.1 to 4.6). Time is rdtsc from the first core's start behind a barrier to the
// last core's end. Every run is verified; a wrong result fails the benchmark, except where losses are what is measured.
#include "bench/frame/benchmark.hpp"
#include "bench/table/engine.hpp"
#include "bench/table/table_benchmark.hpp"

namespace mxk::bench {
namespace {

constexpr auto table_benchmark = benchmark<TableBenchmark, table_schema>(
    {.summary = "operations per second of a partitioned hash table, run by tasks or by threads",
     .notes = "Examples: bench table --cores 1,2,4 --ops 24M --mix mixed:50/40/10 --repeat 5 --json\n"
              "          bench table --cores 1,2 --mix insert,find,erase\n"
              "          bench table --layout bucketed --cores 1,2 --mix find --dist zipf:0.99\n"
              "          bench table --layout open --submit batch --workload ycsb-a --cores 1,2\n"
              "          bench table --layout open --submit batch --trace ycsb-a.trace --cores 1,2\n"
              "          bench table --model threads --cores 1,2,4\n"
              "          bench table --model threads-unsafe --cores 4 (counts what is lost)\n",
     .more_help = &print_engines});
MXK_REGISTER(mxk_commands, console::Command, table_benchmark);

} // namespace
} // namespace mxk::bench
