// table_others: counting by key as one does it in C++ without MXK, for benchmark.py. Each of the threads takes its
// share of the rows; what they count comes back as arrays of keys and counts.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#ifdef HAS_TBB
#include <tbb/concurrent_hash_map.h>
#endif

namespace nb = nanobind;

namespace {

using Keys = nb::ndarray<std::int64_t const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

template <typename Count> void on_threads(Keys const& keys, std::size_t threads, Count count) {
    std::vector<std::thread> all;
    std::size_t const rows = keys.shape(0);
    for (std::size_t i = 0; i < threads; ++i)
        all.emplace_back([&, from = rows * i / threads, to = rows * (i + 1) / threads] {
            count(keys.data() + from, keys.data() + to);
        });
    for (std::thread& thread : all) thread.join();
}

// Of as many different keys as there are pairs, how many rows they have together.
nb::tuple summary(Pairs const& pairs) {
    std::int64_t rows = 0;
    for (auto const& [key, count] : pairs) rows += count;
    return nb::make_tuple(pairs.size(), rows);
}

nb::tuple sharded_map(Keys keys, std::size_t threads) {
    struct alignas(64) Shard {
        std::mutex mutex;
        std::unordered_map<std::int64_t, std::int64_t> counts;
    };
    Pairs pairs;
    {
        nb::gil_scoped_release const released;
        std::array<Shard, 256> shards;
        on_threads(keys, threads, [&](std::int64_t const* key, std::int64_t const* end) {
            for (; key != end; ++key) {
                Shard& shard = shards[static_cast<std::uint64_t>(*key) * 0x9e37'79b9'7f4a'7c15 >> 56];
                std::scoped_lock const lock(shard.mutex);
                ++shard.counts[*key];
            }
        });
        for (Shard const& shard : shards) pairs.insert(pairs.end(), shard.counts.begin(), shard.counts.end());
    }
    return summary(pairs);
}

#ifdef HAS_TBB
nb::tuple tbb_hash_map(Keys keys, std::size_t threads) {
    using Map = tbb::concurrent_hash_map<std::int64_t, std::int64_t>;
    Pairs pairs;
    {
        nb::gil_scoped_release const released;
        Map counts;
        on_threads(keys, threads, [&](std::int64_t const* key, std::int64_t const* end) {
            for (; key != end; ++key) {
                Map::accessor place;
                counts.insert(place, *key);
                ++place->second;
            }
        });
        pairs.assign(counts.begin(), counts.end());
    }
    return summary(pairs);
}
#endif

} // namespace

NB_MODULE(table_others, module) {
    module.def("sharded_map", &sharded_map, nb::arg("keys"), nb::arg("threads"));
#ifdef HAS_TBB
    module.def("tbb_hash_map", &tbb_hash_map, nb::arg("keys"), nb::arg("threads"));
#endif
}
