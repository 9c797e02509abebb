// Memory that can be mapped: a run of pages of one size, and who has them (derivation_tree.hpp). It does not own the
// memory; who gives that to others settles before (MappingDatabase::settle()).
#pragma once

#include <cstddef>
#include <utility>

#include "base/panic.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/mapping/page_size.hpp"
#include "spaces/derivation_tree.hpp"
#include "spaces/locking.hpp"

namespace mxk::mapping {

class MemoryObject {
  public:
    struct Description {
        PhysicalAddress start{}; // aligned to the size of its pages
        std::size_t pages = 1;
        PageSize size = PageSize::Small;
        Rights rights = Rights::ReadWrite; // nobody has more
        std::size_t part = 0;              // of the database, where its locking divides it
    };

    // `tree`: with room for as many mappings as there are to be.
    MemoryObject(Description const& description, DerivationTree tree)
        : description_(description)
        , tree_(std::move(tree))
        , own_(description.part) {
        expect(is_aligned(raw(description.start), bytes(description.size)), "pages are aligned to their size");
    }
    MemoryObject(MemoryObject const&) = delete;
    MemoryObject& operator=(MemoryObject const&) = delete;
    // Nothing of it is mapped, and that is authoritative.
    ~MemoryObject() { expect(tree_.size() == 0, "memory that goes is mapped nowhere"); }

    [[nodiscard]] Description const& description() const { return description_; }
    [[nodiscard]] PhysicalAddress frame(std::size_t page) const {
        return description_.start + page * bytes(description_.size);
    }

  private:
    friend class MappingDatabase;

    Description description_;
    DerivationTree tree_; // behind the lock
    Locking::Own own_;
};

} // namespace mxk::mapping
