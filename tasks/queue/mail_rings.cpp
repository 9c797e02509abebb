#include "tasks/queue/mail_rings.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/inject.hpp"
#include "base/preemption.hpp"
#include "base/spin_wait.hpp"

namespace mxk {

Result<MailRings::Memory> MailRings::Memory::create(std::size_t rings, NodeId node) {
    std::size_t blocks = 0;
    for (std::size_t room = 0; room < rings; ++blocks) room += largest(blocks);
    Memory memory;
    memory.blocks = MXK_TRY(NodeVector<Block>::create(blocks, node));
    for (std::size_t i = 0; i < blocks; ++i) {
        std::size_t const size = std::min(rings, largest(i));
        memory.blocks.emplace(size);
        rings -= size;
    }
    return memory;
}

void MailRings::bring(Block& block, NodeId node) {
    auto memory = NodeArray<MailRing>::create(block.size, node);
    if (memory) block.rings = std::move(memory.value());
    inject::point();
    // release: pairs with open_at()
    block.presence.store(memory ? Presence::There : Presence::Missing, std::memory_order_release);
}

MailRing* MailRings::open() {
    hold_preemption(); // the waiter for a block may be another thread of the core that brings it
    MailRing* const ring = open_at(given_.fetch_add(1, std::memory_order_relaxed));
    release_preemption();
    return ring;
}

MailRing* MailRings::open_at(std::size_t place) {
    std::size_t at = 0;
    for (; at < blocks_.size() && place >= blocks_[at].size; ++at) place -= blocks_[at].size;
    if (at == blocks_.size()) return nullptr;
    Block& block = blocks_[at];
    if (place == 0) bring(block, node_);
    Presence presence = block.presence.load(std::memory_order_acquire);
    for (SpinWait wait; presence == Presence::Coming; presence = block.presence.load(std::memory_order_acquire))
        wait.turn();
    if (presence == Presence::Missing) return nullptr;
    return new (static_cast<void*>(&block.rings[place])) MailRing;
}

} // namespace mxk
