// Merges the rows of several inputs, each of which comes in ascending order of a key, into one such order: what sorted
// parts of a table, or branches that sort, are put together with. Equal keys keep the order of the inputs, and within
// an input the one in which they come.
//
//     in:   rows, rows, ...         out:  columns 0 and on: the columns that are kept, copied
//
// It reads the input that it needs next and no other. So two inputs may not be fed by one box, unless all that lies
// between collects, as boxes that sort do; the model's check says so (model.hpp). An input that is not in order is an
// error of the query.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "kernel/memory/node_vector.hpp"
#include "query/operators/columns_of.hpp"
#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/envelope_size.hpp"
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::query {

// Keys, Key: std::uint64_t of the values of some columns. Ts: of the columns that are kept.
template <typename Keys, typename Key, typename... Ts> class Merge : public dataflow::Box {
    using Row = dataflow::Envelope::Row;

  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;
    static constexpr bool reads_in_order = true;
    static Result<dataflow::ColumnTypes> columns(std::span<dataflow::InputColumns const> given, std::uint32_t /*rows*/,
                                                 Keys keys, Key const& /*key*/, ColumnsOf<Ts...> kept) {
        for (dataflow::InputColumns const& input : given) {
            MXK_TRY(keys.check(input));
            MXK_TRY(kept.check(input));
        }
        return dataflow::ColumnTypes::only<Ts...>();
    }

    // `rows`: of an envelope that it gives, but for the last one; 0: the recommended number.
    Merge(dataflow::Query& query, CoreId core, std::uint32_t rows, Keys keys, Key key, ColumnsOf<Ts...> kept)
        : Box(query, core)
        , rows_(dataflow::rows_or_recommended(rows, (sizeof(Ts) + ... + 0)))
        , keys_(keys)
        , key_(key)
        , kept_(kept) {}

  protected:
    // The first one that has to be read before another row can be given; any, if there is none.
    [[nodiscard]] std::size_t wanted_input() const override {
        if (heads_.size() == 0) return 0;
        for (std::size_t input = 0; input < Box::inputs().size(); ++input)
            if (heads_[input].is_missing()) return input;
        return any;
    }

    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override {
        if (envelope->selected == 0) return dataflow::Step::More;
        MXK_TRY(make_heads());
        MXK_TRY(heads_[input].read(std::move(envelope), input, keys_, key_));
        MXK_TRY(merge());
        return dataflow::Step::More;
    }
    Result<void> note_end(dataflow::CoreScheduler& /*here*/, std::size_t input) override {
        MXK_TRY(make_heads());
        heads_[input].is_over = true;
        return merge();
    }
    Result<dataflow::Step> finish(dataflow::CoreScheduler& /*here*/) override {
        give();
        return dataflow::Step::Done;
    }

  private:
    // What has come from an input and was not given yet.
    struct Head {
        dataflow::EnvelopePointer envelope; // none: another one is to be read, or it is over
        dataflow::Column keys;              // of the rows that are meant
        Row at = 0;                         // of these
        std::optional<std::uint64_t> last;  // key of the envelopes before
        bool is_over = false;

        [[nodiscard]] bool is_missing() const { return !envelope && !is_over; }
        [[nodiscard]] std::uint64_t key_at(Row place) const { return keys.values<std::uint64_t>()[place]; }
        [[nodiscard]] std::uint64_t key() const { return key_at(at); }
        [[nodiscard]] Row row(Row place) const {
            return envelope->selection ? envelope->selection.template values<Row>()[place] : place;
        }
        Result<void> read(dataflow::EnvelopePointer next, std::size_t input, Keys const& of_keys, Key const& key) {
            keys = dataflow::Column::create_for<std::uint64_t>(next->selected);
            if (!keys) return dataflow::no_memory_for_envelopes();
            auto* out = keys.template writable<std::uint64_t>();
            of_keys.with_values(*next, [&](auto const*... values) {
                next->for_each_row([&]([[maybe_unused]] Row row) { *out++ = key(values[row]...); });
            });
            std::span const all(keys.template values<std::uint64_t>(), next->selected);
            if (!std::ranges::is_sorted(all) || (last && *last > all.front()))
                return Error::of("expected rows in ascending order at input {} of a merge, got others", input);
            last = all.back();
            envelope = std::move(next);
            at = 0;
            return {};
        }
    };

    Result<void> make_heads() {
        if (heads_.size() != 0) return {};
        heads_ = MXK_TRY(NodeVector<Head>::create(Box::inputs().size(), Worker::current().node()));
        while (heads_.size() < Box::inputs().size()) heads_.emplace();
        return {};
    }

    // Gives rows as long as it is known of each input which one is its next.
    Result<void> merge() {
        while (wanted_input() == any) {
            std::size_t const first = next_input(SIZE_MAX);
            if (first == SIZE_MAX) return {};
            Head& head = heads_[first];
            std::size_t const second = next_input(first);
            Row const to =
                second == SIZE_MAX ? head.envelope->selected : end_before(head, heads_[second].key(), first < second);
            MXK_TRY(take(head, to));
            if (head.at == head.envelope->selected) head.envelope = {};
        }
        return {};
    }
    // Which has the smallest key, `without` one; the first one of these. SIZE_MAX: none.
    [[nodiscard]] std::size_t next_input(std::size_t without) const {
        std::size_t best = SIZE_MAX;
        for (std::size_t input = 0; input < Box::inputs().size(); ++input) {
            if (input == without || !heads_[input].envelope) continue;
            if (best == SIZE_MAX || heads_[input].key() < heads_[best].key()) best = input;
        }
        return best;
    }
    // How far its rows come before one of that key: at the next row, or behind. In steps that double, so that inputs
    // that alternate cost no more than a comparison, and long stretches few.
    static Row end_before(Head const& head, std::uint64_t key, bool also_equal) {
        auto const is_before = [&](std::uint64_t own) { return also_equal ? own <= key : own < key; };
        Row const rows = head.envelope->selected;
        Row low = head.at; // is before it
        Row step = 1;
        while (low + step < rows && is_before(head.key_at(low + step))) {
            low += step;
            step += step;
        }
        Row high = std::min(low + step, rows); // is not, or the end
        ++low;
        while (low < high) {
            Row const middle = low + (high - low) / 2;
            if (is_before(head.key_at(middle)))
                low = middle + 1;
            else
                high = middle;
        }
        return high;
    }

    Result<void> take(Head& head, Row to) {
        while (head.at < to) {
            if (!out_) MXK_TRY(begin_envelope());
            Row const count = std::min(to - head.at, rows_ - filled_);
            copy(head, count, std::index_sequence_for<Ts...>{});
            head.at += count;
            filled_ += count;
            if (filled_ == rows_) give();
        }
        return {};
    }
    template <std::size_t... places> void copy(Head const& head, Row count, std::index_sequence<places...>) {
        (copy_column<Ts>(head, count, kept_.numbers[places], places), ...);
    }
    template <typename T> void copy_column(Head const& head, Row count, std::size_t from, std::size_t to) {
        T const* const values = head.envelope->template values<T>(from);
        T* const out = out_->columns[to].template writable<T>() + filled_;
        for (Row i = 0; i < count; ++i) out[i] = values[head.row(head.at + i)];
    }
    Result<void> begin_envelope() {
        auto made = dataflow::Envelope::create(rows_, sequence_++);
        if (!made) return dataflow::no_memory_for_envelopes();
        std::size_t column = 0;
        ((made->columns[column++] = dataflow::Column::create_for<Ts>(rows_)), ...);
        for (std::size_t i = 0; i < sizeof...(Ts); ++i)
            if (!made->columns[i]) return dataflow::no_memory_for_envelopes();
        out_ = std::move(made);
        filled_ = 0;
        return {};
    }
    void give() {
        if (!out_) return;
        out_->rows = out_->selected = filled_;
        emit(std::exchange(out_, {}));
    }

    Row rows_;
    Keys keys_;
    Key key_;
    ColumnsOf<Ts...> kept_;
    NodeVector<Head> heads_;        // of each input, once one has come
    dataflow::EnvelopePointer out_; // being filled
    Row filled_ = 0;
    std::uint64_t sequence_ = 0;
};

// See Merge.
template <typename Keys, typename Key, typename... Ts>
dataflow::Model::BoxId add_merge(dataflow::Model& model, std::string_view name, std::uint32_t rows, Keys keys, Key key,
                                 ColumnsOf<Ts...> kept) {
    return model.add<Merge<Keys, Key, Ts...>>(name, rows, keys, key, kept);
}

} // namespace mxk::query
