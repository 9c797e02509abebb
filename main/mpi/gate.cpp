// The gate for every lock: all ranks, nested sections of two locks, counters that are not atomic in rank 0's memory,
// and a word that says who is inside. Lost updates and two holders at once are violations; a rank that does not finish
// is a hang, and the watchdog names the lock. Rank 0 is the first, and holds the lock until all others wait for it,
// or a tenth of a second; before and after each rank takes it alone. So few sections see hand-overs of all kinds, and
// what they leave behind.
#include <algorithm>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/json_line.hpp"
#include "kernel/console/options.hpp"
#include "locks/lock_kind.hpp"
#include "main/mpi/kinds.hpp"
#include "main/mpi/operations.hpp"
#include "main/mpi/placed_lock.hpp"
#include "main/mpi/session.hpp"
#include "main/mpi/traffic.hpp"
#include "main/mpi/watchdog.hpp"

namespace mxk::mpi {
namespace {

struct GateOptions {
    std::string_view locks;
    std::uint64_t sections = 100;
    double seconds = 0;
    std::uint64_t passes = locks::default_passes;
    std::uint64_t patience = 120;
    bool without_progress = false;
    bool conservative = false;
    bool as_published = false;
    bool json = false;
};
constexpr auto gate_schema = console::schema<GateOptions>(
    console::option<&GateOptions::locks>("lock", "kinds, with commas between; all by default"),
    console::option<&GateOptions::sections>("sections", "of each rank, for each lock",
                                            console::between(1, 100'000'000)),
    console::option<&GateOptions::seconds>("seconds", "so long in place of so many sections, if not 0",
                                           console::between(0, 3600)),
    console::option<&GateOptions::passes>("passes", "within a node while others wait", console::between(1, 254)),
    console::option<&GateOptions::patience>("patience", "seconds until a lock hangs", console::between(1, 3600)),
    console::flag<&GateOptions::without_progress>("without-progress", "waiters do not call MPI: expected to hang"),
    console::flag<&GateOptions::conservative>("conservative", "atomic operations in place of plain stores"),
    console::flag<&GateOptions::as_published>("as-published", "d-mcs-published completes nothing: may hang"),
    console::flag<&GateOptions::json>("json", "one line per lock for tools"));

// What the sections of a lock work on.
class Guarded {
  public:
    Guarded(Session& session, Rank home)
        : operations_(session.transport)
        , inside_(operations_.place(home))
        , counter_(operations_.place(home)) {}
    void clear() {
        operations_.store(inside_, 0);
        operations_.store(counter_, 0);
    }
    void enter(Rank rank) { overlaps_ += operations_.swap(inside_, rank + 1) != 0 ? 1U : 0U; }
    void work() { operations_.store(counter_, operations_.load(counter_) + 1); }
    void leave() { operations_.swap(inside_, 0); }
    [[nodiscard]] std::uint64_t count() { return operations_.load(counter_); }
    [[nodiscard]] std::uint64_t overlaps() const { return overlaps_; }

  private:
    Operations operations_;
    locks::Target inside_;
    locks::Target counter_;
    std::uint64_t overlaps_ = 0;
};

// How many wait for the first section of all.
class Crowd {
  public:
    explicit Crowd(Session& session)
        : session_(session)
        , operations_(session.transport)
        , waiting_(operations_.place(0)) {}
    void clear() { operations_.store(waiting_, 0); }
    // All others, before their first acquire().
    void join() { session_.transport.tell_of_wait(waiting_); }
    // Rank 0's, which holds the lock. MPI's own lock does not say that somebody waits for it.
    void await() {
        std::uint64_t const end = session_.transport.nanoseconds() + patience;
        while (operations_.load(waiting_) + 1 < session_.world.ranks() && session_.transport.nanoseconds() < end)
            session_.transport.progress();
    }

  private:
    static constexpr std::uint64_t patience = 100'000'000; // nanoseconds
    Session& session_;
    Operations operations_;
    locks::Target waiting_;
};

struct Finding {
    std::uint64_t sections = 0; // of both locks, by all ranks
    std::uint64_t counted = 0;
    std::uint64_t overlaps = 0;
    std::uint64_t wrong_messages = 0;
    double seconds = 0;
    locks::OneSidedCounts operations{};
    bool has_room = true;

