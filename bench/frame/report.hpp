// What the measuring frame prints: a table for people, and a JSON line per row for tools. What is measured has the same
// columns and the same fields for every benchmark of a unit.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/json.hpp"
#include "base/text.hpp"
#include "bench/frame/experiment.hpp"

namespace mxk::bench {

class Report {
  public:
    // `counts`: rows tell what was counted (event_counts.hpp).
    Report(TextSink& out, std::string_view benchmark, Experiment const& experiment, bool counts)
        : out_(out)
        , benchmark_(benchmark)
        , experiment_(experiment)
        , counts_(counts) {}

    void print_head();
    // `first`: the same phase of the configuration that this one's is compared with.
    void print_row(Row const& row, Row const& first) const;
    // `again`: a phase of the first configuration, measured at the end.
    void print_drift(Row const& again, double drift) const;
    // What was skipped, and a WARN for each row that was measured on a machine that was not quiet.
    void print_end(std::span<Row const> rows) const;
    // Of all rows, where the experiment draws some.
    void print_conclusions(std::span<Row const> rows) const;
    // Nothing for a row without any run. `first`: as in print_row().
    void write_json(Row const& row, Row const& first) const;
    void write_conclusions(std::span<Row const> rows) const;

  private:
    // Which there is room for in a row of the terminal: Few has no smallest and largest value. JSON lines have all.
    enum class Columns : std::uint8_t { All, Some, Few };
    [[nodiscard]] Columns columns_with_room() const;
    void print_heading(TextSink& out, Columns columns) const;
    // Of throughputs.
    [[nodiscard]] double per_core(Row const& row) const;
    [[nodiscard]] static double speed_up(Row const& row, Row const& first);
    void write_measured(JsonWriter& json, Row const& row) const;
    [[nodiscard]] std::string_view counted_per() const;
    void write_skipped(JsonWriter& json) const;

    TextSink& out_;
    std::string_view benchmark_;
    Experiment const& experiment_;
    bool counts_;
    Columns columns_ = Columns::All;
};

} // namespace mxk::bench
