// What the lock benchmarks over MPI have in common: what they can be told, and the fields and columns that a row has as
// in the kernel's benchmarks (bench/lock/).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json.hpp"
#include "bench/frame/names.hpp"
#include "bench/frame/statistics.hpp"
#include "kernel/console/options.hpp"
#include "locks/lock_kind.hpp"
#include "main/mpi/session.hpp"

namespace mxk::mpi {

struct BenchOptions {
    std::string_view locks = "mcs,mcs-message,clh,clh-numa,rma-mcs,c-mcs-mcs,c-mcs-hem,mpi-window";
    std::uint64_t passes = locks::default_passes;
    std::uint64_t repeat = 5;
    std::uint64_t seed = 1;
    std::uint64_t patience = 120;
    bool conservative = false;
    bool json = false;
};
struct TimedOptions : BenchOptions {
    double seconds = 0.1;
    std::uint64_t warm_up = 10;
    std::uint64_t look_every = 1;
};
namespace bench_option {
constexpr auto locks = console::option<&BenchOptions::locks>("lock", "kinds, with commas between");
constexpr auto passes = console::option<&BenchOptions::passes>(
    "passes", "how often a lock may stay within a node while others wait", console::between(1, locks::max_passes));
constexpr auto repeat = console::option<&BenchOptions::repeat>("repeat", "runs for each row", console::between(1, 64));
constexpr auto seed = console::option<&BenchOptions::seed>("seed", "of what is drawn");
constexpr auto patience =
    console::option<&BenchOptions::patience>("patience", "seconds until a run hangs", console::between(1, 3600));
constexpr auto conservative =
    console::flag<&BenchOptions::conservative>("conservative", "atomic operations in place of plain stores");
constexpr auto json = console::flag<&BenchOptions::json>("json", "one line per row for tools");
constexpr auto seconds = console::option<&TimedOptions::seconds>("seconds", "of a run", console::between(0.001, 60));
constexpr auto warm_up = console::option<&TimedOptions::warm_up>("warm-up", "percent of a run that are not counted",
                                                                 console::between(0, 90));
constexpr auto look_every = console::option<&TimedOptions::look_every>(
    "look-every", "iterations of a rank between two looks at the clock", console::between(1, 1'000'000));
} // namespace bench_option

// The first fields of a row, as those of the kernel's, with what MPI adds.
void write_settings(JsonWriter& json, Session const& session, std::string_view benchmark, locks::LockKind const& kind,
                    BenchOptions const& options);
// The last ones. `unit`: of the summary, as it is called in results.
void write_results(JsonWriter& json, std::string_view unit, bench::Summary const& summary,
                   bench::Findings const& findings, bool is_verified);
// 0 if it is not there.
double found(bench::Findings const& findings, std::string_view name);
// Collective: of values with the same name, those of the run whose value is the median one.
std::size_t place_of_median(std::span<double const> values);

} // namespace mxk::mpi
