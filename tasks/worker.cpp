#include "tasks/worker.hpp"

#include <bit>

#include "arch/cpu.hpp"
#include "tasks/workers.hpp"

namespace mxk {

void Worker::append(Task& task, CoreId target) {
    if (target == core_) return append(task);
    statistics_.hops.add(1);
    if (!workers::of(target).queue_.send(task)) return;
    statistics_.wakes.add(1);
    arch::wake(target);
}

void Worker::on(arch::Attention what, AttentionHandler handler) {
    handlers_[static_cast<std::size_t>(std::countr_zero(static_cast<std::uint32_t>(what)))] = handler;
}

void Worker::run() {
    statistics_.started.add(raw(clock::timestamp()));
    for (;;) turn();
}

void Worker::attend() {
    std::uint32_t const bits = arch::take_attention();
    for (std::size_t i = 0; i < handlers_.size(); ++i)
        if ((bits >> i & 1) != 0 && handlers_[i] != nullptr) handlers_[i](*this);
}

void Worker::idle() {
    // Mail often comes within the time that a halt and its interrupt would take; longer polling would take the core
    // from a hyper-thread sibling or, emulated, from another virtual core.
    constexpr int polls = 32;
    Cycles const start = clock::timestamp();
    int left = polls;
    while (left > 0 && !queue_.has_mail() && !arch::needs_attention()) {
        arch::pause();
        --left;
    }
    if (left == 0) {
        statistics_.sleeps.add(1);
        queue_.sleep_unless_mail([] { arch::halt_until_attention(); });
    }
    statistics_.idle.add(raw(clock::timestamp() - start));
}

} // namespace mxk
