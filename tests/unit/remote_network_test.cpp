// Requests, replies, posted and awaited tasks between ranks that share a process: each arrives once, in order, where it
// is to, however their links delay them; nobody has more on the way than credits; and nothing counts as ended early.
#include <deque>
#include <vector>

#include "bench/workload/random.hpp"
#include "tasks/coroutine.hpp"
#include "tasks/remote/call_at.hpp"
#include "tasks/start.hpp"
#include "tasks/wait_until.hpp"
#include "tests/unit/ranks_fixture.hpp"

namespace mxk::test {
namespace {

using RemoteNetworkTest = RanksTest;
using bench::Random;

// Of all kinds: one endpoint and several, plenty of messages and hardly any, links that behave and links that do not.
std::vector<RanksShape> ranks_of_all_kinds() {
    remote::NetworkLimits const scarce{.credits = 1, .fill = 256, .requests = 2};
    remote::NetworkLimits const few{.credits = 2, .fill = 256, .requests = 3};
    return {
        {.ranks = 2},
        {.ranks = 2, .cores = 2, .limits = scarce},
        {.ranks = 2, .cores = 2, .endpoint_of_each_core = true, .limits = few},
        {.ranks = 4, .cores = 2, .departure = Departure::WhenReceived, .limits = few},
        {.ranks = 2, .disturb = 1},
        {.ranks = 2, .cores = 2, .disturb = 2, .limits = scarce},
        {.ranks = 3, .cores = 2, .endpoint_of_each_core = true, .disturb = 3, .limits = few},
        {.ranks = 4, .cores = 2, .disturb = 4, .departure = Departure::WhenReceived, .limits = few},
        {.ranks = 4, .disturb = 5, .limits = scarce},
    };
}

// Until nothing that was posted is left; each turn of the core looks at one more rank, so that a wave takes its time.
void wait_for_all_posted(Worker& here, Ranks& ranks) {
    remote::Termination termination;
    remote::PostedAndEnded sums;
    remote::Rank rank = 0;
    here.run_until([&] {
        remote::PostedAndEnded const its = ranks.network(rank).posted_and_ended();
        sums.posted += its.posted;
        sums.ended += its.ended;
        if (++rank < ranks.shape().ranks) return false;
        rank = 0;
        return termination.add_wave(std::exchange(sums, {}));
    });
}

TEST(RemoteCreditsTest, there_are_as_many_as_were_given) {
    remote::Credits credits(2);
    EXPECT_EQ(credits.on_the_way(), 0U);
    EXPECT_TRUE(credits.take());
    EXPECT_TRUE(credits.take());
    EXPECT_FALSE(credits.take());
    EXPECT_EQ(credits.on_the_way(), 2U);
    credits.give_back();
    EXPECT_EQ(credits.on_the_way(), 1U);
    EXPECT_TRUE(credits.take());
    EXPECT_FALSE(credits.take());
}

TEST(RemoteCreditsDeathTest, none_is_given_back_twice) {
    remote::Credits credits(1);
    ASSERT_TRUE(credits.take());
    credits.give_back();
    EXPECT_DEATH(credits.give_back(), "a peer answers a request once");
}

TEST(RemoteTerminationTest, all_has_ended_when_two_waves_have_seen_the_same) {
    remote::Termination termination;
    EXPECT_FALSE(termination.add_wave({5, 5}));
    EXPECT_TRUE(termination.add_wave({5, 5}));
    remote::Termination nothing;
    EXPECT_FALSE(nothing.add_wave({0, 0}));
    EXPECT_TRUE(nothing.add_wave({0, 0}));
}

// A wave that missed a post sees as many as have ended: the body on rank 0 has posted after rank 0 was asked, to rank
// 1, where it ended before rank 1 was asked, when another one that rank 0 had posted before was still under way.
TEST(RemoteTerminationTest, one_wave_is_not_enough) {
    remote::Termination termination;
    EXPECT_FALSE(termination.add_wave({7, 7}));
    EXPECT_FALSE(termination.add_wave({8, 7}));
    EXPECT_FALSE(termination.add_wave({8, 8}));
    EXPECT_TRUE(termination.add_wave({8, 8}));
}

TEST(RemoteTerminationTest, what_goes_on_for_long_has_not_ended) {
    remote::Termination termination;
    for (int wave = 0; wave < 4; ++wave) EXPECT_FALSE(termination.add_wave({8, 7}));
    EXPECT_FALSE(termination.add_wave({9, 9}));
    EXPECT_FALSE(termination.add_wave({10, 10}));
    EXPECT_TRUE(termination.add_wave({10, 10}));
}

// What a request asks; behind it are as many bytes as it says, which depend on all of it.
struct EchoQuestion {
    std::uint32_t sender; // cores among those of all ranks
    std::uint32_t target;
    std::uint32_t number; // of those from this sender to this target, from 1 on
    std::uint32_t bytes;

