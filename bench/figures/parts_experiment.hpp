// Several experiments as one: their configurations one behind the other, so that the frame interleaves the runs of all.
// A part is what a command would measure alone, under a name; the only one needs none.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "bench/frame/experiment.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::bench {

class PartsExperiment : public Experiment {
  public:
    [[nodiscard]] Unit unit() const final;
    [[nodiscard]] std::size_t configurations() const final { return configurations_; }
    [[nodiscard]] std::size_t phases() const final { return parts_.size() == 0 ? 1 : parts_[0].experiment->phases(); }
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) final;
    void keep(std::size_t configuration) final;
    [[nodiscard]] std::optional<Error> unsupported(std::size_t configuration, std::size_t phase) const final;
    [[nodiscard]] bool continues_after_failure() const final;
    [[nodiscard]] bool may_be_wrong(Row const& row) const final;
    [[nodiscard]] bool lists_rows() const final { return parts_.size() != 0 && parts_[0].experiment->lists_rows(); }
    [[nodiscard]] bool has_speed_up() const final { return parts_.size() != 0 && parts_[0].experiment->has_speed_up(); }
    [[nodiscard]] std::size_t baseline(std::size_t configuration) const final;
    [[nodiscard]] std::size_t cores_of(Row const& row) const final;
    [[nodiscard]] std::string_view failure() const final;
    [[nodiscard]] std::span<Skipped const> skipped() const final { return skipped_.span(); }
    // What rows say together, where there is one part: others count their rows from 0, too.
    void conclude(TextSink& out, std::span<Row const> rows) final;

    void print_head(TextSink& out) const override;
    void print_label_heading(TextSink& out) const final;
    void print_label(TextSink& out, Row const& row) const final;
    void print_title(TextSink& out, Row const& row) const final;
    void print_verdict(TextSink& out, Row const& row) const final;
    void print_details(TextSink& out, Row const& row) const final;
    // "series" and "options", which say what the part is.
    void write_settings(JsonWriter& json, Row const& row) const final;
    void write_details(JsonWriter& json, Row const& row) const final;

  protected:
    struct Part {
        std::string_view name;
        std::string_view options; // as typed
        Experiment* experiment;
        std::size_t first; // of its configurations
    };

    PartsExperiment() = default;
    ~PartsExperiment() = default;

    // Before all others. Errors: no memory.
    Result<void> expect_parts(std::size_t count);
    void add(std::string_view name, std::string_view options, Experiment& experiment);
    void skip(std::string_view what, Error const& reason) { skipped_.emplace(what, reason); }
    [[nodiscard]] std::span<Part const> parts() const { return parts_.span(); }
    [[nodiscard]] Part const& part_of(std::size_t configuration) const;
    // As the part itself counts.
    [[nodiscard]] Row inner(Row row) const;

  private:
    // A part's turn ends; another one's begins.
    virtual void leave(Part const& /*part*/) {}

    NodeVector<Part> parts_;
    NodeVector<Skipped> skipped_;
    std::size_t configurations_ = 0;
    Part const* latest_ = nullptr; // that ran
};

} // namespace mxk::bench
