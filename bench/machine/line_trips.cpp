#include "bench/machine/line_trips.hpp"

namespace mxk::bench {

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

} // namespace mxk::bench
