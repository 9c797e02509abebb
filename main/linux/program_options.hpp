// What the program's arguments ask for: the machine to pretend, and the commands to run on it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "tasks/prefetching.hpp"

namespace mxk {

// Bytes, as "4G" or "512M": powers of two, as memory is sold.
struct MemorySize {
    std::uint64_t bytes = 0; // 0: not said
};
// What kernel/console/options.hpp asks of an option's type.
Result<void> parse_value(std::string_view text, MemorySize& size);
void print_value(TextSink& out, MemorySize const& size);
void describe_value(TextSink& out, MemorySize const&);

struct ProgramOptions {
    std::uint32_t cores = 0;
    std::uint32_t nodes = 0;
    MemorySize memory;
    prefetching::Calibrate calibrate = prefetching::Calibrate::Auto;
    std::optional<std::string_view> load{}; // names of files (bench/frame/file_loader.hpp)
    bool help = false;
    bool version = false;
};

struct ProgramArguments {
    ProgramOptions options;
    std::string commands; // empty: they are typed
};

// `words`: the arguments without the program's name. Errors: options that it does not know, or with a wrong value.
Result<ProgramArguments> parse_arguments(std::span<std::string_view const> words);

void print_usage(TextSink& out);

} // namespace mxk
