#include "tasks/mailbox.hpp"

#include <new>

namespace mxk {

Result<Mailbox::Memory> Mailbox::Memory::create(std::size_t senders, NodeId node) {
    Memory memory(node);
    memory.rings = MXK_TRY(NodeVector<RingPlace>::create(senders, node));
    memory.watched = MXK_TRY(NodeVector<Word>::create((senders + word_bits - 1) / word_bits, node));
    for (std::size_t i = 0; i < senders; ++i) memory.rings.emplace();
    for (std::size_t i = 0; i < senders; i += word_bits) memory.watched.emplace(0U);
    return memory;
}

Mailbox::Ring* Mailbox::open(std::size_t at) {
    auto memory = NodeArray<Ring>::create(1, node_);
    if (!memory) return nullptr;
    rings_[at].memory = std::move(memory.value());
    auto* const ring = new (rings_[at].memory.data()) Ring;
    rings_[at].ring.store(ring, std::memory_order_relaxed); // published by turn_on()
    return ring;
}

void Mailbox::stop_watching(std::size_t at) {
    watched_[at / word_bits].fetch_and(~bit(at), std::memory_order_seq_cst);
    inject::point();
    // relaxed: the receiver's own note
    if (!ring(at).empty()) watched_[at / word_bits].fetch_or(bit(at), std::memory_order_relaxed);
}

void Mailbox::fetch_stacked() {
    TaskList stacked = stack_.take_all();
    stacked_.splice(stacked);
}

} // namespace mxk
