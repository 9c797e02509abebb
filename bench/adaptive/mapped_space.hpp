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
#include "kernel/memory/mapping/access.hpp"
#include "kernel/memory/mapping/mapping_database.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/memory/node_vector.hpp"

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

    // `objects` of `pages` each, on `node`. Errors: no memory; no tag for another space. The console's task.
    static Result<MappedSpace> create(std::size_t objects, std::size_t pages, NodeId node) {
        MappedSpace made(MXK_TRY(mapping::AddressSpace::create(*mapping::coherence(), node)));
        made.pages_ = pages;
        made.memory_ = MXK_TRY(NodeArray<Page>::create(objects * pages, node));
        made.objects_ = MXK_TRY(NodeVector<Object>::create(objects, node));
        made.places_ = MXK_TRY(NodeVector<typename Database::Place>::create(objects * pages, node));
        for (std::size_t i = 0; i < objects; ++i) {
            auto tree = MXK_TRY(mapping::DerivationTree::create(pages, node));
            made.objects_.emplace(
                typename Object::Description{arch::translations::address_of(&made.memory_[i * pages]), pages},
                std::move(tree));
        }
        return made;
    }

    // Any core, in a task, below: the database is the one that all are in.

    // All pages, to be read and written. Errors: no memory for page tables.
    Result<void> map_all(Database& database) {
        for (std::size_t i = 0; i < memory_.size(); ++i) {
            Object& object = objects_[i / pages_];
            auto const mapping =
                MXK_TRY(database.map(object, i % pages_, space_, address(i), mapping::Rights::ReadWrite));
            if (i < places_.size())
                places_[i] = {&object, mapping};
            else
                places_.emplace(&object, mapping);
        }
        return {};
    }
    void unmap_all(Database& database) { database.unmap_all(places_.span()); }

    // Of the first `count` pages. False: the database says no.
    bool protect(Database& database, std::size_t count, mapping::Rights rights) {
        bool is_done = true;
        for (auto const& place : places_.span().first(count))
            is_done = database.protect(*place.object, place.mapping, rights).ok() && is_done;
        return is_done;
    }
    void settle(Database& database) {
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
