#include "bench/figures/parts_experiment.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

Result<void> PartsExperiment::expect_parts(std::size_t count) {
    parts_ = MXK_TRY(NodeVector<Part>::create(count, Worker::current().node()));
    skipped_ = MXK_TRY(NodeVector<Skipped>::create(count, Worker::current().node()));
    return {};
}

void PartsExperiment::add(std::string_view name, std::string_view options, Experiment& experiment) {
    parts_.emplace(name, options, &experiment, configurations_);
    configurations_ += experiment.configurations();
}

PartsExperiment::Part const& PartsExperiment::part_of(std::size_t configuration) const {
    return *(std::ranges::upper_bound(parts_.span(), configuration, {}, &Part::first) - 1);
}

Row PartsExperiment::inner(Row row) const {
    row.configuration -= part_of(row.configuration).first;
    return row;
}

Unit PartsExperiment::unit() const {
    return parts_.size() == 0 ? Unit::OperationsPerSecond : parts_[0].experiment->unit();
}

Result<void> PartsExperiment::run(std::size_t configuration, std::span<Sample> samples, Progress& progress) {
    Part const& part = part_of(configuration);
    if (latest_ != nullptr && latest_ != &part) leave(*latest_);
    latest_ = &part;
    return part.experiment->run(configuration - part.first, samples, progress);
}

void PartsExperiment::keep(std::size_t configuration) {
    Part const& part = part_of(configuration);
    part.experiment->keep(configuration - part.first);
}

std::optional<Error> PartsExperiment::unsupported(std::size_t configuration, std::size_t phase) const {
    Part const& part = part_of(configuration);
    return part.experiment->unsupported(configuration - part.first, phase);
}

bool PartsExperiment::continues_after_failure() const {
    return std::ranges::all_of(parts_, [](Part const& part) { return part.experiment->continues_after_failure(); });
}

bool PartsExperiment::may_be_wrong(Row const& row) const {
    return part_of(row.configuration).experiment->may_be_wrong(inner(row));
}

std::size_t PartsExperiment::baseline(std::size_t configuration) const {
    Part const& part = part_of(configuration);
    return part.first + part.experiment->baseline(configuration - part.first);
}

std::size_t PartsExperiment::cores_of(Row const& row) const {
    return part_of(row.configuration).experiment->cores_of(inner(row));
}

std::string_view PartsExperiment::failure() const {
    for (Part const& part : parts_)
        if (!part.experiment->failure().empty()) return part.experiment->failure();
    return {};
}

void PartsExperiment::conclude(TextSink& out, std::span<Row const> rows) {
    for (Part const& part : parts_) part.experiment->conclude(out, parts_.size() == 1 ? rows : std::span<Row const>());
}

void PartsExperiment::print_head(TextSink& out) const {
    for (Part const& part : parts_) {
        if (!part.name.empty()) format(out, "  {}: ", part.name);
        part.experiment->print_head(out);
    }
}

void PartsExperiment::print_label_heading(TextSink& out) const {
    if (parts_.size() == 0) return;
    if (!parts_[0].name.empty()) format(out, "{:<19} ", "curve");
    parts_[0].experiment->print_label_heading(out);
}

void PartsExperiment::print_label(TextSink& out, Row const& row) const {
    Part const& part = part_of(row.configuration);
    if (!part.name.empty()) format(out, "{:<19} ", part.name);
    part.experiment->print_label(out, inner(row));
}

void PartsExperiment::print_title(TextSink& out, Row const& row) const {
    Part const& part = part_of(row.configuration);
    if (!part.name.empty()) format(out, "{}, ", part.name);
    part.experiment->print_title(out, inner(row));
}

void PartsExperiment::print_verdict(TextSink& out, Row const& row) const {
    part_of(row.configuration).experiment->print_verdict(out, inner(row));
}

void PartsExperiment::print_details(TextSink& out, Row const& row) const {
    part_of(row.configuration).experiment->print_details(out, inner(row));
}

void PartsExperiment::write_settings(JsonWriter& json, Row const& row) const {
    Part const& part = part_of(row.configuration);
    if (!part.name.empty()) json.field("series", part.name);
    json.field("options", part.options);
    part.experiment->write_settings(json, inner(row));
}

void PartsExperiment::write_details(JsonWriter& json, Row const& row) const {
    part_of(row.configuration).experiment->write_details(json, inner(row));
}

} // namespace mxk::bench
