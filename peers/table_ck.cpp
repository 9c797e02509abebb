// Concurrency Kit's ck_ht: open addressing by cache lines, one writer beside any number of readers. Several writers
// need a lock: so there are many tables, each with a spin lock of Concurrency Kit for its writers; readers take none.
// Beyond a load of one half a table grows. With slots for all keys from the start, so that it never does; and from few
// slots on: a shard doubles behind its lock.
#include <algorithm>
#include <bit>
#include <memory>
#include <new>

extern "C" {
#include <ck_ht.h>
#include <spinlock/fas.h>
}

#include "peers/measured_table.hpp"
#include "peers/table_memory.hpp"

namespace mxk::bench {
namespace {

// The functions that the tables allocate with. They are told of no table: there is one at a time, and its arena.
class Storage {
  public:
    static void* allocate(std::size_t bytes) {
        try {
            return arena->allocate(bytes);
        } catch (std::bad_alloc const&) { // the caller is C
            return nullptr;
        }
    }
    static void* reallocate(void*, std::size_t, std::size_t, bool) { return nullptr; } // ck_ht never asks for it
    // What readers may still look at, because a table has grown, stays until the arena ends.
    static void free(void* place, std::size_t bytes, bool may_be_read) {
        if (!may_be_read) arena->deallocate(place, bytes);
    }

    static inline TableArena* arena = nullptr;
    static inline ck_malloc functions{&allocate, &reallocate, &free};
};

class CkTable {
    struct Part;

  public:
    // A power of two of slots in each shard from the start.
    CkTable(Shards const& shards, std::size_t slots, Cores cores)
        : shards_(shards)
        , arena_(cores, 0)
        , parts_(std::make_unique<Part[]>(shards_.count())) {
        Storage::arena = &arena_;
        for (std::size_t i = 0; i < shards_.count(); ++i) {
            if (!parts_[i].create(slots)) throw std::bad_alloc();
        }
    }
    CkTable(CkTable const&) = delete;
    CkTable& operator=(CkTable const&) = delete;

    std::size_t size() {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < shards_.count(); ++i) sum += ck_ht_count(&parts_[i].table);
        return sum;
    }

    class Session {
      public:
        Session(CkTable& table, std::size_t)
            : table_(table) {}

        bool insert(std::uint64_t key, std::uint64_t value) {
            Part& part = table_.part_of(key);
            ck_ht_entry_t entry;
            ck_ht_entry_set_direct(&entry, {key}, key, value);
            Writer const writer(part);
            return ck_ht_put_spmc(&part.table, {key}, &entry);
        }
        std::optional<std::uint64_t> find(std::uint64_t key) {
            ck_ht_entry_t entry;
            ck_ht_entry_key_set_direct(&entry, key);
            if (!ck_ht_get_spmc(&table_.part_of(key).table, {key}, &entry)) return std::nullopt;
            return ck_ht_entry_value_direct(&entry);
        }
        bool erase(std::uint64_t key) {
            Part& part = table_.part_of(key);
            ck_ht_entry_t entry;
            ck_ht_entry_key_set_direct(&entry, key);
            Writer const writer(part);
            return ck_ht_remove_spmc(&part.table, {key}, &entry);
        }
        bool update(std::uint64_t key, std::uint64_t value) {
            return overwrite(key, [value](std::uint64_t) { return value; }).has_value();
        }
        bool upsert(std::uint64_t key, std::uint64_t value) {
            Part& part = table_.part_of(key);
            Writer const writer(part);
            bool const is_new = !value_in(part, key);
            set(part, key, value);
            return is_new;
        }
        std::optional<std::uint64_t> modify(std::uint64_t key, std::uint64_t addend) {
            return overwrite(key, [addend](std::uint64_t before) { return before + addend; });
        }

