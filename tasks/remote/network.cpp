#include "tasks/remote/network.hpp"

#include <limits>

#include "base/panic.hpp"
#include "tasks/remote/endpoint.hpp"
#include "tasks/remote/remote_spawn.hpp"
#include "tasks/run_on.hpp"
#include "tasks/workers.hpp"

namespace mxk::remote {

Result<std::unique_ptr<Network>> Network::create(NetworkShape const& shape, std::span<Link* const> links,
                                                 NetworkLimits const& limits) {
    expect(links.size() == shape.endpoints, "a link for each endpoint");
    if (shape.cores > std::numeric_limits<std::uint16_t>::max())
        return Error::of("expected up to {} cores of a rank, got {}", std::numeric_limits<std::uint16_t>::max(),
                         shape.cores);
    if (limits.fill < NetworkLimits::min_fill || limits.fill > Message::wire_bytes)
        return Error::of("expected messages of {} to {} bytes, got {}", NetworkLimits::min_fill, Message::wire_bytes,
                         limits.fill);
    if (limits.credits == 0 || limits.requests == 0 || limits.max_buffers == 0)
        return Error::of("expected credits, requests and buffers of a network, got {}, {} and {}", limits.credits,
                         limits.requests, limits.max_buffers);
    std::unique_ptr<Network> network(new Network(shape, limits));
    network->sides_ = std::vector<Side>(shape.cores);
    for (std::uint32_t core = 0; core < shape.cores; ++core) {
        Side& side = network->sides_[core];
        side.requests =
            MXK_TRY(NodeVector<Request>::create(limits.requests, workers::of(network->own_core(core)).node()));
        for (std::uint32_t i = 0; i < limits.requests; ++i) side.free.push_back(&side.requests.emplace(*network));
        side.answer = std::make_unique<std::byte[]>(Message::payload_bytes);
    }
    for (std::uint32_t i = 0; i < shape.endpoints; ++i) {
        auto& owned = network->owned_endpoints_;
        owned.push_back(std::make_unique<Endpoint>(*network, network->own_core(i), *links[i]));
        MXK_TRY(owned.back()->prepare(workers::of(network->own_core(i)).node()));
        network->endpoints_.push_back(owned.back().get());
    }
    network->spawner_ = std::make_unique<Spawner>(*network);
    return network;
}

Network::Network(NetworkShape const& shape, NetworkLimits const& limits)
    : shape_(shape)
    , limits_(limits) {}
Network::~Network() = default;

Network::Side& Network::side(Worker const& here) {
    return sides_[number_in_rank(here.core())];
}

void Network::begin(Worker& here) {
    for (Endpoint* const endpoint : endpoints_) here.append(*endpoint, endpoint->core());
}

void Network::end() {
    for (Endpoint* const endpoint : endpoints_)
        run_on_one(endpoint->core(),
                   [endpoint](Worker& here) { return endpoint->stop(here) ? Step::Done : Step::Again; });
}

std::uint16_t Network::add_service(Serve answers, void* object) {
    expect(services_.size() < std::numeric_limits<std::uint16_t>::max(), "services can be numbered");
    services_.push_back({answers, object});
    return static_cast<std::uint16_t>(services_.size() - 1);
}

void Network::remove_service(std::uint16_t service) {
    services_[service] = {};
}

Request* Network::take_request(Worker& here) {
    Side& its = side(here);
    if (its.free.empty()) return nullptr;
    Request* const request = its.free.back();
    its.free.pop_back();
    return request;
}

void Network::give_back(Worker& here, Request& request) {
    Side& its = side(here);
    its.free.push_back(&request);
    if (Task* const waiting = its.waiting.take()) here.append(*waiting);
}

void Network::wait_for_request(Worker& here, Task& task) {
    side(here).waiting.append(task);
}

void Network::count_posted(Worker& here, std::uint64_t number) {
    side(here).counts.count_posted(number);
}
void Network::count_ended(Worker& here, std::uint64_t number) {
    side(here).counts.count_ended(number);
}

PostedAndEnded Network::posted_and_ended() const {
    PostedAndEnded sums;
    // What has ended first: what it posted has been counted before.
    for (Side const& its : sides_) sums.ended += its.counts.ended();
    for (Side const& its : sides_) sums.posted += its.counts.posted();
    return sums;
}

std::uint64_t Network::in_flight_to(Rank rank) const {
    std::uint64_t sum = 0;
    for (Endpoint const* const endpoint : endpoints_)
        for (std::uint32_t i = 0; i < shape_.endpoints; ++i)
            sum += endpoint->on_the_way_to(rank * shape_.endpoints + i);
    return sum;
}

std::size_t Network::bytes() const {
    std::size_t sum = std::size_t{shape_.cores} * limits_.requests * sizeof(Request);
    for (Endpoint const* const endpoint : endpoints_) sum += endpoint->buffers() * sizeof(Message);
    return sum;
}

void Network::send(Worker& here, Request& request) {
    MessageHead& head = request.head();
    head.kind = MessageKind::Request;
    head.core = static_cast<std::uint16_t>(index(request.target.core));
    request.home = here.core();
    if (request.target.rank == shape_.rank) {
        request.body = &Network::serve_own;
        here.append(request, own_core(index(request.target.core)));
    } else {
        request.peer = peer_of(request.target);
        request.body = &Network::leave;
        here.append(request, endpoint_of(here.core()).core());
    }
}

void Network::serve(Worker& here, Message& message) {
    Service const& service = services_[message.head().service];
    expect(service.serve != nullptr, "a request is for a service that is there");
    std::byte* const answer = side(here).answer.get();
    MessageHead& head = message.head();
    std::size_t const size = service.serve(
        service.object, {here, head.operation, head.count, std::span(message.payload(), head.size), answer});
    std::memcpy(message.payload(), answer, size);
    head.size = static_cast<std::uint32_t>(size);
    head.kind = MessageKind::Reply;
}

void Network::leave(Worker& here, Task& task) {
    auto& request = static_cast<Request&>(task);
    request.network.endpoint_of(here.core()).send(here, request);
}

void Network::serve_others(Worker& here, Task& task) {
    auto& buffer = static_cast<Message&>(task);
    buffer.network.serve(here, buffer);
    buffer.body = &Network::send_reply;
    here.append(buffer, buffer.home);
}

void Network::send_reply(Worker& here, Task& task) {
    auto& buffer = static_cast<Message&>(task);
    buffer.network.endpoint_of(here.core()).reply(here, buffer);
}

void Network::give_reply(Worker& here, Task& task) {
    auto& buffer = static_cast<Message&>(task);
    Request& request = *buffer.request;
    request.replied(here, request, buffer);
    buffer.body = &Network::offer_again;
    here.append(buffer, buffer.home);
}

void Network::offer_again(Worker& here, Task& task) {
    auto& buffer = static_cast<Message&>(task);
    buffer.network.endpoint_of(here.core()).take_back(buffer);
}

void Network::serve_own(Worker& here, Task& task) {
    auto& request = static_cast<Request&>(task);
    request.network.serve(here, request);
    request.body = &Network::give_own_reply;
    here.append(request, request.home);
}

void Network::give_own_reply(Worker& here, Task& task) {
    auto& request = static_cast<Request&>(task);
    request.replied(here, request, request);
}

} // namespace mxk::remote