    [[nodiscard]] std::byte byte(std::uint32_t at) const {
        return static_cast<std::byte>(sender * 7 + target * 31 + number * 17 + at);
    }
    bool operator==(EchoQuestion const&) const = default;
};

// The service of a rank: checks what it is asked, and answers the question with other bytes behind it.
class EchoService {
  public:
    EchoService(Ranks& ranks, remote::Network& network)
        : numbers_(ranks.cores_of_all(), std::vector<std::uint32_t>(ranks.cores_of_all()))
        , network_(network)
        , service_(network.add_service(&EchoService::serve, this)) {}
    ~EchoService() { network_.remove_service(service_); }
    EchoService(EchoService const&) = delete;
    EchoService& operator=(EchoService const&) = delete;

    [[nodiscard]] std::uint16_t service() const { return service_; }

  private:
    static std::size_t serve(void* object, remote::Asked const& asked) {
        auto& self = *static_cast<EchoService*>(object);
        EchoQuestion question{};
        std::memcpy(&question, asked.payload.data(), sizeof question);
        EXPECT_EQ(asked.payload.size(), sizeof question + question.bytes);
        EXPECT_EQ(question.target, index(asked.here.core())) << "a request is served on the core that it is for";
        EXPECT_EQ(question.number, ++self.numbers_[index(asked.here.core())][question.sender])
            << "requests of one core to another are served in their order";
        std::memcpy(asked.answer, &question, sizeof question);
        for (std::uint32_t i = 0; i < question.bytes; ++i) {
            EXPECT_EQ(asked.payload[sizeof question + i], question.byte(i));
            asked.answer[sizeof question + i] = ~question.byte(i);
        }
        return sizeof question + question.bytes;
    }

    std::vector<std::vector<std::uint32_t>> numbers_; // the last one, by target and by sender
    remote::Network& network_;
    std::uint16_t service_;
};

// Of one core: asks others at random, as often as it has requests for, and checks the answers.
class EchoAsker : public Task {
  public:
    EchoAsker(Ranks& ranks, std::size_t core, std::uint16_t service, std::uint32_t total, TaskGroup& group)
        : Task(&EchoAsker::ask, core_id(core))
        , ranks_(ranks)
        , network_(ranks.network_of(core))
        , service_(service)
        , total_(total)
        , group_(group)
        , random_(core + 1)
        , numbers_(ranks.cores_of_all()) {
        group.begin_one();
    }
    // Only this one.
    void set_target(std::size_t core) { only_target_ = core; }
    [[nodiscard]] std::uint32_t answers() const { return answers_; }

  private:
    static void ask(Worker& here, Task& task) {
        auto& self = static_cast<EchoAsker&>(task);
        while (self.asked_ < self.total_) {
            remote::Request* const request = self.network_.take_request(here);
            if (request == nullptr) return self.network_.wait_for_request(here, self);
            ++self.asked_;
            self.fill(here, *request);
            self.network_.send(here, *request);
        }
    }
    void fill(Worker& here, remote::Request& request) {
        auto const target = static_cast<std::uint32_t>(only_target_.value_or(random_.below(ranks_.cores_of_all())));
        EchoQuestion const question{static_cast<std::uint32_t>(index(here.core())), target, ++numbers_[target],
                                    static_cast<std::uint32_t>(random_.below(random_.below(8) == 0 ? 16000 : 200))};
        std::memcpy(request.payload(), &question, sizeof question);
        for (std::uint32_t i = 0; i < question.bytes; ++i) request.payload()[sizeof question + i] = question.byte(i);
        std::memcpy(request.notes<EchoQuestion>(), &question, sizeof question);
        request.target = ranks_.core(target);
        request.sender = this;
        request.replied = &EchoAsker::take_answer;
        request.head().size = static_cast<std::uint32_t>(sizeof question + question.bytes);
        request.head().count = 1;
        request.head().service = service_;
        request.head().operation = 0;
    }
    static void take_answer(Worker& here, remote::Request& request, remote::Message const& reply) {
        auto& self = *static_cast<EchoAsker*>(request.sender);
        EXPECT_EQ(here.core(), self.home);
        EchoQuestion question{};
        std::memcpy(&question, reply.payload(), sizeof question);
        EXPECT_EQ(question, *request.notes<EchoQuestion>()) << "a reply comes to its request";
        EXPECT_EQ(reply.head().size, sizeof question + question.bytes);
        for (std::uint32_t i = 0; i < question.bytes; ++i)
            EXPECT_EQ(reply.payload()[sizeof question + i], ~question.byte(i));
        self.network_.give_back(here, request);
        if (++self.answers_ == self.total_) self.group_.finish_one(here);
    }

