// Experiments over a grid: axes, each a list of values (allocators, sets of cores, sizes), and a configuration for each
// combination of them. The grid numbers configurations, prints labels, headings and titles, writes the fields that say
// what was measured, knows whose row is compared with whose, and judges claims by rows. An experiment gives its axes,
// and a run at a point:
//
//     class LarsonBench final : public GridExperiment {         // made for one invocation, and never moved
//       public:
//         using Options = LarsonOptions;
//         static constexpr std::string_view name = "heap larson";
//         explicit LarsonBench(Options const& options);
//         Result<void> set_up() override {
//             add(Axis::of("heap", 10, options_.heaps.kinds()));
//             return add_cores(options_.cores);
//         }
//         Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override;
//         ...
//     };
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/format.hpp"
#include "bench/frame/benchmark.hpp"
#include "bench/frame/core_choice.hpp"
#include "bench/frame/experiment.hpp"
#include "bench/frame/names.hpp"

namespace mxk::bench {

// Of enumerators chosen by name, in their order: how many, the one in a place, and all where nobody has chosen.
template <typename E> constexpr std::size_t size_of(NameSet<E> const& set) {
    std::size_t count = 0;
    for (auto const& known : value_names(E{})) count += set.has(known.value);
    return count;
}
template <typename E> constexpr E chosen_at(NameSet<E> const& set, std::size_t at) {
    for (auto const& known : value_names(E{}))
        if (set.has(known.value) && at-- == 0) return known.value;
    return {};
}
template <typename E> constexpr NameSet<E> or_all(NameSet<E> set) {
    if (set.empty())
        for (auto const& known : value_names(E{})) set.add(known.value);
    return set;
}

// A list of values, which stays where it is while the experiment lives.
struct Axis {
    enum class Along : std::uint8_t { Configurations, CoreSets, Phases };

    std::string_view heading; // of the column; numbers stand in a title behind it
    std::string_view key;     // of the field in JSON; empty: the experiment writes it, or nothing
    std::size_t width = 0;    // of the column
    std::size_t size = 0;
    void const* list = nullptr;
    FormatArgument (*value)(void const* list, std::size_t at) = nullptr;
    Along along = Along::Configurations;

    // Of numbers, of texts, of things that have a name, or of pointers to such. `key`: none given, as the heading.
    template <typename List>
    static Axis of(std::string_view heading, std::size_t width, List const& list,
                   std::optional<std::string_view> key = {}) {
        using T = std::remove_cvref_t<decltype(*list.data())>;
        return {heading,
                key.value_or(heading),
                width,
                list.size(),
                static_cast<void const*>(list.data()),
                [](void const* values, std::size_t at) {
                    auto const& value = static_cast<T const*>(values)[at];
                    if constexpr (std::is_arithmetic_v<T>)
                        return FormatArgument(value);
                    else if constexpr (std::is_pointer_v<T>)
                        return FormatArgument(value->name);
                    else if constexpr (std::is_convertible_v<T const&, std::string_view>)
                        return FormatArgument(std::string_view(value));
                    else
                        return FormatArgument(value.name);
                }};
    }
    // Of the enumerators that were chosen, of which there is one or more.
    template <typename E>
    static Axis chosen(std::string_view heading, std::size_t width, NameSet<E> const& set,
                       std::optional<std::string_view> key = {}) {
        return {heading, key.value_or(heading), width, size_of(set), &set, [](void const* list, std::size_t at) {
                    return FormatArgument(name_of(chosen_at(*static_cast<NameSet<E> const*>(list), at)));
                }};
    }
    // The phases of each configuration.
    static Axis phases(Axis axis) {
        axis.along = Along::Phases;
        return axis;
    }
};

// Where on each axis a row lies, by the axis' number.
class Point {
  public:
    static constexpr std::size_t max_axes = 6;

