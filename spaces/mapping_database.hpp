// The mapping database: which pages of memory objects are mapped in which address spaces, and who has handed them on to
// whom. Mapping and raising rights take effect at once. Withdrawing rights changes the page tables at once, and is
// authoritative, so that no core has the old right any more, when settle() returns; up to then the pages of a record
// (locking.hpp) are gathered, and made authoritative together, when there are Withdrawals::capacity of them, or by
// settle(). (Model: the mapping database of the L4 microkernels; V. Uhlig, Scalability of Microkernel-Based Systems,
// Karlsruhe 2005, for what it costs.)
//
// All functions: as Coherence::make_authoritative(), and they block for the object's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/result.hpp"
#include "kernel/memory/mapping/address_space.hpp"
#include "kernel/memory/mapping/coherence.hpp"
#include "spaces/locking.hpp"
#include "spaces/memory_object.hpp"

namespace mxk::mapping {

class MappingDatabase {
  public:
    using Object = MemoryObject;

    // `parts` and the following: as Locking's.
    MappingDatabase(Coherence& coherence, LockingKind locking, std::size_t parts = 1, NodeId node = {},
                    Locking::Records records = {})
        : coherence_(coherence)
        , locking_(locking, parts, node, std::move(records)) {}

    // The page at the address, which is one of the window, aligned to the page's size. Errors: more rights than the
    // object gives; the address is in use; no room for another mapping, or no memory for page tables. Then nothing is
    // mapped.
    Result<Mapping> map(Object& object, std::size_t page, AddressSpace& space, std::uint64_t address, Rights rights) {
        return place(object, nullptr, page, space, address, rights);
    }
    // The same for the page of a mapping, which becomes the parent. Errors: as well, the mapping is gone, or has fewer
    // rights.
    Result<Mapping> hand_on(Object& object, Mapping parent, AddressSpace& space, std::uint64_t address, Rights rights) {
        return place(object, &parent, 0, space, address, rights);
    }

    // What may be done from now on; less also for all that were derived from it. Errors: the mapping is gone; its
    // parent, or the object, has fewer rights.
    Result<void> protect(Object& object, Mapping mapping, Rights rights);

    // Takes away all that were derived from it. Errors: the mapping is gone.
    Result<void> revoke(Object& object, Mapping mapping);
    // And the mapping itself.
    Result<void> unmap(Object& object, Mapping mapping);

    // The same for many, and it is authoritative then: each lock is taken once for neighbours that have it in common,
    // and a shootdown is for all of them. Those that are gone are passed over.
    struct Place {
        Object* object;
        Mapping mapping;
    };
    void unmap_all(std::span<Place const> places);

    // Returns when everything that was withdrawn from this object until now is authoritative.
    void settle(Object& object);

    // With locks that adapt (kernel/sync/adaptive); nothing with others. The calling core comes to the object without a
    // lock, as soon as no other one is inside; then nobody else may come before share(). With a cascade, to all
    // objects. Never blocks.
    void claim(Object& object) { locking_.claim(object.own_); }
    void share(Object& object) { locking_.share(object.own_); }
    // Whether what these two have begun has come about.
    bool is_settled(Object& object) { return locking_.is_settled(object.own_); }
    // To change what only this locking has.
    [[nodiscard]] Locking& locking() { return locking_; }

    // How many mappings an object has.
    std::size_t mappings(Object& object);

    // How often the locks of these objects were taken, whatever else they are for. Any core; a moment's figure.
    std::uint64_t lock_acquisitions(std::span<Object const> objects) const;

  private:
    using Visit = Locking::Visit;
    enum class Step : std::uint8_t { More, Done };

    void unmap_those_of(Visit const& visit, std::span<Place const>& places, Withdrawals& withdrawn);
    Result<Mapping> place(Object& object, Mapping const* parent, std::size_t page, AddressSpace& space,
                          std::uint64_t address, Rights rights);
    Result<void> raise(Object& object, Mapping mapping);
    template <typename OneStep> Result<void> withdraw(Object& object, Mapping mapping, OneStep one_step);
    void lower(MappingNode& node, Withdrawals& record);
    void remove(Object& object, MappingNode& leaf, Withdrawals& record);

    Coherence& coherence_;
    Locking locking_;
};

} // namespace mxk::mapping