    [[nodiscard]] bool is_clean() const {
        return has_room && counted == sections && overlaps == 0 && wrong_messages == 0;
    }
};

// One of four sections takes the second lock inside the first.
constexpr std::uint64_t nests_each = 4;

// A lock of a kind, a second one, and what all ranks do with them.
class Trial {
  public:
    Trial(Session& session, locks::LockKind const& kind, GateOptions const& options)
        : session_(session)
        , options_(options)
        , watchdog_(session.world.rank(), kind.name, options.patience + static_cast<std::uint64_t>(options.seconds),
                    options.json)
        , outer_data_(session, 0)
        , inner_data_(session, 0)
        , crowd_(session)
        , outer_(session.transport, kind.forms.mpi, 0, static_cast<locks::Handed>(options.passes))
        , inner_(session.transport, kind.forms.mpi, session.world.ranks() - 1,
                 static_cast<locks::Handed>(options.passes))
        , has_room_(!session.transport.has_failed())
        , traffic_(session.world) {
        if (session.world.rank() == 0 && has_room_) {
            outer_data_.clear();
            inner_data_.clear();
            crowd_.clear();
        }
        session.world.barrier();
        session.transport.clear_counts();
    }
    Finding run() {
        auto& transport = session_.transport;
        std::uint64_t const begin = transport.nanoseconds();
        if (has_room_) {
            use_alone();
            use_together();
            complete();
            static_cast<void>(session_.sum(0));
            use_alone();
        }
        watchdog_.says("done, and is waiting for the others");
        complete();
        Finding finding{.has_room = has_room_};
        finding.wrong_messages = session_.sum(traffic_.finish() + (session_.world.has_empty() ? 1 : 0));
        finding.seconds = static_cast<double>(transport.nanoseconds() - begin) / 1e9;
        auto const own = transport.counts();
        finding.operations = {.home = session_.sum(own.home),
                              .others = session_.sum(own.others),
                              .near = session_.sum(own.near),
                              .messages = session_.sum(own.messages)};
        finding.sections = session_.sum(sections_);
        finding.overlaps = session_.sum(outer_data_.overlaps() + inner_data_.overlaps());
        finding.counted = has_room_ ? outer_data_.count() + inner_data_.count() : 0;
        session_.world.barrier();
        watchdog_.says("destroying the lock");
        return finding;
    }

  private:
    // Each rank once, in turn. By messages: a barrier would flush what the one before has begun.
    void use_alone() {
        for (Rank rank = 0; rank < session_.world.ranks(); ++rank) {
            if (rank == session_.world.rank()) {
                watchdog_.says("acquiring the lock alone");
                outer_.lock();
                use(false);
            }
            watchdog_.says("waiting while one is alone");
            static_cast<void>(session_.sum(0));
        }
    }
    // So many times, or for so long. Rank 0 is the first, and waits until all others do.
    void use_together() {
        bool const is_first = session_.world.rank() == 0;
        if (is_first)
            outer_.lock();
        else
            crowd_.join();
        session_.world.barrier();
        auto const now = [&] { return session_.transport.nanoseconds(); };
        auto const end = now() + static_cast<std::uint64_t>(options_.seconds * 1e9);
        for (std::uint64_t i = 0; i == 0 || (options_.seconds > 0 ? now() < end : i < options_.sections); ++i) {
            watchdog_.says("acquiring the lock");
            if (is_first && i == 0)
                crowd_.await();
            else
                outer_.lock();
            use(i % nests_each == 0);
            watchdog_.says("exchanging messages");
            traffic_.send();
            watchdog_.count_section();
        }
    }
    // The holder's: a section, and the lock's release.
    void use(bool is_nested) {
        watchdog_.says("holding the lock");
        outer_data_.enter(session_.world.rank());
        outer_data_.work();
        if (is_nested) {
            watchdog_.says("acquiring the second lock inside the first");
            inner_.lock();
            watchdog_.says("holding both locks");
            inner_data_.enter(session_.world.rank());
            inner_data_.work();
            inner_data_.leave();
            watchdog_.says("releasing the second lock");
            inner_.unlock();
            ++sections_;
        }
        outer_data_.leave();
        watchdog_.says("releasing the lock");
        outer_.unlock();
        ++sections_;
    }
    void complete() {
        if (!options_.as_published) session_.transport.complete_later();
    }

