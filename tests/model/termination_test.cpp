// Bodies that are posted to other cores and other ranks, and post more: their end is reported when all have ended, and
// not before, however long they are on their way, and who is told sees what they have done (termination.hpp).
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tasks/remote/call_at.hpp"
#include "tasks/remote/endpoint.hpp"
#include "tasks/remote/network.hpp"
#include "tasks/remote/remote_spawn.hpp"
#include "tests/model/model_link.hpp"
#include "tests/model/protocol.hpp"

namespace mxk::test {
namespace {

using remote::Network;
using remote::PostedAndEnded;
using remote::Rank;

Result<std::uint64_t> run_body(Worker& here, std::uint64_t number);

constexpr RemoteFunction run_body_function = remote_function<&run_body>("run body");

// Thread 1 is rank 0, or core 0 of the only rank.
class PostedBodiesUse {
  public:
    static constexpr std::size_t max_bodies = 6;
    struct Post {
        std::size_t to; // the thread
        std::uint64_t body;
    };
    struct Shape {
        std::vector<std::vector<Post>> bodies;     // what each posts
        std::array<std::vector<Post>, 2> first{};  // what each thread posts before all waves
        std::array<std::vector<Post>, 2> calls{};  // what it calls, one by one, behind them
        std::array<std::vector<Post>, 2> spawns{}; // and all at once
        std::size_t fails = max_bodies;            // the body that does
        Rank ranks = 2;                            // or 1, of two cores
        std::uint32_t credits = 1;
        std::uint32_t requests = 4; // of a core
        std::size_t bodies_of_message = 1;
        std::size_t waves = 2;       // while bodies are under way: more come behind
        bool in_rounds = false;      // posts one in each
        bool waves_are_late = false; // they are seen where there is nothing else to do
        bool ends = false;           // the ranks meet, and their networks end
        bool is_long = false;
    };

    ProtocolUse use(std::string name, Shape const& shape) {
        ModelProgram program;
        program.max_events = 1500;
        program.begin = [this, shape] { begin(shape); };
        for (std::size_t thread = 0; thread < 2; ++thread)
            program.threads.emplace_back([this, thread] { run(thread); });
        program.end = [this] {
            check_have_run(0);
            check_have_run(1);
            for (Rank rank = 0; shape_.ends && rank < 2; ++rank) {
                WeakMemory::current().check(!links_.at(rank)->has_letter(), "a message is left over");
                WeakMemory::current().check(networks_.at(rank)->in_flight_to(1 - rank) == 0, "a reply is lost");
            }
        };
        return {std::move(name), std::move(program), 0, shape.is_long};
    }

    Result<std::uint64_t> run_body(Worker& here, std::uint64_t number) {
        for (Post const& each : shape_.bodies.at(number)) post(here, each);
        *times_.at(number) += 1;
        here.append(*ModelMemory::make<Ended>(*left_.at(index(here.core())))); // behind what counts its end
        if (number == shape_.fails) return Error("as it should");
        return number;
    }

  private:
    using Spawn = remote::SpawnAt<&mxk::test::run_body>;
    struct Ended : Task {
        explicit Ended(ModelAtomic<std::size_t>& its_left)
            : Task([](Worker&, Task& task) { static_cast<Ended&>(task).left.fetch_sub(1, std::memory_order_release); })
            , left(its_left) {}
        ModelAtomic<std::size_t>& left;
    };

    void begin(Shape const& shape) {
        shape_ = shape;
        remote::FunctionTraits<& mxk::test::run_body>::number = 0;
        make_model_workers(2);
        for (std::size_t thread = 0; thread < 2; ++thread) {
            std::size_t left = 0;
            for (std::size_t body = 0; body < shape.bodies.size(); ++body) left += target_of(body) == thread ? 1U : 0U;
            left_.at(thread) = ModelMemory::make<ModelAtomic<std::size_t>>(left);
        }
        for (auto& times : times_) times = ModelMemory::make<ModelPlain<std::uint64_t>>(0U);
        has_ended_ = ModelMemory::make<ModelFlag>();
        remote::NetworkLimits const limits{
            .credits = shape.credits,
            .fill = static_cast<std::uint32_t>(sizeof(remote::MessageHead) + 16 * shape.bodies_of_message),
            .requests = shape.requests};
        for (Rank rank = 0; rank < shape.ranks; ++rank) {
            links_.at(rank) = ModelMemory::make<ModelLink>(Rank{1} - rank, shape.credits, ModelLink::Leaves::AtOnce,
                                                           shape.waves_are_late);
            std::array<remote::Link*, 1> const links{links_.at(rank)};
            networks_.at(rank) =
                Network::create(
                    {.rank = rank, .ranks = shape.ranks, .cores = 2 / shape.ranks, .endpoints = 1, .first_core = rank},
                    links, limits)
                    .value()
                    .release();
        }
        if (shape.ranks == 2) ModelLink::connect(*links_[0], *links_[1]);
    }
    // Of the calling core.
    [[nodiscard]] Network& network(Worker const& here) const {
        return *networks_.at(shape_.ranks == 2 ? index(here.core()) : 0);
    }
    [[nodiscard]] GlobalCore core_of(std::size_t thread) const {
        return shape_.ranks == 2 ? GlobalCore{static_cast<Rank>(thread), core_id(0)} : GlobalCore{0, core_id(thread)};
    }
    void post(Worker& here, Post const& each) {
        WeakMemory::current().check(post_at<&mxk::test::run_body>(network(here), here, core_of(each.to), each.body),
                                    "no room");
    }

