// What locks take for granted of an implementation of MPI: that its atomic operations are atomic with each other, also
// where the standard promises that for equal operations only; words of all widths; that ranks of a node see each
// other's plain stores, and what others put; and messages that do not get mixed up.
#include <array>
#include <cstring>
#include <string_view>

#include "base/format.hpp"
#include "base/json_line.hpp"
#include "base/splitmix.hpp"
#include "kernel/console/options.hpp"
#include "locks/fabric/one_sided.hpp"
#include "main/mpi/operations.hpp"
#include "main/mpi/session.hpp"
#include "main/mpi/traffic.hpp"

namespace mxk::mpi {
namespace {

using locks::MpiTransport;
using locks::Target;

struct SelfTestOptions {
    std::uint64_t rounds = 50;
    bool json = false;
};
constexpr auto self_test_schema = console::schema<SelfTestOptions>(
    console::option<&SelfTestOptions::rounds>("rounds", "of each rank, for each part", console::between(1, 1'000'000)),
    console::flag<&SelfTestOptions::json>("json", "one line per part for tools"));

// The parts' verdicts.
class Verdicts {
  public:
    Verdicts(Session& session, bool is_json)
        : session_(&session)
        , is_json_(is_json) {}

    // Collective: `wrong` of the ranks together must be 0.
    void add(std::string_view part, std::string_view what, std::uint64_t wrong) {
        std::uint64_t const all = session_->sum(wrong);
        is_clean_ = is_clean_ && all == 0;
        format(session_->out, "{:<10} {:<70} {}\n", part, what, all == 0 ? "ok" : "FAILED");
        if (is_json_) {
            JsonLine line(session_->out);
            line.json().field("benchmark", "mpi-self-test");
            line.json().field("part", part);
            session_->describe(line.json());
            line.json().field("wrong", all);
            line.json().field("verified", all == 0);
            line.end();
        }
        session_->out.flush();
    }
    [[nodiscard]] bool is_clean() const { return is_clean_; }

