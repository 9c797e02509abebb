// Who has the pages of a memory object, and from whom: a tree of mappings. One that was handed on is a child of the one
// that it came from, and never has more rights; with a mapping go all that were derived from it. Nodes come from a
// pool, so that handing on needs no memory of others, and are named by handles that are refused once the mapping is
// gone. Behind its owner's lock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/linked_list.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "kernel/memory/mapping/page_size.hpp"
#include "kernel/memory/mapping/page_table.hpp"
#include "kernel/memory/node_vector.hpp"

namespace mxk::mapping {

class AddressSpace;

// A mapping of one memory object, which its maker may keep after it is gone.
struct Mapping {
    std::uint32_t place = 0;
    std::uint32_t generation = 0; // 0: none
};

struct MappingNode {
    ListLinks<MappingNode> links{};
    LinkedList<MappingNode, &MappingNode::links> children{};
    MappingNode* parent = nullptr; // null: a root, or unused
    AddressSpace* space = nullptr; // null: unused
    PageTable::Entry* entry = nullptr;
    std::uint64_t address = 0;
    std::uint32_t page = 0; // of the object
    std::uint32_t generation = 1;
    Rights rights = Rights::Read;
};

class DerivationTree {
  public:
    using List = LinkedList<MappingNode, &MappingNode::links>;

    // Room for so many mappings. Errors: no memory.
    static Result<DerivationTree> create(std::size_t mappings, NodeId node);

    // Null: all are in use.
    MappingNode* take();
    // One that was taken and is in no tree.
    void give(MappingNode& node);

    // `parent`: null for a root.
    void insert(MappingNode& node, MappingNode* parent);
    // A leaf; its handle is refused from now on.
    void remove(MappingNode& leaf);

    [[nodiscard]] MappingNode* find(Mapping mapping) const;
    [[nodiscard]] Mapping handle(MappingNode const& node) const {
        return {static_cast<std::uint32_t>(&node - nodes_.begin()), node.generation};
    }
    [[nodiscard]] std::size_t size() const { return size_; }

    // A mapping below that has none below itself; the top one if nothing is below it.
    static MappingNode& leaf_of(MappingNode& top);
    // The mapping after this one in the tree below `top`, a parent before its children; null: that was the last one.
    static MappingNode* next(MappingNode const& top, MappingNode& node);

  private:
    NodeVector<MappingNode> nodes_;
    List unused_;
    List roots_;
    std::size_t size_ = 0;
};

} // namespace mxk::mapping
