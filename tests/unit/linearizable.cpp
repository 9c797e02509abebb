#include "tests/unit/linearizable.hpp"

#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

#include "tests/unit/linear_order.hpp"

namespace mxk::test {
namespace {

std::string text(Content content) {
    return content.is_there ? "the key has the value " + std::to_string(content.value) : "the key is not there";
}

std::string text(Event const& event) {
    std::string const value = std::to_string(event.value);
    bool const is_yes = event.result == TableResult::Yes;
    std::string const answer = event.result == TableResult::Full ? "full" : is_yes ? "yes" : "no";
    switch (event.operation) {
    case Operation::Insert: return "insert " + value + ": " + answer;
    case Operation::Find: return "find: " + (is_yes ? value : answer);
    case Operation::Update: return "update " + value + ": " + answer;
    case Operation::Upsert: return "upsert " + value + ": " + answer;
    case Operation::Modify: return "modify: " + (is_yes ? value : answer);
    case Operation::Erase: break;
    }
    return "erase: " + answer;
}

// One line for each operation up to the culprit's response: of the last ones, and earlier ones that have to do with the
// culprit's value.
void list(std::ostream& out, std::vector<Event> const& events, Impasse const& impasse) {
    constexpr std::size_t shown = 24;
    Event const& culprit = events[impasse.culprit];
    auto const end = static_cast<std::size_t>(std::count_if(
        events.begin(), events.end(), [&](Event const& event) { return event.invoked <= culprit.responded; }));
    bool const has_value = culprit.operation != Operation::Erase && culprit.value != 0;
    std::size_t left_out = 0;
    out << "     invoked   responded  core\n";
    for (std::size_t i = 0; i < end; ++i) {
        if (i + shown < end && !(has_value && events[i].value == culprit.value) && i != impasse.culprit) {
            ++left_out;
            continue;
        }
        if (left_out != 0) out << "  (" << std::exchange(left_out, 0) << " more)\n";
        out << std::setw(12) << events[i].invoked - events[0].invoked << std::setw(12)
            << events[i].responded - events[0].invoked << std::setw(6) << index(events[i].core) << "  "
            << text(events[i]);
        if (i == impasse.culprit)
            out << "   <-- nothing explains this";
        else if (!impasse.order.has[i])
            out << "   (may be later)";
        out << '\n';
    }
}

std::optional<std::string> why_not(std::uint64_t key, std::vector<Event>& events, FullInserts full_inserts) {
    std::sort(events.begin(), events.end(), [](Event const& a, Event const& b) {
        return std::tie(a.invoked, a.responded) < std::tie(b.invoked, b.responded);
    });
    std::ostringstream out;
    out << "key " << key << ": ";
    for (Event const& event : events) {
        if (event.responded >= event.invoked) continue;
        out << text(event) << " on core " << index(event.core) << " responded before it was invoked\n";
        return out.str();
    }
    std::optional<Impasse> const found = impasse(events, full_inserts);
    if (!found) return std::nullopt;
    out << "no order of its " << events.size() << " operations explains their results. Up to the marked one's response "
        << "there is one without it,\nafter which " << text(found->order.content)
        << ", but none with it. In time order (ticks):\n";
    list(out, events, *found);
    return out.str();
}

} // namespace

std::optional<std::string> why_not_linearizable(std::vector<Event> const& history, FullInserts full_inserts) {
    std::map<std::uint64_t, std::vector<Event>> keys;
    for (Event const& event : history) keys[event.key].push_back(event);
    for (auto& [key, events] : keys)
        if (auto why = why_not(key, events, full_inserts)) return why;
    return std::nullopt;
}

} // namespace mxk::test
