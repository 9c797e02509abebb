// The thesis' table with open addressing as its engine uses it (table_access.hpp): an operation may come through
// several regions, so what a core does for it is a visit, and only the last one says whether the result is the expected
// one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/table/table_access.hpp"
#include "hashtable/layout/probed_region.hpp"
#include "hashtable/table/travelling_probe.hpp"

namespace mxk::bench {

class OpenTravelAccess : public TableAccess<ProbedRegion> {
  public:
    struct Extra {};
    static constexpr double usual_buckets = 2; // slots per operation: the thesis', which then needs no rehash

    // Errors: no memory, fewer slots than cores.
    static Result<OpenTravelAccess> create(EngineSetup const& setup);
    Result<void> renew() { return make_table(); }

    [[nodiscard]] Extra extra(std::size_t, std::size_t) const { return {}; }

    enum class Visit : std::uint8_t { Right, Wrong, GoesOn };

    // At region `at`: whether the result, and the value found, are the expected ones, or unknown yet. The owner only.
    template <Operation operation> Visit visit(std::size_t at, TravellingProbe& probe, bool expected) {
        Probed const probed = step<operation>(at, probe);
        if (probed == Probed::EndOfRegion) [[unlikely]]
            return Visit::GoesOn;
        // What an insert expects is that the key was not there.
        bool const expects_key = expected != (operation == Operation::Insert);
        bool is_right = probed == (expects_key ? Probed::There : Probed::NotThere);
        if (operation == Operation::Find && probed == Probed::There)
            is_right = is_right && probe.value() == value_of(probe.key());
        return is_right ? Visit::Right : Visit::Wrong;
    }
    [[nodiscard]] std::size_t next(std::size_t at) const { return TravellingProbe::next(table(), at); }

    [[nodiscard]] bool holds(std::uint64_t key) const;
    [[nodiscard]] Engine::Content content() const;

  private:
    using TableAccess::TableAccess;

    template <Operation operation> Probed step(std::size_t at, TravellingProbe& probe) {
        if constexpr (operation == Operation::Insert)
            return probe.put(table(), at);
        else if constexpr (operation == Operation::Find)
            return probe.find(table(), at);
        else
            return probe.erase(table(), at);
    }
};

} // namespace mxk::bench
