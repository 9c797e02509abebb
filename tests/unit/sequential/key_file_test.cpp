#include "bench/workload/workload.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workload/keys.hpp"
#include "tests/unit/memory_fixture.hpp"

namespace mxk::bench {
namespace {

// A file with this text while it lives.
class TextFile {
  public:
    explicit TextFile(std::string_view text)
        : path_((std::filesystem::temp_directory_path() / "mxk-keys-XXXXXX").string()) {
        int const file = mkstemp(path_.data());
        EXPECT_EQ(write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
        close(file);
    }
    ~TextFile() { std::filesystem::remove(path_); }
    TextFile(TextFile const&) = delete;
    TextFile& operator=(TextFile const&) = delete;

    [[nodiscard]] std::string const& path() const { return path_; }

  private:
    std::string path_;
};

class KeyFileTest : public test::MemoryTest {
  protected:
    void SetUp() override { configure({64 * MiB}, {10}); }

    static Workload workload(std::string_view path, std::uint64_t operations) {
        Workload result;
        result.keys = {.kind = Keys::Kind::File, .path = path};
        result.operations = operations;
        return result;
    }
    // What is wrong with a file of this text.
    static std::string complaint(std::string_view text, std::uint64_t operations) {
        TextFile const file(text);
        Workload work = workload(file.path(), operations);
        auto const keys = read_keys(work, node_id(0));
        return keys ? "" : std::string(keys.error().message());
    }
};

TEST_F(KeyFileTest, keys_come_in_the_order_of_the_file) {
    TextFile const file("7\n0x10\n0XfF\r\n18446744073709551614\n5");
    Workload work = workload(file.path(), 5);
    auto const keys = read_keys(work, node_id(0));
    ASSERT_TRUE(keys) << keys.error().message();
    KeySequence const sequence(work.keys, work.seed);
    std::vector<std::uint64_t> found;
    for (std::uint64_t i = 0; i < 5; ++i) found.push_back(sequence(i));
    EXPECT_EQ(found, (std::vector<std::uint64_t>{7, 16, 255, Keys::max, 5}));
}

TEST_F(KeyFileTest, what_is_behind_the_last_operation_is_not_looked_at) {
    EXPECT_EQ(complaint("1\n2\n", 2), "");
    EXPECT_EQ(complaint("1\n2\nx", 2), "");
    EXPECT_EQ(complaint("1\n2\n2\n", 2), "");
}

TEST_F(KeyFileTest, too_few_keys_are_refused) {
    EXPECT_EQ(complaint("", 1), "--keys file: expected 1 keys, one for each of --ops, got 0");
    EXPECT_EQ(complaint("1\n2\n", 3), "--keys file: expected 3 keys, one for each of --ops, got 2");
}

TEST_F(KeyFileTest, what_is_no_key_is_refused) {
    for (std::string const junk : {"", "0", "0x", "0x0", "-1", "+1", " 1", "1 ", "1,2", "a", "0xg", "10K", "1.5",
                                   "18446744073709551615", "18446744073709551616", "0x10000000000000000"})
        EXPECT_EQ(complaint("1\n" + junk + "\n3\n", 3),
                  "--keys file: line 2: expected a key from 1 to 18446744073709551614, decimal or 0x and hexadecimal, "
                  "got '" +
                      junk + "'");
    std::string const shown = complaint("1\n\x1b[2J" + std::string(1000, 'x') + "\n3\n", 3);
    EXPECT_NE(shown.find("got '?[2J" + std::string(20, 'x') + "'"), std::string::npos) << shown;
}

TEST_F(KeyFileTest, keys_that_come_again_are_refused) {
    EXPECT_EQ(complaint("1\n16\n3\n0x10\n5\n", 5),
              "--keys file: line 4: expected a key that is on no line before, got '0x10' as on line 2");
    std::string many;
    for (int i = 1; i <= 5000; ++i) many += std::to_string(1000 * i) + "\n";
    EXPECT_EQ(complaint(many, 5000), "");
    EXPECT_EQ(complaint(many + "3000000\n", 5001),
              "--keys file: line 5001: expected a key that is on no line before, got '3000000' as on line 3000");
}

TEST_F(KeyFileTest, files_that_cannot_be_read_are_refused) {
    Workload work = workload("/nowhere/keys", 1);
    auto const keys = read_keys(work, node_id(0));
    ASSERT_FALSE(keys);
    EXPECT_EQ(keys.error().message(), "--keys file: cannot open: No such file or directory: '/nowhere/keys'");
}

TEST_F(KeyFileTest, other_keys_need_no_file_and_no_memory) {
    Workload work;
    std::size_t const used = used_bytes();
    auto const keys = read_keys(work, node_id(0));
    ASSERT_TRUE(keys);
    EXPECT_EQ(used_bytes(), used);
    EXPECT_TRUE(work.keys.listed.empty());
}

TEST_F(KeyFileTest, gives_its_memory_back) {
    std::size_t const used = used_bytes();
    EXPECT_EQ(complaint("1\n2\n3\n", 3), "");
    EXPECT_NE(complaint("1\n2\n2\n", 3), "");
    EXPECT_EQ(used_bytes(), used);
}

} // namespace
} // namespace mxk::bench
