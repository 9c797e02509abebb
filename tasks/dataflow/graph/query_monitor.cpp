#include "tasks/dataflow/graph/query_monitor.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <span>

#include "base/format.hpp"
#include "kernel/clock.hpp"
#include "kernel/memory/heap/heap.hpp"
#include "tasks/dataflow/graph/graph_memory.hpp"
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::dataflow {

void QueryMonitor::clear() {
    model_ = nullptr;
    if (works_ == nullptr) return;
    graph_memory::end_counting();
    std::destroy_n(works_, boxes_);
    heap::deallocate(works_, boxes_ * sizeof(Work), alignof(Work));
    works_ = nullptr;
    boxes_ = 0;
}

Result<void> QueryMonitor::begin(Model const& model, std::size_t memory_limit) {
    clear();
    memory_limit_ = memory_limit;
    memory_.store(0, std::memory_order_relaxed); // relaxed: the submission of the query comes between
    max_memory_.store(0, std::memory_order_relaxed);
    if (model.boxes() == 0) {
        model_ = &model;
        return {};
    }
    works_ = static_cast<Work*>(heap::allocate(model.boxes() * sizeof(Work), alignof(Work)));
    if (works_ == nullptr) return Error::of("out of memory: no room to monitor {} boxes", model.boxes());
    graph_memory::begin_counting();
    model.for_each_box([&](std::string_view name, std::string_view kind, bool is_source) {
        Work& work = *new (works_ + boxes_++) Work;
        work.name = name;
        work.kind = kind;
        work.is_source = is_source;
    });
    model_ = &model;
    return {};
}

bool QueryMonitor::is_for(Model const& model) const {
    return model_ == &model && boxes_ == model.boxes();
}

std::uint64_t QueryMonitor::rows_read() const {
    std::uint64_t rows = 0;
    for (Work const& work : std::span(works_, boxes_))
        if (work.is_source) rows += work.rows.value();
    return rows;
}

// All relaxed: figures, which order nothing.
bool QueryMonitor::note(std::size_t box, CoreId core, Cycles taken, std::int64_t bytes) {
    Work& work = works_[box];
    work.turns.fetch_add(1, std::memory_order_relaxed);
    work.cycles.fetch_add(raw(taken), std::memory_order_relaxed);
    std::size_t const at = std::min(index(core), max_cores - 1);
    work.cores[at / 64].fetch_or(std::uint64_t{1} << at % 64, std::memory_order_relaxed);
    return note_memory(bytes);
}

// Relaxed, as above.
bool QueryMonitor::note_memory(std::int64_t bytes) {
    if (bytes == 0) return true;
    std::int64_t const now = memory_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::int64_t seen = max_memory_.load(std::memory_order_relaxed);
    while (now > seen && !max_memory_.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
    }
    return positive(now) <= memory_limit_;
}

QueryMonitor::Line QueryMonitor::line_of(std::size_t first, std::size_t end) const {
    Line line{.name = works_[first].name, .kind = works_[first].kind, .boxes = end - first};
    std::array<std::uint64_t, max_cores / 64> cores{};
    for (std::size_t box = first; box != end; ++box) {
        Work const& work = works_[box];
        line.turns += work.turns.load(std::memory_order_relaxed);
        line.rows += work.rows.value();
        line.time = line.time + Cycles{work.cycles.load(std::memory_order_relaxed)};
        for (std::size_t i = 0; i < cores.size(); ++i) cores[i] |= work.cores[i].load(std::memory_order_relaxed);
    }
    for (std::uint64_t word : cores)
        for (; word != 0; word &= word - 1) ++line.cores;
    return line;
}

void QueryMonitor::write(TextSink& out) const {
    Cycles all{};
    for_each_line([&](Line const& line) { all = all + line.time; });
    double const whole = static_cast<double>(std::max<std::uint64_t>(raw(all), 1));
    format(out, "{:<20} {:<12} {:>5} {:>5} {:>9} {:>12} {:>10} {:>5}\n", "box", "kind", "boxes", "cores", "turns",
           "rows", "ms", "%");
    for_each_line([&](Line const& line) {
        format(out, "{:<20} {:<12} {:>5} {:>5} {:>9} {:>12} {:>10.3} {:>5.1}\n", line.name, line.kind, line.boxes,
               line.cores, line.turns, line.rows, static_cast<double>(raw(clock::to_nanoseconds(line.time))) / 1e6,
               100 * static_cast<double>(raw(line.time)) / whole);
    });
    format(out, "memory: up to {:.1} MiB\n", static_cast<double>(max_memory()) / static_cast<double>(MiB));
}

} // namespace mxk::dataflow
