#include "query/plan/plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <utility>

#include "kernel/memory/heap/heap.hpp"
#include "query/boxes/filter_box.hpp"
#include "query/boxes/group_box.hpp"
#include "query/boxes/join_box.hpp"
#include "query/boxes/limit_box.hpp"
#include "query/boxes/map_box.hpp"
#include "query/boxes/merge_box.hpp"
#include "query/boxes/order_box.hpp"
#include "query/boxes/scan_box.hpp"
#include "query/boxes/sink_box.hpp"
#include "query/expression/shown_names.hpp"
#include "tasks/dataflow/graph/envelope_size.hpp"

namespace mxk::query {
namespace {

constexpr std::size_t max_parts = 256;
struct Nothing {}; // of a step that is told no more than its boxes are

} // namespace

// Boxes alike, which give one stream of rows each.
struct Plan::Step {
    Step(std::string_view its_name, std::size_t its_streams)
        : name(shown(its_name))
        , streams(its_streams) {}
    Step(Step const&) = delete;
    Step& operator=(Step const&) = delete;
    virtual ~Step() = default;
    virtual void destroy() = 0;

    ShownName name;
    Schema const* schema = nullptr;
    Answer const* answer = nullptr; // of an answer's step
    std::uint64_t max_rows = 0;
    std::size_t streams;
    std::array<BoxId, max_parts> boxes{};
    Step* next = nullptr;
};
template <typename Spec> struct Plan::StepOf final : Step {
    using Step::Step;
    void destroy() override {
        this->~StepOf();
        heap::deallocate(this, sizeof(StepOf), alignof(StepOf));
    }
    Spec spec;
};

Plan::Plan(PlanOptions const& options)
    : options_(options) {
    options_.cores = std::max<std::size_t>(options.cores, 1);
    options_.parts = std::clamp<std::size_t>(options.parts, 1, max_parts);
    model_.set_capacity(options.capacity);
}

Plan::~Plan() {
    while (first_ != nullptr) {
        Step* const step = first_;
        first_ = step->next;
        step->destroy();
    }
}

void Plan::fail(std::string_view name, Error const& error) {
    if (!error_) error_ = Error::of("box '{}': {}", shown(name).view(), error.message());
}

// Of box `name`, which takes them.
Plan::Step* Plan::find(std::string_view name, Rows rows) {
    if (rows.plan != this || rows.number >= steps_)
        fail(name, Error("expected rows that a step of this plan has given"));
    if (error_) return nullptr;
    Step* step = first_;
    while (rows.number-- != 0) step = step->next;
    return step;
}

Schema const* Plan::schema_of(std::string_view name, Rows rows) {
    Step const* const step = find(name, rows);
    return step == nullptr ? nullptr : step->schema;
}

template <typename Spec> Plan::StepOf<Spec>* Plan::add_step(std::string_view name, std::size_t streams) {
    if (error_) return nullptr;
    void* const place = heap::allocate(sizeof(StepOf<Spec>), alignof(StepOf<Spec>));
    if (place == nullptr) {
        fail(name, Error("out of memory"));
        return nullptr;
    }
    auto* const step = new (place) StepOf<Spec>(name, streams);
    (last_ != nullptr ? last_->next : first_) = step;
    last_ = step;
    ++steps_;
    return step;
}

Plan::Rows Plan::finish(Step& step, Result<void> const& result) {
    if (!result) fail(step.name.view(), result.error());
    return {.plan = this, .number = steps_ - 1};
}

// One behind each of those before.
template <typename BoxType, typename Spec> void Plan::add_boxes(Step const& from, StepOf<Spec>& step) {
    for (std::size_t part = 0; part < step.streams; ++part) {
        step.boxes[part] = model_.add<BoxType>(step.name.view(), static_cast<Spec const*>(&step.spec));
        model_.connect(from.boxes[part], step.boxes[part]);
    }
}

void Plan::connect_all(Step const& from, BoxId to) {
    for (std::size_t part = 0; part < from.streams; ++part) model_.connect(from.boxes[part], to);
}

Plan::Rows Plan::scan(std::string_view name, Source const& source, std::span<std::string_view const> columns) {
    auto* const step = add_step<ScanSpec>(name, options_.parts);
    if (step == nullptr) return {};
    ScanSpec& spec = step->spec;
    auto const bind = [&]() -> Result<void> {
        std::size_t row_bytes = 0;
        std::size_t at = 0;
        for (std::string_view const wanted : columns) {
            SourceColumn const& found = *MXK_TRY(source.find(wanted));
            Range const range = MXK_TRY(source.range(found));
            Storage const storage = found.type.kind == Kind::Text ? Storage::Text : found.storage;
            MXK_TRY(spec.schema.add({.name = found.name, .type = found.type, .storage = storage, .range = range},
                                    found.validity != nullptr));
            spec.columns[at++] = &found;
            row_bytes += bytes_of(storage);
        }
        spec.source = &source;
        spec.rows_per_envelope =
            dataflow::rows_or_recommended(options_.rows_per_envelope, std::max<std::size_t>(row_bytes, 1));
        return {};
    };
    step->schema = &spec.schema;
    step->max_rows = source.rows();
    rows_read_ += source.rows();
    auto const bound = bind();
    for (std::size_t part = 0; part < step->streams; ++part)
        step->boxes[part] = model_.add<ScanBox>(step->name.view(), static_cast<ScanSpec const*>(&spec));
    return finish(*step, bound);
}

Plan::Rows Plan::filter(std::string_view name, Rows rows, Expression const& condition) {
    Step const* const from = find(name, rows);
    if (from == nullptr) return {};
    auto* const step = add_step<FilterSpec>(name, from->streams);
    if (step == nullptr) return {};
    step->schema = from->schema;
    step->max_rows = from->max_rows;
    auto const bound = step->spec.bind(condition, *from->schema);
    add_boxes<FilterBox>(*from, *step);
    return finish(*step, bound);
}

Plan::Rows Plan::group(std::string_view name, Rows rows, std::span<NamedExpression const> keys,
                       std::span<Aggregate const> aggregates) {
    Step const* const from = find(name, rows);
    if (from == nullptr) return {};
    constexpr std::size_t max_shares = 32; // each of which reads all tables
    std::size_t const tables = std::min(from->streams, options_.cores);
    std::size_t const shares = std::min(tables, max_shares);
    auto* const step = add_step<GroupLayout>(name, shares);
    if (step == nullptr) return {};
    GroupLayout const* const layout = &step->spec;
    step->schema = &layout->result();
    step->max_rows = std::max<std::uint64_t>(from->max_rows, 1);
    auto const bound = step->spec.bind(keys, aggregates, *from->schema, from->max_rows);
    bool const is_merged = tables > 1;
    std::array<BoxId, max_parts> groups{};
    for (std::size_t at = 0; at < tables; ++at) groups[at] = model_.add<GroupBox>(step->name.view(), layout, is_merged);
    for (std::size_t part = 0; part < from->streams; ++part) model_.connect(from->boxes[part], groups[part % tables]);
    if (!is_merged) {
        step->boxes[0] = groups[0];
        return finish(*step, bound);
    }
    for (std::size_t share = 0; share < shares; ++share) {
        step->boxes[share] = model_.add<MergeGroupsBox>(step->name.view(), layout, share, shares);
        for (std::size_t at = 0; at < tables; ++at) model_.connect(groups[at], step->boxes[share]);
    }
    return finish(*step, bound);
}

Plan::Rows Plan::map(std::string_view name, Rows rows, std::span<NamedExpression const> columns) {
    Step const* const from = find(name, rows);
    if (from == nullptr) return {};
    auto* const step = add_step<MapSpec>(name, from->streams);
    if (step == nullptr) return {};
    step->schema = &step->spec.result;
    step->max_rows = from->max_rows;
    auto const bound = step->spec.bind(columns, *from->schema);
    add_boxes<MapBox>(*from, *step);
    return finish(*step, bound);
}

// The rows of each side in boxes of their own.
Plan::Rows Plan::concatenate(std::string_view name, Rows first, Rows second) {
    std::array<Step const*, 2> const from{find(name, first), find(name, second)};
    if (from[0] == nullptr || from[1] == nullptr) return {};
    auto const boxes_of = [](Step const& side) { return std::min(side.streams, max_parts / 2); };
    auto* const step = add_step<std::array<MapSpec, 2>>(name, boxes_of(*from[0]) + boxes_of(*from[1]));
    if (step == nullptr) return {};
    step->schema = &step->spec[0].result;
    if (__builtin_add_overflow(from[0]->max_rows, from[1]->max_rows, &step->max_rows)) step->max_rows = UINT64_MAX;
    auto const bound = bind_alike(step->spec, {from[0]->schema, from[1]->schema});
    std::size_t at = 0;
    for (std::size_t side = 0; side < from.size(); ++side) {
        std::size_t const boxes = boxes_of(*from[side]);
        MapSpec const* const spec = &step->spec[side];
        for (std::size_t box = 0; box < boxes; ++box)
            step->boxes[at + box] = model_.add<MapBox>(step->name.view(), spec);
        for (std::size_t part = 0; part < from[side]->streams; ++part)
            model_.connect(from[side]->boxes[part], step->boxes[at + part % boxes]);
        at += boxes;
    }
    return finish(*step, bound);
}

Plan::Rows Plan::join(std::string_view name, JoinKind kind, Rows table, Rows rows, std::span<JoinKey const> keys) {
    Step const* const from_table = find(name, table);
    Step const* const from = find(name, rows);
    if (from_table == nullptr || from == nullptr) return {};
    auto* const step = add_step<JoinSpec>(name, from->streams);
    if (step == nullptr) return {};
    JoinSpec const* const spec = &step->spec;
    step->schema = &spec->result();
    bool const has_pairs = kind == JoinKind::Inner || kind == JoinKind::Left;
    std::uint64_t const factor = has_pairs ? std::max<std::uint64_t>(from_table->max_rows, 1) : 1;
    if (__builtin_mul_overflow(from->max_rows, factor, &step->max_rows)) step->max_rows = UINT64_MAX;
    auto const bound = step->spec.bind(kind, keys, *from_table->schema, *from->schema);
    // As many shares as cores, a power of two.
    std::size_t const wanted = from_table->max_rows < options_.min_shared_rows ? 1 : options_.cores;
    auto const share_bits = std::min(static_cast<unsigned>(std::bit_width(wanted) - 1), JoinTableBox::max_share_bits);
    BoxId const all = model_.add<JoinTableBox>(step->name.view(), spec, share_bits);
    for (std::uint64_t share = 0; share < std::uint64_t{1} << share_bits; ++share) {
        BoxId const build = model_.add<BuildBox>(step->name.view(), spec, share, share_bits);
        connect_all(*from_table, build);
        model_.connect(build, all);
    }
    for (std::size_t part = 0; part < step->streams; ++part) {
        step->boxes[part] = model_.add<ProbeBox>(step->name.view(), spec);
        model_.connect(all, step->boxes[part], "table");
        model_.connect(from->boxes[part], step->boxes[part], "rows");
    }
    return finish(*step, bound);
}

Plan::Rows Plan::order_by(std::string_view name, Rows rows, std::span<OrderKey const> keys, std::uint64_t limit) {
    Step const* const from = find(name, rows);
    if (from == nullptr) return {};
    auto* const step = add_step<OrderSpec>(name, 1);
    if (step == nullptr) return {};
    OrderSpec const* const spec = &step->spec;
    step->schema = from->schema;
    step->spec.limit = limit;
    step->max_rows = std::min(from->max_rows, limit);
    auto const bound = step->spec.bind(keys, *from->schema);
    if (from->streams == 1) {
        add_boxes<OrderBox>(*from, *step);
        return finish(*step, bound);
    }
    step->boxes[0] = model_.add<MergeBox>(step->name.view(), spec);
    for (std::size_t part = 0; part < from->streams; ++part) {
        BoxId const ordered = model_.add<OrderBox>(step->name.view(), spec);
        model_.connect(from->boxes[part], ordered);
        model_.connect(ordered, step->boxes[0]);
    }
    return finish(*step, bound);
}

Plan::Rows Plan::limit(std::string_view name, Rows rows, std::uint64_t limit) {
    Step const* const from = find(name, rows);
    if (from == nullptr) return {};
    auto* const step = add_step<Nothing>(name, 1);
    if (step == nullptr) return {};
    step->schema = from->schema;
    step->max_rows = std::min(from->max_rows, limit);
    step->boxes[0] = model_.add<LimitBox>(step->name.view(), limit);
    connect_all(*from, step->boxes[0]);
    return finish(*step, {});
}

void Plan::answer(std::string_view name, Rows rows, Answer& answer) {
    Step const* const from = find(name, rows);
    if (from == nullptr) return;
    for (Step const* other = first_; other != nullptr; other = other->next)
        if (other->answer == &answer)
            return fail(name, Error::of("expected an answer of its own, got the one of box '{}'", other->name.view()));
    auto* const step = add_step<Nothing>(name, 0);
    if (step == nullptr) return;
    step->answer = &answer;
    answer.begin(*from->schema);
    connect_all(*from, model_.add<SinkBox>(step->name.view(), &answer));
}

Result<void> Plan::check() {
    if (error_) return *error_;
    return model_.check();
}

} // namespace mxk::query