    Ranks& ranks_;
    remote::Network& network_;
    std::uint16_t service_;
    std::uint32_t total_;
    TaskGroup& group_;
    Random random_;
    std::optional<std::size_t> only_target_;
    std::vector<std::uint32_t> numbers_; // by target
    std::uint32_t asked_ = 0;
    std::uint32_t answers_ = 0;
};

// The services of all ranks, and the askers of all cores.
struct EchoRun {
    EchoRun(Worker& here, Ranks& ranks, std::uint32_t total)
        : group(here) {
        for (remote::Rank rank = 0; rank < ranks.shape().ranks; ++rank)
            services.emplace_back(ranks, ranks.network(rank));
        for (std::size_t core = 0; core < ranks.cores_of_all(); ++core)
            askers.emplace_back(ranks, core, services[0].service(), total, group);
    }
    std::deque<EchoService> services;
    std::deque<EchoAsker> askers;
    TaskGroup group;
};

TEST_F(RemoteNetworkTest, each_reply_comes_to_its_request) {
    with_ranks(ranks_of_all_kinds(), [](Worker& here, Ranks& ranks) {
        EchoRun run(here, ranks, 150);
        for (EchoAsker& asker : run.askers) here.append(asker, asker.home);
        run.group.wait();
        for (remote::Rank rank = 0; rank < ranks.shape().ranks; ++rank)
            for (remote::Rank other = 0; other < ranks.shape().ranks; ++other)
                EXPECT_EQ(ranks.network(rank).in_flight_to(other), 0U);
    });
}

// Messages that leave only when they are received: a rank whose few buffers are full of requests has to receive replies
// all the same, or two of them wait for each other.
TEST_F(RemoteNetworkTest, few_buffers_are_enough) {
    std::vector<RanksShape> shapes;
    for (std::uint32_t const buffers : {1U, 2U, 3U})
        shapes.push_back({.ranks = 3,
                          .disturb = buffers,
                          .departure = Departure::WhenReceived,
                          .limits = {.credits = 4, .requests = 16, .max_buffers = buffers}});
    with_ranks(shapes, [](Worker& here, Ranks& ranks) {
        EchoRun run(here, ranks, 300);
        for (EchoAsker& asker : run.askers) here.append(asker, asker.home);
        run.group.wait();
    });
}

// The link of rank 2 is cut: what it was asked has no reply, and takes as much as there are credits, no more; the
// others go on.
TEST_F(RemoteNetworkTest, a_rank_that_is_cut_off_holds_up_no_others) {
    with_ranks({{.ranks = 3, .disturb = 1, .limits = {.credits = 2, .requests = 16}}}, [](Worker& here, Ranks& ranks) {
        EchoRun run(here, ranks, 5);
        ranks.cut(2);
        run.askers[0].set_target(2);
        run.askers[1].set_target(0);
        run.group.give_up_one(); // of rank 0, whose end nobody sees
        run.group.give_up_one(); // of rank 2, which asks nothing
        for (std::size_t i = 0; i < 2; ++i) here.append(run.askers[i], run.askers[i].home);
        run.group.wait();
        EXPECT_EQ(run.askers[1].answers(), 5U);
        wait_until([&] { return ranks.network(0).in_flight_to(2) == 2; });
        EXPECT_EQ(run.askers[0].answers(), 0U);
        EXPECT_EQ(ranks.network(0).in_flight_to(2), 2U);
        EXPECT_EQ(ranks.network(0).endpoints()[0]->statistics().waited.value(), 3U);
    });
}

// It looks again every twenty seconds only, but one of its rank sends.
TEST_F(RemoteNetworkTest, an_endpoint_that_sleeps_wakes_for_who_sends) {
    RanksShape const shape{.ranks = 2, .limits = {.patience_us = 10'000}, .sleep_us_of_rank_0 = 20'000'000};
    with_ranks({shape}, [](Worker& here, Ranks& ranks) {
        EchoRun run(here, ranks, 10);
        Cycles const start = clock::timestamp();
        std::uint64_t const sleeps = here.statistics().sleeps.value();
        wait_until([&] {
            return clock::timestamp() - start > clock::to_cycles(microseconds(30'000)) &&
                   here.statistics().sleeps.value() > sleeps + 5;
        });
        run.askers[0].set_target(1);
        run.askers[1].set_target(1);
        for (EchoAsker& asker : run.askers) here.append(asker, asker.home);
        run.group.wait();
        EXPECT_LT(raw(clock::timestamp() - start), raw(clock::to_cycles(microseconds(10'000'000))));
    });
}

TEST_F(RemoteNetworkTest, who_waits_for_a_request_is_woken_when_one_has_come_back) {
    struct Waiter : Task {
        Waiter()
            : Task([](Worker&, Task& task) { ++static_cast<Waiter&>(task).wakes; }) {}
        int wakes = 0;
    };
    with_ranks({{.ranks = 2, .limits = {.requests = 2}}, {.ranks = 2, .disturb = 9, .limits = {.requests = 2}}},
               [](Worker& here, Ranks& ranks) {
                   remote::Network& network = ranks.network(0);
                   EchoRun run(here, ranks, 0);
                   run.group.give_up_one();
                   run.group.give_up_one();
                   std::array<Waiter, 3> waiters;
                   remote::Request* const first = network.take_request(here);
                   remote::Request* const second = network.take_request(here);
                   ASSERT_NE(first, nullptr);
                   ASSERT_NE(second, nullptr);
                   EXPECT_EQ(network.take_request(here), nullptr);
                   for (Waiter& waiter : waiters) network.wait_for_request(here, waiter);
                   network.give_back(here, *first);
                   here.run_until([&] { return waiters[0].wakes == 1; });
                   EXPECT_EQ(waiters[1].wakes, 0);
                   EXPECT_EQ(network.take_request(here), first);
                   network.give_back(here, *second);
                   here.run_until([&] { return waiters[1].wakes == 1; });
                   EXPECT_EQ(waiters[2].wakes, 0);
                   network.give_back(here, *first);
                   here.run_until([&] { return waiters[2].wakes == 1; });
                   EXPECT_EQ(waiters[0].wakes + waiters[1].wakes, 2);
                   EXPECT_NE(network.take_request(here), nullptr);
                   EXPECT_NE(network.take_request(here), nullptr);
                   EXPECT_EQ(network.take_request(here), nullptr);
               });
}

// What a core has been posted.
struct alignas(cache_line_bytes) ReceivedPosts {
    OwnerCounter tasks;
    OwnerCounter out_of_order;
    std::vector<std::uint64_t> next; // number expected, by sender
};
std::deque<ReceivedPosts> received_posts; // by core

void take_post(Worker& here, std::uint32_t target, std::uint32_t sender, std::uint64_t number) {
    ReceivedPosts& own = received_posts[index(here.core())];
    own.tasks.add(1);
    if (target != index(here.core()) || own.next[sender]++ != number) own.out_of_order.add(1);
}
constexpr auto remote_take_post = remote_function<&take_post>("test/take-post");
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_take_post);

// Of one core: posts to the cores of the next rank in turn, as fast as there is room.
class Poster : public Task {
  public:
    Poster(Ranks& ranks, std::size_t core, std::uint64_t total, TaskGroup& group)
        : Task(&Poster::post, core_id(core))
        , ranks_(ranks)
        , network_(ranks.network_of(core))
        , total_(total)
        , group_(group) {
        group.begin_one();
    }

  private:
    static void post(Worker& here, Task& task) {
        auto& self = static_cast<Poster&>(task);
        auto const core = static_cast<std::uint32_t>(index(here.core()));
        std::uint32_t const cores = self.ranks_.shape().cores;
        std::uint32_t const next = (core / cores + 1) % self.ranks_.shape().ranks;
        for (; self.posted_ < self.total_; ++self.posted_) {
            auto const target = next * cores + static_cast<std::uint32_t>(self.posted_ % cores);
            if (!post_at<&take_post>(self.network_, here, self.ranks_.core(target), target, core,
                                     self.posted_ / cores)) {
                return self.network_.wait_for_request(here, self);
            }
        }
        self.group_.finish_one(here);
    }

    Ranks& ranks_;
    remote::Network& network_;
    std::uint64_t total_;
    TaskGroup& group_;
    std::uint64_t posted_ = 0;
};

// With one credit and hardly any message, whatever they have room for is full all the time.
TEST_F(RemoteNetworkTest, ranks_that_flood_each_other_end) {
    remote::NetworkLimits const min{.credits = 1, .fill = 2048, .requests = 2, .max_buffers = 2};
    std::vector<RanksShape> const shapes{
        {.ranks = 2, .limits = {.credits = 1, .fill = 2048, .requests = 1, .max_buffers = 2}},
        {.ranks = 2, .cores = 2, .limits = min},
        {.ranks = 2, .cores = 2, .endpoint_of_each_core = true, .disturb = 1, .limits = min},
        {.ranks = 3, .disturb = 2, .departure = Departure::WhenReceived, .limits = min},
    };
    with_ranks(shapes, [](Worker& here, Ranks& ranks) {
        std::uint64_t const total = ranks.shape().cores == 1 && ranks.shape().disturb == 0 ? 100'000 : 20'000;
        received_posts.clear();
        for (std::size_t i = 0; i < ranks.cores_of_all(); ++i)
            received_posts.emplace_back().next.resize(ranks.cores_of_all());
        std::deque<Poster> posters;
        TaskGroup group(here);
        for (std::size_t i = 0; i < ranks.cores_of_all(); ++i) posters.emplace_back(ranks, i, total, group);
        for (Poster& poster : posters) here.append(poster, poster.home);
        group.wait();
        wait_for_all_posted(here, ranks);
        for (ReceivedPosts const& its : received_posts) {
            EXPECT_EQ(its.tasks.value(), total);
            EXPECT_EQ(its.out_of_order.value(), 0U);
        }
    });
}

// Bodies that post further ones.
struct alignas(cache_line_bytes) GrownPosts {
    OwnerCounter bodies;
};
std::deque<GrownPosts> grown_posts; // by core

struct PostToGrow {
    std::uint64_t seed;
    std::uint32_t depth;    // of bodies behind this one
    std::uint32_t branches; // that each of them posts
};
void grow_posts(Worker& here, PostToGrow const& post);
constexpr auto remote_grow_posts = remote_function<&grow_posts>("test/grow-posts");
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_grow_posts);

bool try_to_post(Worker& here, PostToGrow const& post) {
    remote::Network& network = Ranks::of(here);
    return post_at<&grow_posts>(
        network, here, network.core_of(static_cast<std::uint32_t>(Random(post.seed).below(network.cores_of_all()))),
        post);
}

// Of one core: posts that there was no room for. They count as posted, and as ended when they have been posted again.
struct PostsKept : Task {
    PostsKept()
        : Task([](Worker& here, Task& task) {
            auto& self = static_cast<PostsKept&>(task);
            for (; !self.posts.empty(); self.posts.pop_front()) {
                if (!try_to_post(here, self.posts.front())) return Ranks::of(here).wait_for_request(here, self);
                Ranks::of(here).count_ended(here);
            }
        }) {}
    std::deque<PostToGrow> posts;
};
std::deque<PostsKept> posts_kept; // by core

void post_or_keep(Worker& here, PostToGrow const& post) {
    PostsKept& kept = posts_kept[index(here.core())];
    if (kept.posts.empty() && try_to_post(here, post)) return;
    Ranks::of(here).count_posted(here);
    kept.posts.push_back(post);
    if (kept.posts.size() == 1) Ranks::of(here).wait_for_request(here, kept);
}

void grow_posts(Worker& here, PostToGrow const& post) {
    grown_posts[index(here.core())].bodies.add(1);
    if (post.depth == 0) return;
    for (std::uint32_t i = 0; i < post.branches; ++i)
        post_or_keep(here, {Random(post.seed + i).next(), post.depth - 1, post.branches});
}

std::uint64_t bodies_of(PostToGrow const& post) {
    std::uint64_t sum = 1;
    for (std::uint64_t i = 0, of_level = 1; i < post.depth; ++i) sum += of_level *= post.branches;
    return sum;
}

TEST_F(RemoteNetworkTest, nothing_counts_as_ended_while_bodies_post_more) {
    with_ranks(ranks_of_all_kinds(), [](Worker& here, Ranks& ranks) {
        grown_posts.clear();
        posts_kept.clear();
        grown_posts.resize(ranks.cores_of_all());
        posts_kept.resize(ranks.cores_of_all());
        std::uint64_t expected = 0;
        Random random(ranks.shape().disturb + 1);
        for (std::uint64_t round = 0; round < 40; ++round) {
            // Alone, a chain has nothing but itself that keeps it from counting as ended.
            std::vector<PostToGrow> posts{{random.next(), static_cast<std::uint32_t>(random.below(12)), 1}};
            if (round % 4 == 3) posts.push_back({random.next(), static_cast<std::uint32_t>(random.below(6)), 3});
            for (PostToGrow const& post : posts) {
                post_or_keep(here, post);
                expected += bodies_of(post);
            }
            wait_for_all_posted(here, ranks);
            std::uint64_t sum = 0;
            for (GrownPosts const& its : grown_posts) sum += its.bodies.value();
            ASSERT_EQ(sum, expected) << "bodies have run in round " << round;
        }
    });
}

std::uint64_t add_numbers(Worker& /*here*/, std::uint64_t a, std::uint64_t b) {
    return a + b;
}
Result<std::uint64_t> half_of(Worker& /*here*/, std::uint64_t number) {
    if (number % 2 != 0) return Error::of("expected an even number, got {}", number);
    return number / 2;
}
Result<void> refuse_odd(Worker& /*here*/, std::uint64_t number) {
    if (number % 2 != 0) return Error("expected a number that two divides without a rest, which this one is not");
    return {};
}
struct SixNumbers {
    std::array<std::uint64_t, 6> numbers;
    bool operator==(SixNumbers const&) const = default;
};
SixNumbers reversed(Worker& /*here*/, SixNumbers const& given) {
    SixNumbers result = given;
    std::reverse(result.numbers.begin(), result.numbers.end());
    return result;
}
std::uint32_t core_of_call(Worker& here) {
    return static_cast<std::uint32_t>(index(here.core()));
}
void do_nothing_there(Worker& /*here*/) {}
constexpr auto remote_add_numbers = remote_function<&add_numbers>("test/add-numbers");
constexpr auto remote_half_of = remote_function<&half_of>("test/half-of");
constexpr auto remote_refuse_odd = remote_function<&refuse_odd>("test/refuse-odd");
constexpr auto remote_reversed = remote_function<&reversed>("test/reversed");
constexpr auto remote_core_of_call = remote_function<&core_of_call>("test/core-of-call");
constexpr auto remote_do_nothing = remote_function<&do_nothing_there>("test/do-nothing");
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_add_numbers);
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_half_of);
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_refuse_odd);
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_reversed);
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_core_of_call);
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_do_nothing);

