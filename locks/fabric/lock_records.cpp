#include "locks/fabric/lock_records.hpp"

#include <array>
#include <cstddef>
#include <new>

#include "base/lock.hpp"
#include "base/panic.hpp"
#include "base/spin_lock.hpp"
#include "base/spin_wait.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk::locks {
namespace {

constexpr LockRank lines_rank = lock_bands::memory.rank(0);
constexpr std::size_t at_once = 4; // nested locks; a user that needs more asks again
constexpr std::size_t lines_of_block = 64;

// Lines that users have given back at their end, and those that nobody had yet. Memory for lines is never given back.
class Stock {
  public:
    LockLine* take() {
        LockGuard const guard(lock_);
        if (first_ == nullptr && !add_block()) panic("no memory for the records of locks (4 KiB)");
        LockLine* const line = first_;
        first_ = line->next;
        return line;
    }
    void give(LockLine* line) {
        LockGuard const guard(lock_);
        line->next = first_;
        first_ = line;
    }

  private:
    bool add_block() {
        auto const block = memory::allocate(lines_of_block * sizeof(LockLine), cache_line_bytes, node_id(0));
        if (!block) return false;
        for (std::size_t i = 0; i < lines_of_block; ++i)
            first_ = new (static_cast<void*>(block.value().address + i * sizeof(LockLine))) LockLine{first_};
        return true;
    }

    SpinLock lock_{lines_rank};
    LockLine* first_ = nullptr;
};
constinit Stock stock;

void leave_spare_lines(LockUser& user, std::uint32_t left) {
    for (; user.spares > left; --user.spares) {
        LockLine* const line = user.spare;
        user.spare = line->next;
        stock.give(line);
    }
}

// Another user may still poll the word: the next owner of a Hemlock that was handed on.
void end_user(LockUser& user) {
    for (SpinWait wait; user.grant.load(std::memory_order_acquire) != 0;) wait.turn();
    leave_spare_lines(user, 0);
}

} // namespace

void find_spare_lines() {
    for (std::size_t i = 0; i < at_once; ++i) give_line(stock.take());
    keep_user();
}

void give_spare_lines() {
    leave_spare_lines(arch::lock_user(), max_spare_lines / 2);
}

void keep_new_user() {
    arch::keep_lock_user(&end_user);
    arch::lock_user().is_kept = true;
}

} // namespace mxk::locks
