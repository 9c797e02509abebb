// Requests between two ranks: never more under way than there are credits, each is answered once, those of one sender
// come in their order, and nobody waits for ever, though both ranks flood each other.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <utility>

#include "tasks/remote/endpoint.hpp"
#include "tasks/remote/network.hpp"
#include "tests/model/model_link.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

using remote::Message;
using remote::Network;
using remote::Request;

// Thread 1 is rank 0.
class RequestsOfRanksUse {
  public:
    struct Shape {
        std::uint32_t credits = 1;
        std::array<std::uint32_t, 2> sends{}; // requests that each rank sends at first
        std::uint32_t hops = 0;               // of a request: what answers it sends one to its sender, so often
        std::uint32_t requests = 4;           // of a rank
        std::uint32_t buffers = 1024;
        std::uint32_t patience_us = 500;
        ModelLink::Leaves leaves = ModelLink::Leaves::AtOnce;
        bool ends = false; // the network, behind
        bool is_long = false;
    };

    ProtocolUse use(std::string name, Shape const& shape) {
        ModelProgram program;
        program.max_events = 1500;
        program.begin = [this, shape] { begin(shape); };
        for (std::size_t rank = 0; rank < 2; ++rank)
            program.threads.emplace_back([this, shape, rank] { run(shape, rank); });
        program.end = [this, shape] { end(shape); };
        return {std::move(name), std::move(program), 0, shape.is_long};
    }

  private:
    struct Content {
        std::uint32_t number;
        std::uint32_t hops;
    };
    struct Rank : Task {
        explicit Rank(remote::Rank its_number)
            : Task(&Rank::send_all)
            , number(its_number) {}

        // As long as there are requests; then it waits for one that comes back.
        static void send_all(Worker& here, Task& task) {
            auto& self = static_cast<Rank&>(task);
            while (!self.to_send.empty()) {
                Request* const request = self.network->take_request(here);
                if (request == nullptr) return self.network->wait_for_request(here, task);
                Content const content{self.sent++, self.to_send.front()};
                self.to_send.pop_front();
                std::memcpy(request->payload(), &content, sizeof content);
                request->head().size = sizeof content;
                request->head().count = 1;
                request->head().service = self.service;
                request->target = {.rank = 1 - self.number, .core = core_id(0)};
                request->replied = &Rank::replied;
                request->sender = &self;
                self.network->send(here, *request);
            }
            self.is_sending = false;
        }
        void send(Worker& here, std::uint32_t hops) {
            to_send.push_back(hops);
            if (std::exchange(is_sending, true)) return;
            here.append(*this);
        }
        static std::size_t serve(void* object, remote::Asked const& asked) {
            auto& self = *static_cast<Rank*>(object);
            Content content{};
            std::memcpy(&content, asked.payload.data(), sizeof content);
            WeakMemory::current().check(content.number == self.served++, "requests have changed their order");
            if (content.hops != 0) self.send(asked.here, content.hops - 1);
            std::uint32_t const answer = content.number + 100;
            std::memcpy(asked.answer, &answer, sizeof answer);
            return sizeof answer;
        }
        static void replied(Worker& here, Request& request, Message const& reply) {
            auto& self = *static_cast<Rank*>(request.sender);
            std::uint32_t answer = 0;
            std::memcpy(&answer, reply.payload(), sizeof answer);
            WeakMemory::current().check(answer == self.answered++ + 100, "an answer of another request");
            self.network->give_back(here, request);
        }

        remote::Rank number;
        Network* network = nullptr;
        ModelLink* link = nullptr;
        std::uint16_t service = 0;
        std::deque<std::uint32_t> to_send; // by its hops
        bool is_sending = false;
        std::uint32_t sent = 0;
        std::uint32_t served = 0;
        std::uint32_t answered = 0;
    };

