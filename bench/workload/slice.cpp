#include "bench/workload/slice.hpp"

#include <algorithm>
#include <utility>

namespace mxk::bench {
namespace {

// An operation of a mixed phase, in its shares.
Operation drawn_operation(Mix const& mix, Random& random) {
    std::uint64_t const draw = random.below(100);
    if (draw < mix.insert) return Operation::Insert;
    return draw < mix.insert + mix.find ? Operation::Find : Operation::Erase;
}

Operation operation_of(Mix const& phase, Random& random) {
    switch (phase.kind) {
    case Mix::Kind::Insert: return Operation::Insert;
    case Mix::Kind::Find: return Operation::Find;
    case Mix::Kind::Erase: return Operation::Erase;
    case Mix::Kind::Mixed: break;
    }
    return drawn_operation(phase, random);
}

} // namespace

Result<Slice> Slice::create(std::span<Instruction> room, KeySequence keys, std::uint64_t first_key, NodeId node) {
    Slice slice(room, keys, first_key);
    slice.live_ = MXK_TRY(NodeArray<std::uint64_t>::create_zeroed((room.size() + word_bits - 1) / word_bits, node));
    return slice;
}

Result<void> Slice::prepare_mixed(NodeId node) {
    picks_ = MXK_TRY(NodeArray<std::uint32_t>::create(size(), node));
    return {};
}

void Slice::set_live(std::size_t at, bool live) {
    if (is_live(at) == live) return;
    live_[at / word_bits] ^= std::uint64_t{1} << at % word_bits;
    live ? ++live_count_ : --live_count_;
}

void Slice::forget() {
    std::fill(live_.span().begin(), live_.span().end(), 0);
    live_count_ = 0;
}

void Slice::fill_inserts(std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to; ++at) {
        instructions_[at] = {key(at), Operation::Insert, true};
        set_live(at, true);
    }
}

void Slice::turn_into(Operation operation, std::size_t from, std::size_t to, Random& random) {
    for (std::size_t at = from; at < to; ++at) {
        instructions_[at].operation = operation;
        std::swap(instructions_[at], instructions_[random.below(at + 1)]); // Fisher and Yates, from the front
        set_live(at, operation == Operation::Find); // the key `at`, wherever it stands: in the end it is all of them
    }
}

void Slice::put_find_or_erase(std::size_t at, Operation operation, Random& random) {
    std::size_t const pick = random.below(pick_count_);
    std::size_t const picked = picks_[pick];
    instructions_[at] = {key(picked), operation, true};
    if (operation == Operation::Find) return;
    set_live(picked, false);
    picks_[pick] = picks_[--pick_count_];
}

void Slice::fill_mixed(std::size_t from, std::size_t to, Mix const& mix, Random& random) {
    if (from == 0) pick_count_ = 0;
    for (std::size_t at = from; at < to; ++at) {
        Operation const operation = drawn_operation(mix, random);
        bool const inserts = operation == Operation::Insert || pick_count_ == 0;
        set_live(at, inserts);
        if (!inserts) {
            put_find_or_erase(at, operation, random);
            continue;
        }
        instructions_[at] = {key(at), Operation::Insert, true};
        picks_[pick_count_++] = static_cast<std::uint32_t>(at);
    }
}

void Slice::put_drawn(std::size_t at, Operation operation, std::size_t drawn) {
    bool const live = is_live(drawn);
    instructions_[at] = {key(drawn), operation, operation == Operation::Insert ? !live : live};
    if (operation != Operation::Find) set_live(drawn, operation == Operation::Insert);
}

void Slice::draw(std::size_t from, std::size_t to, Mix const& phase, Zipf const& ranks, Random& random) {
    for (std::size_t at = from; at < to; ++at) {
        Operation const operation = operation_of(phase, random);
        put_drawn(at, operation, of_rank_(ranks(random) - 1));
    }
}

} // namespace mxk::bench