    Session& session_;
    GateOptions const& options_;
    Watchdog watchdog_;
    Guarded outer_data_;
    Guarded inner_data_;
    Crowd crowd_;
    PlacedLock outer_;
    PlacedLock inner_;
    bool has_room_;
    Traffic traffic_;
    std::uint64_t sections_ = 0; // of both locks
};

Finding try_lock(Session& session, locks::LockKind const& kind, GateOptions const& options) {
    session.transport.forget_locks();
    Finding const finding = Trial(session, kind, options).run();
    session.world.barrier();
    return finding;
}

void report(Session& session, locks::LockKind const& kind, GateOptions const& options, Finding const& finding) {
    auto const share = [&](std::uint64_t count) {
        return finding.sections == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(finding.sections);
    };
    if (!finding.has_room) {
        format(session.out, "{:<20} the regions are too small for it: --region\n", kind.name);
    } else {
        format(session.out, "{:<20} {:>8} {:>8.2} {:>9.1} {:>7.2} {:>7.2} {:>7.2} {:>7.2}  {}\n", kind.name,
               finding.sections, finding.seconds, finding.seconds * 1e6 / static_cast<double>(finding.sections),
               share(finding.operations.home), share(finding.operations.others), share(finding.operations.near),
               share(finding.operations.messages), finding.is_clean() ? "ok" : "VIOLATED");
    }
    if (finding.has_room && !finding.is_clean())
        format(session.out, "    expected {} counted sections, got {}; two inside at once: {}; wrong messages: {}\n",
               finding.sections, finding.counted, finding.overlaps, finding.wrong_messages);
    if (options.json) {
        JsonLine line(session.out);
        auto& json = line.json();
        json.field("benchmark", "lock-gate");
        json.field("lock", kind.name);
        session.describe(json);
        json.field("progress", !options.without_progress);
        json.field("conservative", options.conservative);
        json.field("sections", finding.sections);
        json.field("seconds", finding.seconds);
        json.field("lost_updates", finding.sections - finding.counted);
        json.field("overlaps", finding.overlaps);
        json.field("wrong_messages", finding.wrong_messages);
        json.begin_object("operations");
        json.field("home", finding.operations.home);
        json.field("others", finding.operations.others);
        json.field("near", finding.operations.near);
        json.field("messages", finding.operations.messages);
        json.end_object();
        json.field("verified", finding.is_clean());
        line.end();
    }
    session.out.flush();
}

Result<bool> run_gate(Session& session, std::span<std::string_view const> arguments) {
    GateOptions options;
    MXK_TRY(console::parse(arguments, gate_schema, options));
    auto const kinds = MXK_TRY(lock_kinds(session, options.locks));
    session.transport.set_modes({.makes_progress = !options.without_progress,
                                 .writes_atomically = options.conservative,
                                 .completes_later = !options.as_published});
    format(session.out, "{} ranks on {} pretended nodes, {}; per section, beside its own work:\n",
           session.world.ranks(), session.nodes(), session.library.version);
    format(session.out, "{:<20} {:>8} {:>8} {:>9} {:>7} {:>7} {:>7} {:>7}\n", "lock", "sections", "seconds", "us each",
           "home", "others", "near", "message");
    bool is_clean = true;
    for (locks::LockKind const* kind : kinds) {
        Finding const finding = try_lock(session, *kind, options);
        report(session, *kind, options, finding);
        is_clean = is_clean && finding.is_clean();
    }
    session.transport.set_modes({});
    return is_clean;
}

constexpr Command gate{.name = "gate",
                       .summary = "mutual exclusion, by all ranks, of every lock or of those named",
                       .run = &run_gate,
                       .help = [](TextSink& out) { console::print_help(out, gate_schema, GateOptions{}); }};
MXK_REGISTER(mxk_mpi_commands, Command, gate);

} // namespace
} // namespace mxk::mpi
