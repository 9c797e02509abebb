// The shared tables, as `bench resize` lets them double. Each has besides what a DoublingTable has
//
//     make(owners, keys, load)     for so many keys, so full; the console's task. Errors: no memory
//     begin(owners)                once, before it is used
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "bench/rcu/resize_run.hpp"
#include "hashtable/partition/owner.hpp"
#include "hashtable/shared/concurrent/concurrent_pairs.hpp"
#include "hashtable/shared/concurrent_lines.hpp"
#include "hashtable/shared/resize_tasks.hpp"

namespace mxk::bench {

// hashtable/shared/concurrent/. A load is in keys per head; there is a power of two of heads. The resize's tasks run on
// all cores of the machine.
class DoublingChains : public DoublingTable {
  public:
    static constexpr double default_load = 1;
    static constexpr double max_load = 2; // with more it grows by itself

    static Result<ConcurrentPairs::Parts> make(std::span<Owner const> owners, std::size_t keys, double load);
    explicit DoublingChains(ConcurrentPairs::Parts parts)
        : table_(std::move(parts)) {}
    // Errors: none.
    Result<void> begin(std::span<Owner const> /*owners*/) { return {}; }

    bool insert(std::uint64_t key, std::uint64_t value) override;
    [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t key) const override { return table_.find(key); }
    [[nodiscard]] Task::Body look_up() const override { return &LookUpTask::look_up<DoublingChains>; }
    [[nodiscard]] std::size_t buckets() const override { return table_.head_count(); }
    [[nodiscard]] std::size_t size() const override { return table_.size(); }
    [[nodiscard]] std::size_t bytes_to_double() const override {
        return 2 * buckets() * sizeof(concurrent::AtomicLink);
    }
    Result<void> settle() override {
        table_.settle();
        return {};
    }
    Result<void> double_now(Progress& progress) override;
    [[nodiscard]] std::optional<std::uint64_t> resizes() const override { return table_.resizes(); }

  private:
    ConcurrentPairs table_;
};

// hashtable/shared/concurrent_lines.hpp. A load is the part of the places that is taken. The resize's tasks run on the
// owners' cores.
class DoublingLines : public DoublingTable {
  public:
    using Table = ConcurrentLines<>;
    static constexpr double default_load = 0.5;
    static constexpr double max_load = 0.7; // with more it grows by itself

    static Result<Table> make(std::span<Owner const> owners, std::size_t keys, double load);
    explicit DoublingLines(Table table)
        : table_(std::move(table)) {}
    ~DoublingLines() override { tasks_.end(); }
    // The owners' cores move from now on. Errors: no memory. The console's task.
    Result<void> begin(std::span<Owner const> owners) { return tasks_.serve(table_, owners); }

    bool insert(std::uint64_t key, std::uint64_t value) override;
    [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t key) const override { return table_.find(key); }
    [[nodiscard]] Task::Body look_up() const override { return &LookUpTask::look_up<DoublingLines>; }
    [[nodiscard]] std::size_t buckets() const override { return table_.bucket_count(); }
    [[nodiscard]] std::size_t size() const override { return table_.size(); }
    [[nodiscard]] std::size_t bytes_to_double() const override { return 2 * table_.bytes(); }
    Result<void> settle() override { return finish_resize(table_); }
    Result<void> double_now(Progress& progress) override;

  private:
    Table table_;
    ResizeTasks tasks_;
};

} // namespace mxk::bench
