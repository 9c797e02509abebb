#include "bench/instructions.hpp"

#include <utility>

namespace mxk::bench {

Result<Slice> Slice::create(std::size_t count, std::uint64_t first_key, NodeId node) {
    auto instructions = MXK_TRY(NodeArray<Instruction>::create(count, node));
    auto nodes = MXK_TRY(NodeArray<ChainNode>::create(count, node));
    Slice slice(std::move(instructions), std::move(nodes), first_key);
    slice.live_ = MXK_TRY(NodeArray<std::uint32_t>::create(count, node));
    return slice;
}

void Slice::put_insert(std::size_t at, KeySequence const& keys) {
    std::uint64_t const key = keys(first_key_ + at);
    instructions_[at] = {key, Operation::Insert, true, AtEnd::Present};
    nodes_[at] = {key, nullptr};
}

void Slice::fill_inserts(std::size_t from, std::size_t to, KeySequence const& keys) {
    for (std::size_t at = from; at < to; ++at) put_insert(at, keys);
}

void Slice::turn_into(Operation operation, std::size_t from, std::size_t to, Random& random) {
    AtEnd const at_end = operation == Operation::Erase ? AtEnd::Absent : AtEnd::Present;
    for (std::size_t at = from; at < to; ++at) {
        instructions_[at].operation = operation;
        instructions_[at].at_end = at_end;
        std::swap(instructions_[at], instructions_[random.below(at + 1)]); // Fisher and Yates, from the front
    }
}

void Slice::put_find_or_erase(std::size_t at, Operation operation, Random& random) {
    std::size_t const picked = random.below(live_count_);
    Instruction& insert = instructions_[live_[picked]];
    instructions_[at] = {insert.key, operation, true, AtEnd::SaidElsewhere};
    if (operation == Operation::Find) return;
    insert.at_end = AtEnd::Absent;
    live_[picked] = live_[--live_count_];
}

void Slice::fill_mixed(std::size_t from, std::size_t to, KeySequence const& keys, Mix const& mix, Random& random) {
    if (from == 0) live_count_ = 0;
    for (std::size_t at = from; at < to; ++at) {
        std::uint64_t const draw = random.below(100);
        if (draw < mix.insert || live_count_ == 0) {
            put_insert(at, keys);
            live_[live_count_++] = static_cast<std::uint32_t>(at);
        } else {
            put_find_or_erase(at, draw < mix.insert + mix.find ? Operation::Find : Operation::Erase, random);
        }
    }
}

} // namespace mxk::bench
