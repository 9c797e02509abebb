#include "spaces/derivation_tree.hpp"

#include "base/panic.hpp"

namespace mxk::mapping {

Result<DerivationTree> DerivationTree::create(std::size_t mappings, NodeId node) {
    DerivationTree tree;
    tree.nodes_ = MXK_TRY(NodeVector<MappingNode>::create(mappings, node));
    for (std::size_t i = 0; i < mappings; ++i) tree.unused_.append(tree.nodes_.emplace());
    return tree;
}

MappingNode* DerivationTree::take() {
    MappingNode* const node = unused_.first();
    if (node != nullptr) unused_.remove(*node);
    return node;
}

void DerivationTree::give(MappingNode& node) {
    unused_.append(node);
}

void DerivationTree::insert(MappingNode& node, MappingNode* parent) {
    node.parent = parent;
    (parent != nullptr ? parent->children : roots_).append(node);
    ++size_;
}

void DerivationTree::remove(MappingNode& leaf) {
    expect(leaf.children.first() == nullptr, "what goes has nothing below it");
    (leaf.parent != nullptr ? leaf.parent->children : roots_).remove(leaf);
    --size_;
    leaf.parent = nullptr;
    leaf.space = nullptr;
    if (++leaf.generation == 0) leaf.generation = 1;
    give(leaf);
}

MappingNode* DerivationTree::find(Mapping mapping) const {
    if (mapping.place >= nodes_.size()) return nullptr;
    MappingNode& node = nodes_[mapping.place];
    return node.generation == mapping.generation && node.space != nullptr ? &node : nullptr;
}

MappingNode& DerivationTree::leaf_of(MappingNode& top) {
    MappingNode* node = &top;
    while (MappingNode* const child = node->children.last()) node = child;
    return *node;
}

MappingNode* DerivationTree::next(MappingNode const& top, MappingNode& node) {
    if (MappingNode* const child = node.children.first()) return child;
    for (MappingNode* at = &node; at != &top; at = at->parent)
        if (MappingNode* const sibling = List::next(*at)) return sibling;
    return nullptr;
}

} // namespace mxk::mapping
