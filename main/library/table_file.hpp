// A table (table.hpp) or set (set.hpp) in a file, and back: for programs that end and begin again.
//
//     auto const saved = mxk::save(table, "counts.table");             // how many pairs, or why not
//     auto loaded = mxk::load<std::uint64_t, double>("counts.table");  // the table, or why not
//     auto words = mxk::load_set<std::string>("words.set");
//
// The file is whole or not there: it is written beside its place, and put there when it is on the disk; what was there
// before stays until then. It has a head (what it is, of which types, how many pairs) and the pairs, each with a check
// sum: what is damaged, cut off, foreign or of other types is refused by name, and nothing of it is used. Numbers are
// as this machine has them.
//
//     head | pairs, as they come: key, value | ...        a string: its size in 4 bytes, its bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.hpp"
#include "main/library/set.hpp"
#include "main/library/table.hpp"

namespace mxk {
namespace table_file {

// What keys or values are, and their bytes; 0: strings, and a set's values.
struct Kind {
    char name; // 'u', 'i', 'f': a number; 't': a string; 'n': nothing; else 'b', bytes
    std::uint32_t bytes;

    bool operator==(Kind const&) const = default;
    template <typename T> static constexpr Kind of() {
        if constexpr (TextKey<T>) return {'t', 0};
        if constexpr (std::is_empty_v<T>) return {'n', 0};
        char const name = std::is_floating_point_v<T>                       ? 'f'
                          : std::is_integral_v<T> && std::is_signed_v<T>    ? 'i'
                          : std::is_integral_v<T> && !std::same_as<T, bool> ? 'u'
                                                                            : 'b';
        return {name, sizeof(T)};
    }
};
struct Kinds {
    Kind key;
    Kind value;

    bool operator==(Kinds const&) const = default;
};

// Not for several threads at once. Errors are about the file: they begin with its path.
class Writer {
  public:
    static Result<Writer> create(std::string path, Kinds const& kinds);
    Writer(Writer&& other) noexcept;
    Writer& operator=(Writer&&) = delete;
    ~Writer(); // of what was not finished nothing is left

    // After an error nothing more is written, and finish() gives that error.
    void write(void const* bytes, std::size_t size);
    void end_pair() { ++pairs_; }
    // The file is in its place. Gives the number of pairs.
    Result<std::size_t> finish();

  private:
    Writer(std::string path, std::string beside, int file, Kinds const& kinds);
    void flush();
    void fail(char const* what);
    Error error() const;

    std::string path_;
    std::string beside_; // where it is written
    int file_;
    Kinds kinds_;
    std::vector<char> buffer_;
    std::uint64_t pairs_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint32_t sum_ = 0;
    char const* failed_ = nullptr; // what could not be done
    int reason_ = 0;
};

class Reader {
  public:
    // The head is as it has to be, and the file as long as that says.
    static Result<Reader> open(std::string path, Kinds const& kinds);
    Reader(Reader&& other) noexcept;
    Reader& operator=(Reader&&) = delete;
    ~Reader();

    [[nodiscard]] std::uint64_t pairs() const { return pairs_; }
    // The check sum that its pairs must have.
    [[nodiscard]] std::uint32_t sum() const { return wanted_sum_; }
    // False behind the last byte, or after an error, which finish() gives.
    bool read(void* bytes, std::size_t size);
    // All was read, and the check sum is right.
    Result<void> finish();
    [[nodiscard]] Error damaged(std::string_view what) const;

  private:
    Reader(std::string path, int file);
    bool fill();

    std::string path_;
    int file_;
    std::uint64_t pairs_ = 0;
    std::uint64_t left_ = 0; // bytes that were not read into the buffer
    std::vector<char> buffer_;
    std::size_t at_ = 0;
    std::uint32_t sum_ = 0;
    std::uint32_t wanted_sum_ = 0;
    int reason_ = 0;
};

} // namespace table_file

// Each region at one moment, which others can read meanwhile but not change, also while the disk is slow. Gives the
// number of pairs. Errors: the file cannot be written; then what was at `path` is what it was.
template <typename Key, typename Value> Result<std::size_t> save(Table<Key, Value> const& table, std::string path) {
    using namespace table_file;
    Writer writer = MXK_TRY(Writer::create(std::move(path), {Kind::of<Key>(), Kind::of<Value>()}));
    table.for_each([&](auto const& key, Value const& value) {
        if constexpr (TextKey<Key>) {
            auto const size = static_cast<std::uint32_t>(key.size());
            writer.write(&size, sizeof size);
            writer.write(key.data(), size);
        } else {
            writer.write(&key, sizeof key);
        }
        if constexpr (!std::is_empty_v<Value>) writer.write(&value, sizeof value);
        writer.end_pair();
    });
    return writer.finish();
}
template <typename Key> Result<std::size_t> save(Set<Key> const& set, std::string path) {
    return save(set.table(), std::move(path));
}

// A new table, as Table::create() makes it, with room for the file's pairs; with `max_keys` some of more go. Errors:
// what save() has not written, other types, a file that is damaged, no memory.
template <typename Key, typename Value>
Result<Table<Key, Value>> load(std::string path,
                               TableOptions options = {}) requires(!std::same_as<Key, std::string_view>) {
    using namespace table_file;
    Reader reader = MXK_TRY(Reader::open(std::move(path), {Kind::of<Key>(), Kind::of<Value>()}));
    options.capacity = std::max<std::size_t>(options.capacity, reader.pairs());
    auto table = MXK_TRY((Table<Key, Value>::create(options)));
    constexpr std::size_t at_once = 65536;
    std::vector<Key> keys;
    auto const values = std::make_unique_for_overwrite<Value[]>(at_once);
    for (std::uint64_t left = reader.pairs(); left != 0;) {
        keys.clear();
        while (keys.size() < at_once && keys.size() < left) {
            Key key{};
            if constexpr (TextKey<Key>) {
                std::uint32_t size = 0;
                if (!reader.read(&size, sizeof size)) break;
                constexpr std::uint32_t piece = 1 << 20; // so that a wrong size asks for no more than there is
                for (std::size_t from = 0; from < size; from += piece) {
                    key.resize(std::min<std::size_t>(from + piece, size));
                    if (!reader.read(key.data() + from, key.size() - from)) return reader.damaged("a key ends early");
                }
            } else if (!reader.read(&key, sizeof key)) {
                break;
            }
            if constexpr (!std::is_empty_v<Value>)
                if (!reader.read(&values[keys.size()], sizeof(Value))) break;
            keys.push_back(std::move(key));
        }
        if (keys.empty()) break;
        BulkResult const result = table.insert(keys, std::span<Value const>(values.get(), keys.size()));
        if (!result.ok()) return result.error();
        if (result.changed != keys.size()) return reader.damaged("a key stands in it twice");
        left -= keys.size();
    }
    MXK_TRY(reader.finish());
    TableStatistics const its = table.statistics();
    if (its.keys + its.evicted != reader.pairs()) return reader.damaged("it has fewer pairs than it says");
    return table;
}
// The same of what was a set.
template <typename Key>
Result<Set<Key>> load_set(std::string path,
                          TableOptions const& options = {}) requires(!std::same_as<Key, std::string_view>) {
    return Set<Key>(MXK_TRY((load<Key, NoValue>(std::move(path), options))));
}

} // namespace mxk
