// The shared table of lines as engines use it (shared_access.hpp): any core works on it in place, and tasks of all of
// them move its buckets when it grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/units.hpp"
#include "bench/frame/ready_memory.hpp"
#include "bench/table/engine.hpp"
#include "bench/table/shared_access.hpp"
#include "bench/table/table_access.hpp"
#include "hashtable/shared/concurrent_lines.hpp"
#include "hashtable/shared/resize_tasks.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/annotation.hpp"
#include "tasks/rcu/rcu_wait.hpp"

namespace mxk::bench {

// Section: NoSection, or rcu::ReadSection.
template <typename Section>
class ConcurrentLinesAccess : public InPlaceOperations<ConcurrentLinesAccess<Section>, Section> {
    using Operations = InPlaceOperations<ConcurrentLinesAccess, Section>;

  public:
    using typename Operations::Extra;
    using Table = ConcurrentLines<>;

    static Result<ConcurrentLinesAccess> create(EngineSetup const& setup) { return ConcurrentLinesAccess(setup); }

    // A new, empty table; the last one gives its memory back first.
    Result<void> reset() {
        served_ = {};
        MXK_TRY(rcu::barrier()); // what it has grown out of comes back, too
        if (growth_bytes_ != 0) touched_bytes_ = make_memory_ready(growth_bytes_ / owners_.size(), owners_);
        served_ = MXK_TRY(NodeVector<Served>::create(1, owners_.front().node));
        served_.emplace(MXK_TRY(Table::create({.keys = keys_}, owners_)));
        return served_[0].tasks.serve(table(), owners_);
    }

    [[nodiscard]] std::size_t bucket_count() const { return served_.size() != 0 ? table().bucket_count() : 0; }
    [[nodiscard]] Annotation line(std::uint64_t key, std::size_t, Extra) const {
        return Annotation::table_line(table().line_of(key));
    }
    void prefetch(std::uint64_t key) const { table().prefetch(key); }
    void prefetch_first(std::uint64_t) const {} // that was it

    [[nodiscard]] std::size_t bytes() const { return table().bytes(); }
    [[nodiscard]] std::size_t touched_bytes() const { return touched_bytes_; }
    [[nodiscard]] Table& table() const { return served_[0].table; }
    Result<void> settle() { return finish_resize(table()); }

  private:
    struct Served {
        explicit Served(Table its_table)
            : table(std::move(its_table)) {}
        Served(Served const&) = delete;
        Served& operator=(Served const&) = delete;
        ~Served() { tasks.end(); }
        Table table;
        ResizeTasks tasks;
    };

    explicit ConcurrentLinesAccess(EngineSetup const& setup)
        : owners_(setup.table_owners)
        , keys_(keys_for(setup.run))
        , growth_bytes_(setup.run.initial_slots ? setup.run.operations * max_bytes_of_key : 0) {}

    // A growing table and the one that it comes from.
    static constexpr std::size_t max_bytes_of_key = 100;

    // The table's own load is half of its places; for another one it is told of more keys, or fewer.
    static std::size_t keys_for(TableOptions const& options) {
        constexpr double own_load = 0.5;
        if (options.initial_slots) return *options.initial_slots / 2;
        return static_cast<std::size_t>(static_cast<double>(options.operations) * own_load /
                                        options.load.value_or(own_load));
    }

    std::span<Owner const> owners_;
    std::size_t keys_;
    std::size_t growth_bytes_;
    std::size_t touched_bytes_ = 0;
    NodeVector<Served> served_; // one, or none yet
};

} // namespace mxk::bench
