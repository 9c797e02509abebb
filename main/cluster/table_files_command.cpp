// `save` and `load`: a table of all ranks, with keys by a seed, to the files of a folder and back, on any number of
// ranks.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "bench/workload/keys.hpp"
#include "kernel/clock.hpp"
#include "kernel/console/command.hpp"
#include "main/cluster/global_table.hpp"
#include "main/cluster/orders.hpp"

namespace mxk::cluster {
namespace {

using Table = GlobalTable<std::uint64_t, std::uint64_t>;

struct FilesRun {
    std::array<char, 256> folder;
    std::uint64_t keys;
    std::uint64_t seed;
};
struct FilesResult {
    std::uint64_t saved = 0; // keys, of all ranks
    std::uint64_t own = 0;   // keys that this rank has
    std::uint64_t right = 0; // of its share of the keys, those found with their values
    std::uint64_t cycles = 0;
    ErrorText error{};
};

constexpr std::size_t at_once = 65536;

// function(keys, values) for this rank's share, some at a time.
template <typename Function> void for_share(Cluster& cluster, FilesRun const& run, Function function) {
    bench::KeySequence const sequence(run.seed);
    std::vector<std::uint64_t> keys;
    std::vector<std::uint64_t> values;
    std::uint64_t const end = run.keys * (cluster.rank() + 1) / cluster.ranks();
    for (std::uint64_t i = run.keys * cluster.rank() / cluster.ranks(); i < end;) {
        keys.clear();
        values.clear();
        for (; i < end && keys.size() < at_once; ++i) {
            keys.push_back(sequence(i));
            values.push_back(i);
        }
        function(std::span<std::uint64_t const>(keys), std::span<std::uint64_t>(values));
    }
}

FilesResult save_table(Cluster& cluster, FilesRun const& run) {
    FilesResult result;
    auto table = Table::create(cluster, {.capacity = run.keys});
    if (!table) return result.error.set(table.error()), result;
    std::uint64_t failed = 0;
    for_share(cluster, run, [&](auto keys, auto values) { failed += table.value().upsert(keys, values).failed; });
    auto const filled = cluster.agree(failed == 0 ? Result<void>() : Error::of("no memory for {} keys", failed));
    if (!filled) return result.error.set(filled.error()), result;
    Cycles const start = clock::timestamp();
    auto const saved = table.value().save(run.folder.data());
    result.cycles = raw(clock::timestamp() - start);
    if (!saved) return result.error.set(saved.error()), result;
    result.saved = saved.value();
    result.own = table.value().own_size();
    return result;
}

FilesResult load_table(Cluster& cluster, FilesRun const& run) {
    FilesResult result;
    Cycles const start = clock::timestamp();
    auto table = Table::load(cluster, run.folder.data());
    result.cycles = raw(clock::timestamp() - start);
    if (!table) return result.error.set(table.error()), result;
    result.own = table.value().own_size();
    result.saved = table.value().size();
    for_share(cluster, run, [&](auto keys, auto values) {
        std::vector<std::uint64_t> found(keys.size(), ~std::uint64_t{0});
        static_cast<void>(table.value().find(keys, found));
        for (std::size_t i = 0; i < keys.size(); ++i) result.right += std::uint64_t{found[i] == values[i]};
    });
    cluster.barrier(); // the table is asked until here
    return result;
}

constexpr auto save_order = order<&save_table>("save");
constexpr auto load_order = order<&load_table>("load");
MXK_REGISTER(mxk_cluster_orders, Order, save_order);
MXK_REGISTER(mxk_cluster_orders, Order, load_order);

struct FilesOptions {
    std::string_view folder{};
    std::uint64_t keys = 1'000'000;
    std::uint64_t seed = 1;
};
constexpr auto files_schema = console::schema<FilesOptions>(
    console::option<&FilesOptions::folder>("folder", "which all ranks see; it must be there"),
    console::option<&FilesOptions::keys>("keys", "of the table", console::between(1, 4'000'000'000)),
    console::option<&FilesOptions::seed>("seed", "of the keys"));

Result<FilesRun> run_of(FilesOptions const& options) {
    FilesRun run{.folder = {}, .keys = options.keys, .seed = options.seed};
    if (options.folder.empty() || options.folder.size() >= run.folder.size())
        return Error::of("--folder: expected a path of up to {} bytes, got '{}'", run.folder.size() - 1,
                         options.folder);
    std::copy(options.folder.begin(), options.folder.end(), run.folder.begin());
    return run;
}

Result<void> check(std::vector<FilesResult> const& all) {
    for (FilesResult const& its : all)
        if (!its.error.view().empty()) return Error(its.error.view());
    return {};
}

double seconds_of(std::vector<FilesResult> const& all) {
    std::uint64_t max_cycles = 0;
    for (FilesResult const& its : all) max_cycles = std::max(max_cycles, its.cycles);
    return static_cast<double>(max_cycles) / static_cast<double>(clock::frequency());
}

console::Outcome run_save(console::Invocation& invocation, FilesOptions const& options) {
    auto const run = run_of(options);
    if (!run) return invocation.fail(run.error());
    auto const all = give<&save_table>(save_order, run.value());
    if (auto const checked = check(all); !checked) return invocation.fail(checked.error());
    format(invocation.out, "saved {} keys in {} parts, {:.3} s\n", all[0].saved, all.size(), seconds_of(all));
    return console::Outcome::Ok;
}

console::Outcome run_load(console::Invocation& invocation, FilesOptions const& options) {
    auto const run = run_of(options);
    if (!run) return invocation.fail(run.error());
    auto const all = give<&load_table>(load_order, run.value());
    if (auto const checked = check(all); !checked) return invocation.fail(checked.error());
    std::uint64_t right = 0;
    for (FilesResult const& its : all) right += its.right;
    format(invocation.out, "loaded {} keys on {} ranks, {:.3} s; {} of {} keys have their values\n", all[0].saved,
           all.size(), seconds_of(all), right, options.keys);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
        format(invocation.out, "  rank {}: {} keys\n", rank, all[rank].own);
    if (right == options.keys && all[0].saved == options.keys) return console::Outcome::Ok;
    return invocation.fail(Error::of("expected {} keys with the values of seed {}", options.keys, options.seed));
}

constexpr auto save_command = console::command<&run_save, files_schema>(
    {.name = "save",
     .summary = "a table of all ranks, with keys by a seed, to files: each rank its own",
     .notes = "Example: save --folder /tmp/table --keys 1M\n"});
constexpr auto load_command = console::command<&run_load, files_schema>(
    {.name = "load",
     .summary = "what `save` has written, on any number of ranks, and looks whether all is there",
     .notes = "Example: load --folder /tmp/table --keys 1M\n"});
MXK_REGISTER(mxk_commands, console::Command, save_command);
MXK_REGISTER(mxk_commands, console::Command, load_command);

} // namespace
} // namespace mxk::cluster
