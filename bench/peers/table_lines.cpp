// MXK's shared table of cache lines (hashtable/shared/concurrent_lines.hpp) in the peers' own loop: the same calls, one
// after the other, that the libraries' tables get. A piece of a slice is the body of a task, hence a read section.
// With prefetching, a key is known 16 operations ahead, as a batched look-up knows it.
#include <stdexcept>
#include <vector>

#include "bench/peers/measured_table.hpp"
#include "bench/peers/table_memory.hpp"
#include "hashtable/partition/owner.hpp"
#include "hashtable/shared/concurrent_lines.hpp"

namespace mxk::bench {
namespace {

std::vector<Owner> owners_of(Cores cores) {
    std::vector<Owner> owners;
    owners.reserve(cores.size());
    for (CoreId const core : cores) owners.push_back({core, workers::of(core).node()});
    return owners;
}

class SharedLines {
  public:
    SharedLines(std::size_t capacity, Cores cores)
        : table_(value_or_throw(ConcurrentLines<>::create({.keys = capacity}, owners_of(cores)))) {}

    std::size_t size() const { return table_.size(); }

    class Session {
      public:
        Session(SharedLines& table, std::size_t /*core*/)
            : table_(table.table_) {}

        bool insert(std::uint64_t key, std::uint64_t value) {
            return has_room(table_.insert(key, value)) == Insert::Inserted;
        }
        [[gnu::always_inline]] std::optional<std::uint64_t> find(std::uint64_t key) { return table_.find(key); }
        bool erase(std::uint64_t key) { return table_.erase(key); }
        bool update(std::uint64_t key, std::uint64_t value) { return table_.update(key, value); }
        bool upsert(std::uint64_t key, std::uint64_t value) {
            return has_room(table_.upsert(key, value)) == Insert::Inserted;
        }
        std::optional<std::uint64_t> modify(std::uint64_t key, std::uint64_t addend) {
            return table_.modify(key, [addend](std::uint64_t value) { return value + addend; });
        }

      protected:
        ConcurrentLines<>& table_;

      private:
        static Insert has_room(Insert result) {
            if (result == Insert::Full) throw std::bad_alloc();
            return result;
        }
    };

  private:
    ConcurrentLines<> table_;
};

class PrefetchedLines : public SharedLines {
  public:
    using SharedLines::SharedLines;
    class Session : public SharedLines::Session {
      public:
        using SharedLines::Session::Session;
        void prefetch(std::uint64_t key) { table_.prefetch(key); }
    };
};

class GrowingLines : GrowthMemory, public SharedLines {
  public:
    GrowingLines(std::size_t capacity, Cores cores)
        : GrowthMemory(capacity, cores)
        , SharedLines(growing_start, cores) {}
};

constexpr Peer mxk_shared{.name = "mxk-shared",
                          .library = "none",
                          .setup =
                              "MXK's shared table of cache lines under RCU, sized for the keys, one call after the "
                              "other",
                          .create = &create_table<SharedLines>};
MXK_REGISTER(mxk_peers, Peer, mxk_shared);
constexpr Peer mxk_shared_prefetch{.name = "mxk-shared-prefetch",
                                   .library = "none",
                                   .setup = "the same, keys known 16 operations ahead",
                                   .create = &create_table<PrefetchedLines>};
MXK_REGISTER(mxk_peers, Peer, mxk_shared_prefetch);
constexpr Peer mxk_shared_growing{.name = "mxk-shared-growing",
                                  .library = "none",
                                  .setup = "mxk-shared from 1024 keys on; who inserts moves its buckets",
                                  .create = &create_table<GrowingLines>};
MXK_REGISTER(mxk_peers, Peer, mxk_shared_growing);

} // namespace
} // namespace mxk::bench
