#include "bench/heap/heap_trace.hpp"

#include <algorithm>
#include <utility>

#include "arch/files.hpp"
#include "base/units.hpp"
#include "bench/workload/text_lines.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/scratch_memory.hpp"

namespace mxk::bench {
namespace {

constexpr std::string_view first_line = "mxk-heap-trace 1";
constexpr std::size_t max_trace_bytes = 256 * GiB;
constexpr std::uint64_t max_events = 1ULL << 31;

std::string_view without_comment(std::string_view line) {
    return line.substr(0, line.find('#'));
}

// A line's four words.
struct EventWords {
    std::uint64_t core;
    bool is_free;
    std::uint64_t object;
    std::uint64_t bytes;
};

Result<std::uint64_t> number_in(std::string_view& rest, std::size_t line, std::string_view what, std::uint64_t low,
                                std::uint64_t high) {
    std::string_view const word = next_word(rest);
    auto const number = parse_number(word);
    if (!number || *number < low || *number > high)
        return Error::of("line {}: expected {} from {} to {}, decimal or 0x and hexadecimal, got '{}'", line, what, low,
                         high, shown(word).view());
    return *number;
}

Result<EventWords> words_of(std::string_view rest, std::size_t line) {
    EventWords words{};
    words.core = MXK_TRY(number_in(rest, line, "a core", 0, HeapTrace::max_cores - 1));
    std::string_view const what = next_word(rest);
    if (what != "a" && what != "f")
        return Error::of("line {}: expected a (allocates) or f (frees), got '{}'", line, shown(what).view());
    words.is_free = what == "f";
    words.object = MXK_TRY(number_in(rest, line, "an object's number", 0, ~std::uint64_t{0}));
    words.bytes = MXK_TRY(number_in(rest, line, "the object's bytes", min_object_bytes, HeapTrace::max_bytes));
    if (std::string_view const more = next_word(rest); !more.empty())
        return Error::of("line {}: expected the end of the line behind the bytes, got '{}'", line, shown(more).view());
    return words;
}

// Live objects by the number that the trace gives them: open addressing, twice as many places as events.
class LiveObjects {
  public:
    struct Place {
        std::uint64_t object;
        std::uint32_t allocation; // its number among the trace's; none: nothing is live here
        std::uint32_t bytes;
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    static Result<LiveObjects> create(std::size_t events, NodeId node) {
        LiveObjects made;
        std::size_t places = 16;
        while (places < 2 * events) places *= 2;
        made.places_ = MXK_TRY(NodeArray<Place>::create(places, node));
        std::fill_n(made.places_.data(), places, Place{0, none, 0});
        made.used_ = MXK_TRY(NodeArray<bool>::create(places, node));
        std::fill_n(made.used_.data(), places, false);
        return made;
    }
    // Of this object, whether it is live or not.
    Place& operator[](std::uint64_t object) {
        std::size_t const mask = places_.size() - 1;
        std::size_t at = splitmix(object) & mask;
        while (used_[at] && places_[at].object != object) at = (at + 1) & mask;
        used_[at] = true;
        places_[at].object = object;
        return places_[at];
    }

  private:
    NodeArray<Place> places_;
    NodeArray<bool> used_;
};

std::size_t lines_of(std::string_view text) {
    std::size_t lines = 0;
    while (!text.empty()) {
        next_line(text);
        ++lines;
    }
    return lines;
}

} // namespace

Result<HeapTrace> HeapTrace::parse(std::string_view text, NodeId node) {
    std::size_t const lines = lines_of(text);
    if (lines > max_events) return Error::of("expected up to {} lines, got {}", max_events, lines);
    std::string_view const begin = next_line(text);
    if (begin != first_line) return Error::of("line 1: expected '{}', got '{}'", first_line, shown(begin).view());
    HeapTrace trace;
    trace.events_ = MXK_TRY(NodeVector<Event>::create(lines, node));
    auto live = MXK_TRY(LiveObjects::create(lines, node));
    std::uint64_t live_bytes = 0;
    for (std::size_t line = 2; !text.empty(); ++line) {
        std::string_view const said = without_comment(next_line(text));
        if (std::string_view rest = said; next_word(rest).empty()) continue;
        EventWords const words = MXK_TRY(words_of(said, line));
        auto& place = live[words.object];
        bool const is_live = place.allocation != LiveObjects::none;
        if (words.is_free != is_live)
            return Error::of("line {}: expected object {} to be {}", line, words.object,
                             is_live ? "freed before it is allocated again" : "allocated before it is freed");
        if (words.is_free && place.bytes != words.bytes)
            return Error::of("line {}: expected the {} bytes that object {} was allocated with, got {}", line,
                             place.bytes, words.object, words.bytes);
        if (!words.is_free) {
            place.allocation = static_cast<std::uint32_t>(trace.allocations_++);
            place.bytes = static_cast<std::uint32_t>(words.bytes);
        }
        trace.events_.emplace(ReplayStep{place.allocation, place.bytes, words.is_free},
                              static_cast<std::uint32_t>(words.core));
        live_bytes = words.is_free ? live_bytes - words.bytes : live_bytes + words.bytes;
        if (words.is_free) place.allocation = LiveObjects::none;
        trace.cores_ = std::max<std::size_t>(trace.cores_, words.core + 1);
        trace.max_live_bytes_ = std::max(trace.max_live_bytes_, live_bytes);
    }
    if (trace.events_.size() == 0) return Error::of("line {}: expected an allocation, got the end", lines + 1);
    return trace;
}

Result<HeapTrace> HeapTrace::read(std::string_view path, NodeId node) {
    memory::ScratchMemory memory(node);
    Arena arena(memory);
    auto const bytes = MXK_TRY(arch::read_file(path, max_trace_bytes, arena));
    return parse({reinterpret_cast<char const*>(bytes.data()), bytes.size()}, node);
}

} // namespace mxk::bench
