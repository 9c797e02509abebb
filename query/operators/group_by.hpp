// Groups rows by a key of 64 bits, and sums columns, or what a function makes of them, in each group: in an own table
// of MXK from keys to groups. Several may group parts of the rows, and one more what they give: it groups partial sums
// as it groups values.
//
//     in:   rows                    out:  column 0: key (u64), 1: rows of the group (i64), 2 and on: sums (Sum)
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "query/operators/columns_of.hpp"
#include "query/operators/key_table.hpp"
#include "query/operators/sum.hpp"
#include "tasks/dataflow/graph/box.hpp"
#include "tasks/dataflow/graph/column_types.hpp"
#include "tasks/dataflow/graph/growing_array.hpp"
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::query {

// What a group by takes of its input: `Key` gives std::uint64_t of the values of some columns, `Count` what a row
// counts (std::int64_t), `Terms` what it adds to each sum (a std::tuple of numbers), of columns of types Ts.
template <typename Keys, typename Key, typename Counts, typename Count, typename Terms, typename... Ts>
class GroupBy : public dataflow::Box {
    static constexpr std::size_t sums = std::tuple_size_v<std::invoke_result_t<Terms, Ts const&...>>;
    static_assert(2 + sums <= dataflow::Envelope::max_columns);
    struct Group {
        std::uint64_t key;
        std::int64_t count;
        std::array<Sum, sums> sum;
    };

  public:
    static constexpr std::array<std::string_view, 1> inputs{"rows"};
    static constexpr bool has_output = true;
    static constexpr bool has_many_inputs = true;
    static constexpr bool collects = true;
    static Result<dataflow::ColumnTypes> columns(std::span<dataflow::InputColumns const> given, Keys keys,
                                                 Key const& /*key*/, Counts counts, Count const& /*count*/,
                                                 ColumnsOf<Ts...> summed, Terms const& /*terms*/) {
        for (dataflow::InputColumns const& input : given) {
            MXK_TRY(keys.check(input));
            MXK_TRY(counts.check(input));
            MXK_TRY(summed.check(input));
        }
        auto result = dataflow::ColumnTypes::only<std::uint64_t, std::int64_t>();
        for (std::size_t sum = 0; sum < sums; ++sum) result.of[2 + sum] = dataflow::column_type_of<Sum>();
        return result;
    }

    GroupBy(dataflow::Query& query, CoreId core, Keys keys, Key key, Counts counts, Count count,
            ColumnsOf<Ts...> summed, Terms terms)
        : Box(query, core)
        , keys_(keys)
        , key_(key)
        , counts_(counts)
        , count_(count)
        , summed_(summed)
        , terms_(terms) {}

  protected:
    Result<dataflow::Step> receive(dataflow::CoreScheduler& /*here*/, std::size_t /*input*/,
                                   dataflow::EnvelopePointer envelope) override {
        std::uint32_t const rows = envelope->selected;
        auto group_of_row = dataflow::Column::create_for<std::uint32_t>(rows);
        if (!group_of_row) return dataflow::no_memory_for_envelopes();
        auto* const group = group_of_row.template writable<std::uint32_t>();
        MXK_TRY(find_groups(*envelope, group));
        counts_.with_values(*envelope, [&](auto const*... values) {
            std::uint32_t at = 0;
            envelope->for_each_row(
                [&]([[maybe_unused]] auto row) { groups_[group[at++]].count += count_(values[row]...); });
        });
        summed_.with_values(*envelope, [&](auto const*... values) {
            std::uint32_t at = 0;
            envelope->for_each_row([&]([[maybe_unused]] auto row) {
                add(groups_[group[at++]].sum, terms_(values[row]...), std::make_index_sequence<sums>{});
            });
        });
        return dataflow::Step::More;
    }

    Result<dataflow::Step> finish(dataflow::CoreScheduler& /*here*/) override {
        std::size_t const rows = std::min<std::size_t>(groups_.size() - emitted_, rows_per_envelope);
        if (rows == 0) return dataflow::Step::Done;
        auto envelope = dataflow::Envelope::create(static_cast<std::uint32_t>(rows), emitted_);
        if (!envelope) return dataflow::no_memory_for_envelopes();
        auto keys = dataflow::Column::create_for<std::uint64_t>(rows);
        auto counts = dataflow::Column::create_for<std::int64_t>(rows);
        if (!keys || !counts) return dataflow::no_memory_for_envelopes();
        for (std::size_t row = 0; row < rows; ++row) {
            keys.template writable<std::uint64_t>()[row] = groups_[emitted_ + row].key;
            counts.template writable<std::int64_t>()[row] = groups_[emitted_ + row].count;
        }
        envelope->columns[0] = std::move(keys);
        envelope->columns[1] = std::move(counts);
        for (std::size_t sum = 0; sum < sums; ++sum) {
            auto column = dataflow::Column::create_for<Sum>(rows);
            if (!column) return dataflow::no_memory_for_envelopes();
            for (std::size_t row = 0; row < rows; ++row)
                column.template writable<Sum>()[row] = groups_[emitted_ + row].sum[sum];
            envelope->columns[2 + sum] = std::move(column);
        }
        emitted_ += rows;
        emit(std::move(envelope));
        return emitted_ == groups_.size() ? dataflow::Step::Done : dataflow::Step::More;
    }

    // The groups, then the table, which is built anew: if that takes no longer than some envelopes.
    dataflow::Step follow(NodeId node) override {
        if (groups_.size() != 0 && !groups_.lies_on(node))
            return groups_.copy_to(node) ? dataflow::Step::More : dataflow::Step::Done;
        if (table_ && table_node_ != node && groups_.size() <= max_rebuilt) rebuild_table(node);
        return dataflow::Step::Done;
    }

  private:
    static constexpr std::uint32_t rows_per_envelope = 2048;
    static constexpr std::size_t max_rebuilt = 65'536; // groups
    static constexpr std::size_t first_slots = 1024;   // of the table, which grows

    template <typename Tuple, std::size_t... places>
    [[gnu::always_inline]] static void add(std::array<Sum, sums>& sum, Tuple const& terms,
                                           std::index_sequence<places...>) {
        ((sum[places] += std::get<places>(terms)), ...);
    }

    // The group of each row. A row with the key of the one before, which is frequent in sorted data, needs no search.
    Result<void> find_groups(dataflow::Envelope const& envelope, std::uint32_t* group) {
        if (!table_) {
            table_node_ = Worker::current().node();
            table_.emplace(MXK_TRY(KeyTable::create(first_slots, table_node_)));
        }
        bool is_full = false;
        keys_.with_values(envelope, [&](auto const*... values) {
            std::uint32_t at = 0;
            std::uint64_t last_key = 0;
            std::uint32_t last_group = UINT32_MAX;
            envelope.for_each_row([&]([[maybe_unused]] auto row) {
                std::uint64_t const key = key_(values[row]...);
                if (last_group == UINT32_MAX || key != last_key) {
                    last_key = key;
                    last_group = group_of(key);
                    is_full = is_full || last_group == UINT32_MAX;
                }
                group[at++] = last_group;
            });
        });
        if (is_full) return Error::of("out of memory: no room for more than {} groups", groups_.size());
        return {};
    }
    std::uint32_t group_of(std::uint64_t key) {
        if (groups_.size() <= few) {
            for (std::uint32_t at = 0; at < groups_.size(); ++at)
                if (groups_[at].key == key) return at;
        } else if (std::uint64_t const* const found = table_->find(key); found != nullptr) {
            return static_cast<std::uint32_t>(*found);
        }
        auto const number = static_cast<std::uint32_t>(groups_.size());
        if (!groups_.add({.key = key, .count = 0, .sum = {}})) return UINT32_MAX;
        if (table_->insert(key, number) == Insert::Full) return UINT32_MAX;
        if (table_->has_work()) table_->work();
        return number;
    }

    // Without memory it stays where it is.
    void rebuild_table(NodeId node) {
        auto rebuilt = KeyTable::create(std::max(first_slots, groups_.size()), node);
        if (!rebuilt) return;
        for (std::size_t number = 0; number < groups_.size(); ++number) {
            if (rebuilt.value().insert(groups_[number].key, number) == Insert::Full) return;
            while (rebuilt.value().has_work()) rebuilt.value().work();
        }
        table_.emplace(std::move(rebuilt).value());
        table_node_ = node;
    }

    static constexpr std::size_t few = 4; // up to so many groups are compared one by one
    Keys keys_;
    Key key_;
    Counts counts_;
    Count count_;
    ColumnsOf<Ts...> summed_;
    Terms terms_;
    std::optional<KeyTable> table_;
    NodeId table_node_{};
    dataflow::GrowingArray<Group> groups_;
    std::size_t emitted_ = 0;
};

// See GroupBy.
template <typename Keys, typename Key, typename Counts, typename Count, typename Terms, typename... Ts>
dataflow::Model::BoxId add_group_by(dataflow::Model& model, std::string_view name, Keys keys, Key key, Counts counts,
                                    Count count, ColumnsOf<Ts...> summed, Terms terms) {
    return model.add<GroupBy<Keys, Key, Counts, Count, Terms, Ts...>>(name, keys, key, counts, count, summed, terms);
}
// The sums of columns themselves.
template <typename Keys, typename Key, typename Counts, typename Count, typename... Ts>
dataflow::Model::BoxId add_group_by(dataflow::Model& model, std::string_view name, Keys keys, Key key, Counts counts,
                                    Count count, ColumnsOf<Ts...> summed) {
    return add_group_by(model, name, keys, key, counts, count, summed,
                        [](Ts const&... values) { return std::tuple(values...); });
}

} // namespace mxk::query
