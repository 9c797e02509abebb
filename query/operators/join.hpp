// Hash join: one side builds a table from keys to 64 bits of payload, the other side's rows look their keys up in it.
// The table is an own table of MXK and finished before the first look-up, so that any number of probing boxes, on any
// cores, may read it.
//
//     rows -> Build -> table -> Probe, Probe, ...        Probe: inputs "table", which it waits for, and "rows"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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
                    Insert const result = table_->insert(table_key(key), payload_(payloads[row]...));
                    if (result == Insert::Inserted) [[likely]]
                        return;
                    is_full = is_full || result == Insert::Full;
                    if (result == Insert::Present) twice = key;
                });
            });
        });
        while (table_->has_work()) table_->work();
        if (is_full) return Error("out of memory: the table of a join does not fit");
        if (twice) return Error::of("expected unique keys to build a join from, got {} twice", *twice);
        return dataflow::Step::More;
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
        table_.emplace(MXK_TRY(KeyTable::create({.slots = expected_rows_}, Worker::current().node(), MixedHash{})));
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
        auto keys = dataflow::Column::create_for<std::uint64_t>(envelope->selected);
        auto chosen = dataflow::Column::create_for<Row>(envelope->selected);
        auto payload = dataflow::Column::create_for<std::uint64_t>(envelope->rows);
        if (!keys || !chosen || !payload) return dataflow::no_memory_for_envelopes();
        Row const count = look_up(*envelope, keys.template writable<std::uint64_t>(), chosen.template writable<Row>(),
                                  payload.template writable<std::uint64_t>());
        if (count == 0) return dataflow::Step::More;
        envelope->selection = std::move(chosen);
        envelope->selected = count;
        envelope->columns[to_] = std::move(payload);
        emit(std::move(envelope));
        return dataflow::Step::More;
    }

  private:
    static constexpr Row ahead = 16; // rows, whose places in the table are asked for

    // In batches: all keys first, then each look-up with the place of a later one on its way.
    Row look_up(dataflow::Envelope const& envelope, std::uint64_t* keys, Row* chosen, std::uint64_t* payload) const {
        keys_.with_values(envelope, [&](auto const*... values) {
            Row at = 0;
            envelope.for_each_row([&](Row row) { keys[at++] = table_key(key_(values[row]...)); });
        });
        Row const rows = envelope.selected;
        Row at = 0;
        Row kept = 0;
        for (Row early = 0; early < ahead && early < rows; ++early) table_->prefetch(keys[early]);
        envelope.for_each_row([&](Row row) {
            if (at + ahead < rows) table_->prefetch(keys[at + ahead]);
            std::uint64_t const* const found = table_->find(keys[at++]);
            if (found == nullptr) return;
            chosen[kept++] = row;
            payload[row] = *found;
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
