// Tasks for cores of other ranks, from a task of this one: a remote function (remote_function.hpp), its arguments, and
// where it is to run. Several to one core travel together: what a core has spawned leaves when a message is full, or at
// its next round of tasks, unless two messages to the same core have no reply yet; then with the reply. Their results
// come back together.
//
//     auto const sum = co_await mxk::spawn_at<&add>(cluster.network(), {.rank = 3, .core = core}, key, value);
//     if (!sum) ...                                            // add() has failed, or there is no such core
//     if (!mxk::post_at<&add>(network, here, core, key, value)) ...  // no room for now: nobody waits for its end
//
// Nothing is queued without bound: a core has so many messages (NetworkLimits::requests), a peer so many credits. A
// coroutine that finds no room waits for it; post_at() says so.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "tasks/coroutine_task.hpp"
#include "tasks/remote/network.hpp"
#include "tasks/remote/remote_function.hpp"

namespace mxk::remote {

// What waits for a function's result.
struct Awaited {
    std::byte result[RemoteFunction::max_bytes]; // or the text of an error
    bool succeeded = false;
    bool has_come = false;
    Task* waiter = nullptr; // appended then; null: somebody looks
};

// Of one rank: the service that runs what others send, and what its cores have spawned and not sent yet.
class Spawner {
  public:
    explicit Spawner(Network& network);
    ~Spawner();
    Spawner(Spawner const&) = delete;
    Spawner& operator=(Spawner const&) = delete;

    // The one of the network.
    static Spawner& of(Network& network);

    // False: no room now. `arguments(bytes)` writes them. `awaited`: where the result goes; null: nobody waits.
    template <typename Write>
    [[nodiscard]] bool add(Worker& here, GlobalCore target, RemoteFunction const& function, Awaited* awaited,
                           Write write) {
        std::byte* const place = room_for(here, target, function, awaited);
        if (place == nullptr) return false;
        write(place);
        return true;
    }
    void wait_for_room(Worker& here, Task& task) { network_.wait_for_request(here, task); }

    // Sends what this core has spawned, but to a target that has not answered the last messages: what is spawned until
    // it does travels together (as Nagle's rule has it for small packets).
    void flush(Worker& here);

  private:
    struct Open {
        Request* request = nullptr;
        std::size_t used = 0;    // of the payload
        std::size_t answers = 0; // bytes of the results
        std::size_t count = 0;
        std::uint32_t under_way = 0; // messages to this target without a reply
    };
    struct alignas(cache_line_bytes) Side;
    // Ahead of a function's arguments.
    struct Entry {
        std::uint16_t function;
        std::uint16_t bytes; // of arguments, with this, rounded up
        std::uint16_t wants_result;
        std::uint16_t unused;
    };
    static constexpr std::uint32_t max_small = 2; // messages under way to a target that are not full
    static constexpr std::size_t max_count = Request::note_bytes / sizeof(Awaited*);
    static constexpr std::size_t rounded(std::size_t bytes) { return align_up(bytes, sizeof(std::uint64_t)); }

    std::byte* room_for(Worker& here, GlobalCore target, RemoteFunction const& function, Awaited* awaited);
    void send(Worker& here, Open& open);
    static std::size_t serve(void* object, Asked const& asked);
    static void replied(Worker& here, Request& request, Message const& reply);

    Network& network_;
    std::uint16_t service_;
    std::vector<std::unique_ptr<Side>> sides_; // by core
};

template <auto function> class SpawnAt {
    using Traits = FunctionTraits<function>;
    using Returned = typename Traits::Returned;

  public:
    template <typename... Arguments>
    SpawnAt(Network& network, GlobalCore target, Arguments const&... arguments)
        : network_(network)
        , target_(target) {
        Traits::write(arguments_, arguments...);
    }

    [[nodiscard]] bool await_ready() const { return wrong_target(); }
    template <typename Promise> void await_suspend(std::coroutine_handle<Promise> coroutine) {
        awaited_.waiter = &coroutine.promise();
        Worker& here = Worker::current();
        if (try_send(here)) return;
        retry_ = Retry(*this);
        Spawner::of(network_).wait_for_room(here, retry_);
    }
    [[nodiscard]] Result<Returned> await_resume() const {
        if (wrong_target())
            return Error::of("expected a core of ranks 0 to {}, with {} cores each, got core {} of rank {}",
                             network_.shape().ranks - 1, network_.shape().cores, index(target_.core), target_.rank);
        if (!awaited_.succeeded) return Error(std::string_view(reinterpret_cast<char const*>(awaited_.result)));
        if constexpr (std::is_void_v<Returned>) {
            return {};
        } else {
            Returned returned;
            std::memcpy(&returned, awaited_.result, sizeof returned);
            return returned;
        }
    }

    // For a caller that waits in another way (call_at.hpp): whether there was room; and whether the result is there.
    bool try_send(Worker& here) {
        expect(Traits::number != RemoteFunction::not_numbered, "a remote function is registered");
        return Spawner::of(network_).add(here, target_, function_of(Traits::number), &awaited_, [this](std::byte* to) {
            std::memcpy(to, arguments_, Traits::argument_bytes);
        });
    }
    [[nodiscard]] bool has_come() const { return awaited_.has_come; }

  private:
    struct Retry : Task {
        Retry()
            : Task(nullptr) {}
        explicit Retry(SpawnAt& its_call)
            : Task([](Worker& here, Task& task) {
                SpawnAt& its = *static_cast<Retry&>(task).call;
                if (!its.try_send(here)) Spawner::of(its.network_).wait_for_room(here, task);
            })
            , call(&its_call) {}
        SpawnAt* call = nullptr;
    };

    [[nodiscard]] bool wrong_target() const {
        return target_.rank >= network_.shape().ranks || index(target_.core) >= network_.shape().cores;
    }

    Network& network_;
    GlobalCore target_;
    std::byte arguments_[RemoteFunction::max_bytes];
    Awaited awaited_{};
    Retry retry_;
};

} // namespace mxk::remote

namespace mxk {

using remote::GlobalCore;

// Awaited, it runs function(worker, arguments...) on that core and gives its Result. Inside a coroutine.
template <auto function, typename... Arguments>
[[nodiscard]] remote::SpawnAt<function> spawn_at(remote::Network& network, GlobalCore target,
                                                 Arguments const&... arguments) {
    return remote::SpawnAt<function>(network, target, arguments...);
}

// Runs it there, and nobody waits for it. False: no room now, or no such core; nothing was sent. Never blocks.
template <auto function, typename... Arguments>
[[nodiscard]] bool post_at(remote::Network& network, Worker& here, GlobalCore target, Arguments const&... arguments) {
    using Traits = remote::FunctionTraits<function>;
    if (target.rank >= network.shape().ranks || index(target.core) >= network.shape().cores) return false;
    expect(Traits::number != RemoteFunction::not_numbered, "a remote function is registered");
    return remote::Spawner::of(network).add(here, target, remote::function_of(Traits::number), nullptr,
                                            [&](std::byte* to) { Traits::write(to, arguments...); });
}

} // namespace mxk
