// Behind the private caches: the third-level caches and the directory, which keep all caches coherent
// (MESI). A request that a private cache cannot answer is answered here: where the data comes from, and when.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/simulator/model/fabric.hpp"
#include "tools/simulator/model/line_directory.hpp"
#include "tools/simulator/model/line_statistics.hpp"
#include "tools/simulator/model/private_caches.hpp"

namespace mxk::simulator {

/// For one line, by one core.
struct LineRequest {
    unsigned core;
    LineNumber line;
    bool exclusive;  // to write it
    bool into_l3;    // what comes from memory
    bool waited_for; // by an instruction: a prefetch's time is not lost
    std::uint64_t virtual_address;
    Time start; // when the core began to look for it
};

class Coherence {
  public:
    Coherence(Machine const& machine, std::vector<PrivateCaches>& cores);

    struct Grant {
        Time done;
        Source source;
        State state; // Invalid: it gets no copy
        bool watched;
    };
    Grant request(LineRequest const& asked);

    /// Whether memory has time to read a line that nobody waits for.
    bool has_time_for(LineNumber line, Time at) { return fabric_.has_time_for(directory_.home(line), line, at); }

    /// A private cache makes room: the line is in none of the core's any more.
    void evicted(unsigned core, LineNumber line, bool modified, Time written, Time when);

    /// Whether the directory and all caches agree about a line, in a state that is legal. For tests.
    bool is_consistent(LineNumber line);

    Directory& directory() { return directory_; }
    Fabric const& fabric() const { return fabric_; }
    Fabric& fabric() { return fabric_; }
    LineStatistics& statistics() { return statistics_; }
    LineStatistics const& statistics() const { return statistics_; }
    void reset_statistics();

  private:
    static constexpr unsigned no_l3 = ~0U;

    struct Found {
        Time done;
        Source source;
    };
    Grant read(LineRequest const& asked, DirectoryLine& entry);
    Grant read_from_owner(LineRequest const& asked, DirectoryLine& entry);
    Grant write(LineRequest const& asked, DirectoryLine& entry);
    Found from_l3_or_memory(LineRequest const& asked, DirectoryLine& entry, Time start);
    Time from_memory(LineRequest const& asked, DirectoryLine& entry, unsigned home, Time start);
    Found from_owner(LineRequest const& asked, DirectoryLine& entry);

    struct Invalidated {
        unsigned copies;
        Time latency; // until the last has answered
    };
    Invalidated invalidate_others(LineRequest const& asked, DirectoryLine& entry);

    void belongs_to(unsigned core, DirectoryLine& entry);
    void into_l3(unsigned number, LineNumber line, DirectoryLine& entry, Time when);
    bool has_others(DirectoryLine const& entry, LineRequest const& asked) const;
    std::uint32_t l3_bit(unsigned core) const { return std::uint32_t{1} << machine_.l3_of(core); }
    std::uint64_t group_bit(unsigned core) const { return std::uint64_t{1} << (core >> group_bits_); }

    template <class Visit> void for_sharers(std::uint64_t sharers, unsigned except, Visit visit) const;

    Machine const& machine_;
    std::vector<PrivateCaches>& cores_;
    unsigned group_bits_ = 0; // log2 of the cores that share a bit of DirectoryLine::sharers
    std::vector<LruSets<LineNumber>> l3_;
    Directory directory_;
    Fabric fabric_;
    LineStatistics statistics_;
};

} // namespace mxk::simulator
