#include "hashtable/table/linear_lines.hpp"

#include <new>
#include <utility>

#include "base/inject.hpp"
#include "base/prefetch.hpp"
#include "base/spin_wait.hpp"

namespace mxk {

LinearLines::LinearLines(NodeId node, HashPrefix prefix, double keys_per_line)
    : low_count_(std::uint64_t{1} << (bits_by_bucket - std::min(prefix.bits, bits_by_bucket)))
    , first_hash_(prefix.first())
    , segments_(node)
    , keys_per_line_(static_cast<std::uint64_t>(keys_per_line * load_unit))
    , supply_(node) {
    low_mask_ = low_count_ - 1;
}

LinearLines::LinearLines(LinearLines&& other) noexcept
    : shape_(other.shape_.load(std::memory_order_relaxed))
    , low_mask_(other.low_mask_)
    , low_count_(other.low_count_)
    , first_hash_(other.first_hash_)
    , segments_(std::move(other.segments_))
    , keys_(std::exchange(other.keys_, 0))
    , crowded_at_(other.crowded_at_)
    , sparse_below_(other.sparse_below_)
    , erases_(other.erases_)
    , keys_per_line_(other.keys_per_line_)
    , is_shrinking_(other.is_shrinking_)
    , first_buckets_(other.first_buckets_)
    , constructed_(other.constructed_)
    , supply_(std::move(other.supply_)) {
    other.shape_.store(0, std::memory_order_relaxed);
}

Result<LinearLines> LinearLines::create(std::size_t lines, double keys_per_line, NodeId node, HashPrefix prefix) {
    LinearLines result(node, prefix, keys_per_line);
    constexpr std::size_t min_buckets = 64; // a frame of them
    std::size_t const buckets = std::max({lines, min_buckets, static_cast<std::size_t>(result.low_count_)});
    if (buckets > result.max_buckets() || !result.segments_.reach(buckets))
        return Error::of("out of memory: {} lines of pairs wanted on node {}", buckets, node);
    for (std::size_t at = 0; at < buckets; ++at) new (static_cast<void*>(result.segments_.at(at))) PairLine();
    result.constructed_ = buckets;
    result.first_buckets_ = buckets;
    result.add_to_shape(buckets);
    result.set_limits();
    return result;
}

std::optional<std::uint64_t> LinearLines::read(Position const& at) const {
    for (SpinWait wait;; wait.turn()) {
        Position const now = is_unchanged(at) ? at : position(at.hash);
        // Its line is that of this shape, and no memory that was made for a later one, where a link may be anything.
        if (!is_unchanged(now)) continue;
        PairBucket::Reading const reading = PairBucket::read(*now.cell, now.hash);
        if (!is_unchanged(now)) continue;
        if (reading.seen == PairBucket::Seen::There) return reading.value;
        if (reading.seen == PairBucket::Seen::Absent) return std::nullopt;
    }
}

PairBucket::Reading LinearLines::read_first_of(std::uint64_t hash) const {
    return read_first_at(position(hash));
}

void LinearLines::set_limits() {
    std::size_t const keys = keys_for(lines());
    crowded_at_ = std::max<std::uint64_t>(keys, keys_) + keys_for(step() / 2 + 1);
    sparse_below_ = buckets() == first_buckets_ ? 0 : keys / (is_shrinking_ ? 2 : 4);
}

// Which of the keys in the last bucket, and in the one that it comes from, are the last one's.
PairBucket::Half LinearLines::half(std::size_t last) const {
    return {bit_of_hash(static_cast<unsigned>(std::bit_width(last)) - 1)};
}

LinearLines::Done LinearLines::grow() {
    for (std::size_t left = step(); left > 0 && keys_ > keys_for(lines()); --left) {
        if (!add_bucket()) {
            set_limits();
            return Done::NoMemory;
        }
    }
    bool const is_done = keys_ <= keys_for(lines());
    set_limits();
    return is_done ? Done::All : Done::Some;
}

// The new bucket has its keys before others look for them there, and the old one has them as long as others may look
// for them here.
bool LinearLines::add_bucket() {
    std::size_t const last = buckets();
    if (last >= max_buckets() || !segments_.reach(last + 1)) return false;
    PairLine& to = *segments_.at(last);
    if (last == constructed_) {
        new (static_cast<void*>(&to)) PairLine();
        ++constructed_;
    }
    PairBucket::Half const moving = half(last);
    PairLine& from = *segments_.at(last - std::bit_floor(last));
    constexpr std::size_t ahead = 8; // lines behind, which may be anywhere
    PairBucket::prefetch_all_behind(*segments_.at(std::min(last - std::bit_floor(last) + ahead, last - 1)));
    if (!PairBucket::copy(from, to, moving, supply_)) {
        PairBucket::release(to, supply_);
        return false;
    }
    inject::point();
    add_to_shape(1);
    inject::point();
    PairBucket::remove(from, moving, supply_);
    return true;
}

LinearLines::Done LinearLines::shrink() {
    auto const is_done = [this] { return buckets() == first_buckets_ || keys_ * 2 >= keys_for(lines()); };
    bool can = true; // else there is no memory, and it stays as large as it is
    for (std::size_t left = step(); left > 0 && can && !is_done(); --left) can = remove_bucket();
    is_shrinking_ = can && !is_done();
    set_limits();
    return is_shrinking_ ? Done::Some : Done::All;
}

bool LinearLines::remove_bucket() {
    std::size_t const last = buckets() - 1;
    PairLine& from = *segments_.at(last);
    PairLine& to = *segments_.at(last - std::bit_floor(last));
    PairBucket::Half const moving = half(last);
    if (!PairBucket::copy(from, to, moving, supply_)) {
        PairBucket::remove(to, moving, supply_);
        add_to_shape(one_era); // as an erase may
        return false;
    }
    inject::point();
    add_to_shape(one_era - 1);
    inject::point();
    PairBucket::release(from, supply_);
    segments_.shrink_to(last);
    constructed_ = std::min(constructed_, segments_.size());
    return true;
}

} // namespace mxk
