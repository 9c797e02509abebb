// An address space with memory objects that are mapped in it one behind the other, for benchmarks of the mapping
// database.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "arch/translations.hpp"
#include "base/result.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"
#include "spaces/mapping_database.hpp"

namespace mxk::bench {

// What is wanted of a page's object: a mapping that may be read and written, none, the right to write or not; that what
// was withdrawn is authoritative.
enum class PageChange : std::uint8_t { Map, Unmap, GiveWriting, Withdraw, Settle, WithdrawAndSettle };

// Does not move once something is mapped.
class MappedSpace {
  public:
    static constexpr std::uint64_t page_bytes = bytes(mapping::PageSize::Small);

    // `objects` of `pages` each, on `node`; `part_of(i)`: of the database, object i's. Errors: no memory; no tag for
    // another space. The console's task.
    template <typename PartOf>
    static Result<MappedSpace> create(std::size_t objects, std::size_t pages, NodeId node, PartOf part_of) {
        MappedSpace made(MXK_TRY(mapping::AddressSpace::create(*mapping::coherence(), node)));
        made.pages_ = pages;
        made.memory_ = MXK_TRY(NodeArray<Page>::create(objects * pages, node));
        made.objects_ = MXK_TRY(NodeVector<mapping::MemoryObject>::create(objects, node));
        made.places_ = MXK_TRY(NodeVector<mapping::MappingDatabase::Place>::create(objects * pages, node));
        for (std::size_t i = 0; i < objects; ++i)
            made.add_object(MXK_TRY(mapping::DerivationTree::create(pages, node)), part_of(i));
        return made;
    }

    // Any core that may come to the page's object, in a task: the database is the one that all are in. False: the
    // database says no, or there is no memory for page tables.
    bool change(mapping::MappingDatabase& database, PageChange change, std::size_t page);
    // The same for all pages. What is unmapped so is settled.
    bool change_all(mapping::MappingDatabase& database, PageChange change);

    // Of the first `count` pages, how many the calling core can write.
    [[nodiscard]] std::size_t writable(std::size_t count) const;

    [[nodiscard]] std::span<mapping::MemoryObject> objects() const { return objects_.span(); }
    [[nodiscard]] std::size_t pages() const { return memory_.size(); }
    // Of a page's object, where its part is that core.
    [[nodiscard]] CoreId owner(std::size_t page) const { return core_id(places_[page].object->description().part); }
    void activate() { mapping::coherence()->activate(space_); }

  private:
    struct alignas(page_bytes) Page {
        std::array<std::byte, page_bytes> bytes;
    };

    explicit MappedSpace(mapping::AddressSpace space)
        : space_(std::move(space)) {}
    void add_object(mapping::DerivationTree tree, std::size_t part);

    static std::uint64_t address(std::size_t page) { return arch::translations::window_base + page * page_bytes; }

    NodeArray<Page> memory_;
    mapping::AddressSpace space_;
    NodeVector<mapping::MemoryObject> objects_;
    NodeVector<mapping::MappingDatabase::Place> places_;
    std::size_t pages_ = 0; // of an object
};

} // namespace mxk::bench
