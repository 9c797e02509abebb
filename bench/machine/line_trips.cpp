#include "bench/machine/line_trips.hpp"

#include "base/splitmix.hpp"

namespace mxk::bench {
namespace {

constexpr unsigned place_shift = 32;

} // namespace

// Odd numbers go there, the next even one comes back.
void LineTrips::ask() {
    LineWait wait(deadline_);
    std::uint64_t trip = 0;
    Cycles const start = clock::timestamp();
    for (; trip < trips_; ++trip) {
        word_.store(2 * trip + 1, std::memory_order_release); // pairs with answer()'s
        if (!wait.until(word_, 2 * trip + 2)) break;
    }
    elapsed_ = clock::timestamp() - start;
    asker_ = {trip, wait.long_waits()};
}

void LineTrips::answer() {
    LineWait wait(deadline_);
    std::uint64_t trip = 0;
    for (; trip < trips_; ++trip) {
        if (!wait.until(word_, 2 * trip + 1)) break;
        word_.store(2 * trip + 2, std::memory_order_release); // pairs with ask()'s
    }
    answerer_ = {trip, wait.long_waits()};
}

Result<Sample> LineTrips::sample() const {
    if (asker_.trips == 0) return Error("no round trip of a line came to its end in the time there was");
    double const nanoseconds = static_cast<double>(raw(elapsed_)) * 1e9 / static_cast<double>(clock::frequency());
    // The last answer of a run that was ended may have come too late.
    bool const counts_agree =
        answerer_.trips == asker_.trips || (asker_.trips < trips_ && answerer_.trips == asker_.trips + 1);
    Sample sample{.value = nanoseconds / static_cast<double>(asker_.trips),
                  .operations = asker_.trips,
                  .verified = counts_agree && word_.load(std::memory_order_relaxed) >= 2 * asker_.trips};
    sample.findings.add("long_waits", static_cast<double>(asker_.long_waits + answerer_.long_waits));
    sample.findings.add("missing", static_cast<double>(trips_ - asker_.trips));
    return sample;
}

AtomicRing::AtomicRing() {
    // Sattolo's cycle (chase.hpp).
    std::array<std::uint32_t, size> next{};
    for (std::uint32_t at = 1; at < size; ++at) {
        auto const before = static_cast<std::uint32_t>(splitmix(at * splitmix_step) % at);
        next[at] = next[before];
        next[before] = at;
    }
    for (std::size_t at = 0; at < size; ++at)
        lines_[at].word.store(std::uint64_t{next[at]} << place_shift, std::memory_order_relaxed);
}

// relaxed, all of them: whose turn it is, the word beside says
void AtomicRing::add() {
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < size; ++i) at = lines_[at].word.fetch_add(1, std::memory_order_relaxed) >> place_shift;
}

bool AtomicRing::read() const {
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < size; ++i) at = lines_[at].word.load(std::memory_order_relaxed) >> place_shift;
    return at == 0;
}

void AtomicRing::flush() const {
    for (Line const& line : lines_) asm volatile("clflush %0" : : "m"(line.word));
    asm volatile("mfence" : : : "memory");
}

bool AtomicRing::has(std::uint32_t additions) const {
    for (Line const& line : lines_)
        if (static_cast<std::uint32_t>(line.word.load(std::memory_order_relaxed)) != additions) return false;
    return true;
}

void LineAtomics::add() {
    LineWait wait(deadline_);
    std::size_t const servers = servers_of(state_);
    for (; passes_made_ < passes_; ++passes_made_) {
        if (state_ <= State::Shared) ring_.add(); // now the lines are this core's alone
        if (servers > 0) {
            turn_.store(turn_of(passes_made_, 1), std::memory_order_release); // pairs with serve()'s
            if (!wait.until(turn_, turn_of(passes_made_, servers + 1))) break;
        }
        Cycles const start = clock::timestamp();
        if (adds())
            ring_.add();
        else
            all_read_ = ring_.read() && all_read_;
        elapsed_ = elapsed_ + (clock::timestamp() - start);
    }
    long_waits_ = wait.long_waits();
}

void LineAtomics::serve(std::size_t server) {
    LineWait wait(deadline_);
    for (std::uint64_t pass = 0; pass < passes_ && wait.until(turn_, turn_of(pass, server + 1)); ++pass) {
        if (state_ == State::ReadExclusive || (state_ == State::ReadShared && server == 0)) ring_.flush();
        if (state_ == State::Remote || state_ == State::ReadModified)
            ring_.add();
        else
            static_cast<void>(ring_.read());
        turn_.store(turn_of(pass, server + 2), std::memory_order_release); // pairs with add()'s
    }
    served_long_waits_.fetch_add(wait.long_waits(), std::memory_order_relaxed);
}

Result<Sample> LineAtomics::sample() const {
    if (passes_made_ == 0) return Error("no pass of atomic additions came to its end in the time there was");
    double const nanoseconds = static_cast<double>(raw(elapsed_)) * 1e9 / static_cast<double>(clock::frequency());
    std::uint64_t const additions = std::uint64_t{passes_made_} * AtomicRing::size;
    // A pass that was ended has made the first of its two additions, by this core or the other; or not yet.
    bool const is_complete = passes_made_ == passes_;
    std::uint32_t const expected = passes_made_ * (adds() ? 2 : state_ == State::ReadModified ? 1 : 0);
    bool const verified = all_read_ && (ring_.has(expected) || (!is_complete && ring_.has(expected + 1)));
    Sample sample{.value = nanoseconds / static_cast<double>(additions), .operations = additions, .verified = verified};
    sample.findings.add("long_waits",
                        static_cast<double>(long_waits_ + served_long_waits_.load(std::memory_order_relaxed)));
    sample.findings.add("missing", static_cast<double>(passes_ - passes_made_) * AtomicRing::size);
    return sample;
}

} // namespace mxk::bench
