#include "tests/model/execution_graph.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

namespace mxk::test {
namespace {

constexpr std::uint32_t no_rank = std::numeric_limits<std::uint32_t>::max();

} // namespace

std::size_t ExecutionGraph::events() const {
    std::size_t result = 0;
    for (auto const& events : events_) result += events.size();
    return result;
}

EventId ExecutionGraph::add(std::size_t thread, MemoryEvent const& event) {
    std::vector<MemoryEvent>& events = events_[thread];
    if (events.capacity() == 0) events.reserve(64);
    events.push_back(event);
    events.back().stamp = stamps_++;
    events.back().rank = no_rank;
    return {static_cast<std::uint16_t>(thread), static_cast<std::uint16_t>(events.size() - 1)};
}

void ExecutionGraph::place(EventId write, std::uint32_t rank) {
    MemoryEvent& placed = at(write);
    bool const is_last = rank == writes(placed.where);
    for (std::size_t thread = 0; thread < events_.size() && !is_last; ++thread)
        for (MemoryEvent& event : events_[thread])
            if (event.is_write && event.where == placed.where && event.rank != no_rank && event.rank >= rank)
                ++event.rank;
    placed.rank = rank;
    count(write, is_last);
}

void ExecutionGraph::count(EventId write, bool is_last) {
    void const* const where = at(write).where;
    auto found = std::ranges::lower_bound(placed_, where, std::less<>(), &Placed::where);
    if (found == placed_.end() || found->where != where) found = placed_.insert(found, {where, 0, {}});
    ++found->writes;
    if (is_last) found->last = write;
}

ExecutionGraph::Placed const* ExecutionGraph::placed(void const* where) const {
    auto const found = std::ranges::lower_bound(placed_, where, std::less<>(), &Placed::where);
    return found == placed_.end() || found->where != where ? nullptr : &*found;
}

std::uint32_t ExecutionGraph::writes(void const* where) const {
    Placed const* const known = placed(where);
    return known == nullptr ? 0 : known->writes;
}

EventId ExecutionGraph::write(void const* where, std::uint32_t rank) const {
    if (Placed const* const known = placed(where); known != nullptr && rank + 1 == known->writes) return known->last;
    for (std::size_t thread = 0; thread < events_.size(); ++thread)
        for (std::size_t at = events_[thread].size(); at-- > 0;) { // what is looked for is often late
            MemoryEvent const& event = events_[thread][at];
            if (event.where == where && event.is_write && event.rank == rank)
                return {static_cast<std::uint16_t>(thread), static_cast<std::uint16_t>(at)};
        }
    return {};
}

std::uint32_t ExecutionGraph::first_readable(void const* where, Clock const& seen) const {
    std::uint32_t result = 0;
    for (std::size_t thread = 0; thread < events_.size(); ++thread) {
        std::size_t const known = std::min<std::size_t>(seen[thread], events_[thread].size());
        for (std::size_t i = 0; i < known; ++i) {
            MemoryEvent const& event = events_[thread][i];
            if (event.where != where) continue;
            std::uint32_t const rank = event.is_write ? event.rank : at(event.source).rank; // no fence has a `where`
            if (rank != no_rank) result = std::max(result, rank);
        }
    }
    return result;
}

void ExecutionGraph::possible_ranks(EventId write, std::vector<std::uint32_t>& ranks) const {
    ranks.clear();
    MemoryEvent const& event = at(write);
    std::uint32_t const count = writes(event.where);
    auto const is_taken = [&](std::uint32_t rank) { // by an update, which must stay right behind what it has read
        return rank < count && at(this->write(event.where, rank)).is_update;
    };
    if (event.is_update) {
        EventId const read{write.thread, static_cast<std::uint16_t>(write.at - 1)};
        std::uint32_t const rank = at(at(read).source).rank + 1;
        if (!is_taken(rank)) ranks.push_back(rank);
        return;
    }
    // After all that happens before it: the last one first. A plain write has no choice, or it races.
    std::uint32_t const first = event.is_plain ? count : first_readable(event.where, event.before) + 1;
    for (std::uint32_t rank = count + 1; rank-- > first;)
        if (!is_taken(rank)) ranks.push_back(rank);
}

std::optional<EventId> ExecutionGraph::race(void const* where, bool is_write, bool is_plain, Clock const& seen) const {
    std::optional<EventId> result;
    for (std::size_t thread = 0; thread < events_.size(); ++thread)
        for (std::size_t i = seen[thread]; i < events_[thread].size(); ++i) {
            MemoryEvent const& event = events_[thread][i];
            if (event.where == where && (is_write || event.is_write) && (is_plain || event.is_plain))
                result = {static_cast<std::uint16_t>(thread), static_cast<std::uint16_t>(i)};
        }
    return result;
}

// Of what is there when the event was added, and of what is `kept`: nobody reads from it, and it is, or has read from,
// the last write. Every other execution that becomes the same without it differs in that.
bool ExecutionGraph::is_added_last(EventId id, Clock const& kept) const {
    MemoryEvent const& event = at(id);
    if (event.is_fence()) return true;
    auto const was_there = [&](EventId other) { return at(other).stamp <= event.stamp || other.is_in(kept); };
    EventId const write = event.is_write ? id : event.source;
    if (!was_there(write)) return false;
    bool result = true;
    for_each([&](EventId other, MemoryEvent const& there) {
        if (there.where != event.where || !was_there(other)) return;
        if (there.is_write ? there.rank != no_rank && there.rank > at(write).rank
                           : event.is_write && there.source == id)
            result = false;
    });
    return result;
}

bool ExecutionGraph::is_to_be_revisited(EventId read, EventId write) const {
    Clock kept = at(write).depends_on;
    kept[write.thread] = static_cast<std::uint16_t>(kept[write.thread] - 1); // but not itself
    if (read.is_in(kept) || !is_added_last(read, kept)) return false;
    bool result = true;
    for_each([&](EventId id, MemoryEvent const& event) {
        if (result && event.stamp > at(read).stamp && id != write && !id.is_in(kept)) result = is_added_last(id, kept);
    });
    return result;
}

ExecutionGraph ExecutionGraph::without_later(EventId read, EventId write) const {
    Clock const& kept = at(write).depends_on;
    ExecutionGraph result = *this;
    for (std::size_t thread = 0; thread < events_.size(); ++thread) {
        // Later ones are at the thread's end.
        std::vector<MemoryEvent>& events = result.events_[thread];
        std::size_t count = kept[thread];
        while (count < events.size() && events[count].stamp <= at(read).stamp) ++count;
        events.resize(count);
    }
    // Places are counted anew.
    std::vector<EventId> placed;
    result.for_each([&](EventId id, MemoryEvent const& event) {
        if (event.is_write && event.rank != no_rank) placed.push_back(id);
    });
    result.at(write).rank = no_rank;
    std::ranges::sort(placed, std::less<>(), [&](EventId id) { return std::tuple(at(id).where, at(id).rank); });
    void const* where = nullptr;
    std::uint32_t next = 0;
    result.placed_.clear();
    for (EventId const id : placed) {
        MemoryEvent& event = result.at(id);
        if (event.where != where) next = 0;
        where = event.where;
        if (event.rank == no_rank) continue;
        event.rank = next++;
        result.count(id, true);
    }
    MemoryEvent& revisited = result.at(read);
    revisited.source = write;
    revisited.value = at(write).value;
    return result;
}

namespace {

// Rows of bits: which events follow one in a relation.
class Rows {
  public:
    explicit Rows(std::size_t events)
        : words_((events + 63) / 64)
        , bits_(events * words_) {}
    void set(std::size_t from, std::size_t to) { bits_[from * words_ + to / 64] |= std::uint64_t{1} << to % 64; }
    [[nodiscard]] bool has(std::size_t from, std::size_t to) const {
        return (bits_[from * words_ + to / 64] >> to % 64 & 1) != 0;
    }
    void add(std::size_t from, Rows const& other, std::size_t row) {
        for (std::size_t i = 0; i < words_; ++i) bits_[from * words_ + i] |= other.bits_[row * words_ + i];
    }
    [[nodiscard]] bool meets(std::size_t from, Rows const& other, std::size_t row) const {
        for (std::size_t i = 0; i < words_; ++i)
            if ((bits_[from * words_ + i] & other.bits_[row * words_ + i]) != 0) return true;
        return false;
    }

