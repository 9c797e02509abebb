#include "tests/unit/linear_order.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_set>
#include <utility>

#include "bench/workload/random.hpp"

namespace mxk::test {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

struct HashOfOrder {
    std::size_t operator()(LinearOrder const& order) const {
        return std::hash<std::vector<bool>>{}(order.has) ^
               splitmix(order.content.value * 2 + (order.content.is_there ? 1 : 0));
    }
};

// Whatever there was before.
bool writes(Event const& event) {
    return event.operation == Operation::Upsert ||
           (event.operation == Operation::Update && event.result == TableResult::Yes);
}

class Search {
  public:
    Search(std::span<Event const> events, FullInserts full_inserts)
        : events_(events)
        , full_inserts_(full_inserts) {}

    std::optional<Impasse> run() {
        std::vector<LinearOrder> open{LinearOrder{std::vector<bool>(events_.size()), {}}};
        take_what_changes_nothing(open.back());
        while (!open.empty()) {
            LinearOrder const order = std::move(open.back());
            open.pop_back();
            std::vector<std::size_t> const next = candidates(order);
            if (next.empty()) return std::nullopt; // all are in it
            note(order, next);
            // The first is tried first, hence pushed last.
            for (auto at = next.rbegin(); at != next.rend(); ++at) {
                auto const content = content_after(events_[*at], order.content, full_inserts_);
                if (!content) continue;
                LinearOrder longer{order.has, *content};
                longer.has[*at] = true;
                take_what_changes_nothing(longer);
                if (tried_.insert(longer).second) open.push_back(std::move(longer));
            }
        }
        return furthest_;
    }

  private:
    // visit(index) for each operation that may come next: no other that is not in the order has responded before it was
    // invoked. Those that visit() says are in the order now hold up nobody any more.
    template <typename Visit> void for_each_candidate(LinearOrder const& order, Visit visit) const {
        auto const first = std::find(order.has.begin(), order.has.end(), false);
        std::uint64_t first_response = never;
        for (auto i = static_cast<std::size_t>(first - order.has.begin()); i < events_.size(); ++i) {
            if (events_[i].invoked > first_response) return; // as all behind it
            if (!order.has[i] && !visit(i)) first_response = std::min(first_response, events_[i].responded);
        }
    }

    [[nodiscard]] std::vector<std::size_t> candidates(LinearOrder const& order) const {
        std::vector<std::size_t> result;
        for_each_candidate(order, [&](std::size_t i) {
            result.push_back(i);
            return false;
        });
        return result;
    }

    // A find that fits, or what else leaves the content as it is, may come next at once: in any order that goes on from
    // here, it can be moved to the front. So there is no need to try what happens if it waits. But for what writes the
    // value that is there already: later it may undo what others did.
    void take_what_changes_nothing(LinearOrder& order) const {
        for_each_candidate(order, [&](std::size_t i) {
            order.has[i] =
                !writes(events_[i]) && content_after(events_[i], order.content, full_inserts_) == order.content;
            return bool{order.has[i]};
        });
    }

    // An order is further than another if the first operation that it leaves out responded later.
    void note(LinearOrder const& order, std::vector<std::size_t> const& left_out) {
        std::size_t const culprit = *std::min_element(left_out.begin(), left_out.end(), [&](auto a, auto b) {
            return events_[a].responded < events_[b].responded;
        });
        if (furthest_ && events_[culprit].responded <= events_[furthest_->culprit].responded) return;
        furthest_ = Impasse{culprit, order};
    }

    std::span<Event const> events_;
    FullInserts full_inserts_;
    std::unordered_set<LinearOrder, HashOfOrder> tried_;
    std::optional<Impasse> furthest_;
};

} // namespace

std::optional<Content> content_after(Event const& event, Content before, FullInserts full_inserts) {
    using enum Operation;
    bool const is_yes = event.result == TableResult::Yes;
    bool const inserts = event.operation == Insert || event.operation == Upsert;
    if (event.result == TableResult::Full) {
        bool const may_be = inserts && full_inserts == FullInserts::Allowed;
        return may_be && !before.is_there ? std::optional(before) : std::nullopt;
    }
    if (is_yes != (before.is_there != inserts)) return std::nullopt;
    Content const written{true, event.value};
    switch (event.operation) {
    case Insert: return is_yes ? written : before;
    case Upsert: return written;
    case Update: return is_yes ? written : before;
    case Erase: return Content{};
    case Find:
    case Modify: break;
    }
    if (is_yes && event.value != before.value) return std::nullopt;
    if (is_yes && event.operation == Modify) return Content{true, before.value + modify_addend};
    return before;
}

std::optional<Impasse> impasse(std::span<Event const> events, FullInserts full_inserts) {
    return Search(events, full_inserts).run();
}

} // namespace mxk::test
