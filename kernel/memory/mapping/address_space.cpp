#include "kernel/memory/mapping/address_space.hpp"

namespace mxk::mapping {

Result<AddressSpace> AddressSpace::create(Coherence& coherence, NodeId node) {
    unsigned const tag = MXK_TRY(coherence.take_tag());
    auto table = PageTable::create(node);
    if (table) return AddressSpace(coherence, tag, std::move(table).value());
    coherence.give_tag(tag);
    return table.error();
}

AddressSpace::~AddressSpace() {
    if (coherence_ == nullptr) return;
    coherence_->forget_space(*this);
    coherence_->give_tag(tag_);
}

} // namespace mxk::mapping
