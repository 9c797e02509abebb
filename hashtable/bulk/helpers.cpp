#include "hashtable/bulk/helpers.hpp"

#include "arch/nearest_core.hpp"
#include "base/spin_wait.hpp"
#include "tasks/workers.hpp"

namespace mxk {

// A core's task, in its queue or not.
struct Helpers::Helper : Task {
    Helper(Board& its_board, CoreId core)
        : Task(&Helper::help, core)
        , board(its_board) {}
    static void help(Worker& worker, Task& task);

    Board& board;
    bool is_queued = false; // the board's lock
};

struct Helpers::Board {
    // A work that a helper is to do a turn of, the next one each time. Null: the helper is not queued any more.
    SharedWork* begin_turn(Helper& helper) {
        lock.lock();
        SharedWork* const work = workers::takes_part(helper.home) ? works.first() : nullptr;
        if (work == nullptr) {
            helper.is_queued = false;
        } else {
            // relaxed: under the lock, as the look of a thread that takes it off the board
            work->inside.fetch_add(1, std::memory_order_relaxed);
            works.remove(*work);
            works.append(*work);
        }
        lock.unlock();
        return work;
    }
    void announce(SharedWork& work) {
        lock.lock();
        works.append(work);
        lock.unlock();
        CoreId const own = arch::nearest_core(); // the calling thread needs its processor
        for (Helper& helper : helpers)
            if (helper.home != own && workers::takes_part(helper.home) && claim(helper))
                workers::of(helper.home).append_from_outside(helper);
    }
    // True for the one that has to append it.
    bool claim(Helper& helper) {
        lock.lock();
        bool const was_queued = std::exchange(helper.is_queued, true);
        lock.unlock();
        return !was_queued;
    }
    void take_back(SharedWork& work) {
        lock.lock();
        works.remove(work);
        lock.unlock();
        // acquire: pairs with the end of each turn
        for (SpinWait wait; work.inside.load(std::memory_order_acquire) != 0;) wait.turn();
    }
    bool is_any_queued() {
        lock.lock();
        bool any = false;
        for (Helper const& helper : helpers) any = any || helper.is_queued;
        lock.unlock();
        return any;
    }

    SpinLock lock{lock_bands::objects.rank(8)};
    LinkedList<SharedWork, &SharedWork::links> works; // announced, not taken back
    NodeVector<Helper> helpers;
};

void Helpers::Helper::help(Worker& worker, Task& task) {
    auto& self = static_cast<Helper&>(task);
    SharedWork* const work = self.board.begin_turn(self);
    if (work == nullptr) return; // the board may be gone
    work->turn();
    // release: what the turn has done is done for the thread that takes the work back
    work->inside.fetch_sub(1, std::memory_order_release);
    worker.append(task);
}

Result<Helpers> Helpers::create(NodeId node) {
    auto board = MXK_TRY(NodeVector<Board>::create(1, node));
    std::size_t count = 0;
    for (std::size_t core = 0; core < workers::count(); ++core) count += workers::serves(core_id(core)) ? 1U : 0U;
    auto helpers = MXK_TRY(NodeVector<Helper>::create(count, node));
    Board& made = board.emplace();
    for (std::size_t core = 0; core < workers::count(); ++core)
        if (workers::serves(core_id(core))) helpers.emplace(made, core_id(core));
    made.helpers = std::move(helpers);
    return Helpers(std::move(board));
}

Helpers::Helpers(NodeVector<Board> board)
    : board_(std::move(board)) {}
Helpers::Helpers(Helpers&& other) noexcept = default;

Helpers::~Helpers() {
    if (board_.size() == 0) return;
    for (SpinWait wait; board_[0].is_any_queued();) wait.turn();
}

std::size_t Helpers::count() const {
    return board_[0].helpers.size();
}

void Helpers::run(SharedWork& work, bool invites) {
    Board& board = board_[0];
    invites = invites && board.helpers.size() != 0;
    if (invites) board.announce(work);
    for (SpinWait wait;;) {
        SharedWork::Turn const turn = work.turn();
        if (turn == SharedWork::Turn::Over) break;
        if (turn == SharedWork::Turn::Waiting)
            wait.turn();
        else
            wait = {};
    }
    if (invites) board.take_back(work);
}

} // namespace mxk
