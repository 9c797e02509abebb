#include "tests/unit/sequential/optimised/growing_table.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace mxk::test {

GrowingTable::GrowingTable(TableKind const& kind, TableSize size, HashPrefix prefix, ChosenHash const& hash)
    : table(kind.create(size, hash, prefix))
    , has_values_(!kind.has_nodes)
    , prefix_(prefix) {}

GrowingTable::~GrowingTable() {
    for (auto const& [number, item] : model) table->destroy(item);
}

std::vector<std::uint64_t> GrowingTable::numbers(std::size_t count) const {
    std::vector<std::uint64_t> result;
    for (std::uint64_t number = 0; result.size() < count; ++number)
        if (prefix_.bits == 0 || table->hash(number) >> (64 - prefix_.bits) == prefix_.value) result.push_back(number);
    return result;
}

Insert GrowingTable::insert(std::uint64_t number) {
    std::uint64_t const item = table->make(number, random());
    Insert const result = table->insert(number, item);
    bool const was_there = model.contains(number);
    EXPECT_EQ(result == Insert::Present, was_there) << number;
    if (result == Insert::Inserted)
        model.emplace(number, item);
    else
        table->destroy(item);
    return result;
}

Insert GrowingTable::upsert(std::uint64_t number) {
    std::uint64_t const value = random();
    Insert const result = table->upsert(number, value);
    EXPECT_EQ(result == Insert::Present, model.contains(number)) << number;
    if (result != Insert::Full) model[number] = value;
    return result;
}

void GrowingTable::update(std::uint64_t number) {
    std::uint64_t const value = random();
    auto const expected = model.find(number);
    ASSERT_EQ(table->update(number, value), expected != model.end()) << number;
    if (expected != model.end()) expected->second = value;
}

void GrowingTable::modify(std::uint64_t number) {
    auto const before = table->modify(number, [](std::uint64_t value) { return ~value; });
    auto const expected = model.find(number);
    ASSERT_EQ(before.has_value(), expected != model.end()) << number;
    if (!before) return;
    ASSERT_EQ(*before, expected->second) << number;
    expected->second = ~expected->second;
}

void GrowingTable::erase(std::uint64_t number) {
    auto const expected = model.find(number);
    ASSERT_EQ(table->erase(number), expected != model.end()) << number;
    if (expected == model.end()) return;
    table->destroy(expected->second);
    model.erase(expected);
}

void GrowingTable::find(std::uint64_t number) const {
    auto const found = table->find(number);
    auto const expected = model.find(number);
    ASSERT_EQ(found.has_value(), expected != model.end()) << number;
    if (found) {
        ASSERT_EQ(*found, expected->second) << number;
    }
}

void GrowingTable::run(std::size_t operations, std::vector<std::uint64_t> const& numbers, OperationMix mix,
                       unsigned operations_per_work) {
    for (std::size_t i = 0; i < operations && !testing::Test::HasFailure(); ++i) {
        std::uint64_t const number = numbers[random() % numbers.size()];
        unsigned const kind = static_cast<unsigned>(random() % 100);
        if (kind < mix.inserts)
            ASSERT_NE(random() % 4 == 0 ? insert_or_upsert(number) : insert(number), Insert::Full);
        else if (kind < mix.inserts + mix.erases)
            erase(number);
        else
            find_or_overwrite(number);
        if (random() % operations_per_work == 0) table->work();
    }
}

void GrowingTable::finish_work() const {
    while (table->has_work()) table->work();
}

void GrowingTable::check_all() const {
    if (testing::Test::HasFailure()) return; // one is enough
    ASSERT_EQ(table->size(), model.size());
    for (auto const& [number, item] : model) ASSERT_EQ(table->find(number), item) << number;
    std::size_t visited = 0;
    bool all_expected = true;
    table->for_each([&](std::optional<std::uint64_t> number, std::uint64_t item) {
        ++visited;
        auto const expected = number ? model.find(*number) : model.end();
        all_expected = all_expected && expected != model.end() && expected->second == item;
    });
    ASSERT_EQ(visited, model.size());
    ASSERT_TRUE(all_expected);
    ASSERT_FALSE(table->has_key_0());
    ASSERT_FALSE(table->erase_key_0());
}

Insert GrowingTable::insert_or_upsert(std::uint64_t number) {
    return has_values_ ? upsert(number) : insert(number);
}

void GrowingTable::find_or_overwrite(std::uint64_t number) {
    if (has_values_) {
        unsigned const draw = static_cast<unsigned>(random() % 4);
        if (draw == 0) return update(number);
        if (draw == 1) return modify(number);
    }
    find(number);
}

} // namespace mxk::test