    [[nodiscard]] std::size_t operator[](std::size_t axis) const { return at_[axis]; }
    std::size_t& operator[](std::size_t axis) { return at_[axis]; }

  private:
    std::array<std::size_t, max_axes> at_{};
};

// Where a value has to lie.
struct Bound {
    enum class As : std::uint8_t { Ratio, Change, Count }; // shown as 0.93, as -7.0 %, as 12

    static constexpr double none = std::numeric_limits<double>::infinity();

    double low = -none;
    double high = none;
    As as = As::Ratio;
    bool in_words = false; // "0.93 or more", not ">= 0.93"

    static constexpr Bound from(double low) { return {.low = low}; }
    static constexpr Bound up_to(double high) { return {.high = high}; }
    static constexpr Bound exactly(double value, As as = As::Ratio) { return {.low = value, .high = value, .as = as}; }
    static constexpr Bound between(double low, double high) { return {.low = low, .high = high}; }

    [[nodiscard]] constexpr bool holds(double value) const { return value >= low && value <= high; }
    void print(TextSink& out) const;
    void print_value(TextSink& out, double value) const;
};

// What a row has: its median, or a finding.
struct ClaimSide {
    std::string_view of{};      // on the first axis; several, with commas between: the best of them, all measured
    std::string_view phase{};   // on the axis of phases; empty: the first
    std::string_view finding{}; // empty: the median
};

// What is said of a row by another one (left by right), or of a row alone.
struct Claim {
    enum class On : std::uint8_t { EverySet, FirstSet, LastSet }; // of cores

    std::string_view statement;
    Bound bound{};
    ClaimSide left{};
    ClaimSide right{}; // no name: nothing is compared
    On on = On::EverySet;
    bool takes_others = false; // says nothing of one core

    // The expected and the measured text, and whether that holds, where it `tells`. `missing`: said where there is no
    // value.
    [[nodiscard]] static Conclusion conclude(std::string_view statement, Bound const& bound,
                                             std::optional<double> value, bool tells,
                                             std::string_view missing = "not measured");
};

class GridExperiment : public Experiment {
  public:
    // Before all others, once: adds the axes. Errors: what was typed cannot be measured.
    virtual Result<void> set_up() = 0;
    // At a point: the frame's run() and unsupported().
    virtual Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) = 0;
    [[nodiscard]] virtual std::optional<Error> unsupported_at(Point const& /*point*/) const { return std::nullopt; }

    [[nodiscard]] std::size_t configurations() const final;
    [[nodiscard]] std::size_t phases() const final;
    Result<void> run(std::size_t configuration, std::span<Sample> samples, Progress& progress) final {
        return run_at(point_of(configuration), samples, progress);
    }
    [[nodiscard]] std::optional<Error> unsupported(std::size_t configuration, std::size_t phase) const final {
        return unsupported_at(point_of(configuration, phase));
    }
    // Throughput on more cores is compared with that on the first set.
    [[nodiscard]] bool has_speed_up() const override;
    [[nodiscard]] std::size_t baseline(std::size_t configuration) const override;
    [[nodiscard]] std::size_t cores_of(Row const& row) const override;

    void print_label_heading(TextSink& out) const override;
    void print_label(TextSink& out, Row const& row) const override;
    void print_title(TextSink& out, Row const& row) const override;
    // The axes that have a key, what write_options() adds, and the cores.
    void write_settings(JsonWriter& json, Row const& row) const override;

    [[nodiscard]] std::size_t conclusions() const override { return claim_count_; }
    // By the worst of all points that the claim is about.
    [[nodiscard]] Conclusion conclusion(std::size_t at, std::span<Row const> rows) const override;

    [[nodiscard]] std::size_t configuration_of(Point const& point) const;
    [[nodiscard]] Point point_of(std::size_t configuration, std::size_t phase = 0) const;
    [[nodiscard]] Point point_of(Row const& row) const { return point_of(row.configuration, row.phase); }

