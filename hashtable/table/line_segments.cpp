#include "hashtable/table/line_segments.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "hashtable/shared/machine_grace.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_array.hpp"

namespace mxk {
namespace {

memory::Block block_at(std::uintptr_t address, std::size_t bytes) {
    return {reinterpret_cast<std::byte*>(address), bytes, memory::node_of(reinterpret_cast<void const*>(address))};
}

} // namespace

// In memory of its own, since others may read all of a segment until the callback runs.
struct LineSegments::Retired : rcu::Callback {
    memory::Block lines{};
    memory::Block own{};
};

LineSegments::~LineSegments() {
    for (std::size_t segment = 0; segment < made_; ++segment) free(segment, address(segment));
    if (spare_ != nullptr) memory::free(memory::Block(spare_->own));
}

LineSegments::LineSegments(LineSegments&& other) noexcept
    : made_(std::exchange(other.made_, 0))
    , next_to_move_(other.next_to_move_)
    , node_(other.node_)
    , spare_(std::exchange(other.spare_, nullptr)) {
    for (std::size_t segment = 0; segment < made_; ++segment)
        bases_[segment].store(other.bases_[segment].load(std::memory_order_relaxed), std::memory_order_relaxed);
}

bool LineSegments::reach(std::size_t lines) {
    while (size() < lines) {
        if (made_ == max_segments) return false;
        std::uintptr_t const memory = take(made_);
        if (memory == 0) return false;
        set_address(made_, memory);
        if (next_to_move_ == made_) ++next_to_move_; // it is where it belongs
        ++made_;
    }
    return true;
}

void LineSegments::shrink_to(std::size_t lines) {
    if (made_ == 0 || first_line(made_ - 1) < lines || !make_spare()) return;
    --made_;
    next_to_move_ = std::min(next_to_move_, made_);
    retire(made_, address(made_));
}

void LineSegments::move_to(NodeId node) {
    if (node == node_) return;
    node_ = node;
    next_to_move_ = 0;
}

std::uintptr_t LineSegments::copy(std::size_t segment, std::size_t constructed) {
    std::uintptr_t const old = address(segment);
    if (memory::node_of(reinterpret_cast<void const*>(old)) == node_ || !make_spare()) return 0;
    std::uintptr_t const there = take(segment);
    if (there == 0) return 0; // where it is, it is as good but for its speed
    if (memory::node_of(reinterpret_cast<void const*>(there)) != node_) {
        free(segment, there);
        return 0;
    }
    std::size_t const first = first_line(segment);
    std::size_t const count = std::min(constructed, first_line(segment + 1)) - std::min(constructed, first);
    for (std::size_t i = 0; i < count; ++i)
        (new (reinterpret_cast<PairLine*>(there) + i) PairLine())->copy(reinterpret_cast<PairLine const*>(old)[i]);
    set_address(segment, there);
    return old;
}

std::uintptr_t LineSegments::take(std::size_t segment) const {
    constexpr std::size_t large_page = NodeArray<PairLine>::large_page_bytes;
    std::size_t const bytes = lines_in(segment) * sizeof(PairLine);
    auto const block = memory::allocate(bytes, bytes >= large_page ? large_page : sizeof(PairLine), node_);
    return block ? reinterpret_cast<std::uintptr_t>(block.value().address) : 0;
}

void LineSegments::free(std::size_t segment, std::uintptr_t address) {
    memory::free(block_at(address, lines_in(segment) * sizeof(PairLine)));
}

bool LineSegments::make_spare() {
    if (spare_ != nullptr) return true;
    auto const block = memory::allocate(sizeof(Retired), cache_line_bytes, node_);
    if (!block) return false;
    spare_ = new (static_cast<void*>(block.value().address)) Retired{};
    spare_->own = block.value();
    return true;
}

void LineSegments::retire(std::size_t segment, std::uintptr_t address) {
    if (!MachineGrace::exists()) return free(segment, address); // nobody reads beside the owner
    Retired& retired = *std::exchange(spare_, nullptr);
    retired.lines = block_at(address, lines_in(segment) * sizeof(PairLine));
    retired.function = [](rcu::Callback& callback) {
        auto& over = static_cast<Retired&>(callback);
        memory::free(over.lines);
        memory::free(memory::Block(over.own));
    };
    MachineGrace::call(retired);
}

} // namespace mxk
