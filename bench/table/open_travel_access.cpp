#include "bench/table/open_travel_access.hpp"

namespace mxk::bench {

Result<OpenTravelAccess> OpenTravelAccess::create(EngineSetup const& setup) {
    return OpenTravelAccess(setup, MXK_TRY(count_buckets(setup.options, usual_buckets, setup.owners.size())));
}

bool OpenTravelAccess::holds(std::uint64_t key) const {
    TravellingProbe probe(key);
    std::size_t at = owner(key);
    Probed probed = probe.find(table(), at);
    while (probed == Probed::EndOfRegion) probed = probe.find(table(), at = next(at));
    return probed == Probed::There && probe.value() == value_of(key);
}

Engine::Content OpenTravelAccess::content() const {
    Engine::Content content;
    for (std::size_t i = 0; i < table().region_count(); ++i)
        table().region(i).for_each([&](std::uint64_t, std::uint64_t) { ++content.counted; });
    content.said = table().size();
    return content;
}

} // namespace mxk::bench
