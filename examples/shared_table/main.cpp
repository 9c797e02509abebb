// One table that all cores change in place: shared_table [KEYS [CORES]]
//
// Every core counts the same keys in it, in tasks: where key_value sends a task to the core that owns a key, here each
// core does its operation itself, under the lock of a bucket of one cache line. Look-ups take none: they read under
// read-copy-update, and a task is a read section. The table begins small and grows while it is used.
#include <mxk/hashtable/shared/concurrent_lines.hpp>
#include <mxk/runtime.hpp>
#include <mxk/tasks/run_on.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string_view>
#include <vector>

#include "../number.hpp"

namespace {

using Table = mxk::ConcurrentLines<>;

// Of one core. Only that core writes it, hence a cache line of its own.
struct alignas(mxk::cache_line_bytes) Progress {
    std::uint64_t next = 0;
};

// An odd factor: no two numbers have the same key, and none has 0.
std::uint64_t key_of(std::uint64_t number) {
    return (number + 1) * 0x9e37'79b9'7f4a'7c15;
}

// Adds one to the key's count. False: no memory.
bool count_key(Table& table, std::uint64_t key) {
    for (;;) {
        if (table.modify(key, [](std::uint64_t before) { return before + 1; })) return true;
        mxk::Insert const inserted = table.insert(key, 1);
        if (inserted == mxk::Insert::Inserted) return true;
        if (inserted == mxk::Insert::Full) return false;
    } // another core was first
}

int fail(std::string_view why) {
    std::cerr << "shared_table: " << why << '\n';
    return 1;
}

} // namespace

int main(int count, char** arguments) {
    auto const keys = count > 1 ? parse_number(arguments[1], 1, 1'000'000'000) : 1'000'000;
    auto const cores = count > 2 ? parse_number(arguments[2], 1, 4096) : 0;
    if (count > 3 || !keys || !cores) {
        std::cerr << "usage: shared_table [KEYS [CORES]]   (KEYS: 1 to 1000000000, else a million;\n"
                     "                                      CORES: 1 to 4096, else one per processor)\n";
        return 2;
    }
    auto runtime = mxk::Runtime::start({.cores = static_cast<std::uint32_t>(*cores)});
    if (!runtime) return fail(runtime.error().message());
    std::vector<mxk::Owner> owners; // whose nodes the buckets lie on
    std::vector<mxk::CoreId> all_cores;
    for (auto const& core : runtime.value().topology().cores) {
        owners.push_back({core.id, core.node});
        all_cores.push_back(core.id);
    }

    std::atomic<bool> enough_memory = true;
    std::atomic<std::uint64_t> right = 0;
    std::chrono::duration<double> seconds{};
    runtime.value().run([&](mxk::Worker&) {
        auto created = Table::create({.keys = 1000}, owners);
        if (!created) {
            enough_memory = false;
            return;
        }
        Table& table = created.value();
        std::vector<Progress> progress(all_cores.size());
        auto const start = std::chrono::steady_clock::now();
        bool const is_done = mxk::run_on(all_cores, [&](mxk::Worker&, std::size_t i) {
            std::uint64_t& next = progress[i].next;
            for (int turn = 0; turn < 1000; ++turn, ++next) { // a task is short
                if (next == *keys) return mxk::Step::Done;
                if (!count_key(table, key_of(next))) enough_memory = false;
            }
            return enough_memory ? mxk::Step::Again : mxk::Step::Done;
        });
        seconds = std::chrono::steady_clock::now() - start;
        if (!is_done) enough_memory = false;
        for (std::uint64_t number = 0; number < *keys; ++number)
            if (table.find(key_of(number)) == all_cores.size()) ++right;
    });
    if (!enough_memory) return fail("out of memory");
    std::printf("%llu keys counted by %zu cores, %.2f million times per second; %llu counts right\n",
                static_cast<unsigned long long>(*keys), all_cores.size(),
                static_cast<double>(*keys * all_cores.size()) / seconds.count() / 1e6,
                static_cast<unsigned long long>(right));
    return right == *keys ? 0 : 1;
}
