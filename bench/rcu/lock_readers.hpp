// Locks as kinds of `bench rcu-read`: the sections of a core's task are guards of the lock at its place, or all have
// the first one.
//
//     .run = &LockReaders<TicketLock, false>::run
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/lock.hpp"
#include "base/result.hpp"
#include "bench/rcu/read_kind.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {

// LockType has has_counted() besides (simple_locks.hpp). The console's task.
template <Lock LockType, bool is_shared> class LockReaders {
  public:
    class Reader {
      public:
        static bool must_look() { return is_shared && arch::needs_attention(); }
        struct Section {
            explicit Section(Reader& reader)
                : guard(reader.lock_) {}
            LockGuard<LockType> guard;
        };
        Reader(LockReaders& all, std::size_t place)
            : lock_(all.locks_[is_shared ? 0 : place]) {}
        static void quiescent() {}

      private:
        LockType& lock_;
    };

    // One lock for all, or one for each. Errors: no memory, Ctrl-C.
    static Result<Sample> run(ReadRun const& run) {
        std::size_t const locks = is_shared ? 1 : run.cores.size();
        LockReaders readers(MXK_TRY(NodeVector<LockType>::create(locks, Worker::current().node())));
        for (std::size_t i = 0; i < locks; ++i) readers.locks_.emplace();
        return read_in_tasks(run, readers);
    }

    [[nodiscard]] bool is_sound(std::span<ReadTurn const> turns) {
        std::uint64_t sections = 0; // of the lock
        for (std::size_t place = 0; place < turns.size(); ++place) {
            sections = turns[place].sections + (is_shared ? sections : 0);
            if (!is_shared && !locks_[place].has_counted(sections)) return false;
        }
        return !is_shared || locks_[0].has_counted(sections);
    }

  private:
    explicit LockReaders(NodeVector<LockType> locks)
        : locks_(std::move(locks)) {}

    NodeVector<LockType> locks_;
};

} // namespace mxk::bench