// What a call must give, whichever way it was made.
template <typename T> void expect_value(Result<T> const& result, T const& expected) {
    ASSERT_TRUE(result.ok()) << result.error().message();
    EXPECT_TRUE(result.value() == expected);
}
void expect_half(Result<std::uint64_t> const& result, std::uint64_t number) {
    if (number % 2 == 0) return expect_value(result, number / 2);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().message(), "expected an even number, got " + std::to_string(number));
}
void expect_refused(Result<void> const& result, std::uint64_t number) {
    ASSERT_EQ(result.ok(), number % 2 == 0);
    if (number % 2 != 0) {
        EXPECT_EQ(result.error().message(), "expected a number that two divides without a re") << "47 bytes of it";
    }
}
SixNumbers six_numbers(std::uint64_t first) {
    return {{first, first + 1, first + 2, first + 3, first + 4, first + 5}};
}
SixNumbers six_numbers_down(std::uint64_t last) {
    return {{last + 5, last + 4, last + 3, last + 2, last + 1, last}};
}

// One each, since a frame has no room for more.
Coroutine<> await_sum(remote::Network& network, GlobalCore to, std::uint64_t number) {
    expect_value(co_await spawn_at<&add_numbers>(network, to, number, std::uint64_t{7}), number + 7);
}
Coroutine<> await_half(remote::Network& network, GlobalCore to, std::uint64_t number) {
    expect_half(co_await spawn_at<&half_of>(network, to, number), number);
}
Coroutine<> await_refusal(remote::Network& network, GlobalCore to, std::uint64_t number) {
    expect_refused(co_await spawn_at<&refuse_odd>(network, to, number), number);
}
Coroutine<> await_reversed(remote::Network& network, GlobalCore to, std::uint64_t number) {
    expect_value(co_await spawn_at<&reversed>(network, to, six_numbers(number)), six_numbers_down(number));
}
Coroutine<> await_core(remote::Network& network, GlobalCore to) {
    expect_value(co_await spawn_at<&core_of_call>(network, to), network.number_of(to));
}
Coroutine<> await_nothing(remote::Network& network, GlobalCore to) {
    Result<void> const result = co_await spawn_at<&do_nothing_there>(network, to);
    EXPECT_TRUE(result.ok());
}