    void run(std::size_t thread) {
        Worker& here = Worker::current();
        if (shape_.ranks == 2 || thread == 0) network(here).begin(here);
        for (Post const& each : shape_.first.at(thread)) {
            post(here, each);
            if (shape_.in_rounds) run_round(here);
        }
        for (Post const& each : shape_.calls.at(thread)) {
            check_result(call_at<&mxk::test::run_body>(network(here), here, core_of(each.to), each.body), each.body);
        }
        spawn_all(here, shape_.spawns.at(thread));
        if (shape_.ranks == 1 && thread == 1) return here.run_until([&] { return has_ended_->is_set; });
        if (shape_.bodies.empty()) {
            check_refused(here, {.rank = 2, .core = core_id(0)});
            check_refused(here, {.rank = 0, .core = core_id(1)});
        }
        wait_for_all_posted(here, thread);
        note(network(here).endpoints()[0]->statistics().requests.value());
        check_have_run(thread);
        if (shape_.ends) end_network(here, network(here), *links_.at(thread), core_of(1 - thread).rank);
        if (shape_.ranks == 1) here.append(*has_ended_, core_id(1));
    }
    void check_result(Result<std::uint64_t> const& result, std::uint64_t body) const {
        if (body == shape_.fails)
            WeakMemory::current().check(!result && result.error().message() == "as it should", "another error");
        else
            WeakMemory::current().check(result.ok() && result.value() == body, "another result");
    }
    void spawn_all(Worker& here, std::vector<Post> const& all) {
        std::vector<Spawn*> spawned;
        for (Post const& each : all) {
            spawned.push_back(ModelMemory::make<Spawn>(network(here), core_of(each.to), each.body));
            here.run_until([&] { return spawned.back()->try_send(here); });
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            here.run_until([&] { return spawned[i]->has_come(); });
            check_result(spawned[i]->await_resume(), all[i].body);
        }
    }
    void check_refused(Worker& here, GlobalCore target) const {
        auto const called = call_at<&mxk::test::run_body>(network(here), here, target, std::uint64_t{0});
        WeakMemory::current().check(!called && called.error().message().starts_with("expected a core of ranks 0 to 1"),
                                    "a core that is not there has answered");
        WeakMemory::current().check(!post_at<&mxk::test::run_body>(network(here), here, target, std::uint64_t{0}),
                                    "there is no such core");
    }
    // As a cluster does.
    void wait_for_all_posted(Worker& here, std::size_t thread) {
        remote::Termination termination;
        for (std::size_t wave = 0;; ++wave) {
            if (wave == shape_.waves) wait_for_bodies(here, thread);
            WeakMemory::current().check(wave < shape_.waves + 2, "all have ended, and this is not reported");
            if (termination.add_wave(shape_.ranks == 2 ? sums_of_ranks(here, *links_.at(thread)) : sums(here)))
                return note(wave);
        }
    }
    PostedAndEnded sums_of_ranks(Worker& here, ModelLink& link) {
        PostedAndEnded sums = network(here).posted_and_ended();
        link.begin_wave(sums);
        here.run_until([&] { return !link.awaits_wave(); });
        sums.posted += link.others().posted;
        sums.ended += link.others().ended;
        return sums;
    }
    // Of the only rank, whose core takes what has come between two waves.
    PostedAndEnded sums(Worker& here) {
        run_round(here);
        return network(here).posted_and_ended();
    }
    void wait_for_bodies(Worker& here, std::size_t thread) {
        here.run_until([&] {
            if (left_.at(thread)->load(std::memory_order_acquire) != 0) return false;
            return shape_.ranks == 2 || left_.at(1)->load(std::memory_order_acquire) == 0;
        });
    }
    // The bodies of a rank: races with those that have not ended.
    void check_have_run(std::size_t thread) {
        for (std::size_t body = 0; body < shape_.bodies.size(); ++body)
            if (shape_.ranks == 1 || target_of(body) == thread)
                WeakMemory::current().check(*times_.at(body) == 1, "a body has not ended");
    }
    [[nodiscard]] std::size_t target_of(std::uint64_t body) const {
        std::size_t target = 0;
        auto const look = [&](std::vector<Post> const& posts) {
            for (Post const& each : posts)
                if (each.body == body) target = each.to;
        };
        for (auto const& posts : shape_.first) look(posts);
        for (auto const& posts : shape_.calls) look(posts);
        for (auto const& posts : shape_.spawns) look(posts);
        for (auto const& posts : shape_.bodies) look(posts);
        return target;
    }

