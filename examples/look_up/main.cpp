// Stores pairs in a table, then looks each of them up, from the program's own threads: look_up [PAIRS [THREADS]]
//
// As key_value does by tasks, in the simple form: each thread gives the table a span of keys and gets their values, and
// the cores of the Runtime help.
#include <mxk/table.hpp>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <span>
#include <thread>
#include <vector>

#include "../number.hpp"

namespace {

using Table = mxk::Table<std::uint64_t, std::uint64_t>;

int fail(std::string_view why) {
    std::cerr << "look_up: " << why << '\n';
    return 1;
}

} // namespace

int main(int count, char** arguments) {
    auto const pairs = count > 1 ? parse_number(arguments[1], 1, 1'000'000'000) : 1'000'000;
    auto const threads = count > 2 ? parse_number(arguments[2], 1, 1024) : 1;
    if (count > 3 || !pairs || !threads) {
        std::cerr << "usage: look_up [PAIRS [THREADS]]   (PAIRS: 1 to 1000000000, else a million;\n"
                     "                                  THREADS: 1 to 1024, else one)\n";
        return 2;
    }
    auto runtime = mxk::Runtime::start({.own_threads = true});
    if (!runtime) return fail(runtime.error().message());
    auto table = Table::create();
    if (!table) return fail(table.error().message());

    std::vector<std::uint64_t> keys(*pairs);
    std::vector<std::uint64_t> values(*pairs);
    for (std::uint64_t i = 0; i < *pairs; ++i) {
        keys[i] = i * 0x9e37'79b9'7f4a'7c15; // any number may be a key
        values[i] = i * i + 1;
    }
    auto const inserted = table.value().insert(keys, values);
    if (!inserted) return fail(inserted.error().message());

    std::vector<std::uint64_t> found(*pairs);
    auto const start = std::chrono::steady_clock::now();
    std::vector<std::thread> readers;
    for (std::uint64_t i = 0; i < *threads; ++i) {
        std::size_t const from = *pairs * i / *threads;
        std::size_t const size = *pairs * (i + 1) / *threads - from;
        readers.emplace_back([&, from, size] {
            table.value().find(std::span(keys).subspan(from, size), std::span(found).subspan(from, size));
        });
    }
    for (std::thread& reader : readers) reader.join();
    std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - start;

    std::printf("%zu pairs stored\n", table.value().size());
    std::printf("%.2f million look-ups per second by %llu threads, %s\n",
                static_cast<double>(*pairs) / seconds.count() / 1e6, static_cast<unsigned long long>(*threads),
                found == values ? "all right" : "some wrong");
    return found == values ? 0 : 1;
}
