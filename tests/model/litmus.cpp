#include "tests/model/litmus.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <sstream>

#include "tests/model/weak_memory.hpp"

namespace mxk::test {
namespace {

constexpr std::string_view places = "xyzw";
std::array<int, litmus_places> words; // only their addresses

[[noreturn]] void wrong(std::string const& text) {
    std::fprintf(stderr, "no litmus test: %s\n", text.c_str());
    std::abort();
}

std::memory_order order_of(std::string const& text) {
    static std::map<std::string, std::memory_order> const orders{{"rlx", std::memory_order_relaxed},
                                                                 {"acq", std::memory_order_acquire},
                                                                 {"rel", std::memory_order_release},
                                                                 {"acqrel", std::memory_order_acq_rel},
                                                                 {"sc", std::memory_order_seq_cst}};
    auto const found = orders.find(text);
    return found != orders.end() ? found->second : (wrong(text), std::memory_order_relaxed);
}

LitmusStep step_of(std::string const& text) {
    std::istringstream in(text);
    std::string what;
    std::string order;
    in >> what >> order;
    LitmusStep step;
    if (what == "light" || what == "heavy") {
        step.kind = LitmusStep::Kind::Fence;
        step.fence = what == "light" ? Fence::Light : Fence::Heavy;
        return step;
    }
    step.order = order_of(order);
    if (what == "fence") {
        step.kind = LitmusStep::Kind::Fence;
        step.fence = step.order == std::memory_order_acquire   ? Fence::Acquire
                     : step.order == std::memory_order_release ? Fence::Release
                     : step.order == std::memory_order_acq_rel ? Fence::Both
                                                               : Fence::SeqCst;
        return step;
    }
    std::size_t const equals = what.find('=');
    if (equals == std::string::npos) wrong(text);
    if (what[0] != 'r') {
        step.kind = LitmusStep::Kind::Store;
        step.place = places.find(what[0]);
        step.value = std::strtoull(what.c_str() + equals + 1, nullptr, 10);
    } else {
        step.result = static_cast<std::size_t>(what[1] - '0');
        step.place = places.find(what[equals + 1]);
        if (std::size_t const plus = what.find('+'); plus != std::string::npos) {
            step.kind = LitmusStep::Kind::Add;
            step.value = std::strtoull(what.c_str() + plus + 1, nullptr, 10);
        }
    }
    if (step.place >= litmus_places || step.result >= litmus_results) wrong(text);
    return step;
}

bool acquires(std::memory_order order) {
    return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}
bool releases(std::memory_order order) {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}

} // namespace

LitmusProgram litmus_program(std::vector<std::string> const& threads) {
    LitmusProgram program;
    for (std::string const& thread : threads) {
        program.emplace_back();
        std::istringstream in(thread);
        for (std::string step; std::getline(in, step, ';');) program.back().push_back(step_of(step));
    }
    return program;
}

std::string text_of(LitmusProgram const& program) {
    constexpr std::array orders{"rlx", "rlx", "acq", "rel", "acqrel", "sc"};
    constexpr std::array fences{"", "fence acq", "fence rel", "fence acqrel", "fence sc", "light", "heavy"};
    std::string result;
    for (LitmusThread const& thread : program) {
        for (LitmusStep const& step : thread) {
            std::string const order = std::string(" ") + orders.at(static_cast<std::size_t>(step.order));
            std::string const place(1, places[step.place]);
            switch (step.kind) {
            case LitmusStep::Kind::Load: result += "r" + std::to_string(step.result) + "=" + place + order; break;
            case LitmusStep::Kind::Store: result += place + "=" + std::to_string(step.value) + order; break;
            case LitmusStep::Kind::Add:
                result += "r" + std::to_string(step.result) + "=" + place + "+" + std::to_string(step.value) + order;
                break;
            case LitmusStep::Kind::Fence: result += fences.at(static_cast<std::size_t>(step.fence)); break;
            }
            result += "; ";
        }
        result += "|| ";
    }
    return result;
}

bool has(LitmusExecutions const& executions, std::string const& outcome) {
    std::istringstream in(outcome);
    std::vector<std::pair<std::size_t, std::uint64_t>> wanted;
    for (std::string part; in >> part;) {
        std::size_t const equals = part.find('=');
        if (equals == std::string::npos) wrong(outcome);
        std::size_t const at =
            part[0] == 'r' ? static_cast<std::size_t>(part[1] - '0') : litmus_results + places.find(part[0]);
        wanted.emplace_back(at, std::strtoull(part.c_str() + equals + 1, nullptr, 10));
    }
    return std::ranges::any_of(executions.outcomes, [&](LitmusOutcome const& found) {
        return std::ranges::all_of(wanted, [&](auto const& part) { return found.at(part.first) == part.second; });
    });
}

LitmusExecutions explored(LitmusProgram const& program) {
    LitmusExecutions result;
    LitmusOutcome outcome;
    ModelProgram model;
    auto const access = [](LitmusStep const& step) {
        return WeakMemory::Access{.where = &words[step.place],
                                  .from = std::source_location::current(),
                                  .acquires = step.kind != LitmusStep::Kind::Store && acquires(step.order),
                                  .releases = step.kind != LitmusStep::Kind::Load && releases(step.order),
                                  .is_update = step.kind == LitmusStep::Kind::Add,
                                  .is_seq_cst = step.order == std::memory_order_seq_cst};
    };
    model.begin = [&] {
        outcome.assign(litmus_results + litmus_places, 0);
        for (int const& word : words)
            WeakMemory::current().write(
                {.where = &word, .from = std::source_location::current(), .is_plain = true, .constructs = true}, 0);
    };
    for (LitmusThread const& thread : program)
        model.threads.emplace_back([&] {
            WeakMemory& memory = WeakMemory::current();
            for (LitmusStep const& step : thread) switch (step.kind) {
                case LitmusStep::Kind::Load: outcome[step.result] = memory.read(access(step)); break;
                case LitmusStep::Kind::Store: memory.write(access(step), step.value); break;
                case LitmusStep::Kind::Fence: memory.fence(step.fence); break;
                case LitmusStep::Kind::Add:
                    outcome[step.result] = memory.update(access(step), [&](std::uint64_t old) {
                        return WeakMemory::Change{old + step.value, true};
                    });
                }
        });
    model.end = [&] {
        for (std::size_t i = 0; i < litmus_places; ++i)
            outcome[litmus_results + i] = WeakMemory::current().read(
                {.where = &words[i], .from = std::source_location::current(), .is_plain = false});
        result.outcomes.insert(outcome);
    };
    WeakMemory memory;
    ModelExploration const exploration = memory.explore(model, 1'000'000);
    if (!exploration.is_complete) wrong(text_of(program) + ": " + exploration.error + "\n" + exploration.trace);
    result.count = exploration.executions;
    return result;
}

namespace {

// A relation between up to 64 events.
class Relation {
  public:
    explicit Relation(std::size_t events)
        : rows_(events) {}
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    void set(std::size_t a, std::size_t b) { rows_[a] |= std::uint64_t{1} << b; }
    [[nodiscard]] bool has(std::size_t a, std::size_t b) const { return (rows_[a] >> b & 1) != 0; }
    [[nodiscard]] Relation operator|(Relation const& other) const {
        Relation result(*this);
        for (std::size_t i = 0; i < size(); ++i) result.rows_[i] |= other.rows_[i];
        return result;
    }
    // One after the other.
    [[nodiscard]] Relation operator*(Relation const& other) const {
        Relation result(size());
        for (std::size_t a = 0; a < size(); ++a)
            for (std::size_t b = 0; b < size(); ++b)
                if (has(a, b)) result.rows_[a] |= other.rows_[b];
        return result;
    }
    template <typename F> [[nodiscard]] Relation where(F keeps) const {
        Relation result(size());
        for (std::size_t a = 0; a < size(); ++a)
            for (std::size_t b = 0; b < size(); ++b)
                if (has(a, b) && keeps(a, b)) result.set(a, b);
        return result;
    }
    [[nodiscard]] Relation closed() const {
        Relation result(*this);
        for (std::size_t k = 0; k < size(); ++k)
            for (std::size_t a = 0; a < size(); ++a)
                if (result.has(a, k)) result.rows_[a] |= result.rows_[k];
        return result;
    }
    [[nodiscard]] bool is_irreflexive() const {
        for (std::size_t a = 0; a < size(); ++a)
            if (has(a, a)) return false;
        return true;
    }

