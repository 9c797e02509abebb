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
        struct Section {
            explicit Section(Reader& reader)
                : guard(reader.lock_) {}
            LockGuard<LockType> guard;
        };
        Reader(LockReaders& all, std::size_t place)
            : lock_(all.locks_[is_shared ? 0 : place])
            , sections_(all.sections_[place]) {}
        // Nobody waits for it: for locks it only counts.
        void quiescent() { sections_ += sections_per_quiescent_point; }

      private:
        LockType& lock_;
        std::uint64_t& sections_;
    };

    // Errors: no memory, Ctrl-C.
    static Result<Sample> run(ReadRun const& run) {
        std::size_t const cores = run.cores.size();
        NodeId const here = Worker::current().node();
        LockReaders readers(MXK_TRY(NodeVector<LockType>::create(is_shared ? 1 : cores, here)),
                            MXK_TRY(NodeVector<std::uint64_t>::create(cores, here)));
        for (std::size_t i = 0; i < (is_shared ? 1 : cores); ++i) readers.locks_.emplace();
        for (std::size_t i = 0; i < cores; ++i) readers.sections_.emplace();
        return read_in_tasks(run, readers);
    }

    [[nodiscard]] bool is_sound(std::uint64_t sections) {
        if constexpr (is_shared) return locks_[0].has_counted(sections);
        for (std::size_t i = 0; i < locks_.size(); ++i)
            if (!locks_[i].has_counted(sections_[i])) return false;
        return true;
    }

  private:
    LockReaders(NodeVector<LockType> locks, NodeVector<std::uint64_t> sections)
        : locks_(std::move(locks))
        , sections_(std::move(sections)) {}

    NodeVector<LockType> locks_;
    NodeVector<std::uint64_t> sections_; // by place
};

} // namespace mxk::bench
