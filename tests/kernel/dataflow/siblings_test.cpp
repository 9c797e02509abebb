// As long as there are physical cores without work, no two threads of one work (Falt 2010, section 6.5): as many
// requests as physical cores, each busy on one core at a time. The console's physical core is none of them: it submits.
#include <algorithm>
#include <array>
#include <atomic>

#include "base/spin_wait.hpp"
#include "bench/dataflow/row_work.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tests/kernel/dataflow/requests.hpp"

namespace mxk::dataflow_tests {
namespace {

constexpr std::size_t max_pairs = 8; // of siblings

bool are_siblings(topology::Core const& a, topology::Core const& b) {
    return a.levels.physical_core != unknown_domain && a.levels.physical_core == b.levels.physical_core &&
           a.levels.package == b.levels.package && a.node == b.node;
}

// Cores that are the two threads of a physical core each, side by side, of one node; of an even number of physical
// cores.
struct SiblingCores {
    explicit SiblingCores(NodeId node) {
        auto const all = system_topology().cores;
        topology::Core const& console = all[index(Worker::current().core())];
        for (topology::Core const& core : all) {
            if (count == cores.size() || core.node != node || are_siblings(core, console)) continue;
            auto const later = all.subspan(index(core.id) + 1);
            auto const other = std::ranges::find_if(later, [&](auto const& it) { return are_siblings(core, it); });
            if (core.id == console.id || other == later.end()) continue;
            cores[count++] = core.id;
            cores[count++] = other->id;
        }
        count -= count % 4;
    }
    std::array<CoreId, 2 * max_pairs> cores{};
    std::size_t count = 0;
};

// Who works, by physical cores; how often somebody began beside a sibling at work.
struct SiblingUse {
    std::array<std::atomic<std::uint32_t>, max_pairs> busy{};
    std::atomic<std::uint32_t> beside{0};
};

struct BusyRequest : GuardedRequest {
    explicit BusyRequest(SiblingUse& its_use)
        : GuardedRequest(&BusyRequest::work)
        , use(its_use) {}
    static void work(CoreScheduler& here, Request& request) {
        constexpr std::uint32_t rows = 256;
        constexpr std::uint32_t steps = 10;
        auto& self = static_cast<BusyRequest&>(request);
        auto& busy = self.use.busy[here.place() / 2];
        if (busy.fetch_add(1, std::memory_order_acq_rel) != 0) self.use.beside.fetch_add(1, std::memory_order_relaxed);
        std::array<std::uint64_t, rows> values{};
        for (std::uint32_t first = 0; first < 80 * rows; first += rows) {
            bench::make_rows(first, values.data(), rows);
            bench::work_rows(values.data(), values.data(), rows, steps);
            self.sum += bench::sum_rows(values.data(), rows);
        }
        self.is_right = self.sum == bench::RowSteps::of(steps).sum(80 * rows);
        busy.fetch_sub(1, std::memory_order_acq_rel);
    }
    SiblingUse& use;
    std::uint64_t sum = 0;
    bool is_right = false;
};

MXK_TEST(dataflow, siblings_work_only_when_every_physical_core_does) {
    for (topology::Node const& node : system_topology().nodes) {
        SiblingCores const siblings(node.id);
        if (siblings.count == 0) continue;
        for (Discipline const discipline :
             {Discipline::Requests, Discipline::TwoFifos, Discipline::OneFifo, Discipline::OneLifo})
            for (int round = 0; round < 3; ++round) {
                auto const made =
                    Scheduler::create(std::span(siblings.cores).first(siblings.count), {.discipline = discipline});
                MXK_REQUIRE(made.ok());
                Scheduler& scheduler = *made.value();
                // Until all of its cores sleep: none of them is the console's.
                auto const are_awake = [&] {
                    return std::ranges::any_of(scheduler.nodes(), [](dataflow::NodeScheduler const& its) {
                        return its.activity.counts().awake != 0;
                    });
                };
                for (SpinWait wait; are_awake();) wait.turn();
                SiblingUse use;
                auto requests = NodeVector<BusyRequest>::create(siblings.count / 2, Worker::current().node());
                MXK_REQUIRE(requests.ok());
                for (std::size_t i = 0; i < siblings.count / 2; ++i) requests.value().emplace(use);
                for (BusyRequest& request : requests.value()) scheduler.submit(request);
                for (BusyRequest& request : requests.value()) {
                    request.wait();
                    MXK_CHECK(request.is_right);
                }
                MXK_CHECK_EQUAL(use.beside.load(std::memory_order_relaxed), 0u);
            }
        return;
    }
    MXK_SKIP("needs two physical cores of a node with two threads each, besides the console's");
}

} // namespace
} // namespace mxk::dataflow_tests
