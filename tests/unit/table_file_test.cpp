// Tables in files: all kinds of keys and values come back, and what is not whole or of another kind is refused.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "main/library/table_file.hpp"
#include "tests/unit/bulk_table_model.hpp"

namespace mxk {
namespace {

using namespace test;
namespace fs = std::filesystem;

class TableFileTest : public testing::Test {
  protected:
    TableFileTest() {
        std::array<char, 32> name{"/tmp/mxk-table-XXXXXX"};
        folder = ::mkdtemp(name.data());
        path = folder / "a.table";
    }
    ~TableFileTest() override { fs::remove_all(folder); }

    static Result<Runtime> start(std::size_t bytes = 256 * MiB) {
        return Runtime::start({.cores = 2, .nodes = 2, .memory_bytes = bytes, .own_threads = true});
    }
    template <typename Key, typename Value> static std::map<Key, Value> pairs_of(Table<Key, Value> const& table) {
        std::map<Key, Value> all;
        table.for_each([&](auto const& key, Value const& value) { all.emplace(Key(key), value); });
        return all;
    }
    template <typename Key, typename Value> void expect_back(std::size_t count) {
        auto runtime = start();
        ASSERT_TRUE(runtime.ok());
        auto table = Table<Key, Value>::create();
        ASSERT_TRUE(table.ok());
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_TRUE(table.value().upsert(made_of<Key>(i), made_of<Value>(7 * i)).ok());
        auto const saved = save(table.value(), path);
        ASSERT_TRUE(saved.ok()) << saved.error().message();
        EXPECT_EQ(saved.value(), table.value().size());
        auto const loaded = load<Key, Value>(path);
        ASSERT_TRUE(loaded.ok()) << loaded.error().message();
        EXPECT_TRUE(pairs_of(loaded.value()) == pairs_of(table.value()));
        EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "something is left beside it";
    }
    // The message of a file of numbers that is refused.
    template <typename Key = std::uint64_t, typename Value = std::uint64_t> [[nodiscard]] std::string refused() const {
        auto const loaded = load<Key, Value>(path);
        EXPECT_FALSE(loaded.ok());
        return loaded.ok() ? "" : std::string(loaded.error().message());
    }
    [[nodiscard]] std::string content() const {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void put(std::string const& text) const { std::ofstream(path, std::ios::binary) << text; }

    fs::path folder;
    fs::path path;
};

TEST_F(TableFileTest, all_kinds_come_back) {
    expect_back<std::uint64_t, std::uint64_t>(100'000);
    expect_back<std::uint64_t, std::uint64_t>(0);
    expect_back<std::uint16_t, std::uint8_t>(1);
    expect_back<WideKey, std::uint32_t>(3000);
    expect_back<std::int64_t, WideValue>(3000);
    expect_back<std::string, std::uint64_t>(2000);
    expect_back<std::string, WideValue>(70'000); // several pieces
}

TEST_F(TableFileTest, a_set_comes_back) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto set = Set<std::string>::create();
    ASSERT_TRUE(set.ok());
    for (std::size_t i = 0; i < 5'000; ++i) ASSERT_TRUE(set.value().insert(made_of<std::string>(i)).ok());
    ASSERT_EQ(save(set.value(), path).value(), set.value().size());
    auto const loaded = load_set<std::string>(path);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    EXPECT_EQ(loaded.value().size(), set.value().size());
    set.value().for_each([&](std::string_view key) { EXPECT_TRUE(loaded.value().contains(key)); });
    auto const refused = load<std::string, std::uint64_t>(path);
    EXPECT_EQ(refused.error().message(),
              path.string() + ": expected keys of text and values of u64, got text and nothing");
}

// Into a table with a limit: as many as may be there.
TEST_F(TableFileTest, some_come_back_into_a_cache) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto table = Table<std::uint64_t, std::uint64_t>::create();
    ASSERT_TRUE(table.ok());
    for (std::uint64_t i = 0; i < 100'000; ++i) ASSERT_TRUE(table.value().insert(i, i).ok());
    ASSERT_TRUE(save(table.value(), path).ok());
    auto const loaded = load<std::uint64_t, std::uint64_t>(path, {.max_keys = 10'000});
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    EXPECT_LE(loaded.value().size(), 10'000U);
    EXPECT_GE(loaded.value().size(), 9'000U);
}

TEST_F(TableFileTest, any_byte_that_changes_is_noticed) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto table = Table<std::string, std::uint64_t>::create();
    ASSERT_TRUE(table.ok());
    for (std::uint64_t i = 0; i < 20; ++i) ASSERT_TRUE(table.value().upsert(made_of<std::string>(i), i).ok());
    ASSERT_TRUE(save(table.value(), path).ok());
    std::string const whole = content();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
        put(damaged);
        EXPECT_NE((refused<std::string>()), "") << at;
    }
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        put(whole.substr(0, size));
        EXPECT_NE((refused<std::string>()), "") << size;
    }
    put(whole + "x");
    EXPECT_NE(refused<std::string>().find("damaged: expected"), std::string::npos);
    put(whole);
    EXPECT_TRUE((load<std::string, std::uint64_t>(path).ok()));
}

TEST_F(TableFileTest, what_is_foreign_is_named) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    EXPECT_NE(refused().find("cannot be read: No such file"), std::string::npos) << refused();
    put("a,b\n1,2\n");
    EXPECT_NE(refused().find("expected a table that mxk::save() has written"), std::string::npos) << refused();
    put(std::string(64, 'x'));
    EXPECT_NE(refused().find("expected a table that mxk::save() has written"), std::string::npos);
    auto table = Table<std::uint64_t, std::uint64_t>::create();
    ASSERT_TRUE(table.ok());
    ASSERT_TRUE(table.value().upsert(1, 2).ok());
    ASSERT_TRUE(save(table.value(), path).ok());
    EXPECT_NE((refused<std::uint64_t, double>().find("expected keys of u64 and values of f64, got u64 and u64")),
              std::string::npos);
    EXPECT_NE((refused<std::int64_t>().find("expected keys of i64 and values of u64, got u64")), std::string::npos);
    EXPECT_NE((refused<std::string>().find("expected keys of text")), std::string::npos);
    EXPECT_NE((refused<std::uint64_t, WideValue>().find("values of 64 bytes, got")), std::string::npos);
    std::string later = content();
    later[8] = 2;
    put(later);
    EXPECT_NE(refused().find("expected a table's file of version 1, got 2"), std::string::npos);
    fs::remove(path);
    fs::create_directory(path);
    EXPECT_NE(refused(), "");
    fs::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_NE(refused(), "") << "a pipe that nobody writes to";
}

// What was there stays where a new one cannot be written.
TEST_F(TableFileTest, what_was_there_stays) {
    auto runtime = start();
    ASSERT_TRUE(runtime.ok());
    auto table = Table<std::uint64_t, std::uint64_t>::create();
    ASSERT_TRUE(table.ok());
    ASSERT_TRUE(table.value().upsert(1, 2).ok());
    ASSERT_TRUE(save(table.value(), path).ok());
    ASSERT_TRUE(table.value().upsert(3, 4).ok());
    ASSERT_TRUE(save(table.value(), path).ok()); // in place of the first
    EXPECT_EQ((load<std::uint64_t, std::uint64_t>(path).value().size()), 2U);
    auto const nowhere = save(table.value(), folder / "none" / "a.table");
    ASSERT_FALSE(nowhere.ok());
    EXPECT_NE(nowhere.error().message().find("cannot be written: No such file"), std::string_view::npos);
    // No room: the limit of a file's size, in place of a disk that is full.
    std::vector<std::uint64_t> keys(200'000);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
    ASSERT_TRUE(table.value().upsert(keys, keys).ok());
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit const small{1 << 20, before.rlim_max};
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    auto const full = save(table.value(), path);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    ASSERT_FALSE(full.ok());
    EXPECT_NE(full.error().message().find("cannot be written: File too large"), std::string_view::npos);
    EXPECT_EQ((load<std::uint64_t, std::uint64_t>(path).value().size()), 2U);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST_F(TableFileTest, no_memory_to_load_it) {
    {
        auto runtime = start();
        ASSERT_TRUE(runtime.ok());
        auto table = Table<std::uint64_t, WideValue>::create();
        ASSERT_TRUE(table.ok());
        for (std::uint64_t i = 0; i < 300'000; ++i) ASSERT_TRUE(table.value().insert(i, WideValue{}).ok());
        ASSERT_TRUE(save(table.value(), path).ok());
    }
    auto runtime = Runtime::start({.cores = 1, .memory_bytes = 16 * MiB, .own_threads = true});
    ASSERT_TRUE(runtime.ok());
    auto const refused = load<std::uint64_t, WideValue>(path);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message().find("out of memory"), std::string_view::npos) << refused.error().message();
    auto const small = Table<std::uint64_t, std::uint64_t>::create({.capacity = 1000});
    EXPECT_TRUE(small.ok()) << "its memory came back";
}

} // namespace
} // namespace mxk
