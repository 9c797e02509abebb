#include "tests/unit/sequential/optimised/any_table.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "base/panic.hpp"
#include "hashtable/layout/chain_heads.hpp"
#include "hashtable/layout/cuckoo_slots.hpp"
#include "hashtable/layout/open_slots.hpp"
#include "hashtable/table/extendible.hpp"
#include "hashtable/table/linear_buckets.hpp"
#include "tests/unit/table_content.hpp"

namespace mxk::test {
namespace {

template <typename Table> class TableOf final : public AnyTable {
    using Key = typename Table::Key;
    using Item = typename Table::Item;
    using Items = ItemsOf<Item>;
    static constexpr bool has_values = std::is_same_v<Item, std::uint64_t>;

  public:
    static std::unique_ptr<AnyTable> create(TableSize size, ChosenHash const& hash, HashPrefix prefix) {
        auto table = Table::create(size, node_id(0), hash, prefix);
        if (!table.ok()) return nullptr;
        return std::make_unique<TableOf>(std::move(table).value(), hash);
    }
    TableOf(Table table, ChosenHash hash)
        : table_(std::move(table))
        , hash_(std::move(hash)) {}
    std::unique_ptr<AnyTable> take() override { return std::make_unique<TableOf>(std::move(table_), hash_); }

    [[nodiscard]] std::uint64_t hash(std::uint64_t number) const override { return hash_(key(number)); }
    std::uint64_t make(std::uint64_t number, std::uint64_t value) override {
        return std::bit_cast<std::uint64_t>(Items::make(key(number), value));
    }
    void destroy(std::uint64_t item) override { Items::destroy(std::bit_cast<Item>(item)); }

    Insert insert(std::uint64_t number, std::uint64_t item) override {
        return table_.insert(key(number), std::bit_cast<Item>(item));
    }
    bool erase(std::uint64_t number) override { return table_.erase(key(number)); }
    [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t number) const override {
        auto const found = table_.find(key(number));
        if (found == nullptr) return std::nullopt;
        return std::bit_cast<std::uint64_t>(Items::shown(found));
    }
    Insert upsert(std::uint64_t number, std::uint64_t value) override {
        if constexpr (has_values) return table_.upsert(key(number), value);
        no_values();
    }
    bool update(std::uint64_t number, std::uint64_t value) override {
        if constexpr (has_values) return table_.update(key(number), value);
        no_values();
    }
    std::optional<std::uint64_t> modify(std::uint64_t number, std::uint64_t (*change)(std::uint64_t before)) override {
        if constexpr (has_values) return table_.modify(key(number), change);
        no_values();
    }

    void insert_key_0() override { table_.insert(Key{}, Item{}); }
    bool erase_key_0() override { return table_.erase(Key{}); }
    [[nodiscard]] bool has_key_0() const override { return table_.find(Key{}) != nullptr; }

    void tell(WorkListener& listener, void* context) override { table_.tell(listener, context); }
    [[nodiscard]] bool has_work() const override { return table_.has_work(); }
    void work() override { table_.work(); }
    [[nodiscard]] std::size_t size() const override { return table_.size(); }
    [[nodiscard]] std::size_t slot_count() const override { return table_.slot_count(); }
    [[nodiscard]] std::size_t bytes() const override { return table_.bytes(); }

    void
    for_each(std::function<void(std::optional<std::uint64_t> number, std::uint64_t item)> const& visit) const override {
        table_.for_each([&](Key const& visited, Item item) {
            std::uint64_t const number = KeyOf<Key>::number(visited);
            bool const is_of_number = key(number) == visited;
            visit(is_of_number ? std::optional(number) : std::nullopt, std::bit_cast<std::uint64_t>(item));
        });
    }

  private:
    [[noreturn]] static void no_values() { panic("a table of nodes has no values to overwrite"); }
    static Key key(std::uint64_t number) { return KeyOf<Key>::of(number); }

    Table table_;
    ChosenHash hash_;
};

template <typename Cells> constexpr TableKind kind_of(char const* name) {
    using Cell = typename Cells::Cell;
    constexpr std::size_t cells = std::min(Cells::block_bytes / sizeof(Cell), Block::max_cells);
    return {.name = name,
            .block_slots = cells * Cells::keys_per_cell,
            .block_bytes = BlockMemory::header_bytes + cells * sizeof(Cell),
            .few = {},
            .has_nodes = std::is_pointer_v<typename Cells::Item>,
            .is_cuckoo = std::is_same_v<Cells, CuckooSlots<typename Cells::Key>>,
            .create = &TableOf<Extendible<Cells, ChosenHash>>::create};
}

} // namespace

constexpr TableKind open_table = kind_of<OpenSlots<>>("open");
constexpr TableKind open_table_of_bytes = kind_of<OpenSlots<Bytes<32>>>("open_of_bytes");
constexpr TableKind cuckoo_table = kind_of<CuckooSlots<>>("cuckoo");
constexpr TableKind cuckoo_table_of_bytes = kind_of<CuckooSlots<Bytes<16>>>("cuckoo_of_bytes");
// Its blocks: what may come, or go, in one step.
constexpr TableKind bucketed_table = {.name = "bucketed",
                                      .block_slots = 1024,
                                      .block_bytes = 64 * KiB,
                                      .few = {.bits = 5, .value = 0x15},
                                      .has_nodes = false,
                                      .is_cuckoo = false,
                                      .create = &TableOf<LinearBuckets<ChosenHash>>::create,
                                      .takes_keys_from_lines = true};
constexpr TableKind chained_table = kind_of<ChainHeads<>>("chained");
constexpr TableKind chained_table_of_bytes = kind_of<ChainHeads<KeyedNode<Bytes<16>>>>("chained_of_bytes");

} // namespace mxk::test