Coroutine<> call_at_random(Ranks& ranks, std::uint64_t seed, std::uint32_t calls, OwnerCounter& ended) {
    Random random(seed);
    CoreId const home = Worker::current().core();
    remote::Network& network = ranks.network_of(index(home));
    for (std::uint32_t i = 0; i < calls; ++i) {
        GlobalCore const to = ranks.core(random.below(ranks.cores_of_all()));
        std::uint64_t const number = random.below(1000);
        bool has_run = false;
        switch (random.below(6)) {
        case 0: has_run = co_await await_sum(network, to, number); break;
        case 1: has_run = co_await await_half(network, to, number); break;
        case 2: has_run = co_await await_refusal(network, to, number); break;
        case 3: has_run = co_await await_reversed(network, to, number); break;
        case 4: has_run = co_await await_core(network, to); break;
        default: has_run = co_await await_nothing(network, to);
        }
        EXPECT_TRUE(has_run) << "there is memory for its frame";
        EXPECT_EQ(Worker::current().core(), home);
    }
    ended.add(1);
}

TEST_F(RemoteNetworkTest, coroutines_get_the_results_of_their_calls) {
    with_ranks(ranks_of_all_kinds(), [](Worker& here, Ranks& ranks) {
        constexpr std::uint64_t coroutines = 10;
        std::deque<ReceivedPosts> ended(ranks.cores_of_all());
        TaskGroup group(here);
        for (std::size_t core = 0; core < ranks.cores_of_all(); ++core)
            ASSERT_TRUE(group.spawn(here, core_id(core), [&ranks, &group, &ended, core](Worker& worker) {
                for (std::uint64_t i = 0; i < coroutines; ++i)
                    EXPECT_TRUE(start(worker, group, call_at_random(ranks, core * 100 + i, 15, ended[core].tasks)));
            }));
        group.wait();
        for (auto const& its : ended) EXPECT_EQ(its.tasks.value(), coroutines);
        wait_for_all_posted(here, ranks); // calls are counted, too
    });
}