    Shape shape_;
    std::array<Network*, 2> networks_{};
    std::array<ModelLink*, 2> links_{};
    std::array<ModelAtomic<std::size_t>*, 2> left_{}; // bodies, by thread
    std::array<ModelPlain<std::uint64_t>*, max_bodies> times_{};
    ModelFlag* has_ended_ = nullptr;
};

PostedBodiesUse* posted_bodies = nullptr;

Result<std::uint64_t> run_body(Worker& here, std::uint64_t number) {
    return posted_bodies->run_body(here, number);
}

TEST(Model, PostedBodies) {
    PostedBodiesUse use;
    posted_bodies = &use;
    // Of rank 0's body 0 on rank 1, which posts two, a wave that has missed it sees one that was posted and one that
    // has ended.
    Protocol("posted bodies")
        .use(use.use("none", {.bodies = {}}))
        .use(use.use("one", {.bodies = {{}}, .first = {{{{1, 0}}, {}}}}))
        .use(use.use("posts two", {.bodies = {{{0, 1}, {1, 2}}, {}, {}}, .first = {{{{1, 0}}, {}}}}))
        .use(use.use("both post, and their bodies, too",
                     {.bodies = {{{0, 2}}, {{1, 3}}, {}, {}}, .first = {{{{1, 0}}, {{0, 1}}}}, .is_long = true}))
        .use(use.use("posts two to others",
                     {.bodies = {{{0, 1}, {0, 2}}, {}, {}}, .first = {{{{1, 0}}, {}}}, .waves = 3, .is_long = true}))
        .use(use.use("one, late waves", {.bodies = {{}}, .first = {{{{1, 0}}, {}}}, .waves_are_late = true}))
        .use(use.use(
            "two together",
            {.bodies = {{}, {}, {}}, .first = {{{{1, 0}, {1, 1}, {1, 2}}, {}}}, .bodies_of_message = 2, .waves = 0}))
        .use(use.use("three, one by one", {.bodies = {{}, {}, {}},
                                           .first = {{{{1, 0}, {1, 1}, {1, 2}}, {}}},
                                           .credits = 2,
                                           .bodies_of_message = 2,
                                           .waves = 0,
                                           .in_rounds = true}))
        .use(use.use("four answers, one error", {.bodies = {{}, {}, {}, {}},
                                                 .spawns = {{{{1, 0}, {1, 1}, {1, 2}, {1, 3}}, {}}},
                                                 .fails = 2,
                                                 .bodies_of_message = 4,
                                                 .waves = 0}))
        .use(use.use("a post and a call", {.bodies = {{}, {}},
                                           .first = {{{{1, 0}}, {}}},
                                           .calls = {{{{1, 1}}, {}}},
                                           .bodies_of_message = 2,
                                           .waves = 0}))
        .use(use.use("calls", {.bodies = {{}, {}}, .calls = {{{{1, 0}}, {{0, 1}}}}, .waves = 0}))
        .use(use.use(
            "a message",
            {.bodies = {{}, {}}, .first = {{{{1, 0}}, {}}}, .calls = {{{{1, 1}}, {}}}, .requests = 1, .waves = 0}))
        .use(use.use("one, and the end", {.bodies = {{}}, .first = {{{{1, 0}}, {}}}, .ends = true}))
        .use(use.use("two cores, one", {.bodies = {{}}, .first = {{{{1, 0}}, {}}}, .ranks = 1}))
        .use(use.use("two cores, posts one", {.bodies = {{{0, 1}}, {}}, .first = {{{{1, 0}}, {}}}, .ranks = 1}))
        .check({"termination,", "post_counts,", "remote_spawn,", "call_at,", "endpoint, begin()", "network, send()",
                "network, in_flight_to()"},
               {{"remote_spawn, replied() condition 4: never", "calls a coroutine, and here is none"},
                {"remote_spawn, replied() condition 5: always", "asks to send nothing"},
                {"remote_spawn, room_for() condition 1: always", "what is empty is not full"},
                {"remote_spawn, room_for() condition 5: always", "room for an answer that does not come"}});
}

} // namespace
} // namespace mxk::test

namespace mxk::remote {

RemoteFunction const& function_of(std::uint16_t /*number*/) {
    return test::run_body_function;
}

} // namespace mxk::remote