  private:
    std::vector<std::uint64_t> rows_;
};

class Enumerator {
  public:
    explicit Enumerator(LitmusProgram const& program) {
        for (std::size_t i = 0; i < litmus_places; ++i)
            events_.push_back({.thread = 0, .is_write = true, .place = i, .is_plain = true});
        for (std::size_t t = 0; t < program.size(); ++t)
            for (LitmusStep const& step : program[t]) {
                bool const is_update = step.kind == LitmusStep::Kind::Add;
                Event event{.thread = t + 1, .place = step.place, .order = step.order, .result = step.result};
                if (step.kind == LitmusStep::Kind::Fence) {
                    event.fence = step.fence;
                    events_.push_back(event);
                    continue;
                }
                event.value = step.value;
                if (step.kind != LitmusStep::Kind::Store) {
                    event.is_read = true;
                    event.is_of_update = is_update;
                    events_.push_back(event);
                }
                if (step.kind == LitmusStep::Kind::Load) continue;
                event.is_read = false;
                event.is_write = true;
                event.is_of_update = is_update;
                events_.push_back(event);
            }
        if (events_.size() > 64) wrong("more than 64 events");
        source_.resize(events_.size());
    }

    LitmusExecutions run() {
        orders_.assign(litmus_places, {});
        for (std::size_t i = litmus_places; i < events_.size(); ++i)
            if (events_[i].is_write) orders_[events_[i].place].push_back(i);
        choose_source(0);
        return std::move(result_);
    }