Result<void> refuse_always(Worker& /*here*/) {
    return Error("expected another function");
}
constexpr auto remote_refuse_always = remote_function<&refuse_always>("test/refuse-always");
MXK_REGISTER(mxk_remote_functions, RemoteFunction, remote_refuse_always);

Coroutine<> await_refuse_always(remote::Network& network, GlobalCore to, std::size_t& refused) {
    Result<void> const result = co_await spawn_at<&refuse_always>(network, to);
    EXPECT_FALSE(result.ok());
    if (!result.ok()) refused += result.error().message() == "expected another function" ? 1U : 0U;
}

// A call without arguments takes less of a request than its error does of the reply.
TEST_F(RemoteNetworkTest, what_is_asked_together_has_room_for_its_answers) {
    with_ranks({{.ranks = 2}, {.ranks = 2, .limits = {.fill = 16384}}}, [](Worker& here, Ranks& ranks) {
        constexpr std::size_t calls = 2500;
        for (remote::Rank const rank : {0U, 1U}) {
            std::size_t refused = 0;
            TaskGroup group(here);
            for (std::size_t i = 0; i < calls; ++i)
                ASSERT_TRUE(start(here, group, await_refuse_always(ranks.network(0), {rank, core_id(0)}, refused)));
            group.wait();
            EXPECT_EQ(refused, calls);
        }
    });
}

