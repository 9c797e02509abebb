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
#include "spaces/access.hpp"
#include "spaces/mapping_database.hpp"

namespace mxk::bench {

// Does not move once something is mapped.
template <typename Locking> class MappedSpace {
  public:
    using Database = mapping::MappingDatabase<Locking>;
    using Object = typename Database::Object;
    static constexpr std::uint64_t page_bytes = bytes(mapping::PageSize::Small);

    struct alignas(page_bytes) Page {
        std::array<std::byte, page_bytes> bytes;
    };

    // `objects` of `pages` each, on `node`; `part_of(i)`: of the database, object i's. Errors: no memory; no tag for
    // another space. The console's task.
    template <typename PartOf>
    static Result<MappedSpace> create(std::size_t objects, std::size_t pages, NodeId node, PartOf part_of) {
        MappedSpace made(MXK_TRY(mapping::AddressSpace::create(*mapping::coherence(), node)));
        made.pages_ = pages;
        made.memory_ = MXK_TRY(NodeArray<Page>::create(objects * pages, node));
        made.objects_ = MXK_TRY(NodeVector<Object>::create(objects, node));
        made.places_ = MXK_TRY(NodeVector<typename Database::Place>::create(objects * pages, node));
        for (std::size_t i = 0; i < objects; ++i) {
            auto tree = MXK_TRY(mapping::DerivationTree::create(pages, node));
            Object& object = made.objects_.emplace(
                typename Object::Description{.start = arch::translations::address_of(&made.memory_[i * pages]),
                                             .pages = pages,
                                             .part = part_of(i)},
                std::move(tree));
            for (std::size_t page = 0; page < pages; ++page) made.places_.emplace(&object, mapping::Mapping{});
        }
        return made;
    }

    // Any core that may come to the page's object, in a task, below: the database is the one that all are in.

    // A page, to be read and written. Errors: no memory for page tables.
    Result<void> map(Database& database, std::size_t page) {
        auto& place = places_[page];
        place.mapping =
            MXK_TRY(database.map(*place.object, page % pages_, space_, address(page), mapping::Rights::ReadWrite));
        return {};
    }
    // False: the database says no.
    bool unmap(Database& database, std::size_t page) {
        return database.unmap(*places_[page].object, places_[page].mapping).ok();
    }
    bool protect(Database& database, std::size_t page, mapping::Rights rights) {
        return database.protect(*places_[page].object, places_[page].mapping, rights).ok();
    }
    void settle(Database& database, std::size_t page) { database.settle(*places_[page].object); }

    // The same for all pages, or the first `count` of them.
    Result<void> map_all(Database& database) {
        for (std::size_t page = 0; page < pages(); ++page) MXK_TRY(map(database, page));
        return {};
    }
    void unmap_all(Database& database) { database.unmap_all(places_.span()); }
    bool protect_first(Database& database, std::size_t count, mapping::Rights rights) {
        bool is_done = true;
        for (std::size_t page = 0; page < count; ++page) is_done = protect(database, page, rights) && is_done;
        return is_done;
    }
    void settle_all(Database& database) {
        for (Object& object : objects_) database.settle(object);
    }

    // Of the first `count` pages, how many the calling core can write.
    [[nodiscard]] std::size_t writable(std::size_t count) const {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < count; ++i) sum += std::size_t{mapping::write(address(i), i)};
        return sum;
    }

    [[nodiscard]] std::span<Object> objects() const { return objects_.span(); }
    [[nodiscard]] std::size_t pages() const { return memory_.size(); }
    // Of a page's object, where its part is that core.
    [[nodiscard]] CoreId owner(std::size_t page) const { return core_id(places_[page].object->description().part); }
    void activate() { mapping::coherence()->activate(space_); }

  private:
    explicit MappedSpace(mapping::AddressSpace space)
        : space_(std::move(space)) {}

    static std::uint64_t address(std::size_t page) { return arch::translations::window_base + page * page_bytes; }

    NodeArray<Page> memory_;
    mapping::AddressSpace space_;
    NodeVector<Object> objects_;
    NodeVector<typename Database::Place> places_;
    std::size_t pages_ = 0;
};

} // namespace mxk::bench
