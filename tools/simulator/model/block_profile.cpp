#include "tools/simulator/model/block_profile.hpp"

#include <utility>

namespace mxk::simulator {
namespace {
constexpr std::size_t first_size = 256;
}

void BlockProfile::reset() {
    table_.assign(first_size, {});
    used_.assign(first_size, false);
    count_ = 0;
}

std::size_t BlockProfile::find(std::uint64_t address) const {
    std::size_t const mask = table_.size() - 1;
    std::size_t at = ((address * 0x9e3779b97f4a7c15) >> 32) & mask;
    while (used_[at] && table_[at].address != address) at = (at + 1) & mask;
    return at;
}

BlockTime& BlockProfile::operator[](std::uint64_t address) {
    std::size_t at = find(address);
    if (used_[at]) return table_[at];
    if (count_ >= table_.size() / 2) {
        std::vector<BlockTime> const old = std::exchange(table_, std::vector<BlockTime>(table_.size() * 2));
        std::vector<bool> const was_used = std::exchange(used_, std::vector<bool>(table_.size()));
        for (std::size_t from = 0; from != old.size(); ++from) {
            if (!was_used[from]) continue;
            std::size_t const to = find(old[from].address);
            table_[to] = old[from];
            used_[to] = true;
        }
        at = find(address);
    }
    ++count_;
    used_[at] = true;
    table_[at].address = address;
    return table_[at];
}

std::vector<BlockTime> BlockProfile::blocks() const {
    std::vector<BlockTime> found;
    for (std::size_t at = 0; at != table_.size(); ++at)
        if (used_[at]) found.push_back(table_[at]);
    return found;
}

} // namespace mxk::simulator