    void begin(Shape const& shape) {
        make_model_workers(2);
        for (remote::Rank i = 0; i < 2; ++i) {
            Rank& rank = *(ranks_.at(i) = ModelMemory::make<Rank>(i));
            rank.link = ModelMemory::make<ModelLink>(remote::Peer{1} - i, shape.credits, shape.leaves);
            std::array<remote::Link*, 1> const links{rank.link};
            rank.network = Network::create({.rank = i, .ranks = 2, .cores = 1, .endpoints = 1, .first_core = i}, links,
                                           {.credits = shape.credits,
                                            .fill = Message::wire_bytes,
                                            .requests = shape.requests,
                                            .max_buffers = shape.buffers,
                                            .patience_us = shape.patience_us})
                               .value()
                               .release();
            rank.service = rank.network->add_service(&Rank::serve, &rank);
        }
        ModelLink::connect(*ranks_[0]->link, *ranks_[1]->link);
    }
    // How many requests a rank sends: its own ones, and those of a chain.
    static std::uint32_t sent_by(Shape const& shape, std::size_t rank) {
        return shape.sends.at(rank) * (1 + shape.hops / 2) + shape.sends.at(1 - rank) * ((1 + shape.hops) / 2);
    }
    void run(Shape const& shape, std::size_t number) {
        Rank& rank = *ranks_.at(number);
        Worker& here = Worker::current();
        rank.network->begin(here);
        for (std::uint32_t i = 0; i < shape.sends.at(number); ++i) rank.send(here, shape.hops);
        // Until the other one needs nothing of this rank any more.
        here.run_until([&] {
            return rank.answered == sent_by(shape, number) && rank.link->replies() == sent_by(shape, 1 - number) &&
                   rank.link->under_way() == 0 && rank.link->offered() == rank.network->endpoints()[0]->buffers();
        });
        note(rank.network->endpoints()[0]->statistics().waited.value());
        if (shape.ends) end_network(here, *rank.network, *rank.link, 1 - rank.number);
    }
    void end(Shape const& shape) {
        for (remote::Rank i = 0; i < 2; ++i) {
            Rank const& rank = *ranks_.at(i);
            WeakMemory& memory = WeakMemory::current();
            memory.check(rank.sent == sent_by(shape, i) && rank.answered == rank.sent, "a request has no answer");
            memory.check(ranks_.at(1 - i)->served == rank.sent, "a request was not served once");
            memory.check(!rank.link->has_letter(), "a message is left over");
            memory.check(rank.network->in_flight_to(1 - i) == 0, "a credit is lost");
        }
    }

    std::array<Rank*, 2> ranks_{};
};

constexpr char const* of_posted = "of posted bodies, in another test";
constexpr char const* when_it_looks = "whether it looks at once, or later";
constexpr char const* of_one_core = "an endpoint of the same core, which looks no more once it is told";
constexpr char const* one_endpoint = "a rank of one core has one endpoint, whichever way";

TEST(Model, RequestsOfRanks) {
    RequestsOfRanksUse use;
    using enum ModelLink::Leaves;
    Protocol("requests of ranks")
        .use(use.use("one", {.sends = {1, 0}, .ends = true}))
        .use(use.use("three, one credit", {.sends = {3, 0}}))
        .use(use.use("two each, one credit", {.sends = {2, 2}}))
        .use(use.use("two each, two credits", {.credits = 2, .sends = {2, 2}}))
        .use(use.use("two each, which leave late", {.sends = {2, 1}, .leaves = Late}))
        .use(use.use("three each, one request, one buffer", {.sends = {3, 3}, .requests = 1, .buffers = 1}))
        .use(use.use("three each, two credits, three buffers", {.credits = 2, .sends = {3, 3}, .buffers = 3}))
        .use(use.use("two each, gone when received", {.sends = {2, 2}, .buffers = 1, .leaves = Received}))
        .use(use.use("three and two, gone when received",
                     {.credits = 2, .sends = {3, 2}, .buffers = 3, .leaves = Received, .is_long = true}))
        .use(use.use("a chain", {.sends = {1, 1}, .hops = 2}))
        .use(use.use("a chain, one request", {.sends = {1, 1}, .hops = 2, .requests = 1}))
        .use(use.use("two, asleep", {.sends = {2, 1}, .patience_us = 0, .ends = true}))
        .use(use.use("three each, which leave late", {.credits = 2, .sends = {3, 2}, .leaves = Late, .is_long = true}))
        .check({"endpoint,", "credits,", "network,"},
               {{"endpoint, begin() condition: always", of_posted},
                {"endpoint, begin_to_send() condition*", "a count that is shown"},
                {"endpoint, look() condition 1: always", "what it does in one turn"},
                {"endpoint, look() condition 3: always", "what it does in one turn"},
                {"endpoint, look() condition 5*", when_it_looks},
                {"endpoint, send() condition 1: never", "no credit is left while others wait for one"},
                {"endpoint, stop() condition: always", of_one_core},
                {"endpoint, turn() condition 2*", when_it_looks},
                {"endpoint, turn() condition 3*", when_it_looks},
                {"endpoint, turn() condition 4*", "a rest, and here is none"},
                {"endpoint, wake() condition: always", when_it_looks},
                {"network, end() condition: always", of_one_core},
                {"network, endpoint_of() condition*", one_endpoint},
                {"network, in_flight_to() condition: never", of_posted},
                {"network, peer_of() condition*", one_endpoint},
                {"network, send() condition: never", of_posted}});
}

} // namespace
} // namespace mxk::test
