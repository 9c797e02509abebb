#include "tasks/remote/endpoint.hpp"

#include <algorithm>

#include "arch/cpu.hpp"
#include "base/inject.hpp"
#include "kernel/clock.hpp"
#include "tasks/remote/remote_spawn.hpp"
#include "tasks/worker.hpp"

namespace mxk::remote {
namespace {

Cycles cycles_of(std::uint32_t us) {
    return clock::to_cycles(microseconds(us));
}

} // namespace

Endpoint::Endpoint(Network& network, CoreId core, Link& link)
    : Task(&Endpoint::begin, core)
    , network_(network)
    , link_(link) {}

Result<void> Endpoint::prepare(NodeId node) {
    NetworkLimits const& limits = network_.limits();
    NetworkShape const& shape = network_.shape();
    std::size_t const peers = std::size_t{shape.ranks} * shape.endpoints;
    std::size_t const others = std::size_t{shape.ranks - 1} * shape.endpoints;
    // A buffer with a request is taken until its reply has left, which may be when the other rank receives it. So one
    // buffer more than there may be requests: two ranks with all buffers taken would wait for each other.
    std::uint32_t const credits =
        others == 0 ? limits.credits
                    : std::clamp(static_cast<std::uint32_t>((std::size_t{limits.max_buffers} - 1) / others), 1U,
                                 limits.credits);
    for (std::size_t i = 0; i < peers; ++i) peers_.emplace_back(credits);
    std::size_t const numbers = others * credits;
    // Requests of all others, and the replies to this one's.
    std::size_t const wanted =
        others == 0 ? 0 : std::max(std::min<std::size_t>(2 * numbers, limits.max_buffers), numbers + 1);
    buffers_ = MXK_TRY(NodeVector<Message>::create(wanted, node));
    for (std::size_t i = 0; i < wanted; ++i) buffers_.emplace(network_).home = home;
    by_number_.assign(numbers, nullptr);
    for (std::size_t i = numbers; i > 0; --i) free_numbers_.push_back(static_cast<std::uint32_t>(i - 1));
    return {};
}

void Endpoint::begin(Worker& here, Task& task) {
    auto& self = static_cast<Endpoint&>(task);
    for (Message& buffer : self.buffers_) self.link_.offer(buffer);
    self.last_found_ = clock::timestamp();
    self.body = &Endpoint::turn;
    self.has_stopped_ = self.network_.shape().ranks == 1;
    if (!self.has_stopped_) here.when_round(self);
}

void Endpoint::turn(Worker& here, Task& task) {
    auto& self = static_cast<Endpoint&>(task);
    if (self.is_stopping_) {
        self.has_stopped_ = true;
        return;
    }
    Cycles const start = clock::timestamp();
    if (self.look(here)) {
        self.last_found_ = clock::timestamp();
        self.statistics_.cycles.add(raw(self.last_found_ - start));
        return here.when_round(self);
    }
    NetworkLimits const& limits = self.network_.limits();
    if (raw(start - self.last_found_) < raw(cycles_of(limits.patience_us))) {
        if (limits.rest != nullptr && here.ran_dry()) limits.rest();
        return here.when_round(self);
    }
    // The core need not poll before it sleeps: what is to come, comes here.
    self.polling_time_ = here.polling_time();
    here.set_polling_time(Nanoseconds{0});
    here.timers().set(self.sleep_, start + cycles_of(limits.sleep_us));
}

bool Endpoint::stop(Worker& here) {
    is_stopping_ = true;
    if (sleep_.is_set()) {
        here.timers().cancel(sleep_);
        here.set_polling_time(polling_time_);
        has_stopped_ = true;
    }
    return has_stopped_;
}

void Endpoint::end_sleep(Worker& here, Timer& timer) {
    Endpoint& self = static_cast<Sleep&>(timer).endpoint;
    here.set_polling_time(self.polling_time_);
    here.append(self);
}

// One of this rank sends: its reply will come soon.
void Endpoint::wake(Worker& here) {
    last_found_ = clock::timestamp();
    if (!sleep_.is_set()) return;
    here.timers().cancel(sleep_);
    here.set_polling_time(polling_time_);
    here.when_round(*this);
}

bool Endpoint::look(Worker& here) {
    unsigned found = 0;
    for (; found < max_found; ++found) {
        Message* const message = link_.sent();
        if (message == nullptr) break;
        note_sent(here, *message);
    }
    for (unsigned received = 0; received < max_found; ++received, ++found) {
        Message* const buffer = link_.received();
        if (buffer == nullptr) break;
        note_received(here, *buffer);
    }
    return found != 0;
}

void Endpoint::send(Worker& here, Request& request) {
    wake(here);
    PeerState& peer = peers_[request.peer];
    if (!peer.waiting.empty() || !peer.credits.take()) {
        statistics_.waited.add(1);
        return peer.waiting.append(request);
    }
    begin_to_send(request);
}

// A credit has been taken for it.
void Endpoint::begin_to_send(Request& request) {
    std::uint32_t const number = free_numbers_.back();
    free_numbers_.pop_back();
    by_number_[number] = &request;
    MessageHead& head = request.head();
    head.number = number;
    request.has_left = false;
    request.reply = nullptr;
    peers_[request.peer].on_the_way.add(1);
    statistics_.requests.add(1);
    statistics_.operations.add(head.count);
    statistics_.bytes.add(head.size);
    if (++on_the_way_ > statistics_.max_on_the_way.value()) statistics_.max_on_the_way.add(1);
    inject::point();
    link_.send(request.peer, request);
}

void Endpoint::reply(Worker& here, Message& buffer) {
    wake(here);
    statistics_.replies.add(1);
    statistics_.bytes.add(buffer.head().size);
    link_.send(buffer.peer, buffer);
}

void Endpoint::note_sent(Worker& here, Message& message) {
    if (message.head().kind == MessageKind::Reply) return link_.offer(message);
    auto& request = static_cast<Request&>(message);
    request.has_left = true;
    if (request.reply != nullptr) finish(here, request);
}

void Endpoint::note_received(Worker& here, Message& buffer) {
    MessageHead const& head = buffer.head();
    if (head.kind == MessageKind::Request) {
        expect(head.core < network_.shape().cores, "a request is for a core that is there");
        buffer.body = &Network::serve_others;
        return here.append(buffer, network_.own_core(head.core));
    }
    expect(head.number < by_number_.size() && by_number_[head.number] != nullptr, "a reply answers a request");
    Request& request = *std::exchange(by_number_[head.number], nullptr);
    free_numbers_.push_back(head.number);
    PeerState& peer = peers_[request.peer];
    peer.credits.give_back();
    peer.on_the_way.add(~std::uint64_t{0});
    --on_the_way_;
    request.reply = &buffer;
    buffer.request = &request;
    if (request.has_left) finish(here, request);
    if (peer.waiting.empty()) return;
    expect(peer.credits.take(), "a credit was given back");
    begin_to_send(static_cast<Request&>(*peer.waiting.take()));
}

void Endpoint::finish(Worker& here, Request& request) {
    Message& buffer = *request.reply;
    buffer.body = &Network::give_reply;
    here.append(buffer, request.home);
}

} // namespace mxk::remote
