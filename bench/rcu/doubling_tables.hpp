// The shared tables, as `bench resize` lets them double (resize_run.hpp): two classes with the same functions.
//
//     make(owners, keys, load)     for so many keys, so full; the console's task. Errors: no memory
//     insert(key, value), find(key)     any core, in a task
//     buckets(), size()            any core while nobody inserts
//     bytes_to_double()            about how much memory the doubling asks for
//     settle()                     returns when no resize is under way; the console's task, as the next one. Errors:
//                                  no memory
//     double_now(progress)         returns when there are twice as many buckets. Errors: no memory, Ctrl-C
//     resizes()                    where the table counts them
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "bench/frame/progress.hpp"
#include "hashtable/partition/owner.hpp"
#include "hashtable/shared/concurrent/concurrent_pairs.hpp"
#include "hashtable/shared/concurrent_lines.hpp"
#include "hashtable/shared/resize_tasks.hpp"

namespace mxk::bench {

// hashtable/shared/concurrent/. A load is in keys per head; there is a power of two of heads. The resize's tasks run on
// all cores of the machine.
class DoublingChains {
  public:
    static constexpr double default_load = 1;
    static constexpr double max_load = 2; // with more it grows by itself

    static Result<ConcurrentPairs::Parts> make(std::span<Owner const> owners, std::size_t keys, double load);
    explicit DoublingChains(ConcurrentPairs::Parts parts)
        : table_(std::move(parts)) {}
    // Errors: none.
    Result<void> begin(std::span<Owner const> /*owners*/) { return {}; }

    bool insert(std::uint64_t key, std::uint64_t value) { return table_.insert(key, value) == Insert::Inserted; }
    [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t key) const { return table_.find(key); }
    [[nodiscard]] std::size_t buckets() const { return table_.head_count(); }
    [[nodiscard]] std::size_t size() const { return table_.size(); }
    [[nodiscard]] std::size_t bytes_to_double() const { return 2 * buckets() * sizeof(concurrent::AtomicLink); }
    Result<void> settle() {
        table_.settle();
        return {};
    }
    Result<void> double_now(Progress& progress);
    [[nodiscard]] std::optional<std::uint64_t> resizes() const { return table_.resizes(); }

  private:
    ConcurrentPairs table_;
};

// hashtable/shared/concurrent_lines.hpp. A load is the part of the places that is taken. The resize's tasks run on the
// owners' cores.
class DoublingLines {
  public:
    using Table = ConcurrentLines<>;
    static constexpr double default_load = 0.5;
    static constexpr double max_load = 0.7; // with more it grows by itself

    static Result<Table> make(std::span<Owner const> owners, std::size_t keys, double load);
    explicit DoublingLines(Table table)
        : table_(std::move(table)) {}
    DoublingLines(DoublingLines const&) = delete;
    DoublingLines& operator=(DoublingLines const&) = delete;
    ~DoublingLines() { tasks_.end(); }
    // The owners' cores move from now on. Errors: no memory. The console's task.
    Result<void> begin(std::span<Owner const> owners) { return tasks_.serve(table_, owners); }

    bool insert(std::uint64_t key, std::uint64_t value) { return table_.insert(key, value) == Insert::Inserted; }
    [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t key) const { return table_.find(key); }
    [[nodiscard]] std::size_t buckets() const { return table_.bucket_count(); }
    [[nodiscard]] std::size_t size() const { return table_.size(); }
    [[nodiscard]] std::size_t bytes_to_double() const { return 2 * table_.bytes(); }
    Result<void> settle() { return finish_resize(table_); }
    Result<void> double_now(Progress& progress);
    [[nodiscard]] static std::optional<std::uint64_t> resizes() { return std::nullopt; }

  private:
    Table table_;
    ResizeTasks tasks_;
};

} // namespace mxk::bench
