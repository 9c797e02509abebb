// Ranks as a team of the lock benchmarks (bench/lock/team.hpp). Its clock ticks in nanoseconds.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "bench/lock/team.hpp"
#include "main/mpi/operations.hpp"
#include "main/mpi/session.hpp"

namespace mxk::mpi {

inline constexpr std::uint64_t team_frequency = 1'000'000'000;

class RankTeam {
  public:
    explicit RankTeam(Session& session)
        : RankTeam(session, session.world.rank()) {}
    // As this worker of the team.
    RankTeam(Session& session, locks::WorkerNumber worker)
        : session_(&session)
        , worker_(worker) {}

    [[nodiscard]] locks::WorkerNumber worker() const { return worker_; }
    [[nodiscard]] std::size_t workers() const { return session_->world.ranks(); }
    [[nodiscard]] std::uint32_t node() const { return session_->transport.topology().node_of(locks::current_worker()); }
    void barrier() const { session_->world.barrier(); }
    [[nodiscard]] Cycles now() const { return Cycles{session_->transport.nanoseconds()}; }
    static Cycles ticks(Nanoseconds time) { return Cycles{raw(time)}; }
    void progress() const { session_->transport.progress(); }
    [[nodiscard]] locks::OneSidedCounts operations() const { return session_->transport.counts(); }

  private:
    Session* session_;
    locks::WorkerNumber worker_;
};
static_assert(bench::Team<RankTeam>);

// By one-sided operations, which are not counted as a lock's.
class RankWords {
  public:
    // Collective. `words`: of each rank. All are 0 after a barrier.
    RankWords(Session& session, std::size_t words)
        : operations_(session.transport)
        , at_(session.transport.reserve(words * sizeof(std::uint64_t), cache_line_bytes)) {
        if (session.transport.has_failed()) return;
        for (std::size_t i = 0; i < words; ++i) put(session.world.rank(), i, 0);
    }
    [[nodiscard]] std::uint64_t get(locks::WorkerNumber worker, std::size_t at) const {
        return operations_.load(place(worker, at));
    }
    void put(locks::WorkerNumber worker, std::size_t at, std::uint64_t value) const {
        operations_.store(place(worker, at), value);
    }

  private:
    [[nodiscard]] locks::Target place(locks::WorkerNumber worker, std::size_t at) const {
        auto const offset = static_cast<locks::Displacement>(at * sizeof(std::uint64_t));
        return {.worker = worker, .at = at_ + offset, .is_home = false};
    }
    Operations operations_;
    locks::Displacement at_;
};
static_assert(bench::SharedWords<RankWords>);

// Collective: what each rank has done, which is plain bytes.
template <typename Turn> std::vector<Turn> gather_turns(Session& session, Turn const& own) {
    static_assert(std::is_trivially_copyable_v<Turn> && sizeof(Turn) % sizeof(std::uint64_t) == 0);
    using Numbers = std::array<std::uint64_t, sizeof(Turn) / sizeof(std::uint64_t)>;
    auto const numbers = std::bit_cast<Numbers>(own);
    std::vector<std::uint64_t> all(numbers.size() * session.world.ranks());
    session.world.gather(numbers, all);
    std::vector<Turn> turns;
    for (std::size_t at = 0; at < all.size(); at += numbers.size()) {
        Numbers one{};
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(at), one.size(), one.begin());
        turns.push_back(std::bit_cast<Turn>(one));
    }
    return turns;
}

} // namespace mxk::mpi
