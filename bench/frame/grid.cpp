#include "bench/frame/grid.hpp"

#include <algorithm>

namespace mxk::bench {
namespace {

void print_spaces(TextSink& out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out.write(" ");
}

bool is_number(Axis const& axis) {
    return axis.size != 0 && axis.value != nullptr && axis.value(axis.list, 0).kind != FormatArgument::Kind::Text;
}

} // namespace

void Bound::print_value(TextSink& out, double value) const {
    switch (as) {
    case As::Ratio: return format(out, "{:.2}", value);
    case As::Change: return format(out, "{}{:.1} %", value < 0 ? "" : "+", value * 100);
    case As::Count: return format(out, "{:.0}", value);
    }
}

void Bound::print(TextSink& out) const {
    bool const has_low = low != -none && !(in_words && low == 0);
    if (has_low && high == none && !in_words) out.write(">= ");
    if (has_low) print_value(out, low);
    if (high == none) {
        if (in_words) out.write(" or more");
        return;
    }
    if (has_low && low == high) return;
    out.write(has_low ? " to " : in_words ? "up to " : "<= ");
    print_value(out, high);
}

Conclusion Claim::conclude(std::string_view statement, Bound const& bound, std::optional<double> value, bool tells,
                           std::string_view missing) {
    Conclusion said{.statement = statement};
    bound.print(said.expected);
    if (value)
        bound.print_value(said.measured, *value);
    else
        said.measured.append(missing);
    if (value && tells) said.holds = bound.holds(*value);
    return said;
}

void GridExperiment::add(Axis const& axis) {
    expect(axis_count_ < axes_.size(), "no more axes than there is room for");
    if (axis.along == Axis::Along::CoreSets) cores_axis_ = axis_count_;
    if (axis.along == Axis::Along::Phases) phase_axis_ = axis_count_;
    nesting_[axis_count_] = static_cast<std::uint8_t>(axis_count_);
    axes_[axis_count_++] = axis;
}

Result<void> GridExperiment::add_cores(topology::CoreSets const& sets, std::size_t min_cores) {
    core_sets_ = MXK_TRY(CoreSetList::create(sets, min_cores));
    add({.heading = "cores", .key = {}, .size = core_sets_.size(), .along = Axis::Along::CoreSets});
    return {};
}

void GridExperiment::nest(std::initializer_list<std::uint8_t> slowest_first) {
    expect(slowest_first.size() == axis_count_, "each axis has its place");
    std::copy(slowest_first.begin(), slowest_first.end(), nesting_.begin());
}

void GridExperiment::nest_first_axis_last() {
    nesting_[0] = static_cast<std::uint8_t>(cores_axis_);
    for (std::size_t place = 1, axis = axis_count_; axis-- != 0;)
        if (axis != cores_axis_) nesting_[place++] = static_cast<std::uint8_t>(axis);
}

void GridExperiment::add(Claim const& claim) {
    if (!can_judge(claim.left) || !can_judge(claim.right)) return;
    expect(claim_count_ < claims_.size(), "no more claims than there is room for");
    claims_[claim_count_++] = &claim;
}

std::size_t GridExperiment::configurations() const {
    std::size_t count = 1;
    for (std::size_t i = 0; i < axis_count_; ++i)
        if (i != phase_axis_) count *= axes_[i].size;
    return count;
}

std::size_t GridExperiment::phases() const {
    return phase_axis_ == no_axis ? 1 : axes_[phase_axis_].size;
}

Point GridExperiment::point_of(std::size_t configuration, std::size_t phase) const {
    Point point;
    for (std::size_t i = axis_count_; i-- != 0;) {
        std::size_t const axis = nesting_[i];
        point[axis] = axis == phase_axis_ ? phase : configuration % axes_[axis].size;
        if (axis != phase_axis_) configuration /= axes_[axis].size;
    }
    return point;
}

std::size_t GridExperiment::configuration_of(Point const& point) const {
    std::size_t configuration = 0;
    for (std::size_t i = 0; i < axis_count_; ++i)
        if (std::size_t const axis = nesting_[i]; axis != phase_axis_)
            configuration = configuration * axes_[axis].size + point[axis];
    return configuration;
}

bool GridExperiment::has_speed_up() const {
    return unit() == Unit::OperationsPerSecond && cores_axis_ != no_axis;
}

std::size_t GridExperiment::baseline(std::size_t configuration) const {
    if (cores_axis_ == no_axis) return configuration;
    Point point = point_of(configuration);
    point[cores_axis_] = 0;
    return configuration_of(point);
}

std::size_t GridExperiment::cores_of(Row const& row) const {
    return cores_axis_ == no_axis ? 1 : cores(point_of(row)).size();
}

void GridExperiment::print_value(TextSink& out, std::size_t axis, std::size_t at) const {
    FormatArgument const value = axes_[axis].value(axes_[axis].list, at);
    format_erased(out, "{}", {&value, 1});
}

void GridExperiment::write_value(JsonWriter& json, std::size_t axis, std::size_t at) const {
    json.field(axes_[axis].key, axes_[axis].value(axes_[axis].list, at));
}

void GridExperiment::print_label_heading(TextSink& out) const {
    for (std::size_t i = 0; i < axis_count_; ++i) {
        if (i != 0) out.write(" ");
        if (i == cores_axis_) {
            core_sets_.print_heading(out);
            continue;
        }
        std::size_t const rest = axes_[i].width - std::min(axes_[i].width, axes_[i].heading.size());
        if (is_number(axes_[i])) print_spaces(out, rest);
        out.write(axes_[i].heading);
        if (!is_number(axes_[i])) print_spaces(out, rest);
    }
}

void GridExperiment::print_label(TextSink& out, Row const& row) const {
    Point const point = point_of(row);
    for (std::size_t i = 0; i < axis_count_; ++i) {
        if (i != 0) out.write(" ");
        if (i == cores_axis_) {
            core_sets_.print(out, point[i]);
            continue;
        }
        FixedText<64> text;
        print_value(text, i, point[i]);
        std::size_t const rest = axes_[i].width - std::min(axes_[i].width, text.view().size());
        if (is_number(axes_[i])) print_spaces(out, rest);
        out.write(text.view());
        if (!is_number(axes_[i])) print_spaces(out, rest);
    }
}

void GridExperiment::print_title(TextSink& out, Row const& row) const {
    print_place(out, point_of(row), 0);
}

void GridExperiment::print_place(TextSink& out, Point const& point, std::size_t first) const {
    for (std::size_t i = first; i < axis_count_; ++i) {
        if (i != first) out.write(", ");
        if (i == cores_axis_)
            format(out, "{} cores", core_sets_.label(point[i]));
        else
            print_value(out, i, point[i]);
        if (i != cores_axis_ && is_number(axes_[i])) format(out, " {}", axes_[i].heading);
    }
}

void GridExperiment::write_settings(JsonWriter& json, Row const& row) const {
    Point const point = point_of(row);
    for (std::size_t i = 0; i < axis_count_; ++i)
        if (!axes_[i].key.empty()) write_value(json, i, point[i]);
    write_options(json, point);
    if (cores_axis_ != no_axis) core_sets_.write(json, point[cores_axis_]);
}

std::optional<std::size_t> GridExperiment::place_of(std::size_t axis, std::string_view wanted) const {
    for (std::size_t at = 0; at < axes_[axis].size; ++at)
        if (name_at(axis, at) == wanted) return at;
    return std::nullopt;
}

std::optional<double> GridExperiment::value_of(Row const& row, ClaimSide const& side) const {
    return side.finding.empty() ? std::optional(row.value.median) : finding_of(row, side.finding);
}

void GridExperiment::print_remark(TextSink& out, Claim const& /*claim*/, std::size_t cores) const {
    if (cores_axis_ != no_axis) format(out, " ({} cores)", cores);
}

bool GridExperiment::can_judge(ClaimSide const& side) const {
    bool can = true;
    for_each_name(side.of, [&](std::string_view name) {
        auto const place = place_of(0, name);
        can = can && place && is_there(*place);
    });
    return can;
}

bool GridExperiment::is_on(Claim const& claim, Point const& point) const {
    if (point[0] != place_of(0, claim.left.of) || !is_judged(claim, point)) return false;
    if (cores_axis_ == no_axis || claim.on == Claim::On::EverySet) return true;
    return point[cores_axis_] == (claim.on == Claim::On::FirstSet ? 0 : core_sets_.size() - 1);
}

std::optional<double> GridExperiment::side_value(ClaimSide const& side, Point point, std::span<Row const> rows,
                                                 bool max_is_best) const {
    std::optional<double> best;
    bool are_measured = true;
    std::size_t const phase = side.phase.empty() ? 0 : place_of(phase_axis_, side.phase).value_or(0);
    for_each_name(side.of, [&](std::string_view name) {
        point[0] = *place_of(0, name);
        Row const& row = rows[configuration_of(point) * phases() + phase];
        auto const value = row.value.n == 0 ? std::nullopt : value_of(row, side);
        are_measured = are_measured && value;
        if (value) best = !best ? *value : max_is_best ? std::max(*best, *value) : std::min(*best, *value);
    });
    return are_measured ? best : std::nullopt;
}

Conclusion GridExperiment::conclusion(std::size_t at, std::span<Row const> rows) const {
    Claim const& claim = *claims_[at];
    bool const more_is_better = claim.bound.high == Bound::none;
    std::optional<double> worst;
    std::size_t cores = 1;
    for (std::size_t configuration = 0; configuration < configurations(); ++configuration) {
        Point const point = point_of(configuration);
        if (!is_on(claim, point)) continue;
        auto value = side_value(claim.left, point, rows, more_is_better);
        if (value && !claim.right.of.empty()) {
            auto const other = side_value(claim.right, point, rows, more_is_better);
            value = other && *other > 0 ? std::optional(*value / *other) : std::nullopt;
        }
        if (!value) continue;
        cores = cores_of({.configuration = configuration});
        worst = !worst ? *value : more_is_better ? std::min(*worst, *value) : std::max(*worst, *value);
    }
    Conclusion said = Claim::conclude(claim.statement, claim.bound, worst, can_tell(claim, cores));
    if (worst) print_remark(said.measured, claim, cores);
    return said;
}

std::optional<double> finding_of(Row const& row, std::string_view name) {
    for (auto const& found : row.findings.entries())
        if (found.name == name) return found.value;
    return std::nullopt;
}

} // namespace mxk::bench
