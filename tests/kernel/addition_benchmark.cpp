// `bench addition`: atomic additions to one counter by all cores of a set. The example of docs/bench-frame.md.
#include <atomic>

#include "bench/frame/grid.hpp"
#include "bench/frame/steps.hpp"

namespace mxk::bench {
namespace {

struct AdditionOptions : CoreSetOptions {
    std::uint64_t additions = 1'000'000;
};
constexpr auto addition_schema = console::schema<AdditionOptions>(
    core_set_option::cores,
    console::option<&AdditionOptions::additions>("ops", "additions by each core", console::between(1, 10'000'000)),
    run_option::all);
struct AdditionExperiment final : GridExperiment {
    using Options = AdditionOptions;
    static constexpr std::string_view name = "addition";
    Options options;
    explicit AdditionExperiment(Options const& its_options)
        : options(its_options) {}
    Result<void> set_up() override { return add_cores(options.cores); }
    [[nodiscard]] Unit unit() const override { return Unit::OperationsPerSecond; }
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        std::atomic<std::uint64_t> sum{0};
        auto const time = MXK_TRY(time_on(cores(point), progress, [&](std::size_t /*place*/) {
            for (std::uint64_t i = 0; i < options.additions; ++i) sum.fetch_add(1, std::memory_order_relaxed);
        }));
        std::uint64_t const all = options.additions * cores(point).size();
        samples[0] = {.value = static_cast<double>(all) / time.seconds(), .operations = all, .verified = sum == all};
        return {};
    }
    void print_head(TextSink& out) const override { format(out, "addition: {} per core\n", options.additions); }
};
constexpr auto addition_command = benchmark<AdditionExperiment, addition_schema>({.summary = "atomic additions"});
MXK_REGISTER(mxk_commands, console::Command, addition_command);

} // namespace
} // namespace mxk::bench
