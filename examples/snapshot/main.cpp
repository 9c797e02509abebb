// Settings that every core reads all the time while one core replaces them: snapshot [VERSIONS [CORES]]
//
// Readers take no lock and write nothing: a task's body is a read section as a whole. The writer makes new settings,
// stores the pointer, and gives the old ones back after a grace period, when no task can still be reading them.
#include <mxk/runtime.hpp>
#include <mxk/tasks/rcu/rcu_wait.hpp>
#include <mxk/tasks/run_on.hpp>

#include <atomic>
#include <cstdio>
#include <iostream>
#include <string_view>
#include <vector>

#include "../number.hpp"

namespace {

// What readers must find together, of one version.
struct Settings : mxk::rcu::Callback {
    explicit Settings(std::uint64_t its_version)
        : version(its_version)
        , square(its_version * its_version) {}
    std::uint64_t version;
    std::uint64_t square;
};

std::atomic<Settings*> current;
std::atomic<bool> is_last;
std::uint64_t given_back = 0; // core 0's, since its callbacks run there

// Between two tasks of core 0, after the grace period.
void give_back(mxk::rcu::Callback& callback) {
    delete static_cast<Settings*>(&callback);
    ++given_back;
}

void replace(std::uint64_t version) {
    Settings* const old = current.exchange(new Settings(version), std::memory_order_acq_rel);
    old->function = &give_back;
    mxk::rcu::call(*old);
}

// Of one core. Only that core writes it, hence a cache line of its own.
struct alignas(mxk::cache_line_bytes) Reads {
    std::uint64_t right = 0;
    std::uint64_t wrong = 0;
};

// A task on every core that comes back until the last version is there.
mxk::Step read(Reads& reads) {
    for (int i = 0; i < 1000; ++i) {
        Settings const& settings = *current.load(std::memory_order_acquire);
        ++(settings.square == settings.version * settings.version ? reads.right : reads.wrong);
    }
    return is_last.load(std::memory_order_relaxed) ? mxk::Step::Done : mxk::Step::Again;
}

int fail(std::string_view why) {
    std::cerr << "snapshot: " << why << '\n';
    return 1;
}

} // namespace

int main(int count, char** arguments) {
    auto const versions = count > 1 ? parse_number(arguments[1], 1, 1'000'000'000) : 100'000;
    auto const cores = count > 2 ? parse_number(arguments[2], 1, 4096) : 0;
    if (count > 3 || !versions || !cores) {
        std::cerr << "usage: snapshot [VERSIONS [CORES]]   (VERSIONS: 1 to 1000000000, else 100000;\n"
                     "                                      CORES: 1 to 4096, else one per processor)\n";
        return 2;
    }
    auto runtime = mxk::Runtime::start({.cores = static_cast<std::uint32_t>(*cores)});
    if (!runtime) return fail(runtime.error().message());
    std::vector<mxk::CoreId> all_cores;
    for (auto const& core : runtime.value().topology().cores) all_cores.push_back(core.id);

    current = new Settings(1);
    std::vector<Reads> reads(all_cores.size());
    bool enough_memory = true;
    runtime.value().run([&](mxk::Worker&) {
        enough_memory = mxk::run_on(all_cores, [&, next = std::uint64_t{2}](mxk::Worker&, std::size_t i) mutable {
            if (i == 0 && next <= *versions) replace(next++); // core 0 also writes
            if (i == 0 && next > *versions) is_last = true;
            return read(reads[i]);
        });
        enough_memory = enough_memory && mxk::rcu::barrier().ok(); // all have been given back
    });
    if (!enough_memory) return fail("out of memory");

    std::uint64_t right = 0;
    std::uint64_t wrong = 0;
    for (Reads const& one : reads) {
        right += one.right;
        wrong += one.wrong;
    }
    delete current.load();
    std::printf("%llu versions, %llu given back; %llu reads, %llu wrong\n", static_cast<unsigned long long>(*versions),
                static_cast<unsigned long long>(given_back), static_cast<unsigned long long>(right + wrong),
                static_cast<unsigned long long>(wrong));
    return wrong == 0 && given_back + 1 == *versions ? 0 : 1;
}
