#include "tests/unit/execution_graph.hpp"

#include <algorithm>
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
    for (auto& events : events_)
        for (MemoryEvent& event : events)
            if (event.is_write && event.where == placed.where && event.rank != no_rank && event.rank >= rank)
                ++event.rank;
    placed.rank = rank;
    count(placed.where);
}

void ExecutionGraph::count(void const* where) {
    auto const found = std::ranges::find(placed_, where, &Placed::where);
    if (found == placed_.end())
        placed_.push_back({where, 1});
    else
        ++found->writes;
}

std::uint32_t ExecutionGraph::writes(void const* where) const {
    auto const found = std::ranges::find(placed_, where, &Placed::where);
    return found == placed_.end() ? 0 : found->writes;
}

EventId ExecutionGraph::write(void const* where, std::uint32_t rank) const {
    for (std::size_t thread = 0; thread < events_.size(); ++thread)
        for (std::size_t at = 0; at < events_[thread].size(); ++at) {
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
            std::uint32_t const rank = event.is_write ? event.rank : at(event.source).rank;
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

MemoryEvent const* ExecutionGraph::race(void const* where, bool is_write, bool is_plain, Clock const& seen) const {
    MemoryEvent const* result = nullptr;
    for_each([&](EventId id, MemoryEvent const& event) {
        if (event.where == where && (is_write || event.is_write) && (is_plain || event.is_plain) && !id.is_in(seen))
            result = &event;
    });
    return result;
}

// Of what is there when the event was added, and of what is `kept`: nobody reads from it, and it is, or has read from,
// the last write. Every other execution that becomes the same without it differs in that.
bool ExecutionGraph::is_added_last(EventId id, Clock const& kept) const {
    MemoryEvent const& event = at(id);
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
    std::vector<std::pair<std::uint32_t, MemoryEvent*>> placed;
    for (auto& events : result.events_)
        for (MemoryEvent& event : events)
            if (event.is_write && event.rank != no_rank) placed.emplace_back(event.rank, &event);
    result.at(write).rank = no_rank;
    std::ranges::sort(placed, [](auto const& a, auto const& b) {
        return std::tie(a.second->where, a.first) < std::tie(b.second->where, b.first);
    });
    void const* where = nullptr;
    std::uint32_t next = 0;
    result.placed_.clear();
    for (auto const& [rank, event] : placed) {
        if (event->where != where) next = 0;
        where = event->where;
        if (event->rank == no_rank) continue;
        event->rank = next++;
        result.count(where);
    }
    MemoryEvent& revisited = result.at(read);
    revisited.source = write;
    revisited.value = at(write).value;
    return result;
}

std::string ExecutionGraph::text() const {
    std::vector<void const*> places;
    auto const name = [&](void const* where) {
        auto const found = std::ranges::find(places, where);
        if (found == places.end()) return places.push_back(where), places.size() - 1;
        return static_cast<std::size_t>(found - places.begin());
    };
    std::string result;
    for_each([&](EventId id, MemoryEvent const& event) {
        result += std::to_string(id.thread) + "." + std::to_string(id.at) + (event.is_write ? " writes " : " reads ") +
                  std::to_string(event.value) + (event.is_write ? " to " : " in ") + "v" +
                  std::to_string(name(event.where));
        if (event.is_plain) result += ", plain";
        if (event.is_ordered) result += event.is_write ? ", release" : ", acquire";
        if (event.is_update) result += ", update";
        if (event.is_write)
            result += ", as number " + std::to_string(event.rank);
        else
            result += ", from " + std::to_string(event.source.thread) + "." + std::to_string(event.source.at);
        result += ": " + text_of(event.from) + "\n";
    });
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
