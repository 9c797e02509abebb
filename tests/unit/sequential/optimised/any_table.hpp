// A table that grows block by block, whatever its layout and its keys, and with a hash that is chosen when a test runs:
// so that each layout is compiled once for all tests, and each test once for all layouts. Operations are on numbers,
// each of which stands for a key (table_content.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>

#include "hashtable/byte_key.hpp"
#include "hashtable/hash.hpp"
#include "hashtable/insert.hpp"
#include "hashtable/layout/block.hpp"
#include "hashtable/table/table_size.hpp"
#include "hashtable/table/work_listener.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk::test {

// The default hash, or what `change` makes of the key, if that is a number, and of its default hash.
struct ChosenHash {
    std::function<std::uint64_t(std::uint64_t key, std::uint64_t hash)> change{};

    std::uint64_t operator()(std::uint64_t key) const { return changed(key, MixedHash()(key)); }
    template <std::size_t Size> std::uint64_t operator()(Bytes<Size> const& key) const {
        return changed(0, MixedHash()(key));
    }

  private:
    [[nodiscard]] std::uint64_t changed(std::uint64_t key, std::uint64_t hash) const {
        return change ? change(key, hash) : hash;
    }
};

// An item is a value, or the address of a node that the table is given.
class AnyTable {
  public:
    AnyTable() = default;
    AnyTable(AnyTable const&) = delete;
    AnyTable& operator=(AnyTable const&) = delete;
    virtual ~AnyTable() = default;
    // Another one, with all that this one has; this one has nothing then.
    virtual std::unique_ptr<AnyTable> take() = 0;

    [[nodiscard]] virtual std::uint64_t hash(std::uint64_t number) const = 0;

    // An item for the number: the value, or a new node, which destroy() deletes.
    virtual std::uint64_t make(std::uint64_t number, std::uint64_t value) = 0;
    virtual void destroy(std::uint64_t item) = 0;

    // As Extendible's.
    virtual Insert insert(std::uint64_t number, std::uint64_t item) = 0;
    virtual bool erase(std::uint64_t number) = 0;
    [[nodiscard]] virtual std::optional<std::uint64_t> find(std::uint64_t number) const = 0;
    // Of tables of values.
    virtual Insert upsert(std::uint64_t number, std::uint64_t value) = 0;
    virtual bool update(std::uint64_t number, std::uint64_t value) = 0;
    virtual std::optional<std::uint64_t> modify(std::uint64_t number,
                                                std::uint64_t (*change)(std::uint64_t before)) = 0;

    // Key 0, which no number stands for.
    virtual void insert_key_0() = 0;
    virtual bool erase_key_0() = 0;
    [[nodiscard]] virtual bool has_key_0() const = 0;

    virtual void tell(WorkListener& listener, void* context) = 0;
    [[nodiscard]] virtual bool has_work() const = 0;
    virtual void work() = 0;
    [[nodiscard]] virtual std::size_t size() const = 0;
    [[nodiscard]] virtual std::size_t slot_count() const = 0;
    [[nodiscard]] virtual std::size_t bytes() const = 0;

    // visit(number, item) for every pair; nothing for a key that no number stands for.
    virtual void
    for_each(std::function<void(std::optional<std::uint64_t> number, std::uint64_t item)> const& visit) const = 0;
};

struct TableKind {
    char const* name;
    std::size_t block_slots; // what a block of full size has
    std::size_t block_bytes; // its cells and their header
    HashPrefix few;          // the part of all keys that leaves a table few cells to begin with: some thousand keys
                             // make it grow
    bool has_nodes;
    bool is_cuckoo;
    // Null if there is no memory.
    std::unique_ptr<AnyTable> (*create)(TableSize size, ChosenHash const& hash, HashPrefix prefix);
    bool takes_keys_from_lines = false; // it knows where its keys go without their hashes

    friend std::ostream& operator<<(std::ostream& out, TableKind const& kind) { return out << kind.name; }
};

// Each layout with keys of 8 bytes and with longer ones: all lengths take the same way.
extern TableKind const open_table;
extern TableKind const open_table_of_bytes;
extern TableKind const cuckoo_table;
extern TableKind const cuckoo_table_of_bytes;
extern TableKind const bucketed_table;
extern TableKind const chained_table;
extern TableKind const chained_table_of_bytes;

} // namespace mxk::test
