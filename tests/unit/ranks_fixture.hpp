// Several ranks in one process: each has some cores of one Runtime, and a Network of its own; between them are links
// over memory, disturbed or not.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/spin_wait.hpp"
#include "main/library/runtime.hpp"
#include "tasks/remote/endpoint.hpp"
#include "tasks/remote/network.hpp"
#include "tasks/remote/remote_function.hpp"
#include "tasks/run_on.hpp"
#include "tasks/task_group.hpp"
#include "tests/cluster/disturbed_link.hpp"
#include "tests/unit/memory_link.hpp"

namespace mxk::test {

struct RanksShape {
    remote::Rank ranks = 2;
    std::uint32_t cores = 1; // of each
    bool endpoint_of_each_core = false;
    std::uint64_t disturb = 0; // a seed; 0: no disturbance
    Departure departure = Departure::WhenSent;
    remote::NetworkLimits limits{};
    std::uint32_t sleep_us_of_rank_0 = 0; // 0: as the others, which look often
};

inline std::string describe(RanksShape const& shape) {
    return std::to_string(shape.ranks) + " ranks of " + std::to_string(shape.cores) + " cores, " +
           (shape.endpoint_of_each_core ? "an endpoint for each, " : "one endpoint, ") + "credits " +
           std::to_string(shape.limits.credits) + ", requests " + std::to_string(shape.limits.requests) + ", fill " +
           std::to_string(shape.limits.fill) + ", seed " + std::to_string(shape.disturb);
}

class Ranks {
  public:
    // On core 0 of a Runtime with a core for each of all ranks.
    Ranks(Worker& here, RanksShape const& shape)
        : shape_(shape)
        , links_(shape.ranks * endpoints(), shape.departure) {
        remote::number_functions();
        remote::NetworkLimits limits = shape.limits;
        limits.rest = &offer_processor;
        for (remote::Rank rank = 0; rank < shape.ranks; ++rank) {
            std::vector<remote::Link*> links;
            for (std::uint32_t i = 0; i < endpoints(); ++i) {
                remote::Peer const peer = rank * endpoints() + i;
                if (shape.disturb == 0)
                    links.push_back(&links_.end(peer));
                else
                    links.push_back(&disturbed_.emplace_back(links_.end(peer), shape.disturb * 1000 + peer));
            }
            limits.sleep_us = rank == 0 && shape.sleep_us_of_rank_0 != 0 ? shape.sleep_us_of_rank_0 : 100;
            auto made = remote::Network::create({rank, shape.ranks, shape.cores, endpoints(), rank * shape.cores},
                                                links, limits);
            expect(made.ok(), "there is memory for a network");
            networks_.push_back(std::move(made).value());
        }
        of_cores_ = this;
        for (auto const& network : networks_) network->begin(here);
    }
    // Waits for what was posted and whose end nobody has waited for, unless a link was cut.
    ~Ranks() {
        if (!is_cut_) settle();
        for (auto const& network : networks_) network->end();
        for (remote::Peer peer = 0; peer < shape_.ranks * endpoints(); ++peer)
            EXPECT_LE(links_.end(peer).max_on_the_way(), shape_.limits.credits) << "requests on the way to one peer";
        of_cores_ = nullptr;
    }
    Ranks(Ranks const&) = delete;
    Ranks& operator=(Ranks const&) = delete;

    // The network of the rank that a core belongs to, for bodies of remote functions.
    static remote::Network& of(Worker const& here) { return of_cores_->network_of(index(here.core())); }

    [[nodiscard]] RanksShape const& shape() const { return shape_; }
    [[nodiscard]] std::size_t cores_of_all() const { return std::size_t{shape_.ranks} * shape_.cores; }
    [[nodiscard]] remote::Network& network(remote::Rank rank) { return *networks_[rank]; }
    [[nodiscard]] remote::Network& network_of(std::size_t core) { return *networks_[core / shape_.cores]; }
    // By its number among those of all ranks, which is that in the Runtime.
    [[nodiscard]] remote::GlobalCore core(std::size_t number) const {
        return {static_cast<remote::Rank>(number / shape_.cores), core_id(number % shape_.cores)};
    }
    [[nodiscard]] std::vector<CoreId> all_cores_of_ranks() const {
        std::vector<CoreId> cores;
        for (std::size_t i = 0; i < cores_of_all(); ++i) cores.push_back(core_id(i));
        return cores;
    }
    [[nodiscard]] MemoryLinks& links() { return links_; }
    // Of ranks that are disturbed.
    void cut(remote::Peer peer) {
        is_cut_ = true;
        disturbed_[peer].cut();
    }

  private:
    // Until all replies have come, and each core has run what it was sent because of them.
    void settle() {
        Worker::current().run_until([this] {
            for (auto const& network : networks_)
                for (remote::Rank rank = 0; rank < shape_.ranks; ++rank)
                    if (network->in_flight_to(rank) != 0) return false;
            return true;
        });
        std::vector<CoreId> const cores = all_cores_of_ranks();
        for (int round = 0; round < 3; ++round)
            EXPECT_TRUE(run_on(std::span<CoreId const>(cores), [](Worker&, std::size_t) { return Step::Done; }));
    }
    [[nodiscard]] std::uint32_t endpoints() const { return shape_.endpoint_of_each_core ? shape_.cores : 1; }

    static inline Ranks* of_cores_ = nullptr;

    RanksShape shape_;
    MemoryLinks links_;
    std::deque<DisturbedLink> disturbed_; // by peer
    std::vector<std::unique_ptr<remote::Network>> networks_;
    bool is_cut_ = false;
};

class RanksTest : public testing::Test {
  protected:
    // body(here, ranks) on core 0, for each of the shapes in turn.
    template <typename Body> static void with_ranks(std::vector<RanksShape> const& shapes, Body body) {
        std::uint32_t cores = 1;
        for (RanksShape const& shape : shapes) cores = std::max(cores, shape.ranks * shape.cores);
        auto runtime = Runtime::start({.cores = cores, .nodes = 1, .memory_bytes = 256 * MiB});
        ASSERT_TRUE(runtime.ok()) << runtime.error().message();
        for (RanksShape const& shape : shapes) {
            SCOPED_TRACE(describe(shape));
            runtime.value().run([&](Worker& here) {
                Ranks ranks(here, shape);
                body(here, ranks);
            });
            if (HasFatalFailure()) return;
        }
    }
};

} // namespace mxk::test