  private:
    struct Event {
        std::size_t thread = 0;
        bool is_read = false;
        bool is_write = false;
        bool is_of_update = false; // a read and the write right behind it
        std::size_t place = 0;
        std::uint64_t value = 0; // to be stored, or added
        std::memory_order order = std::memory_order_relaxed;
        std::size_t result = 0;
        Fence fence = Fence::None;
        bool is_plain = false;
    };
    [[nodiscard]] std::size_t count() const { return events_.size(); }

    void choose_source(std::size_t at) {
        while (at < count() && !events_[at].is_read) ++at;
        if (at == count()) return choose_order(0);
        for (std::size_t write = 0; write < count(); ++write) {
            if (!events_[write].is_write || events_[write].place != events_[at].place) continue;
            source_[at] = write;
            choose_source(at + 1);
        }
    }
    void choose_order(std::size_t place) {
        if (place == litmus_places) return judge();
        std::vector<std::size_t>& order = orders_[place];
        std::ranges::sort(order);
        do choose_order(place + 1);
        while (std::ranges::next_permutation(order).found);
    }

    template <typename F> Relation pairs(F holds) const {
        Relation result(count());
        for (std::size_t a = 0; a < count(); ++a)
            for (std::size_t b = 0; b < count(); ++b)
                if (holds(a, b)) result.set(a, b);
        return result;
    }
    template <typename F> Relation those(F holds) const {
        return pairs([&](std::size_t a, std::size_t b) { return a == b && holds(a); });
    }
    [[nodiscard]] std::size_t rank(std::size_t write) const {
        if (write < litmus_places) return 0;
        auto const& order = orders_[events_[write].place];
        return static_cast<std::size_t>(std::ranges::find(order, write) - order.begin()) + 1;
    }

