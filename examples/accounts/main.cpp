// Threads move money between accounts, each with a lock; a lock for nodes is held while they count: accounts THREADS.
#include <mxk/locks.hpp>
#include <mxk/runtime.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

#include "../number.hpp"

namespace {

struct Account {
    mxk::McsMutex lock;
    std::uint64_t money = 1000;
};

} // namespace

int main(int argument_count, char** arguments) {
    auto const threads = parse_number(argument_count > 1 ? arguments[1] : "2", 1, 64);
    if (!threads) return std::cerr << "accounts: expected a number up to 64, got " << arguments[1] << '\n', 2;
    auto runtime = mxk::Runtime::start({.own_threads = true}); // for the lock for nodes; others need none
    if (!runtime) return std::cerr << "accounts: " << runtime.error().message() << '\n', 1;
    auto count_lock = mxk::CohortMutex::create();
    if (!count_lock) return std::cerr << "accounts: " << count_lock.error().message() << '\n', 1;

    constexpr std::size_t transfers = 20'000;
    std::array<Account, 16> accounts;
    std::size_t moved = 0;
    auto const transfer = [&](std::size_t thread) {
        for (std::size_t i = 0, number = thread; i < transfers; ++i) {
            number = number * 0x9e37'79b9'7f4a'7c15 + 1;
            Account& from = accounts[number >> 60];
            Account& to = accounts[number >> 56 & 15];
            if (&from == &to) continue;
            std::uint64_t const amount = number >> 40 & 255;
            bool is_enough = false;
            {
                std::scoped_lock const both(from.lock, to.lock); // in whatever order: it tries the second one
                is_enough = from.money >= amount;
                from.money -= is_enough ? amount : 0;
                to.money += is_enough ? amount : 0;
            }
            std::scoped_lock const guard(count_lock.value());
            moved += is_enough ? 1 : 0;
        }
    };
    std::vector<std::thread> all;
    for (std::size_t thread = 0; thread < *threads; ++thread) all.emplace_back(transfer, thread);
    for (std::thread& thread : all) thread.join();

    std::uint64_t sum = 0;
    for (Account const& account : accounts) sum += account.money;
    std::cout << moved << " transfers, " << sum << " in all\n";
}
