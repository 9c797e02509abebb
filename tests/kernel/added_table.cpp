// A table layout in one file: keys in the order in which they come, searched from the first one on. For few keys.
#include <cstdint>
#include <optional>

#include "bench/table/table_access.hpp"
#include "bench/table/task_engine.hpp"
#include "kernel/memory/node_vector.hpp"
#include "kernel/memory/per_core.hpp"

namespace mxk::bench {
namespace {

// The keys of one core.
struct KeyList {
    explicit KeyList(NodeArray<std::uint64_t> its_room)
        : room(std::move(its_room)) {}
    [[nodiscard]] std::size_t place(std::uint64_t key) const {
        std::size_t at = 0;
        while (at < size && room[at] != key) ++at;
        return at;
    }
    NodeArray<std::uint64_t> room;
    std::size_t size = 0;
};

// All of them, as a run looks at them in the end.
struct KeyLists : PerCore<KeyList> {
    [[nodiscard]] std::size_t size() const {
        std::size_t all = 0;
        for (KeyList const& list : *this) all += list.size;
        return all;
    }
    template <typename Visit> void for_each(Visit visit) const {
        for (KeyList const& list : *this)
            for (std::size_t at = 0; at < list.size; ++at) visit(list.room[at]);
    }
};

// As bench/table/table_access.hpp says.
class ListAccess {
  public:
    struct Extra {};
    // Errors: fewer buckets than cores.
    static Result<ListAccess> create(EngineSetup const& setup) {
        static_cast<void>(MXK_TRY(count_buckets(setup.run, setup.owners.size())));
        return ListAccess(setup);
    }

    Result<void> reset() {
        static_cast<PerCore<KeyList>&>(lists_) =
            MXK_TRY(PerCore<KeyList>::with_room(owners_.size(), owners_.front().node));
        for (Owner const& owner : owners_) {
            auto const added =
                lists_.add(owner.node, MXK_TRY(NodeArray<std::uint64_t>::create_zeroed(max_keys_, owner.node)));
            if (!added) return added.error();
        }
        return {};
    }
    [[nodiscard]] std::size_t bucket_count() const { return owners_.size(); }
    [[nodiscard]] std::size_t bytes() const { return owners_.size() * max_keys_ * sizeof(std::uint64_t); }
    [[nodiscard]] std::size_t owner(std::uint64_t key) const { return key % owners_.size(); }
    [[nodiscard]] Extra extra(std::size_t, std::size_t, std::uint64_t, std::size_t) const { return {}; }
    [[nodiscard]] Annotation line(std::uint64_t, std::size_t owner, Extra) const {
        return Annotation::table_line(lists_[owner].room.data());
    }
    void prefetch(std::uint64_t key) const { line(key, owner(key), {}).prefetch(); }

    template <Operation operation> bool operate(std::size_t at, std::uint64_t key, Extra, Order const& order) {
        KeyList& list = lists_[at];
        std::size_t const place = list.place(key);
        bool const is_there = place < list.size;
        if (operation == Operation::Find) return is_there == order.expected;
        if (operation == Operation::Erase && is_there) list.room[place] = list.room[--list.size];
        if (operation == Operation::Insert && !is_there) list.room[list.size++] = key;
        return (operation == Operation::Erase) == (is_there == order.expected);
    }
    [[nodiscard]] std::optional<std::uint64_t> value(std::uint64_t key) const {
        KeyList const& list = lists_[owner(key)];
        return value_if(list.place(key) < list.size, key);
    }
    [[nodiscard]] KeyLists const& table() const { return lists_; }

  private:
    explicit ListAccess(EngineSetup const& setup)
        : owners_(setup.table_owners)
        , max_keys_(setup.run.operations) {}

    std::span<Owner const> owners_;
    std::size_t max_keys_; // of each core
    KeyLists lists_;
};

constexpr TableLayout layout{.name = "list", .bytes_per_bucket = 8, .default_buckets = 1, .keeps_values = false};
constexpr EngineKind list_tasks{.layout = layout, .create = &EngineOwner::create<TaskEngine<ListAccess>>};
MXK_REGISTER(mxk_engines, EngineKind, list_tasks);

} // namespace
} // namespace mxk::bench