TEST_F(RemoteNetworkTest, calls_that_wait_in_a_body_get_their_results) {
    with_ranks(ranks_of_all_kinds(), [](Worker& /*here*/, Ranks& ranks) {
        std::vector<CoreId> const cores = ranks.all_cores_of_ranks();
        std::vector<std::uint32_t> calls(cores.size());
        ASSERT_TRUE(run_on(std::span<CoreId const>(cores), [&](Worker& worker, std::size_t place) {
            remote::Network& network = ranks.network_of(place);
            Random random(place * 100 + calls[place]);
            GlobalCore const to = ranks.core(random.below(cores.size()));
            std::uint64_t const number = random.below(1000);
            expect_value(call_at<&add_numbers>(network, worker, to, number, number), 2 * number);
            expect_half(call_at<&half_of>(network, worker, to, number), number);
            expect_refused(call_at<&refuse_odd>(network, worker, to, number), number);
            expect_value(call_at<&reversed>(network, worker, to, six_numbers(number)), six_numbers_down(number));
            expect_value(call_at<&core_of_call>(network, worker, to), network.number_of(to));
            EXPECT_TRUE(call_at<&do_nothing_there>(network, worker, to).ok());
            return ++calls[place] < 10 ? Step::Again : Step::Done;
        }));
    });
}

