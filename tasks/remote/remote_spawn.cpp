#include "tasks/remote/remote_spawn.hpp"

#include "base/panic.hpp"
#include "tasks/worker.hpp"

namespace mxk::remote {

struct alignas(cache_line_bytes) Spawner::Side {
    explicit Side(Spawner& its_spawner)
        : leave(its_spawner)
        , open(its_spawner.network_.cores_of_all()) {}

    struct Leave : Task {
        explicit Leave(Spawner& its_spawner)
            : Task([](Worker& here, Task& task) {
                auto& self = static_cast<Leave&>(task);
                self.is_queued = false;
                self.spawner.flush(here);
            })
            , spawner(its_spawner) {}
        void ask(Worker& here) {
            if (is_queued) return;
            is_queued = true;
            here.when_round(*this);
        }
        Spawner& spawner;
        bool is_queued = false;
    } leave;
    std::vector<Open> open;               // by target
    std::vector<std::uint32_t> not_empty; // of these
};

Spawner::Spawner(Network& network)
    : network_(network)
    , service_(network.add_service(&Spawner::serve, this)) {
    for (std::uint32_t core = 0; core < network.shape().cores; ++core) sides_.push_back(std::make_unique<Side>(*this));
}
Spawner::~Spawner() {
    network_.remove_service(service_);
}

Spawner& Spawner::of(Network& network) {
    return network.spawner();
}

std::byte* Spawner::room_for(Worker& here, GlobalCore target, RemoteFunction const& function, Awaited* awaited) {
    Side& side = *sides_[network_.number_in_rank(here.core())];
    std::uint32_t const number = network_.number_of(target);
    Open& open = side.open[number];
    std::size_t const bytes = sizeof(Entry) + rounded(function.argument_bytes);
    std::size_t const answer = sizeof(std::uint64_t) + RemoteFunction::max_bytes; // an error may come
    std::size_t const room = network_.limits().fill - sizeof(MessageHead);
    if (open.request != nullptr &&
        (open.used + bytes > room || open.answers + answer > Message::payload_bytes || open.count == max_count)) {
        send(here, open);
        std::erase(side.not_empty, number);
    }
    if (open.request == nullptr) {
        Request* const request = network_.take_request(here);
        if (request == nullptr) {
            flush(here); // what is being filled may be all that there is
            return nullptr;
        }
        request->target = target;
        request->replied = &Spawner::replied;
        request->sender = this;
        open.request = request;
        side.not_empty.push_back(number);
        side.leave.ask(here);
    }
    Entry const entry{*function.number, static_cast<std::uint16_t>(bytes),
                      static_cast<std::uint16_t>(awaited != nullptr), 0};
    std::byte* const place = open.request->payload() + open.used;
    std::memcpy(place, &entry, sizeof entry);
    open.request->notes<Awaited*>()[open.count++] = awaited;
    open.used += bytes;
    if (awaited != nullptr) open.answers += answer;
    network_.count_posted(here);
    return place + sizeof entry;
}

void Spawner::send(Worker& here, Open& open) {
    Request& request = *open.request;
    MessageHead& head = request.head();
    head.size = static_cast<std::uint32_t>(open.used);
    head.count = static_cast<std::uint16_t>(open.count);
    head.service = service_;
    head.operation = 0;
    open = {.under_way = open.under_way + 1};
    network_.send(here, request);
}

void Spawner::flush(Worker& here) {
    Side& side = *sides_[network_.number_in_rank(here.core())];
    std::erase_if(side.not_empty, [&](std::uint32_t number) {
        Open& open = side.open[number];
        if (open.under_way >= max_small) return false;
        send(here, open);
        return true;
    });
}

// The answers of those whose result is awaited, one behind the other.
std::size_t Spawner::serve(void* object, Asked const& asked) {
    auto& self = *static_cast<Spawner*>(object);
    std::byte const* from = asked.payload.data();
    std::byte* to = asked.answer;
    for (std::size_t i = 0; i < asked.count; ++i) {
        Entry entry{};
        std::memcpy(&entry, from, sizeof entry);
        RemoteFunction const& function = function_of(entry.function);
        std::byte result[RemoteFunction::max_bytes];
        bool const succeeded = function.run(asked.here, from + sizeof entry, result);
        from += entry.bytes;
        if (entry.wants_result == 0) continue;
        std::size_t const bytes = succeeded ? rounded(function.result_bytes) : RemoteFunction::max_bytes;
        std::uint64_t const mark = succeeded ? function.result_bytes : ~std::uint64_t{0};
        std::memcpy(to, &mark, sizeof mark);
        std::memcpy(to + sizeof mark, result, std::min(bytes, sizeof result));
        to += sizeof mark + bytes;
    }
    self.network_.count_ended(asked.here, asked.count);
    return static_cast<std::size_t>(to - asked.answer);
}

void Spawner::replied(Worker& here, Request& request, Message const& reply) {
    auto& self = *static_cast<Spawner*>(request.sender);
    std::byte const* from = reply.payload();
    for (std::size_t i = 0; i < reply.head().count; ++i) {
        Awaited* const awaited = request.notes<Awaited*>()[i];
        if (awaited == nullptr) continue;
        std::uint64_t mark = 0;
        std::memcpy(&mark, from, sizeof mark);
        from += sizeof mark;
        awaited->succeeded = mark != ~std::uint64_t{0};
        std::size_t const bytes = awaited->succeeded ? rounded(mark) : RemoteFunction::max_bytes;
        std::memcpy(awaited->result, from, bytes);
        from += bytes;
        awaited->has_come = true;
        if (awaited->waiter != nullptr) here.append(*awaited->waiter);
    }
    Side& side = *self.sides_[self.network_.number_in_rank(here.core())];
    Open& open = side.open[self.network_.number_of(request.target)];
    --open.under_way;
    if (open.request != nullptr) side.leave.ask(here);
    self.network_.give_back(here, request);
}

} // namespace mxk::remote