  private:
    std::size_t words_;
    std::vector<std::uint64_t> bits_;
};

bool has_cycle(std::vector<std::vector<std::size_t>> const& next) {
    enum class Seen : std::uint8_t { Not, Open, Done };
    std::vector<Seen> seen(next.size(), Seen::Not);
    auto const visit = [&](auto const& self, std::size_t at) -> bool {
        seen[at] = Seen::Open;
        for (std::size_t const to : next[at])
            if (seen[to] == Seen::Open || (seen[to] == Seen::Not && self(self, to))) return true;
        seen[at] = Seen::Done;
        return false;
    };
    for (std::size_t at = 0; at < next.size(); ++at)
        if (seen[at] == Seen::Not && visit(visit, at)) return true;
    return false;
}

} // namespace

// RC11's psc = psc_base | psc_F, where eco is reading from, the writes' order and what has not yet been overwritten,
// one after another:
//     scb      = sb | sb_other_place ; hb ; sb_other_place | hb_same_place | mo | rb
//     psc_base = ([SC accesses] | [fences] ; hb?) ; scb ; ([SC accesses] | hb? ; [fences])
//     psc_F    = [fences] ; (hb | hb ; eco ; hb) ; [fences]
bool ExecutionGraph::is_sequentially_consistent() const {
    struct Flat {
        EventId id;
        MemoryEvent const* event;
        std::uint32_t rank; // of the write, or of the one that was read
    };
    std::vector<Flat> all;
    std::vector<std::size_t> total; // what is seq_cst
    std::size_t others = 0;         // light fences are of use with others only
    for_each([&](EventId id, MemoryEvent const& event) {
        if (id.thread == 0) return; // before all others, which do not come before it in any way
        if (event.is_seq_cst) {
            total.push_back(all.size());
            others += event.fence != Fence::Light ? 1U : 0U;
        }
        std::uint32_t const rank = event.is_write ? event.rank : event.is_fence() ? 0 : at(event.source).rank;
        all.push_back({id, &event, rank});
    });
    if (total.size() < 2 || others == 0) return true;

    auto const happens = [&](std::size_t a, std::size_t b) { return a != b && all[a].id.is_in(all[b].event->before); };
    auto const one_place = [&](std::size_t a, std::size_t b) {
        return all[a].event->where != nullptr && all[a].event->where == all[b].event->where;
    };
    auto const follows = [&](std::size_t a, std::size_t b) { // eco
        if (a == b || !one_place(a, b)) return false;
        bool const reads_it = all[a].event->is_write && all[b].event->is_read();
        return reads_it ? all[a].rank <= all[b].rank : all[a].rank < all[b].rank;
    };
    // The next event of the thread behind, or the last before, which is of another place.
    auto const other_place = [&](std::size_t from, bool is_behind) {
        std::size_t at = from;
        for (;;) {
            if (!is_behind && at == 0) return all.size();
            at = is_behind ? at + 1 : at - 1;
            if (at == all.size() || all[at].id.thread != all[from].id.thread) return all.size();
            if (!one_place(at, from)) return at;
        }
    };
    std::vector<std::size_t> behind;
    std::vector<std::size_t> before;
    for (std::size_t i = 0; i < all.size(); ++i) {
        behind.push_back(other_place(i, true));
        before.push_back(other_place(i, false));
    }
    Rows scb(all.size());
    Rows eco(all.size());
    Rows until(all.size()); // hb, backwards, and itself
    for (std::size_t a = 0; a < all.size(); ++a) {
        until.set(a, a);
        for (std::size_t b = 0; b < all.size(); ++b) {
            if (a == b) continue;
            bool const hb = happens(a, b);
            if (hb) until.set(b, a);
            bool const is_eco = follows(a, b);
            if (is_eco) eco.set(a, b);
            bool const is_write_after = is_eco && all[b].event->is_write; // mo, rb
            bool const is_around = behind[a] != all.size() && before[b] != all.size() && happens(behind[a], before[b]);
            if ((hb && (all[a].id.thread == all[b].id.thread || one_place(a, b))) || is_write_after || is_around)
                scb.set(a, b);
        }
    }
    // From each of those that are seq_cst: what scb leads to, and, of a fence, hb ; eco.
    Rows base(all.size());
    Rows around(all.size());
    for (std::size_t const from : total) {
        base.add(from, scb, from);
        if (!all[from].event->is_fence()) continue;
        for (std::size_t a = 0; a < all.size(); ++a) {
            if (!happens(from, a)) continue;
            base.add(from, scb, a);
            around.add(from, eco, a);
        }
    }
    std::vector<std::vector<std::size_t>> next(total.size());
    for (std::size_t i = 0; i < total.size(); ++i) {
        for (std::size_t j = 0; j < total.size(); ++j) {
            std::size_t const from = total[i];
            std::size_t const to = total[j];
            auto const is_light = [&](std::size_t at) { return all[at].event->fence == Fence::Light; };
            auto const is_heavy = [&](std::size_t at) { return all[at].event->fence == Fence::Heavy; };
            if ((is_light(from) && !is_heavy(to)) || (is_light(to) && !is_heavy(from))) continue;
            bool const to_fence = all[to].event->is_fence();
            bool is_next = to_fence ? base.meets(from, until, to) : base.has(from, to);
            if (to_fence && all[from].event->is_fence())
                is_next = is_next || happens(from, to) || around.meets(from, until, to);
            if (is_next) next[i].push_back(j);
        }
    }
    return !has_cycle(next);
}

// What the first thread makes and nobody uses is left out; addresses are p0, p1 and so on.
std::string ExecutionGraph::text() const {
    std::vector<void const*> places;
    std::vector<std::uint64_t> addresses;
    auto const number = [](auto& known, auto what) {
        auto const found = std::ranges::find(known, what);
        if (found == known.end()) return known.push_back(what), known.size() - 1;
        return static_cast<std::size_t>(found - known.begin());
    };
    auto const value_of = [&](std::uint64_t value) {
        constexpr std::uint64_t largest_number = 0xffff'ffff;
        if (value <= largest_number || ~value <= largest_number)
            return std::to_string(static_cast<std::int64_t>(value));
        return "p" + std::to_string(number(addresses, value));
    };
    // What more than one thread has to do with.
    std::vector<void const*> used;
    for_each([&](EventId id, MemoryEvent const& event) {
        if (id.thread != 0 && (event.is_write || !event.is_plain)) used.push_back(event.where);
    });
    auto const is_shown = [&](EventId id, MemoryEvent const& event) {
        bool const is_used = std::ranges::find(used, event.where) != used.end();
        return id.thread == 0 ? is_used && event.is_write : is_used || event.is_fence();
    };
    std::string result;
    std::size_t repeated = 0; // reads of one that waits
    for_each([&](EventId id, MemoryEvent const& event) {
        if (!is_shown(id, event)) return;
        if (id.thread != 0 && id.at != 0 && event.is_read()) {
            MemoryEvent const& last = at({id.thread, static_cast<std::uint16_t>(id.at - 1)});
            if (last.is_read() && last.where == event.where && last.source == event.source &&
                last.from.line() == event.from.line()) {
                ++repeated;
                return;
            }
        }
        if (repeated != 0) result += "    and " + std::to_string(std::exchange(repeated, 0)) + " times more\n";
        if (event.is_fence()) {
            constexpr std::array fences{"", "acquire", "release", "acq_rel", "seq_cst", "light", "heavy"};
            result += name(id) + " fence, " + fences.at(static_cast<std::size_t>(event.fence)) + ": " +
                      text_of(event.from) + "\n";
            return;
        }
        result += name(id) + (event.is_write ? " writes " : " reads ") + value_of(event.value) +
                  (event.is_write ? " to " : " in ") + "v" + std::to_string(number(places, event.where));
        if (event.is_plain) result += ", plain";
        if (event.is_seq_cst)
            result += ", seq_cst";
        else if (event.is_ordered)
            result += event.is_write ? ", release" : ", acquire";
        if (event.is_update) result += ", update";
        if (event.is_write)
            result += ", as number " + std::to_string(event.rank);
        else
            result += ", from " + name(event.source);
        result += ": " + text_of(event.from) + "\n";
    });
    if (repeated != 0) result += "    and " + std::to_string(repeated) + " times more\n";
    return result;
}

// Of "Handed mxk::locks::Mcs<F>::acquire(Node &) [F = ...]": what stands before the parameters.
std::string function_of(std::source_location const& from) {
    std::string_view name = from.function_name();
    std::size_t depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '<') ++depth;
        if (name[i] == '>') --depth;
        if (depth != 0) continue;
        if (name[i] == '(') return std::string(name.substr(begin, i - begin));
        if (name[i] == ' ' || name[i] == ':' || name[i] == '&' || name[i] == '*') begin = i + 1;
    }
    return std::string(name.substr(begin));
}

std::string file_of(std::source_location const& from) {
    std::string_view const path = from.file_name();
    return std::string(path.substr(path.rfind('/') + 1));
}

std::string text_of(std::source_location const& from) {
    return function_of(from) + "() " + file_of(from) + ":" + std::to_string(from.line());
}

} // namespace mxk::test
