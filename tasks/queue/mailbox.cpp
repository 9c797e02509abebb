#include "tasks/queue/mailbox.hpp"

namespace mxk {

Result<Mailbox::Memory> Mailbox::Memory::create(std::size_t senders, NodeId node) {
    Memory memory(node, MXK_TRY(MailRings::Memory::create(senders, node)));
    memory.rings = MXK_TRY(NodeVector<RingPlace>::create(senders, node));
    memory.watched = MXK_TRY(NodeVector<Word>::create((senders + word_bits - 1) / word_bits, node));
    for (std::size_t i = 0; i < senders; ++i) memory.rings.emplace(nullptr);
    for (std::size_t i = 0; i < senders; i += word_bits) memory.watched.emplace(0U);
    return memory;
}

Mailbox::Ring* Mailbox::open(std::size_t at) {
    Ring* const ring = ring_memory_.open();
    if (ring == nullptr) return nullptr;
    rings_[at].store(ring, std::memory_order_relaxed); // published by turn_on()
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
