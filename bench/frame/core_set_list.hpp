// The core sets that a benchmark measures with, one after the other: those of --cores, or a good choice where none are
// given. A place in a run is not a core id: place i is the set's i-th core.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "bench/frame/run_options.hpp"
#include "kernel/topology/core_set.hpp"

namespace mxk::bench {

// What every benchmark can be told that runs on many cores.
struct CoreSetOptions : RunOptions {
    topology::CoreSets cores; // empty: the first 1, 2, 4 ... cores, and all
};

namespace core_set_option {
constexpr auto cores = console::option<&CoreSetOptions::cores>(
    "cores", "counts, or sets such as 0-7, node:1, spread:8 (none given: 1, 2, 4 ... all)");
} // namespace core_set_option

class CoreSetList {
  public:
    CoreSetList() = default;
    // On this machine. Errors: those of topology::resolve(). The console's task.
    static Result<CoreSetList> create(topology::CoreSets const& sets);

    [[nodiscard]] std::size_t size() const { return sets_.size(); }
    [[nodiscard]] std::span<CoreId const> cores(std::size_t at) const { return sets_[at].cores.span(); }
    // As one would type it: "4", "spread:8".
    [[nodiscard]] std::string_view label(std::size_t at) const { return sets_[at].label.view(); }

    // A column of labels, and its heading.
    void print_heading(TextSink& out) const;
    void print(TextSink& out, std::size_t at) const;
    // The fields "cores" (how many), "core_set" (the label) and "core_ids".
    void write(JsonWriter& json, std::size_t at) const;

  private:
    NodeVector<topology::CoreSet> sets_;
    std::size_t width_ = 6; // of the column
};

} // namespace mxk::bench
