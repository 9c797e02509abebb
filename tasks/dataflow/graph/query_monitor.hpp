// What is known of a query while it runs and when it has ended: the rows that each of its boxes has given, in what time
// and on how many cores, and the memory that it has; and a limit of that memory. Only a query that is monitored counts.
//
//     QueryMonitor monitor;
//     MXK_TRY(monitor.begin(model, 256 * MiB));
//     Query query(model);
//     query.monitor_by(monitor);         before it is submitted
//     ...                                rows_read() says how far it is, from any thread
//     monitor.write(out);                a line for boxes alike, side by side
//
// Memory: of envelopes, columns, and what the query room's boxes keep of them; not that of boxes themselves. What is
// left at the end is what the query has left others. It is looked at behind each turn of a box, so what a single turn
// takes may come on top of the limit.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "tasks/owner_counter.hpp"

namespace mxk::dataflow {

class Model;

// Of one query at a time; lives as long as it runs.
class QueryMonitor {
  public:
    static constexpr std::size_t no_limit = SIZE_MAX;

    QueryMonitor() = default;
    QueryMonitor(QueryMonitor const&) = delete;
    QueryMonitor& operator=(QueryMonitor const&) = delete;
    ~QueryMonitor() { clear(); }

    // For the next query of a checked model, which lives as long as this is used. Any thread. Errors: no memory.
    Result<void> begin(Model const& model, std::size_t memory_limit = no_limit);

    // Any core or thread, any time: a moment's figures.
    [[nodiscard]] std::uint64_t rows_read() const; // that boxes without inputs have given
    [[nodiscard]] std::size_t memory() const { return positive(memory_.load(std::memory_order_relaxed)); }
    [[nodiscard]] std::size_t max_memory() const { return positive(max_memory_.load(std::memory_order_relaxed)); }

    // Boxes of one name and kind: how many, what they have done together.
    struct Line {
        std::string_view name;
        std::string_view kind;
        std::size_t boxes = 0;
        std::size_t cores = 0;   // on which they have run
        std::uint64_t turns = 0; // and tasks of theirs
        std::uint64_t rows = 0;  // that they have given: of a table, those in it
        Cycles time{};           // in turns
    };
    // f(line), in the order of the model.
    template <typename Function> void for_each_line(Function function) const {
        for (std::size_t box = 0; box < boxes_;) {
            std::size_t const first = box;
            while (box < boxes_ && is_alike(first, box)) ++box;
            function(line_of(first, box));
        }
    }
    // As a table for people.
    void write(TextSink& out) const;

    // For queries: whether it was begun for this model.
    [[nodiscard]] bool is_for(Model const& model) const;
    // What has been taken, or given back. False: the query has more memory than it may.
    [[nodiscard]] bool note_memory(std::int64_t bytes);
    // For boxes. Behind a turn, or a task of theirs. False: the query has more memory than it may.
    [[nodiscard]] bool note(std::size_t box, CoreId core, Cycles taken, std::int64_t bytes);
    void note_rows(std::size_t box, std::uint64_t rows) { works_[box].rows.add(rows); }
    [[nodiscard]] std::size_t memory_limit() const { return memory_limit_; }

  private:
    static constexpr std::size_t max_cores = 512; // those behind are counted as others
    struct Work {
        std::string_view name;
        std::string_view kind;
        bool is_source = false;
        std::atomic<std::uint64_t> turns{0}; // of several cores where the box has tasks
        std::atomic<std::uint64_t> cycles{0};
        OwnerCounter rows;
        std::array<std::atomic<std::uint64_t>, max_cores / 64> cores{};
    };
    static std::size_t positive(std::int64_t bytes) { return bytes < 0 ? 0 : static_cast<std::size_t>(bytes); }
    [[nodiscard]] bool is_alike(std::size_t a, std::size_t b) const {
        return works_[a].name == works_[b].name && works_[a].kind == works_[b].kind;
    }
    [[nodiscard]] Line line_of(std::size_t first, std::size_t end) const;

    void clear();

    Model const* model_ = nullptr; // for which it was begun
    Work* works_ = nullptr;        // one for each box
    std::size_t boxes_ = 0;
    std::size_t memory_limit_ = no_limit;
    std::atomic<std::int64_t> memory_{0}; // a moment's sum: it may be negative while cores differ
    std::atomic<std::int64_t> max_memory_{0};
};

} // namespace mxk::dataflow