Coroutine<> await_wrong_core(remote::Network& network, GlobalCore to, std::string& said) {
    Result<std::uint32_t> const result = co_await spawn_at<&core_of_call>(network, to);
    EXPECT_FALSE(result.ok());
    if (!result.ok()) said = result.error().message();
}

TEST_F(RemoteNetworkTest, a_core_that_is_not_there_is_named) {
    with_ranks({{.ranks = 2, .cores = 2}}, [](Worker& here, Ranks& ranks) {
        remote::Network& network = ranks.network(0);
        for (GlobalCore const to : {GlobalCore{2, core_id(0)}, GlobalCore{1, core_id(2)}, GlobalCore{0, core_id(2)}}) {
            std::string const expected = "expected a core of ranks 0 to 1, with 2 cores each, got core " +
                                         std::to_string(index(to.core)) + " of rank " + std::to_string(to.rank);
            std::string said;
            TaskGroup group(here);
            ASSERT_TRUE(start(here, group, await_wrong_core(network, to, said)));
            group.wait();
            EXPECT_EQ(said, expected);
            auto const called = call_at<&core_of_call>(network, here, to);
            ASSERT_FALSE(called.ok());
            EXPECT_EQ(called.error().message(), expected);
            EXPECT_FALSE(post_at<&do_nothing_there>(network, here, to));
        }
        EXPECT_EQ(network.posted_and_ended(), remote::PostedAndEnded{});
    });
}

TEST_F(RemoteNetworkTest, limits_with_which_nothing_would_move_are_refused) {
    with_ranks({{.ranks = 2}}, [](Worker& /*here*/, Ranks& ranks) {
        std::array<remote::Link*, 1> const links{&ranks.links().end(0)};
        auto const refusal = [&](remote::NetworkLimits const& limits) {
            auto const made = remote::Network::create({.rank = 0, .ranks = 2}, links, limits);
            return made.ok() ? std::string() : std::string(made.error().message());
        };
        EXPECT_EQ(refusal({.fill = 255}), "expected messages of 256 to 16384 bytes, got 255");
        EXPECT_EQ(refusal({.fill = 16385}), "expected messages of 256 to 16384 bytes, got 16385");
        EXPECT_EQ(refusal({.fill = 16384}), "");
        EXPECT_EQ(refusal({.credits = 0}), "expected credits, requests and buffers of a network, got 0, 64 and 1024");
        EXPECT_EQ(refusal({.requests = 0}), "expected credits, requests and buffers of a network, got 8, 0 and 1024");
        EXPECT_EQ(refusal({.max_buffers = 0}), "expected credits, requests and buffers of a network, got 8, 64 and 0");
    });
}

// What travels is a number, so that of a function is the same in each process: that of its name's place.
TEST_F(RemoteNetworkTest, functions_are_numbered_by_name) {
    remote::number_functions();
    std::string_view before;
    std::size_t count = 0;
    for (RemoteFunction const* const one : registered_remote_functions()) {
        EXPECT_EQ(remote::function_of(*one->number).name, one->name);
        ++count;
    }
    for (std::size_t i = 0; i < count; ++i) {
        RemoteFunction const& one = remote::function_of(static_cast<std::uint16_t>(i));
        EXPECT_LT(before, one.name);
        before = one.name;
    }
}

} // namespace
} // namespace mxk::test
