// Hash join: one side builds a table from keys to 64 bits of payload, the other side's rows look their keys up in it.
// The table is an own table of MXK and finished before the first look-up, so that any number of probing boxes, on any
// cores, may read it.
//
//     rows -> Build -> table -> Probe, Probe, ...        Probe: inputs "table", which it waits for, and "rows"
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "query/operators/columns_of.hpp"
#include "query/operators/key_table.hpp"
#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::query {

// Key, Payload: std::uint64_t of the values of some columns. Of rows with the same key the first one counts: the key is
// to be unique, as a primary key is; an error says which is not.
template <typename Keys, typename Key, typename Payloads, typename Payload> class Build : public dataflow::Box {
  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;
    static constexpr bool collects = true;
    static Result<dataflow::ColumnTypes> columns(std::span<dataflow::InputColumns const> given,
                                                 std::size_t /*expected_rows*/, Keys keys, Key const& /*key*/,
                                                 Payloads payloads, Payload const& /*payload*/) {
        for (dataflow::InputColumns const& input : given) {
            MXK_TRY(keys.check(input));
            MXK_TRY(payloads.check(input));
        }
        return dataflow::ColumnTypes::only<KeyTable>();
    }

    // `expected_rows`: what the table begins with; it grows.
    Build(dataflow::Query& query, CoreId core, std::size_t expected_rows, Keys keys, Key key, Payloads payloads,
          Payload payload)
        : Box(query, core)
        , expected_rows_(expected_rows)
        , keys_(keys)
        , key_(key)
        , payloads_(payloads)
        , payload_(payload) {}

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                   dataflow::EnvelopePointer envelope) override {
        MXK_TRY(make_table());
        std::optional<std::uint64_t> twice;
        bool is_full = false;
        keys_.with_values(*envelope, [&](auto const*... keys) {
            payloads_.with_values(*envelope, [&](auto const*... payloads) {
                envelope->for_each_row([&]([[maybe_unused]] auto row) {
                    std::uint64_t const key = key_(keys[row]...);
                    Insert const result = table_->insert(key, payload_(payloads[row]...));
                    if (result == Insert::Inserted) [[likely]]
                        return;
                    is_full = is_full || result == Insert::Full;
                    if (result == Insert::Present) twice = key;
                });
            });
        });
        while (table_->has_work()) table_->work();
        if (is_full) return Error("out of memory: the table of a join does not fit");
        if (!twice) return dataflow::Step::More;
        auto const as_signed = static_cast<std::int64_t>(*twice);
        if (as_signed < 0)
            return Error::of("expected unique keys to build a join from, got {} ({} if signed) twice", *twice,
                             as_signed);
        return Error::of("expected unique keys to build a join from, got {} twice", *twice);
    }
    Result<dataflow::Step> finish(dataflow::CoreScheduler& /*here*/) override {
        MXK_TRY(make_table());
        auto envelope = dataflow::Envelope::create(1, 0);
        if (!envelope) return dataflow::no_memory_for_envelopes();
        envelope->columns[0] = dataflow::Column::view(&*table_); // lives as long as the box, which is the query's
        emit(std::move(envelope));
        return dataflow::Step::Done;
    }

  private:
    Result<void> make_table() {
        if (table_) return {};
        table_.emplace(MXK_TRY(KeyTable::create(expected_rows_, Worker::current().node())));
        return {};
    }

    std::size_t expected_rows_;
    Keys keys_;
    Key key_;
    Payloads payloads_;
    Payload payload_;
    std::optional<KeyTable> table_;
};

template <typename Keys, typename Key, typename Payloads, typename Payload>
dataflow::Model::BoxId add_build(dataflow::Model& model, std::string_view name, std::size_t expected_rows, Keys keys,
                                 Key key, Payloads payloads, Payload payload) {
    return model.add<Build<Keys, Key, Payloads, Payload>>(name, expected_rows, keys, key, payloads, payload);
}

