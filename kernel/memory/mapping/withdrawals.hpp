// Rights that were withdrawn one after the other in page tables, and that cores may still have in their TLBs: which
// pages, of which address spaces, who may have used these, and when the last one was. As many as one shootdown is to be
// for (Coherence::make_authoritative()). What its owner's lock protects, or its own core.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/memory/mapping/page_table.hpp"
#include "kernel/topology/cluster_mask.hpp"

namespace mxk::mapping {

// Address spaces, a bit for each tag.
using SpaceSet = std::uint64_t;
constexpr SpaceSet only(unsigned tag) {
    return SpaceSet{1} << tag;
}

struct WithdrawnPage {
    std::uint64_t address = 0;
    unsigned tag = 0;
    PageTable::Entry* entry = nullptr; // null: it is present, with fewer rights
    std::uint64_t mark = 0;            // what it is as long as it is withdrawn
};

class Withdrawals {
  public:
    static constexpr std::size_t capacity = 32;

    // Not while it is full. `users`: of the page's space, looked up after the entry was changed, as the stamp.
    void add(WithdrawnPage const& page, ClusterMask users, std::uint64_t stamp) {
        pages_[count_++] = page;
        spaces_ |= only(page.tag);
        users_ |= users;
        if (stamp > stamp_) stamp_ = stamp;
    }
    void clear() { *this = {}; }

    [[nodiscard]] bool empty() const { return count_ == 0; }
    [[nodiscard]] bool full() const { return count_ == capacity; }
    [[nodiscard]] std::span<WithdrawnPage const> pages() const { return {pages_.data(), count_}; }
    [[nodiscard]] SpaceSet spaces() const { return spaces_; }
    [[nodiscard]] ClusterMask users() const { return users_; }
    [[nodiscard]] std::uint64_t stamp() const { return stamp_; }

  private:
    std::array<WithdrawnPage, capacity> pages_{};
    std::size_t count_ = 0;
    SpaceSet spaces_ = 0;
    ClusterMask users_;
    std::uint64_t stamp_ = 0;
};

} // namespace mxk::mapping
