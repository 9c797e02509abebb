// A hash table over several processes, on one machine or on many: mpirun -n RANKS global_table [KEYS]
//
// Each process inserts its share of the keys, finds those that the next one has inserted, and has one of its functions
// run where a key is.
#include <mxk/cluster/cluster.hpp>
#include <mxk/cluster/global_table.hpp>
#include <mxk/tasks/remote/call_at.hpp>

#include <iostream>
#include <vector>

#include "../number.hpp"

namespace {

std::uint64_t squared(mxk::Worker&, std::uint64_t number) {
    return number * number;
}
constexpr auto remote_squared = mxk::remote_function<&squared>("global_table/squared");
MXK_REGISTER(mxk_remote_functions, mxk::RemoteFunction, remote_squared);

std::vector<std::uint64_t> keys_of(std::uint64_t rank, std::uint64_t count) {
    std::vector<std::uint64_t> keys(count);
    for (std::uint64_t i = 0; i < count; ++i) keys[i] = rank * count + i + 1;
    return keys;
}

} // namespace

int main(int count, char** arguments) {
    auto started = mxk::Cluster::start(count, arguments);
    if (!started) return std::cerr << "global_table: " << started.error().message() << '\n', 1;
    mxk::Cluster& cluster = *started.value();
    auto const keys_of_each = count > 1 ? parse_number(arguments[1], 1, 100'000'000) : 100'000;
    if (count > 2 || !keys_of_each) {
        if (cluster.rank() == 0) std::cerr << "usage: mpirun -n RANKS global_table [KEYS]   (1 to 100000000 of each)\n";
        return 2;
    }
    int status = 0;
    cluster.run([&](mxk::Worker& worker) {
        auto table = mxk::GlobalTable<std::uint64_t, std::uint64_t>::create(cluster);
        if (!table) return std::cerr << table.error().message() << '\n', status = 1, void();
        auto const own = keys_of(cluster.rank(), *keys_of_each);
        table.value().upsert(own, own);
        cluster.barrier();

        mxk::Cluster::Rank const next = (cluster.rank() + 1) % cluster.ranks();
        auto const others = keys_of(next, *keys_of_each);
        std::vector<std::uint64_t> values(others.size());
        std::size_t const found = table.value().find(others, values).changed;
        auto const answer = mxk::call_at<&squared>(cluster.network(), worker, {next, mxk::core_id(0)}, *keys_of_each);
        std::size_t const all = table.value().size();
        if (found != others.size() || values != others || !answer || all != *keys_of_each * cluster.ranks()) status = 1;
        if (cluster.rank() == 0)
            std::cout << cluster.ranks() << " processes, " << all << " keys; of those of process " << next << ", "
                      << found << " found; " << answer.value() << " computed there\n";
    });
    return status;
}
