// A thread with the shared table of lines, for contenders.hpp.
#pragma once

#include <cstdint>

#include "hashtable/shared/concurrent_lines.hpp"
#include "kernel/sync/rcu/rcu.hpp"

namespace mxk {

class LinesUser {
  public:
    explicit LinesUser(ConcurrentLines<>& table)
        : table_(table) {}
    bool insert(std::uint64_t key) {
        rcu::ReadSection const section;
        return key % 2 == 0 ? table_.insert(key, ~key) == Insert::Inserted
                            : table_.upsert(key, ~key) == Insert::Inserted;
    }
    bool find(std::uint64_t key) {
        rcu::ReadSection const section;
        return table_.find(key) == ~key;
    }
    bool erase(std::uint64_t key) {
        rcu::ReadSection const section;
        return table_.erase(key);
    }

  private:
    ConcurrentLines<>& table_;
};

} // namespace mxk
