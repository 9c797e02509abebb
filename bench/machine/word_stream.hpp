// What bandwidth is measured with: words in order, read, written or copied by a core, 16 bytes at a time. Word i of a
// memory holds first + i, so that every word that was not moved, or moved to another place, is noticed. All spans are
// of whole cache lines, aligned to them. Any core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mxk::bench {

using Words = std::span<std::uint64_t>;

// Ordinary stores: each line is read from memory before it is written to.
void write_words(Words words, std::uint64_t first);
// Stores past the caches (MOVNTDQ, SDM volume 1 section 10.4.6.2), which are visible to all when this returns.
void stream_words(Words words, std::uint64_t first);
// The sum of all.
std::uint64_t read_words(Words words);
// `from` and `to`: of the same size.
void copy_words(Words from, Words to);

// What read_words() gives for so many words that begin with `first`.
std::uint64_t sum_from(std::uint64_t first, std::size_t count);
// Whether each word has its value.
bool words_count_from(Words words, std::uint64_t first);

// Part `part` of `parts` nearly equal ones, whole lines.
Words part_of(Words words, std::size_t part, std::size_t parts);

} // namespace mxk::bench