// Keeps the rows whose key is in the table, and adds the payload as a column of std::uint64_t.
template <typename Keys, typename Key> class Probe : public dataflow::Box {
    using Row = dataflow::Envelope::Row;
    static constexpr std::size_t from_table = 0;

  public:
    static constexpr std::array<std::string_view, 2> inputs{"table", "rows"};
    static constexpr bool has_output = true;
    static constexpr bool reads_in_order = true;
    static Result<dataflow::ColumnTypes> columns(std::span<dataflow::InputColumns const> given, std::size_t to,
                                                 Keys keys, Key const& /*key*/) {
        MXK_TRY(given[from_table].expect(0, dataflow::column_type_of<KeyTable>()));
        MXK_TRY(keys.check(given[1]));
        return given[1].with(to, dataflow::column_type_of<std::uint64_t>());
    }

    // `to`: the payload's column.
    Probe(dataflow::Query& query, CoreId core, std::size_t to, Keys keys, Key key)
        : Box(query, core)
        , to_(to)
        , keys_(keys)
        , key_(key) {}

  protected:
    [[nodiscard]] std::size_t wanted_input() const override { return table_ == nullptr ? from_table : 1; }

    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t input,
                                   dataflow::EnvelopePointer envelope) override {
        if (input == from_table) {
            table_ = envelope->values<KeyTable>(0);
            return dataflow::Step::More;
        }
        Row const rows = envelope->selected;
        auto keys = dataflow::Column::create_for<std::uint64_t>(rows);
        auto runs = dataflow::Column::create_for<Row>(rows);
        auto found = dataflow::Column::create_for<std::uint64_t const*>(rows);
        auto chosen = dataflow::Column::create_for<Row>(rows);
        auto payload = dataflow::Column::create_for<std::uint64_t>(envelope->rows);
        if (!keys || !runs || !found || !chosen || !payload) return dataflow::no_memory_for_envelopes();
        Row const distinct =
            find_runs(*envelope, keys.template writable<std::uint64_t>(), runs.template writable<Row>());
        auto* const values = found.template writable<std::uint64_t const*>();
        look_up({keys.template values<std::uint64_t>(), distinct}, values);
        Row const count = choose(*envelope, runs.template values<Row>(), values, chosen.template writable<Row>(),
                                 payload.template writable<std::uint64_t>());
        if (count == 0) return dataflow::Step::More;
        envelope->selection = std::move(chosen);
        envelope->selected = count;
        envelope->columns[to_] = std::move(payload);
        emit(std::move(envelope));
        return dataflow::Step::More;
    }

    Result<void> note_end(dataflow::CoreScheduler& /*here*/, std::size_t input) override {
        if (input == from_table && table_ == nullptr) return Error("expected a table at input 'table', got none");
        return {};
    }

  private:
    static constexpr std::size_t batch = 32; // look-ups whose places in the table are asked for together

    // Rows with one key often stand side by side, such as those of one order: each such run is looked up once. `runs`:
    // for each row the number of its run, of which there are so many as this gives.
    Row find_runs(dataflow::Envelope const& envelope, std::uint64_t* keys, Row* runs) const {
        return keys_.with_values(envelope, [&](auto const*... values) {
            Row at = 0;
            Row distinct = 0;
            envelope.for_each_row([&](Row row) {
                std::uint64_t const key = key_(values[row]...);
                keys[distinct] = key; // no branch: where runs end cannot be predicted
                distinct += distinct == 0 || keys[distinct - 1] != key ? 1U : 0U;
                runs[at++] = distinct - 1;
            });
            return distinct;
        });
    }
    void look_up(std::span<std::uint64_t const> keys, std::uint64_t const** found) const {
        std::array<KeyTable::Position, batch> places;
        for (std::size_t first = 0; first < keys.size(); first += batch) {
            std::size_t const count = std::min(batch, keys.size() - first);
            for (std::size_t i = 0; i < count; ++i) {
                places[i] = table_->position(keys[first + i]);
                KeyTable::prefetch(places[i]);
            }
            for (std::size_t i = 0; i < count; ++i) found[first + i] = table_->find(keys[first + i], places[i]);
        }
    }
    static Row choose(dataflow::Envelope const& envelope, Row const* runs, std::uint64_t const* const* found,
                      Row* chosen, std::uint64_t* payload) {
        Row at = 0;
        Row kept = 0;
        envelope.for_each_row([&](Row row) {
            std::uint64_t const* const value = found[runs[at++]];
            if (value == nullptr) return;
            chosen[kept++] = row;
            payload[row] = *value;
        });
        return kept;
    }

    std::size_t to_;
    Keys keys_;
    Key key_;
    KeyTable const* table_ = nullptr;
};

template <typename Keys, typename Key>
dataflow::Model::BoxId add_probe(dataflow::Model& model, std::string_view name, std::size_t to, Keys keys, Key key) {
    return model.add<Probe<Keys, Key>>(name, to, keys, key);
}

} // namespace mxk::query
