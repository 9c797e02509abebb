// An input is: pairs and triples of bytes that add a box, connect two, or change the capacity, in any order; then the
// model is checked and, if it passes, a query of it runs.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tasks/dataflow/graph/parallel_sort_box.hpp"
#include "tasks/dataflow/graph/parallel_stage.hpp"
#include "tests/fuzz/targets/cores.hpp"
#include "tests/fuzz/targets/input.hpp"

namespace mxk::fuzz {
namespace {

using namespace dataflow;
using Names = std::string_view;

constexpr std::size_t max_boxes = 24;

// Envelopes of one number each. Of what type it says they are.
template <typename T> struct Numbers : Box {
    static constexpr std::array<Names, 0> inputs{};
    static constexpr bool has_output = true;
    Numbers(Query& query, CoreId core, std::uint64_t how_many)
        : Box(query, core)
        , end(how_many) {}
    static Result<ColumnTypes> columns(std::span<InputColumns const>, std::uint64_t) { return ColumnTypes::only<T>(); }
    Result<Step> produce(CoreScheduler&) override {
        if (next == end) return Step::Done;
        auto envelope = Envelope::create(1, next);
        auto column = Column::create_for<T>(1);
        if (!envelope || !column) return no_memory_for_envelopes();
        *column.template writable<T>() = static_cast<T>(end - next++);
        envelope->columns[0] = std::move(column);
        emit(std::move(envelope));
        return Step::More;
    }
    std::uint64_t end;
    std::uint64_t next = 0;
};

enum class Habit : std::uint8_t { PassesAll, Drops, Doubles, HasEnough, Fails };
// One input or as many as there are, read as they come.
template <bool has_many> struct Passes : Box {
    static constexpr std::array<Names, 1> inputs{"in"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = has_many;
    Passes(Query& query, CoreId core, Habit its_habit)
        : Box(query, core)
        , habit(its_habit) {}
    static Result<ColumnTypes> columns(std::span<InputColumns const> given, Habit) { return given[0].types; }
    Result<Step> receive(CoreScheduler&, std::size_t, EnvelopePointer envelope) override {
        ++received;
        if (habit == Habit::Fails && received == 3) return Error("the third is one too many");
        if (habit == Habit::Drops && received % 2 == 0) return Step::More;
        if (habit == Habit::Doubles) {
            auto copy = envelope->copy();
            if (!copy) return no_memory_for_envelopes();
            emit(std::move(copy));
        }
        emit(std::move(envelope));
        return habit == Habit::HasEnough && received == 2 ? Step::Done : Step::More;
    }
    Habit habit;
    std::uint64_t received = 0;
};

// Reads its inputs one after the other.
struct InOrder : Box {
    static constexpr std::array<Names, 2> inputs{"first", "second"};
    static constexpr bool has_output = true;
    static constexpr bool reads_in_order = true;
    using Box::Box;
    static Result<ColumnTypes> columns(std::span<InputColumns const> given) {
        MXK_TRY(given[1].expect(0, given[0].types.of[0]));
        return given[0].types;
    }
    [[nodiscard]] std::size_t wanted_input() const override { return is_first_over ? 1 : 0; }
    Result<void> note_end(CoreScheduler&, std::size_t input) override {
        is_first_over = is_first_over || input == 0;
        return {};
    }
    Result<Step> receive(CoreScheduler&, std::size_t, EnvelopePointer envelope) override {
        emit(std::move(envelope));
        return Step::More;
    }
    bool is_first_over = false;
};

struct End : Box {
    static constexpr std::array<Names, 1> inputs{"rows"};
    static constexpr bool has_output = false;
    static constexpr bool has_many_inputs = true;
    using Box::Box;
    Result<Step> receive(CoreScheduler&, std::size_t, EnvelopePointer) override { return Step::More; }
};

Model::BoxId add_box(Model& model, std::uint8_t kind, std::uint8_t detail) {
    static constexpr std::array<Names, 4> names{"box", "other", "", "a box with a name that is longer than others"};
    Names const name = names[detail % names.size()];
    auto const habit = static_cast<Habit>(detail % 5);
    std::uint32_t const rows = detail % 5;
    switch (kind % 12) {
    case 0:
    case 1: return model.add<Numbers<std::uint64_t>>(name, std::uint64_t{detail} % 90);
    case 2: return model.add<Numbers<std::uint32_t>>(name, std::uint64_t{detail} % 90);
    case 3: return model.add<Passes<false>>(name, habit);
    case 4: return model.add<Passes<true>>(name, habit);
    case 5: return model.add<InOrder>(name);
    case 6: return model.add<Distribute>(name);
    case 7: return model.add<Gather>(name);
    case 8: return model.add<SortBox>(name, rows);
    case 9: return model.add<ParallelSortBox>(name, rows, std::uint32_t{detail} % 7);
    case 10: return model.add<CollectingSortBox>(name, rows);
    default: return model.add<End>(name);
    }
}

void make_model(Input& rest, Model& model) {
    static constexpr std::array<Names, 8> inputs{"", "in", "rows", "first", "second", "third", "IN", "\xff"};
    std::vector<Model::BoxId> boxes;
    auto const byte = [&] { return rest.take<std::uint8_t>(); };
    // Seldom one that is none.
    auto const one_of = [&](std::uint8_t at) {
        if (at == UINT8_MAX || boxes.empty()) return Model::BoxId{.number = at};
        return boxes[at % boxes.size()];
    };
    while (!rest.empty()) {
        std::uint8_t const wanted = byte();
        if (wanted == UINT8_MAX) {
            model.set_capacity(byte());
        } else if (wanted < 80 && boxes.size() < max_boxes) {
            boxes.push_back(add_box(model, wanted, byte()));
        } else {
            std::uint8_t const input = byte();
            auto const from = one_of(byte());
            // Of one input, whatever it is called; so that not nearly all are wrong.
            model.connect(from, one_of(byte()), wanted < 160 ? Names{} : inputs[input % inputs.size()]);
        }
    }
}

} // namespace

void models(InputBytes bytes) {
    with_cores([&] {
        Input rest(bytes);
        std::size_t const limit = rest.take<std::uint8_t>();
        Model model;
        make_model(rest, model);
        auto const checked = model.check();
        EXPECT_EQ(model.check().ok(), checked.ok());
        auto const result =
            run_query(model, {.looks = limit % 8 == 0 ? limit : 0, .pieces = limit % 8 == 2 ? limit : SIZE_MAX});
        if (!checked.ok()) {
            EXPECT_EQ(result.error().message(), checked.error().message());
            if (checked.error().message() != "connect: expected two boxes of this model")
                expect_complaint(checked.error().message());
        } else if (!result.ok()) {
            expect_complaint(result.error().message());
        }
    });
}

} // namespace mxk::fuzz
