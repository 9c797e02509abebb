// Concurrency Kit's ck_ht: open addressing by cache lines, one writer beside any number of readers. Several writers
// need a lock: so there are many tables, each with a spin lock of Concurrency Kit for its writers; readers take none.
// Beyond a load of one half a table grows. With slots for all keys from the start, so that it never does; and from few
// slots on: a shard doubles behind its lock.
#include <new>

extern "C" {
#include <ck_ht.h>
#include <spinlock/fas.h>
}

#include "peers/measured_table.hpp"

namespace mxk::bench {
namespace {

// The functions that the tables allocate with. They are told of no table: there is one at a time, and its arena.
constinit TableArena* arena_of_all = nullptr;

void* allocate(std::size_t bytes) {
    try {
        return arena_of_all->allocate(bytes);
    } catch (std::bad_alloc const&) { // the caller is C
        return nullptr;
    }
}
// ck_ht never asks for it.
void* reallocate(void*, std::size_t, std::size_t, bool) {
    return nullptr;
}
// What readers may still look at, because a table has grown, stays until the arena ends.
void deallocate(void* place, std::size_t bytes, bool may_be_read) {
    if (!may_be_read) arena_of_all->deallocate(place, bytes);
}
constinit ck_malloc memory_functions{&allocate, &reallocate, &deallocate};

class alignas(cache_line_bytes) CkPart {
  public:
    static constexpr bool locks_readers = false;

    // A power of two of slots from the start.
    CkPart(std::size_t slots, TableArena& arena) {
        arena_of_all = &arena;
        if (!ck_ht_init(&table_, CK_HT_MODE_DIRECT, &hash_key, &memory_functions, slots, 0)) throw std::bad_alloc();
    }
    CkPart(CkPart const&) = delete;
    CkPart& operator=(CkPart const&) = delete;
    ~CkPart() { ck_ht_destroy(&table_); }

    void lock() { ck_spinlock_fas_lock(&lock_); }
    void unlock() { ck_spinlock_fas_unlock(&lock_); }
    std::size_t size() { return ck_ht_count(&table_); }

    bool insert(std::uint64_t key, std::uint64_t value) {
        ck_ht_entry_t entry;
        ck_ht_entry_set_direct(&entry, {key}, key, value);
        return ck_ht_put_spmc(&table_, {key}, &entry);
    }
    std::optional<std::uint64_t> find(std::uint64_t key) {
        ck_ht_entry_t entry;
        ck_ht_entry_key_set_direct(&entry, key);
        if (!ck_ht_get_spmc(&table_, {key}, &entry)) return std::nullopt;
        return ck_ht_entry_value_direct(&entry);
    }
    bool erase(std::uint64_t key) {
        ck_ht_entry_t entry;
        ck_ht_entry_key_set_direct(&entry, key);
        return ck_ht_remove_spmc(&table_, {key}, &entry);
    }
    bool upsert(std::uint64_t key, std::uint64_t value) {
        bool const is_new = !find(key);
        set(key, value);
        return is_new;
    }
    template <typename Change> std::optional<std::uint64_t> change(std::uint64_t key, Change change) {
        std::optional<std::uint64_t> const before = find(key);
        if (before) set(key, change(*before));
        return before;
    }

  private:
    // Replaces an entry, or inserts it.
    void set(std::uint64_t key, std::uint64_t value) {
        ck_ht_entry_t entry;
        ck_ht_entry_set_direct(&entry, {key}, key, value);
        if (!ck_ht_set_spmc(&table_, {key}, &entry)) throw std::bad_alloc();
    }
    // The hash is handed in with every operation; this is for a table that grows.
    static void hash_key(ck_ht_hash_t* hash, void const* key, std::size_t, std::uint64_t) {
        hash->value = *static_cast<std::uint64_t const*>(key);
    }

    ck_ht_t table_{};
    ck_spinlock_fas_t lock_ = CK_SPINLOCK_FAS_INITIALIZER;
};

constexpr Peer ck_ht = table_peer("ck-ht", MXK_PEER_LIBRARY,
                                  "ck_ht, 64 shards per core with a spin lock for writers, reserved; hash: the key",
                                  [](std::size_t capacity, Cores cores) {
                                      return measured<Sharded<CkPart>>(cores, 0U, [=](Shards const& shards) {
                                          return std::bit_ceil(2 * shards.max_keys(capacity));
                                      });
                                  });
MXK_REGISTER(mxk_peers, Peer, ck_ht);

constexpr Peer ck_ht_growing =
    table_peer("ck-ht-growing", MXK_PEER_LIBRARY,
               "ck_ht, 64 shards per core with a spin lock for writers, grows from 1024 slots; hash: the key",
               [](std::size_t capacity, Cores cores) {
                   GrowthMemory const memory(capacity, cores);
                   return measured<Sharded<CkPart>>(cores, 0U, [](Shards const& shards) {
                       return std::max<std::size_t>(growing_start / shards.count(), 16);
                   });
               });
MXK_REGISTER(mxk_peers, Peer, ck_ht_growing);

} // namespace
} // namespace mxk::bench
