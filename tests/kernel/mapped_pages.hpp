// Memory with a mapping database, for tests of address spaces on real cores: pages whose first word is their number,
// and all cores using one space.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "arch/translations.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/testing.hpp"
#include "spaces/access.hpp"
#include "spaces/mapping_database.hpp"
#include "tasks/run_on.hpp"
#include "tasks/worker.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk {

inline constexpr std::uint64_t window = arch::translations::window_base;

// Of the console's node. The test's body, on the console's core.
class MappedPages {
  public:
    // Nothing if there is no memory: then a check has failed.
    static std::optional<MappedPages> create(std::size_t pages, mapping::PageSize size, std::size_t mappings) {
        NodeId const node = Worker::current().node();
        auto const block = memory::allocate(pages * bytes(size), bytes(size), node);
        auto tree = mapping::DerivationTree::create(mappings, node);
        MXK_CHECK(block.ok() && tree.ok());
        if (!block || !tree) return std::nullopt;
        for (std::size_t i = 0; i < pages; ++i)
            *reinterpret_cast<std::uint64_t volatile*>(block.value().address + i * bytes(size)) = i;
        return std::optional<MappedPages>(std::in_place, Key{}, block.value(), pages, size, std::move(tree).value());
    }
    struct Key {};
    MappedPages(Key, memory::Block const& block, std::size_t pages, mapping::PageSize size,
                mapping::DerivationTree tree, std::size_t part = 0)
        : block_(block)
        , object({.start = arch::translations::address_of(block.address), .pages = pages, .size = size, .part = part},
                 std::move(tree)) {}
    ~MappedPages() { memory::free(block_); }
    MappedPages(MappedPages const&) = delete;
    MappedPages& operator=(MappedPages const&) = delete;

  private:
    memory::Block block_;

  public:
    mapping::MemoryObject object;
};

// All of these cores have the space active while it lives, and the others have none.
class ActiveOn {
  public:
    ActiveOn(std::span<CoreId const> cores, mapping::AddressSpace& space)
        : cores_(cores) {
        MXK_CHECK(run_on(cores_, [&space](Worker&, std::size_t) {
            mapping::coherence()->activate(space);
            return Step::Done;
        }));
    }
    ~ActiveOn() {
        MXK_CHECK(run_on(cores_, [](Worker&, std::size_t) {
            mapping::coherence()->leave();
            return Step::Done;
        }));
    }
    ActiveOn(ActiveOn const&) = delete;
    ActiveOn& operator=(ActiveOn const&) = delete;

  private:
    std::span<CoreId const> cores_;
};

} // namespace mxk
