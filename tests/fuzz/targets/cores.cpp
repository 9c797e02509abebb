#include "tests/fuzz/targets/cores.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <utility>

#include "kernel/memory/heap/checked_heap.hpp"
#include "main/library/runtime.hpp"
#include "tasks/dataflow/graph/graph_memory.hpp"
#include "tasks/dataflow/graph/query_monitor.hpp"
#include "tasks/dataflow/scheduler.hpp"

namespace mxk::fuzz {
namespace {

std::unique_ptr<Runtime>& kept_cores() {
    static std::unique_ptr<Runtime> kept;
    return kept;
}

Runtime start_cores() {
    auto started = Runtime::start({.cores = 2, .nodes = 1, .memory_bytes = 256 * MiB});
    EXPECT_TRUE(started.ok()) << started.error().message();
    return std::move(started).value();
}

std::size_t bytes_in_use() {
    std::size_t bytes = 0;
    heap::for_each_holder(
        [](heap::Holder const& holder, void* sum) { *static_cast<std::size_t*>(sum) += holder.bytes; }, &bytes);
    return bytes;
}

std::atomic<std::size_t> pieces_left{SIZE_MAX}; // relaxed: it orders nothing
std::atomic<std::size_t> pieces_held{0};

void* allocate_watched(std::size_t bytes) {
    if (pieces_left.load(std::memory_order_relaxed) == 0) return nullptr;
    pieces_left.fetch_sub(1, std::memory_order_relaxed);
    pieces_held.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(bytes);
}
void deallocate_watched(void* place, std::size_t /*bytes*/) {
    pieces_held.fetch_sub(1, std::memory_order_relaxed);
    std::free(place);
}
constexpr dataflow::GeneralAllocator watched{.allocate = &allocate_watched, .deallocate = &deallocate_watched};

} // namespace

void keep_cores() {
    kept_cores() = std::make_unique<Runtime>(start_cores());
}

void with_cores(std::function<void()> const& body) {
    auto const run = [&](Worker& /*here*/) {
        std::size_t const before = bytes_in_use();
        dataflow::graph_memory::use(&watched);
        body();
        dataflow::graph_memory::use(nullptr);
        EXPECT_EQ(bytes_in_use(), before);
        EXPECT_EQ(pieces_held.load(std::memory_order_relaxed), 0U);
    };
    if (kept_cores() != nullptr)
        kept_cores()->run(run);
    else
        start_cores().run(run);
}

Result<void> run_query(dataflow::Model const& model, QueryLimits const& limits) {
    constexpr std::array cores{core_id(0), core_id(1)};
    auto scheduler = MXK_TRY(dataflow::Scheduler::create(cores, {}));
    dataflow::QueryMonitor monitor;
    dataflow::Query query(model);
    if (limits.memory != SIZE_MAX) {
        MXK_TRY(monitor.begin(model, limits.memory));
        query.monitor_by(monitor);
    }
    pieces_left.store(limits.pieces, std::memory_order_relaxed);
    scheduler->submit(query);
    auto const result = query.wait([&query, left = limits.looks]() mutable {
        if (left != 0 && --left == 0) query.cancel();
    });
    pieces_left.store(SIZE_MAX, std::memory_order_relaxed);
    std::size_t boxes = 0;
    monitor.for_each_line([&](dataflow::QueryMonitor::Line const& line) { boxes += line.boxes; });
    EXPECT_EQ(boxes, limits.memory != SIZE_MAX ? model.boxes() : 0);
    return result;
}

void expect_complaint(std::string_view message) {
    constexpr std::size_t max_message = 231; // one of 232 characters may be cut
    EXPECT_LE(message.size(), max_message) << message;
    EXPECT_TRUE(message.starts_with("box '") || message == "the query was cancelled" ||
                message == "expected a model with a box, got none" || message.starts_with("out of memory"))
        << message;
}

} // namespace mxk::fuzz