  protected:
    GridExperiment() = default;
    ~GridExperiment() = default;

    // In set_up(). Columns stand in the order in which axes are added, and the later one changes first from one
    // configuration to the next, where not nest() says in which order they do, the slowest first.
    void add(Axis const& axis);
    Result<void> add_cores(topology::CoreSets const& sets, std::size_t min_cores = 1); // errors: as CoreSetList
    void nest(std::initializer_list<std::uint8_t> slowest_first);
    // Cores change slowest, then the axes behind them, the last of these before the others; the first axis changes with
    // each configuration: what is compared is measured one right after the other.
    void nest_first_axis_last();
    // A claim whose sides are measured; others are left out. After the axes.
    void add(Claim const& claim);
    void add(std::span<Claim const> claims) {
        for (Claim const& claim : claims) add(claim);
    }

    // A title's part about the axes from `first` on.
    void print_place(TextSink& out, Point const& point, std::size_t first) const;
    [[nodiscard]] std::string_view name_at(std::size_t axis, std::size_t at) const {
        return axes_[axis].value(axes_[axis].list, at).text_value;
    }
    // Where a name stands on an axis of names.
    [[nodiscard]] std::optional<std::size_t> place_of(std::size_t axis, std::string_view wanted) const;
    [[nodiscard]] CoreSetList const& core_sets() const { return core_sets_; }
    [[nodiscard]] std::span<CoreId const> cores(Point const& point) const {
        return core_sets_.cores(point[cores_axis_]);
    }

    // The value of an axis, where that is not the text, or the field, of its list.
    virtual void print_value(TextSink& out, std::size_t axis, std::size_t at) const;
    virtual void write_value(JsonWriter& json, std::size_t axis, std::size_t at) const;
    virtual void write_options(JsonWriter& /*json*/, Point const& /*point*/) const {}

    // Of claims: whether a place on the first axis can be measured; at which points they are judged; the value of a
    // side; what stands behind it; and whether this machine, and what was chosen, can tell.
    [[nodiscard]] virtual bool is_there(std::size_t /*at*/) const { return true; }
    [[nodiscard]] virtual bool is_judged(Claim const& /*claim*/, Point const& /*point*/) const { return true; }
    [[nodiscard]] virtual std::optional<double> value_of(Row const& row, ClaimSide const& side) const;
    virtual void print_remark(TextSink& out, Claim const& claim, std::size_t cores) const;
    [[nodiscard]] virtual bool can_tell(Claim const& claim, std::size_t cores) const {
        return cores > 1 || !claim.takes_others;
    }

  private:
    static constexpr std::size_t no_axis = Point::max_axes;
    static constexpr std::size_t max_claims = 24;

    [[nodiscard]] bool can_judge(ClaimSide const& side) const;
    [[nodiscard]] bool is_on(Claim const& claim, Point const& point) const;
    // Of the row of the point; the best one's, of several. None: not measured.
    [[nodiscard]] std::optional<double> side_value(ClaimSide const& side, Point point, std::span<Row const> rows,
                                                   bool max_is_best) const;

    std::array<Axis, Point::max_axes> axes_{};
    std::array<std::uint8_t, Point::max_axes> nesting_{}; // numbers of axes, the slowest first
    std::size_t axis_count_ = 0;
    std::size_t cores_axis_ = no_axis;
    std::size_t phase_axis_ = no_axis;
    CoreSetList core_sets_;
    std::array<Claim const*, max_claims> claims_{};
    std::size_t claim_count_ = 0;
};

// Fields in the object that is open.
struct NamedField {
    std::string_view key;
    FormatArgument value;
};
inline void write_fields(JsonWriter& json, std::initializer_list<NamedField> fields) {
    for (auto const& [key, value] : fields) json.field(key, value);
}

// The value of a finding; none: the row has not got it.
std::optional<double> finding_of(Row const& row, std::string_view name);

} // namespace mxk::bench