    void judge() {
        auto const is_fence = [&](std::size_t a) { return events_[a].fence != Fence::None; };
        auto const same_place = [&](std::size_t a, std::size_t b) {
            return !is_fence(a) && !is_fence(b) && events_[a].place == events_[b].place;
        };
        Relation const sb = pairs([&](std::size_t a, std::size_t b) {
            if (a < litmus_places) return b >= litmus_places; // what makes the state
            return events_[a].thread == events_[b].thread && a < b;
        });
        Relation const rf = pairs([&](std::size_t a, std::size_t b) { return events_[b].is_read && source_[b] == a; });
        if (!(sb | rf).closed().is_irreflexive()) return; // out of thin air
        Relation const mo = pairs([&](std::size_t a, std::size_t b) {
            return events_[a].is_write && events_[b].is_write && same_place(a, b) && rank(a) < rank(b);
        });
        Relation const rb = pairs([&](std::size_t a, std::size_t b) {
            return events_[a].is_read && events_[b].is_write && same_place(a, b) && rank(source_[a]) < rank(b);
        });
        Relation const rmw = pairs(
            [&](std::size_t a, std::size_t b) { return events_[a].is_read && events_[a].is_of_update && b == a + 1; });
        // Nothing comes between an update's read and its write.
        Relation const between = rb * mo;
        for (std::size_t a = 0; a + 1 < count(); ++a)
            if (rmw.has(a, a + 1) && between.has(a, a + 1)) return;
        Relation const eco = (rf | mo | rb).closed();
        Relation const identity = those([](std::size_t) { return true; });

        Relation const atomic_writes =
            those([&](std::size_t a) { return events_[a].is_write && !events_[a].is_plain; });
        Relation const atomic_reads = those([&](std::size_t a) { return events_[a].is_read; });
        auto const fences_that = [&](bool is_release) {
            return those([&, is_release](std::size_t a) {
                Fence const fence = events_[a].fence;
                return fence == Fence::Both || fence == Fence::SeqCst || fence == Fence::Heavy ||
                       fence == (is_release ? Fence::Release : Fence::Acquire);
            });
        };
        Relation const release_writes = those(
            [&](std::size_t a) { return events_[a].is_write && !events_[a].is_plain && releases(events_[a].order); });
        Relation const acquire_reads =
            those([&](std::size_t a) { return events_[a].is_read && acquires(events_[a].order); });
        Relation const rs = atomic_writes * (identity | (rf * rmw).closed());
        Relation const sw = (release_writes | (fences_that(true) * sb * atomic_writes)) * rs * rf *
                            (acquire_reads | (atomic_reads * sb * fences_that(false)));
        Relation const hb = (sb | sw).closed();
        if (!hb.is_irreflexive() || !(hb * eco).is_irreflexive()) return;

        auto const is_total = [&](std::size_t a) {
            Fence const fence = events_[a].fence;
            return fence == Fence::None ? events_[a].order == std::memory_order_seq_cst && !events_[a].is_plain
                                        : fence >= Fence::SeqCst;
        };
        Relation const total = those([&](std::size_t a) { return is_total(a) && !is_fence(a); });
        Relation const total_fences = those([&](std::size_t a) { return is_total(a) && is_fence(a); });
        Relation const sb_elsewhere = sb.where([&](std::size_t a, std::size_t b) { return !same_place(a, b); });
        Relation const hb_here = hb.where(same_place);
        Relation const scb = sb | (sb_elsewhere * hb * sb_elsewhere) | hb_here | mo | rb;
        Relation const psc_base =
            (total | total_fences * (identity | hb)) * scb * (total | (identity | hb) * total_fences);
        Relation const psc_fences = total_fences * (hb | hb * eco * hb) * total_fences;
        Relation const psc = (psc_base | psc_fences).where([&](std::size_t a, std::size_t b) {
            bool const is_light = events_[a].fence == Fence::Light || events_[b].fence == Fence::Light;
            return !is_light || events_[a].fence == Fence::Heavy || events_[b].fence == Fence::Heavy;
        });
        if (!psc.closed().is_irreflexive()) return;

        LitmusOutcome outcome(litmus_results + litmus_places, 0);
        std::function<std::uint64_t(std::size_t)> const value = [&](std::size_t write) {
            return events_[write].is_of_update ? events_[write].value + value(source_[write - 1])
                                               : events_[write].value;
        };
        for (std::size_t a = 0; a < count(); ++a)
            if (events_[a].is_read) outcome[events_[a].result] = value(source_[a]);
        for (std::size_t i = 0; i < litmus_places; ++i)
            outcome[litmus_results + i] = orders_[i].empty() ? 0 : value(orders_[i].back());
        ++result_.count;
        result_.outcomes.insert(outcome);
    }

    std::vector<Event> events_;
    std::vector<std::size_t> source_;              // of reads
    std::vector<std::vector<std::size_t>> orders_; // of each place's writes, but the first
    LitmusExecutions result_;
};

} // namespace

LitmusExecutions enumerated(LitmusProgram const& program) {
    return Enumerator(program).run();
}

} // namespace mxk::test