      private:
        // By the shard's writer: ck_ht_set_spmc() replaces an entry, or inserts it.
        template <typename Change> std::optional<std::uint64_t> overwrite(std::uint64_t key, Change change) {
            Part& part = table_.part_of(key);
            Writer const writer(part);
            std::optional<std::uint64_t> const before = value_in(part, key);
            if (before) set(part, key, change(*before));
            return before;
        }
        static std::optional<std::uint64_t> value_in(Part& part, std::uint64_t key) {
            ck_ht_entry_t entry;
            ck_ht_entry_key_set_direct(&entry, key);
            if (!ck_ht_get_spmc(&part.table, {key}, &entry)) return std::nullopt;
            return ck_ht_entry_value_direct(&entry);
        }
        static void set(Part& part, std::uint64_t key, std::uint64_t value) {
            ck_ht_entry_t entry;
            ck_ht_entry_set_direct(&entry, {key}, key, value);
            if (!ck_ht_set_spmc(&part.table, {key}, &entry)) throw std::bad_alloc();
        }

        CkTable& table_;
    };

  private:
    struct alignas(cache_line_bytes) Part {
        ck_ht_t table{};
        ck_spinlock_fas_t lock = CK_SPINLOCK_FAS_INITIALIZER;

        Part() = default;
        Part(Part const&) = delete;
        Part& operator=(Part const&) = delete;
        ~Part() {
            if (table.map != nullptr) ck_ht_destroy(&table);
        }
        bool create(std::size_t slots) {
            return ck_ht_init(&table, CK_HT_MODE_DIRECT, &hash_key, &Storage::functions, slots, 0);
        }
        // The hash is handed in with every operation; this is for a table that grows.
        static void hash_key(ck_ht_hash_t* hash, void const* key, std::size_t, std::uint64_t) {
            hash->value = *static_cast<std::uint64_t const*>(key);
        }
    };

    class Writer {
      public:
        explicit Writer(Part& part)
            : lock_(part.lock) {
            ck_spinlock_fas_lock(&lock_);
        }
        Writer(Writer const&) = delete;
        Writer& operator=(Writer const&) = delete;
        ~Writer() { ck_spinlock_fas_unlock(&lock_); }

      private:
        ck_spinlock_fas_t& lock_;
    };

    Part& part_of(std::uint64_t key) { return parts_[shards_.of(key)]; }

    Shards shards_;
    TableArena arena_;
    std::unique_ptr<Part[]> parts_;
};

class Reserved : public CkTable {
  public:
    Reserved(std::size_t capacity, Cores cores)
        : Reserved(Shards(cores.size()), capacity, cores) {}

  private:
    Reserved(Shards const& shards, std::size_t capacity, Cores cores)
        : CkTable(shards, std::bit_ceil(2 * shards.max_keys(capacity)), cores) {}
};

constexpr Peer ck_ht{.name = "ck-ht",
                     .library = MXK_PEER_LIBRARY,
                     .setup = "ck_ht, 64 shards per core with a spin lock for writers, reserved; hash: the key",
                     .create = &create_table<Reserved>};
MXK_REGISTER(mxk_peers, Peer, ck_ht);

class GrowingCk : GrowthMemory, public CkTable {
  public:
    GrowingCk(std::size_t capacity, Cores cores)
        : GrowingCk(Shards(cores.size()), capacity, cores) {}

  private:
    static constexpr std::size_t min_slots = 16;

    GrowingCk(Shards const& shards, std::size_t capacity, Cores cores)
        : GrowthMemory(capacity, cores)
        , CkTable(shards, std::max(growing_start / shards.count(), min_slots), cores) {}
};

constexpr Peer ck_ht_growing{
    .name = "ck-ht-growing",
    .library = MXK_PEER_LIBRARY,
    .setup = "ck_ht, 64 shards per core with a spin lock for writers, grows from 1024 slots; hash: the key",
    .create = &create_table<GrowingCk>};
MXK_REGISTER(mxk_peers, Peer, ck_ht_growing);

} // namespace
} // namespace mxk::bench
