// Going over all pairs of a shared table of lines, while others change and resize it:
//
//   - A key that is in the table from the walk's beginning to its end is visited exactly once. Its value is one that it
//     had at some moment of the walk.
//   - A key that is inserted or erased meanwhile may be visited or not; one that is erased and inserted again, up to as
//     often as it was inserted. No key is visited that was not in the table at some moment of the walk.
//   - All visits together are no state that the table had at one moment.
//
// The walk goes over shares of the hashes, in order. A share is what one bucket has in the largest array that the walk
// has met so far: in a larger array it is some whole buckets, in a smaller one a part of one. So whether the table
// grows or shrinks meanwhile, a share that was visited is not visited again, and none is left out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/inject.hpp"
#include "hashtable/shared/concurrent_line.hpp"
#include "hashtable/shared/line_array.hpp"

namespace mxk {

// Where a walk is. One core at a time.
class LineWalk {
  public:
    // visit(key, value) for what is in the next `shares` shares. `root`: the table's first array, found in the read
    // section that the caller is in. False: the walk is at its end.
    template <typename Hash, typename Visit>
    bool visit_some(LineArray const& root, std::size_t shares, Hash hash, Visit visit) {
        if (shares_ < root.buckets()) {
            if (shares_ != 0) at_ *= root.buckets() / shares_;
            shares_ = root.buckets();
        }
        for (; shares > 0 && segment_ < root.segments(); --shares) {
            visit_share(root, shares_, at_, hash, visit);
            if (++at_ < shares_) continue;
            at_ = 0;
            ++segment_;
        }
        return segment_ < root.segments();
    }

  private:
    // A bucket that was moved is as it was at that moment. If that was before the share's turn came, others may have
    // changed what it has become: that is looked at then. If it is moved meanwhile: all that is there all the time, is
    // in it.
    template <typename Hash, typename Visit>
    void visit_share(LineArray const& array, std::size_t shares, std::size_t at, Hash& hash, Visit& visit) const {
        if (array.buckets() > shares) {
            std::size_t const each = array.buckets() / shares;
            for (std::size_t i = at * each; i < (at + 1) * each; ++i)
                visit_share(array, array.buckets(), i, hash, visit);
            return;
        }
        std::size_t const in_bucket = shares / array.buckets();
        ConcurrentLine const& first = array.segment(segment_).lines[at / in_bucket];
        if ((first.control.load(std::memory_order_acquire) & ConcurrentLine::moved) != 0)
            return visit_share(*array.next(), shares, at, hash, visit);
        inject::point();
        ConcurrentLine::for_each(first, [&](std::uint64_t key, std::uint64_t value) {
            if (in_bucket == 1 || array.bucket_of(hash(key), shares) == at) visit(key, value);
        });
    }

    std::size_t shares_ = 0; // of a segment; 0: it has not begun
    std::size_t segment_ = 0;
    std::size_t at_ = 0;
};

} // namespace mxk
