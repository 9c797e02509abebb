// What holds for typed options whatever was typed. Each fails the test (GoogleTest) if it does not.
#pragma once

#include <span>
#include <string_view>

#include "kernel/console/completion.hpp"

namespace mxk::fuzz {

// A count that is read has exactly the value that was written, in 128-bit arithmetic; every value, printed, is read
// back as itself.
void expect_exact_count(std::string_view text);
void expect_printed_count_is_read_back(std::uint64_t count);

// The arguments against both schemas (ProbeOptions, bench::TableOptions): an error says something; options that were
// accepted are accepted again as they are printed, with the same values.
void expect_options_are_read_back(std::span<std::string_view const> arguments);

// In order, without duplicates, each beginning with the word; the common prefix is what all of them begin with.
void expect_sound_candidates(console::Candidates const& candidates);

} // namespace mxk::fuzz
