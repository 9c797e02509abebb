// One rank's part of a run of several: its endpoints, the requests that its cores may send, and the services that
// answer what others ask. Made before its cores work, and gone after they have stopped.
//
// Any core sends to any core of any rank by send(); one of its own rank is reached through the queues alone. A message
// to another rank goes through an endpoint: one of the rank's cores has it, or each core one of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/owner_counter.hpp"
#include "tasks/queue/task_list.hpp"
#include "tasks/remote/link.hpp"
#include "tasks/remote/message.hpp"
#include "tasks/remote/post_counts.hpp"
#include "tasks/remote/termination.hpp"

namespace mxk::remote {

class Endpoint;
class Spawner;

struct NetworkShape {
    Rank rank = 0;
    Rank ranks = 1;
    std::uint32_t cores = 1;      // of each rank
    std::uint32_t endpoints = 1;  // of each rank: 1, or as many as cores
    std::uint32_t first_core = 0; // of this rank, in its Runtime: where ranks share one, as in tests
};

struct NetworkLimits {
    static constexpr std::uint32_t min_fill = 256;

    std::uint32_t credits = 8;        // requests on the way from one endpoint to another
    std::uint32_t fill = 8192;        // bytes of a message, with its head, at which it is sent
    std::uint32_t requests = 64;      // of a core that have no reply yet, and those that are being filled
    std::uint32_t max_buffers = 1024; // in which an endpoint may receive at a time; bounds credits (endpoint.cpp)
    // How long an endpoint looks for messages all the time, when none has come, and then how often: the delay of the
    // first message to an idle rank. The former is the longer one: who asks is still awake when one that slept answers,
    // or two that take turns would both sleep each time.
    std::uint32_t patience_us = 2500;
    std::uint32_t sleep_us = 1000;
    // Called by an endpoint that finds nothing on a core that has nothing else to do; null: nothing. Where ranks share
    // processors it sleeps for a moment.
    void (*rest)() = nullptr;
};

// What a service is given: a request's operations. It writes the answer, of up to Message::payload_bytes, and gives its
// size. It runs as a task of the core that it is for, so it must not wait, and is done when it returns.
struct Asked {
    Worker& here;
    std::uint8_t operation;
    std::size_t count;
    std::span<std::byte const> payload;
    std::byte* answer;
};
using Serve = std::size_t (*)(void* object, Asked const& asked);

// What an endpoint has done. Its core writes it, any may read it.
struct EndpointStatistics {
    OwnerCounter requests;       // sent to other ranks
    OwnerCounter replies;        // sent
    OwnerCounter bytes;          // of payload, sent
    OwnerCounter operations;     // in requests
    OwnerCounter waited;         // requests that found no credit
    OwnerCounter cycles;         // in the endpoint's turns that found something to do
    OwnerCounter max_on_the_way; // requests without a reply, at a time
};

class Network {
  public:
    // `links`: one for each endpoint. Errors: no memory, more cores than a message can name, limits that are 0
    // or a `fill` that no message has.
    static Result<std::unique_ptr<Network>> create(NetworkShape const& shape, std::span<Link* const> links,
                                                   NetworkLimits const& limits);
    ~Network();
    Network(Network const&) = delete;
    Network& operator=(Network const&) = delete;

    [[nodiscard]] NetworkShape const& shape() const { return shape_; }
    [[nodiscard]] NetworkLimits const& limits() const { return limits_; }
    [[nodiscard]] std::uint32_t cores_of_all() const { return shape_.ranks * shape_.cores; }
    [[nodiscard]] std::uint32_t number_of(GlobalCore core) const {
        return core.rank * shape_.cores + static_cast<std::uint32_t>(index(core.core));
    }
    [[nodiscard]] GlobalCore core_of(std::uint32_t number) const {
        return {number / shape_.cores, core_id(number % shape_.cores)};
    }

    // Of this rank: the core with a number, in its Runtime, and the number of one.
    [[nodiscard]] CoreId own_core(std::size_t number) const { return core_id(shape_.first_core + number); }
    [[nodiscard]] std::size_t number_in_rank(CoreId core) const { return index(core) - shape_.first_core; }

    // From now on each endpoint looks for messages, on its core. Core 0, once.
    void begin(Worker& here);
    // None does any more when this returns. Core 0, which works on meanwhile; nothing is under way.
    void end();
    // What sends tasks (remote_spawn.hpp).
    [[nodiscard]] Spawner& spawner() { return *spawner_; }

    // All ranks add the same ones in the same order. Before messages for it can come.
    std::uint16_t add_service(Serve answers, void* object);
    // `object` is gone.
    void remove_service(std::uint16_t service);

    // A request that the calling core may fill; null: all are on their way (wait_for_request()).
    Request* take_request(Worker& here);
    // The calling core's, which was not sent, or has come back.
    void give_back(Worker& here, Request& request);
    // The task is appended once a request has come back: it tries again then.
    void wait_for_request(Worker& here, Task& task);

    // To the end of the queue of request.target; its head and payload are filled. Never blocks. request.replied() is
    // called on this core when the reply has come.
    void send(Worker& here, Request& request);

    // Of this rank, for those who count what has been posted and has ended (termination.hpp). The calling core's.
    void count_posted(Worker& here, std::uint64_t number = 1);
    void count_ended(Worker& here, std::uint64_t number = 1);
    [[nodiscard]] PostedAndEnded posted_and_ended() const; // any core

    [[nodiscard]] std::span<Endpoint* const> endpoints() const { return endpoints_; }
    // Requests without a reply, by rank: any core, for people.
    [[nodiscard]] std::uint64_t in_flight_to(Rank rank) const;
    // That all of this takes.
    [[nodiscard]] std::size_t bytes() const;

  private:
    friend Endpoint;
    // Of one core, which alone touches it.
    struct alignas(cache_line_bytes) Side {
        NodeVector<Request> requests;
        std::vector<Request*> free;
        TaskList waiting;
        std::unique_ptr<std::byte[]> answer;
        PostCounts counts;
    };
    struct Service {
        Serve serve;
        void* object;
    };

    Network(NetworkShape const& shape, NetworkLimits const& limits);

    Side& side(Worker const& here);
    Endpoint& endpoint_of(CoreId core) const { return *endpoints_[shape_.endpoints == 1 ? 0 : number_in_rank(core)]; }
    [[nodiscard]] Peer peer_of(GlobalCore core) const {
        return core.rank * shape_.endpoints +
               (shape_.endpoints == 1 ? 0U : static_cast<std::uint32_t>(index(core.core)));
    }
    // Answers what stands in the message, in it.
    void serve(Worker& here, Message& message);

    // Bodies of messages, in the order of their way.
    static void leave(Worker& here, Task& task);
    static void serve_others(Worker& here, Task& task);
    static void send_reply(Worker& here, Task& task);
    static void give_reply(Worker& here, Task& task);
    static void offer_again(Worker& here, Task& task);
    static void serve_own(Worker& here, Task& task);
    static void give_own_reply(Worker& here, Task& task);

    NetworkShape shape_;
    NetworkLimits limits_;
    std::vector<Side> sides_;
    std::vector<Service> services_;
    std::vector<std::unique_ptr<Endpoint>> owned_endpoints_;
    std::vector<Endpoint*> endpoints_;
    std::unique_ptr<Spawner> spawner_;
};

} // namespace mxk::remote
