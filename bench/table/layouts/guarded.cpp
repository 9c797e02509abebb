// The engines of the thesis' table for threads with spin locks, of the whole table or of its parts, which may change
// while they work (hashtable/shared/guarded_chains.hpp).
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "bench/table/table_access.hpp"
#include "bench/table/thread_engine.hpp"
#include "hashtable/shared/guarded_chains.hpp"
#include "hashtable/shared/table_guards.hpp"
#include "kernel/memory/node_vector.hpp"
#include "tasks/wait_until.hpp"

namespace mxk::bench {
namespace {

template <typename Guard> class GuardedAccess : public ChainsAccess<GuardedChains<RegionModulo, Guard>> {
    using Base = ChainsAccess<GuardedChains<RegionModulo, Guard>>;

  public:
    // A thread's, for one phase. The first one of the run changes the locks.
    class Visitor {
      public:
        Visitor(GuardedAccess& access, bool is_first)
            : access_(access) {
            if (!is_first) return;
            access_.begin();
            between_ = left_ = access_.switch_every_;
        }
        ~Visitor() {
            if constexpr (changes_locks) access_.shares_[0].add(all_, under_one_lock_);
        }
        Visitor(Visitor const&) = delete;
        Visitor& operator=(Visitor const&) = delete;
        // No visit of the table is under way before and after.
        std::uint64_t begin() {
            if constexpr (!changes_locks) return UINT64_MAX;
            count_ = left_ != 0 ? std::min(left_, operations_in_scope) : operations_in_scope;
            if constexpr (changes_locks) {
                all_ += count_;
                under_one_lock_ += access_.guard_[0].has_one_lock() ? count_ : 0;
            }
            return count_;
        }
        void end() {
            if constexpr (changes_locks) {
                if (left_ != 0) {
                    left_ -= count_;
                    if (left_ == 0) change();
                }
                Guard::Scope::pass();
            }
        }

      private:
        void change() {
            left_ = between_;
            access_.change();
        }

        static constexpr std::uint32_t operations_in_scope = 64; // some microseconds
        GuardedAccess& access_;
        [[no_unique_address]] typename Guard::Scope scope_; // of the next operations
        std::uint32_t count_ = 0;                           // of these
        std::uint32_t between_ = 0;                         // operations between two changes; 0: none
        std::uint32_t left_ = 0;
        std::uint64_t all_ = 0;
        std::uint64_t under_one_lock_ = 0;
    };

    // Errors: no memory, fewer buckets than cores; several threads, and no locks.
    static Result<GuardedAccess> create(EngineSetup const& setup) {
        std::size_t const threads = setup.owners.size() * setup.run.threads_each;
        if (std::same_as<Guard, table_guards::None> && threads > 1)
            return Error::of("--locking none: expected one thread (--cores 1), got {} (--model threads-unsafe shows "
                             "what is lost then)",
                             threads);
        std::size_t const buckets = MXK_TRY(Base::buckets_for(setup));
        GuardedAccess made(setup, buckets, MXK_TRY(InstructionNodes::create(setup)));
        made.shares_ = MXK_TRY(NodeVector<Shares>::create(1, made.node_));
        made.shares_.emplace();
        return made;
    }
    Result<void> reset() {
        MXK_TRY(settle());
        Base::forget_table();
        guard_ = {};
        guard_ = MXK_TRY(NodeVector<Guard>::create(1, node_));
        if constexpr (std::is_constructible_v<Guard, NodeId>)
            guard_.emplace(node_);
        else
            guard_.emplace();
        if constexpr (requires { guard_[0].prepare(node_); }) MXK_TRY(guard_[0].prepare(node_));
        if constexpr (changes_locks) {
            // Several threads find the locks of several; one has to make them its own by itself.
            if (!is_alone_) MXK_TRY(guard_[0].be_several());
            MXK_TRY(settle());
        }
        return this->make_table(&guard_[0]);
    }

    [[nodiscard]] Visitor visitor(bool is_first) { return Visitor(*this, is_first); }

    // While nobody works, as the next two: no change of the locks is under way any more. Errors: no memory for one.
    Result<void> settle() const {
        if (guard_.size() == 0) return {};
        wait_until([&] { return guard_[0].is_stable(); });
        if (!has_memory_) return Error("out of memory for the locks of the table's parts");
        return {};
    }
    [[nodiscard]] LockChanges lock_changes() const { return {changes_, shares_[0].of_one_lock()}; }

  private:
    // Of a phase: each thread adds its own.
    class Shares {
      public:
        void begin() { all_ = under_one_lock_ = 0; }
        void add(std::uint64_t all, std::uint64_t under_one_lock) {
            all_ += all;
            under_one_lock_ += under_one_lock;
        }
        [[nodiscard]] double of_one_lock() const {
            std::uint64_t const all = all_;
            return all == 0 ? 0 : static_cast<double>(under_one_lock_) / static_cast<double>(all);
        }

      private:
        std::atomic<std::uint64_t> all_{0};
        std::atomic<std::uint64_t> under_one_lock_{0};
    };

    GuardedAccess(EngineSetup const& setup, std::size_t buckets, InstructionNodes nodes)
        : Base(setup, buckets, std::move(nodes))
        , node_(setup.table_owners.front().node)
        , is_alone_(setup.owners.size() * setup.run.threads_each == 1)
        , switch_every_(setup.run.switch_every.value_or(0)) {}

    static constexpr bool changes_locks = requires(Guard & guard) { guard.change(); };

    // The first thread.
    void begin() {
        changes_ = 0;
        shares_[0].begin();
        has_memory_ = true;
        if constexpr (changes_locks) {
            if (is_alone_) return guard_[0].be_alone();
            has_memory_ = guard_[0].be_several().ok();
        }
    }
    void change() {
        if constexpr (changes_locks) {
            auto const begun = guard_[0].change();
            if (!begun) has_memory_ = false;
            if (begun.ok() && begun.value()) ++changes_;
        }
    }

    NodeId node_;
    bool is_alone_; // one thread in all
    std::uint32_t switch_every_;
    NodeVector<Guard> guard_; // one, or none yet
    NodeVector<Shares> shares_;
    // Of the phase: the first thread's, and read when it has ended.
    std::uint64_t changes_ = 0;
    bool has_memory_ = true;
};

template <Locking locking, typename Guard>
constexpr EngineKind guarded{.model = Model::Threads,
                             .layout = chained_layout,
                             .locking = locking,
                             .hash = Hashing::Modulo,
                             .create = &EngineOwner::create<ThreadEngine<GuardedAccess<Guard>>>};

constexpr EngineKind unlocked_chains = guarded<Locking::None, table_guards::None>;
MXK_REGISTER(mxk_engines, EngineKind, unlocked_chains);
constexpr EngineKind dynamic_chains = guarded<Locking::Dynamic, table_guards::Dynamic>;
MXK_REGISTER(mxk_engines, EngineKind, dynamic_chains);
constexpr EngineKind coarse_chains = guarded<Locking::Coarse, table_guards::Coarse>;
MXK_REGISTER(mxk_engines, EngineKind, coarse_chains);
constexpr EngineKind fine_chains = guarded<Locking::Fine, table_guards::Fine>;
MXK_REGISTER(mxk_engines, EngineKind, fine_chains);
constexpr EngineKind cascaded_chains = guarded<Locking::Cascade, table_guards::Cascade>;
MXK_REGISTER(mxk_engines, EngineKind, cascaded_chains);

} // namespace
} // namespace mxk::bench
