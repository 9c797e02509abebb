// A schema with every type of member that options may have (kernel/console/options.hpp), and what it means that two
// parsed structs are the same.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bench/workload/phases.hpp"
#include "kernel/console/options.hpp"
#include "kernel/topology/core_set.hpp"

namespace mxk::fuzz {

enum class Shape : std::uint8_t { Chained, OpenAddressing, Open };
constexpr auto value_names(Shape) {
    using console::NamedValue;
    return std::array{NamedValue{Shape::Chained, "chained"}, NamedValue{Shape::OpenAddressing, "open-addressing"},
                      NamedValue{Shape::Open, "open"}};
}

struct ProbeOptions {
    std::uint64_t wide = 24'000'000;
    std::uint32_t bounded = 100;
    std::uint8_t narrow = 3;
    double share = 0.1;
    double free = 1;
    std::optional<std::uint32_t> perhaps;
    console::CountList cores;
    console::CountList any{1, 2};
    Shape shape = Shape::Chained;
    topology::CoreSets sets;
    bench::Mix mix;
    bench::Phases phases;
    std::string_view label;
    console::WordList tags;
    bool json = false;
    std::string_view first;
    console::WordList rest;
};

constexpr auto probe_schema = console::schema<ProbeOptions>(
    console::option<&ProbeOptions::wide>("wide", "64 bits"),
    console::option<&ProbeOptions::bounded>("bounded", "32 bits", console::between(1, 1'000'000)),
    console::option<&ProbeOptions::narrow>("narrow", "8 bits"),
    console::option<&ProbeOptions::share>("share", "a part of one", console::between(0.000001, 0.95)),
    console::option<&ProbeOptions::free>("free", "any number"),
    console::option<&ProbeOptions::perhaps>("perhaps", "a count or none", console::between(0, 1000)),
    console::option<&ProbeOptions::cores>("cores", "counts", console::between(1, 65536)),
    console::option<&ProbeOptions::any>("any", "any counts"), console::option<&ProbeOptions::shape>("shape", "a name"),
    console::option<&ProbeOptions::sets>("sets", "counts or sets of cores"),
    console::option<&ProbeOptions::mix>("mix", "a type of one's own"),
    console::option<&ProbeOptions::phases>("phases", "several of them"),
    console::option<&ProbeOptions::label>("label", "a word"), //
    console::option<&ProbeOptions::tags>("tag", "words"),     //
    console::flag<&ProbeOptions::json>("json", "yes or no"),  //
    console::positional<&ProbeOptions::first>("FIRST", "a word"),
    console::positional<&ProbeOptions::rest>("REST", "words"));

} // namespace mxk::fuzz
