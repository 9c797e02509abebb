// An end of a rank's links: the task of one core that sends what this rank's cores ask of others, and receives what
// they ask and answer. Between two rounds of its core's tasks it looks for what has come and what has left; where
// nothing has for a while it sleeps, and looks once a millisecond, or at once when one of its own rank sends.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "kernel/memory/node_vector.hpp"
#include "tasks/queue/task_list.hpp"
#include "tasks/remote/credits.hpp"
#include "tasks/remote/link.hpp"
#include "tasks/remote/network.hpp"
#include "tasks/timers.hpp"

namespace mxk::remote {

class Endpoint final : public Task {
  public:
    Endpoint(Network& network, CoreId core, Link& link);

    // Takes its memory. Errors: no memory.
    Result<void> prepare(NodeId node);

    [[nodiscard]] CoreId core() const { return home; }
    [[nodiscard]] EndpointStatistics const& statistics() const { return statistics_; }
    [[nodiscard]] std::uint64_t on_the_way_to(Peer peer) const { return peers_[peer].on_the_way.value(); }
    [[nodiscard]] std::size_t buffers() const { return buffers_.size(); }

    // Its core only, from here on.
    void send(Worker& here, Request& request);
    void reply(Worker& here, Message& buffer);
    void take_back(Message& buffer) { link_.offer(buffer); }
    // Whether it looks for nothing any more; asked until it is.
    [[nodiscard]] bool stop(Worker& here);

  private:
    struct PeerState {
        explicit PeerState(std::uint32_t all)
            : credits(all) {}
        Credits credits;
        TaskList waiting;        // requests without a credit
        OwnerCounter on_the_way; // what `credits` says, for others to read
    };

    static void begin(Worker& here, Task& task);
    static void turn(Worker& here, Task& task);
    static void end_sleep(Worker& here, Timer& timer);
    // Whether there was any.
    bool look(Worker& here);
    void note_sent(Worker& here, Message& message);
    void note_received(Worker& here, Message& buffer);
    void begin_to_send(Request& request);
    void finish(Worker& here, Request& request);
    void wake(Worker& here);

    // What it may do in one turn, so that its core's tasks have theirs.
    static constexpr unsigned max_found = 16;

    Network& network_;
    Link& link_;
    std::deque<PeerState> peers_;
    NodeVector<Message> buffers_;
    std::vector<Request*> by_number_; // those that have no reply yet
    std::vector<std::uint32_t> free_numbers_;
    struct Sleep final : Timer {
        explicit Sleep(Endpoint& its_endpoint)
            : Timer(&Endpoint::end_sleep)
            , endpoint(its_endpoint) {}
        Endpoint& endpoint;
    } sleep_{*this};
    Cycles last_found_{};
    Nanoseconds polling_time_{}; // the core's, while this sleeps
    std::uint64_t on_the_way_ = 0;
    bool is_stopping_ = false;
    bool has_stopped_ = false;
    EndpointStatistics statistics_;
};

} // namespace mxk::remote