  private:
    Session* session_;
    bool is_json_;
    bool is_clean_ = true;
};

Target place(MpiTransport& transport, Rank rank) {
    return Operations(transport).place(rank);
}
template <typename V> using Word = locks::OneSided::FarWord<V>;

// All ranks add to one word, by additions and by compare-and-swap, with reads between: the sum is exact.
template <typename V> std::uint64_t add_up(Session& session, std::uint64_t rounds) {
    auto& transport = session.transport;
    transport.forget_locks();
    Word<V> const word(transport, place(transport, 0));
    if (session.world.rank() == 0) word.swap(V{0}, std::memory_order_seq_cst);
    session.world.barrier();
    V own = 0;
    for (std::uint64_t i = 0; i < rounds; ++i) {
        auto const addend = static_cast<V>(splitmix(i * session.world.ranks() + session.world.rank()));
        own = static_cast<V>(own + addend);
        if (i % 2 == 0) {
            word.add(addend, std::memory_order_seq_cst);
            continue;
        }
        V seen = word.read(std::memory_order_seq_cst);
        for (;;) {
            V const found = word.cas(seen, static_cast<V>(seen + addend), std::memory_order_seq_cst);
            if (found == seen) break;
            seen = found;
        }
    }
    std::uint64_t const sum = session.sum(own);
    session.world.barrier();
    V const found = word.read(std::memory_order_seq_cst);
    session.world.barrier();
    return found == static_cast<V>(sum) ? 0 : 1;
}

// Values go from hand to hand, by swap and by compare-and-swap: none is lost, none is there twice.
template <typename V> std::uint64_t pass_on(Session& session, std::uint64_t rounds) {
    auto& transport = session.transport;
    transport.forget_locks();
    Word<V> const word(transport, place(transport, session.world.ranks() - 1));
    if (session.world.rank() == 0) word.swap(V{0}, std::memory_order_seq_cst);
    session.world.barrier();
    auto const own = static_cast<V>(std::uint64_t{session.world.rank()} + 1);
    V held = own;
    for (std::uint64_t i = 0; i < rounds; ++i) {
        if (i % 2 == 0) {
            held = word.swap(held, std::memory_order_seq_cst);
            continue;
        }
        V seen = word.read(std::memory_order_seq_cst);
        for (V found = 0; (found = word.cas(seen, held, std::memory_order_seq_cst)) != seen;) seen = found;
        held = seen;
    }
    session.world.barrier();
    V const left = word.read(std::memory_order_seq_cst);
    // Sums and sums of squares of what is held and what was there: they differ if one is twice there for another.
    std::uint64_t const ranks = session.world.ranks();
    std::uint64_t const sum = session.sum(held) + left;
    std::uint64_t const squares = session.sum(std::uint64_t{held} * held) + std::uint64_t{left} * left;
    session.world.barrier();
    return sum == ranks * (ranks + 1) / 2 && squares == ranks * (ranks + 1) * (2 * ranks + 1) / 6 ? 0 : 1;
}

// Plain and atomic stores into another rank's memory, which finds them by plain loads.
template <typename V> std::uint64_t write_to_next(Session& session, std::uint64_t rounds) {
    auto& transport = session.transport;
    World& world = session.world;
    transport.forget_locks();
    Operations const operations(transport);
    Rank const next = (world.rank() + 1) % world.ranks();
    std::array const words{operations.place(next), operations.place(next), operations.place(next)};
    std::uint64_t wrong = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        auto const value = [&](Rank from, std::uint64_t word) {
            return static_cast<V>(splitmix((round * world.ranks() + from) * 3 + word));
        };
        Word<V>(transport, words[0]).put(value(world.rank(), 0), std::memory_order_release);
        Word<V>(transport, words[1]).acc(value(world.rank(), 1), std::memory_order_release);
        Word<V>(transport, words[2]).acc_later(value(world.rank(), 2));
        world.barrier();
        for (std::uint64_t i = 0; i < words.size(); ++i) {
            V by_load{};
            std::memcpy(&by_load, transport.address(world.rank(), words[i].at), sizeof(V));
            if (by_load != value((world.rank() + world.ranks() - 1) % world.ranks(), i)) ++wrong;
            V by_get{};
            world.get({.rank = next, .at = words[i].at}, sizeof(V), &by_get);
            if (by_get != value(world.rank(), i)) ++wrong;
        }
        world.barrier();
    }
    return wrong;
}

// A rank's plain stores, read plainly by those of its node, and by an operation by the others.
std::uint64_t look_around(Session& session) {
    auto& transport = session.transport;
    World& world = session.world;
    transport.forget_locks();
    Target const word = place(transport, 0);
    std::uint64_t const own = splitmix(world.rank());
    std::memcpy(transport.address(world.rank(), word.at), &own, sizeof own);
    world.barrier();
    std::uint64_t wrong = 0;
    for (Rank rank = 0; rank < world.ranks(); ++rank) {
        std::uint64_t found = 0;
        if (std::byte const* const region = world.region(rank))
            std::memcpy(&found, region + word.at, sizeof found);
        else
            found = Operations(transport).load({.worker = rank, .at = word.at, .is_home = false});
        if (found != splitmix(rank)) ++wrong;
    }
    world.barrier();
    return wrong;
}

// Everybody sends everybody empty messages, with an application's messages between.
std::uint64_t exchange_messages(Session& session, std::uint64_t rounds) {
    World& world = session.world;
    Traffic traffic(world);
    std::uint64_t const each = rounds / 10 + 1;
    for (std::uint64_t i = 0; i < each; ++i) {
        for (Rank rank = 0; rank < world.ranks(); ++rank)
            if (rank != world.rank()) world.send_empty(rank);
        traffic.send();
        for (Rank rank = 1; rank < world.ranks(); ++rank) world.receive_empty();
    }
    world.barrier();
    std::uint64_t const wrong = traffic.finish();
    world.barrier();
    return wrong + (world.has_empty() ? 1 : 0);
}

template <typename V> void test_width(Session& session, Verdicts& verdicts, std::uint64_t rounds) {
    FixedText<16> part;
    format(part, "{} byte{}", sizeof(V), sizeof(V) == 1 ? "" : "s");
    verdicts.add(part.view(), "additions, compare-and-swaps and reads of one word add up", add_up<V>(session, rounds));
    verdicts.add(part.view(), "values that go on by swap and compare-and-swap are there once",
                 pass_on<V>(session, rounds));
    verdicts.add(part.view(), "what is put and accumulated is found, by plain loads and by get",
                 write_to_next<V>(session, rounds / 10 + 1));
}

Result<bool> run_self_test(Session& session, std::span<std::string_view const> arguments) {
    SelfTestOptions options;
    MXK_TRY(console::parse(arguments, self_test_schema, options));
    format(session.out, "{}; component: {}; {} ranks on {} pretended nodes{}\n", session.library.version,
           session.library.component, session.world.ranks(), session.nodes(),
           session.world.is_crowded() ? ", more than there are processors" : "");
    Verdicts verdicts(session, options.json);
    verdicts.add("window", "the memory model is MPI_WIN_UNIFIED", session.library.is_unified ? 0 : 1);
    verdicts.add("window", "a node's ranks see each other's plain stores, and others get them", look_around(session));
    test_width<std::uint8_t>(session, verdicts, options.rounds);
    test_width<std::uint16_t>(session, verdicts, options.rounds);
    test_width<std::uint32_t>(session, verdicts, options.rounds);
    test_width<std::uint64_t>(session, verdicts, options.rounds);
    verdicts.add("messages", "empty ones and an application's all come, and are not mixed up",
                 exchange_messages(session, options.rounds));
    return verdicts.is_clean();
}

constexpr Command self_test{
    .name = "self-test",
    .summary = "what locks take for granted of this MPI: atomic operations, the memory model, messages",
    .run = &run_self_test,
    .help = [](TextSink& out) { console::print_help(out, self_test_schema, SelfTestOptions{}); }};
MXK_REGISTER(mxk_mpi_commands, Command, self_test);

} // namespace
} // namespace mxk::mpi
