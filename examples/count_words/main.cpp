// Counts the words of a text: count_words < TEXT. As word_count does, with a table for ordinary threads.
#include <mxk/table.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

int main() {
    auto runtime = mxk::Runtime::start({.own_threads = true});
    if (!runtime) return std::cerr << "count_words: " << runtime.error().message() << '\n', 1;
    auto table = mxk::Table<std::string, std::uint64_t>::create();
    if (!table) return std::cerr << "count_words: " << table.error().message() << '\n', 1;

    std::vector<std::string> const words{std::istream_iterator<std::string>(std::cin), {}};
    auto const counted = table.value().add(words, 1);
    if (!counted) return std::cerr << "count_words: " << counted.error().message() << '\n', 1;

    std::vector<std::pair<std::uint64_t, std::string>> counts;
    table.value().for_each([&](std::string_view word, std::uint64_t count) { counts.emplace_back(count, word); });
    std::ranges::sort(counts, std::greater());
    std::cout << words.size() << " words, " << counts.size() << " different\n";
    for (auto const& [count, word] : counts) std::cout << count << ' ' << word << '\n';
}
