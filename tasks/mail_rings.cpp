#include "tasks/mail_rings.hpp"

#include <new>

namespace mxk {

Result<MailRings::Memory> MailRings::Memory::create(std::size_t rings, NodeId node) {
    std::size_t blocks = 0;
    for (std::size_t room = 0; room < rings; ++blocks) room += rings_in(blocks);
    Memory memory;
    memory.blocks = MXK_TRY(NodeVector<NodeArray<MailRing>>::create(blocks, node));
    return memory;
}

MailRing* MailRings::open() {
    LockGuard const guard(lock_);
    if (left_in_block_ == 0) {
        if (blocks_.size() == blocks_.capacity()) return nullptr;
        std::size_t const count = rings_in(blocks_.size());
        auto block = NodeArray<MailRing>::create(count, node_);
        if (!block) return nullptr;
        blocks_.emplace(std::move(block.value()));
        left_in_block_ = count;
    }
    NodeArray<MailRing> const& block = blocks_[blocks_.size() - 1];
    return new (static_cast<void*>(&block[block.size() - left_in_block_--])) MailRing;
}

} // namespace mxk
