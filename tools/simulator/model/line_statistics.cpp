#include "tools/simulator/model/line_statistics.hpp"

#include <algorithm>
#include <utility>

namespace mxk::simulator {
namespace {

constexpr std::size_t first_places = 1024;
constexpr unsigned max_min_events = 128;

std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ value >> 32) * 0x9e3779b97f4a7c15;
    return value ^ value >> 29;
}

std::pair<Time, Time> cost(LineRecord const& record) {
    return {record.lost, record.waited};
}

LineNumber number_of(LineRecord const& record) {
    return std::max(LineNumber{1}, static_cast<LineNumber>(record.physical_address / Machine::line_bytes));
}

} // namespace

void LineStatistics::reset() {
    for (std::size_t number = 1; number < lines_.size(); ++number) directory_[number_of(lines_[number])].statistics = 0;
    lines_.assign(1, {});
    places_.assign(first_places, {});
    used_places_ = 0;
    uncounted_accesses_ = 0;
}

void LineStatistics::count(LineNumber line, std::uint64_t virtual_address, unsigned transfers, unsigned invalidations,
                           Time waited) {
    if (!counts_) return;
    if (std::uint64_t{line} * Machine::line_bytes >= directory_.page_tables()) return; // thought up
    DirectoryLine& entry = directory_[line];
    if (entry.statistics == 0) {
        entry.events = static_cast<std::uint8_t>(std::min(255U, entry.events + 1U));
        if (entry.events < min_events_) return;
        if (lines_.size() > max_lines) drop_half();
        entry.statistics = static_cast<std::uint32_t>(lines_.size());
        lines_.push_back({.physical_address = std::uint64_t{line} * Machine::line_bytes});
    }
    LineRecord& record = lines_[entry.statistics];
    record.virtual_address = virtual_address / Machine::line_bytes * Machine::line_bytes;
    record.transfers += transfers;
    record.invalidations += invalidations;
    record.waited += waited;
}

/// Where it is, or the empty place where it belongs.
std::size_t LineStatistics::find(Place const& wanted) const {
    std::uint64_t const what = std::uint64_t{wanted.line} << 32 | std::uint64_t{wanted.core} << 16 |
                               std::uint64_t{wanted.offset} << 8 | wanted.bytes;
    std::size_t const mask = places_.size() - 1;
    std::size_t at = mixed(wanted.code * 31 + mixed(what)) & mask;
    auto const is_same = [&wanted](Place const& place) {
        return place.code == wanted.code && place.line == wanted.line && place.core == wanted.core &&
               place.offset == wanted.offset && place.bytes == wanted.bytes;
    };
    while (places_[at].line != 0 && !is_same(places_[at])) at = (at + 1) & mask;
    return at;
}

void LineStatistics::count(std::uint32_t number, AccessedBy const& access) {
    if (number == 0 || !counts_) return;
    Place const wanted{.code = access.code,
                       .line = number,
                       .core = static_cast<std::uint16_t>(access.core),
                       .offset = static_cast<std::uint8_t>(access.offset),
                       .bytes = static_cast<std::uint8_t>(std::min(access.bytes, 255U))};
    Place* found = &places_[find(wanted)];
    if (found->line == 0) {
        if (used_places_ >= places_.size() / 4 * 3) {
            if (places_.size() >= max_places) {
                ++uncounted_accesses_;
                return;
            }
            rebuild_places(places_.size() * 2);
            found = &places_[find(wanted)];
        }
        *found = wanted;
        ++used_places_;
    }
    found->reads += access.reads ? 1 : 0;
    found->writes += access.writes ? 1 : 0;
}

void LineStatistics::rebuild_places(std::size_t size) {
    std::vector<Place> const old = std::exchange(places_, std::vector<Place>(size));
    used_places_ = 0;
    for (Place const& place : old) {
        if (place.line == 0) continue;
        places_[find(place)] = place;
        ++used_places_;
    }
}

void LineStatistics::drop_half() {
    std::vector<std::uint32_t> order;
    for (std::uint32_t number = 1; number < lines_.size(); ++number) order.push_back(number);
    auto const half = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
    std::nth_element(order.begin(), half, order.end(), [this](std::uint32_t left, std::uint32_t right) {
        return cost(lines_[left]) > cost(lines_[right]);
    });
    std::vector<LineRecord> kept(1);
    std::vector<std::uint32_t> new_number(lines_.size());
    for (auto at = order.begin(); at != order.end(); ++at) {
        LineRecord const& record = lines_[*at];
        DirectoryLine& entry = directory_[number_of(record)];
        entry.statistics = 0;
        entry.events = 0;
        if (at >= half) continue;
        entry.statistics = new_number[*at] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(record);
    }
    lines_ = std::move(kept);
    for (Place& place : places_) place.line = new_number[place.line];
    rebuild_places(places_.size());
    min_events_ = std::min(min_events_ * 2, max_min_events);
}

std::vector<LineStatistics::Line> LineStatistics::by_cost(std::size_t count) const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t number = 1; number < lines_.size(); ++number) order.push_back(number);
    std::stable_sort(order.begin(), order.end(), [this](std::uint32_t left, std::uint32_t right) {
        return cost(lines_[left]) > cost(lines_[right]);
    });
    order.resize(std::min(order.size(), count));
    std::vector<std::uint32_t> position(lines_.size(), static_cast<std::uint32_t>(order.size()));
    std::vector<Line> found;
    for (std::uint32_t const number : order) {
        position[number] = static_cast<std::uint32_t>(found.size());
        found.push_back({lines_[number], {}});
    }
    for (Place const& place : places_)
        if (place.line != 0 && position[place.line] < found.size()) found[position[place.line]].places.push_back(place);
    for (Line& line : found)
        std::stable_sort(line.places.begin(), line.places.end(), [](Place const& left, Place const& right) {
            return left.reads + left.writes > right.reads + right.writes;
        });
    return found;
}

} // namespace mxk::simulator
