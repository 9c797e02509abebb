// Locks as kinds of `bench rcu-read`: the sections of a core's task are guards of the lock at its place, or all have
// the first one.
//
//     .run = &LockReaders<TicketLock>::run<false>
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
template <Lock LockType> class LockReaders {
  public:
    class Reader {
      public:
        struct Section {
            explicit Section(Reader& reader)
                : guard(reader.lock_) {}
            LockGuard<LockType> guard;
        };
        Reader(LockReaders& all, std::size_t place)
            : lock_(all.locks_[all.locks_.size() == 1 ? 0 : place])
            , sections_(all.sections_[place]) {}
        // Nobody waits for it: for locks it only counts.
        void quiescent() { sections_ += sections_per_quiescent_point; }

      private:
        LockType& lock_;
        std::uint64_t& sections_;
    };

    // One lock for all, or one for each. Errors: no memory, Ctrl-C.
    template <bool is_shared> static Result<Sample> run(ReadRun const& run) {
        return read(run, is_shared ? 1 : run.cores.size());
    }

    [[nodiscard]] bool is_sound(std::uint64_t sections) {
        if (locks_.size() == 1) return locks_[0].has_counted(sections);
        for (std::size_t i = 0; i < locks_.size(); ++i)
            if (!locks_[i].has_counted(sections_[i])) return false;
        return true;
    }

  private:
    LockReaders(NodeVector<LockType> locks, NodeVector<std::uint64_t> sections)
        : locks_(std::move(locks))
        , sections_(std::move(sections)) {}

    static Result<Sample> read(ReadRun const& run, std::size_t locks) {
        std::size_t const cores = run.cores.size();
        NodeId const here = Worker::current().node();
        LockReaders readers(MXK_TRY(NodeVector<LockType>::create(locks, here)),
                            MXK_TRY(NodeVector<std::uint64_t>::create(cores, here)));
        for (std::size_t i = 0; i < locks; ++i) readers.locks_.emplace();
        for (std::size_t i = 0; i < cores; ++i) readers.sections_.emplace();
        return read_in_tasks(run, readers);
    }

    NodeVector<LockType> locks_;
    NodeVector<std::uint64_t> sections_; // by place
};

} // namespace mxk::bench
