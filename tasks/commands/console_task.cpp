#include "tasks/commands/console_task.hpp"

#include "arch/terminal.hpp"
#include "base/log.hpp"

namespace mxk {
namespace {

class ConsoleTask : public Task {
  public:
    constexpr ConsoleTask()
        : Task(&ConsoleTask::begin) {}

    void prepare(Worker& worker, ConsoleStart const& start) {
        start_ = start;
        home = worker.core();
        worker.add_hook(input_hook_);
        worker.append(*this);
    }

  private:
    static void begin(Worker&, Task& task) {
        auto& self = static_cast<ConsoleTask&>(task);
        if (self.start_.before != nullptr) self.start_.before();
        self.console_.start(self.start_.run_line, self.start_.partner);
        task.body = &ConsoleTask::read;
        self.finish();
    }

    static void read(Worker&, Task& task) { static_cast<ConsoleTask&>(task).finish(); }

    // Whatever came before or during the command, too.
    void finish() {
        tell_lost_input();
        while (auto const byte = arch::terminal_read()) {
            console_.feed(*byte);
            tell_lost_input();
        }
        if (arch::terminal_closed()) console_.end_of_input();
        waiting_ = true;
    }

    // Behind the command during which it was lost.
    static void tell_lost_input() {
        if (std::size_t const lost = arch::terminal_take_lost(); lost > 0)
            log::warn("console: {} bytes of input are lost: expected up to {} while a command runs", lost,
                      arch::terminal_input_room);
    }

    static void input_arrived(Worker& worker, AttentionHook& hook);

    arch::TerminalSink out_;
    console::Console console_{out_};
    ConsoleStart start_;
    AttentionHook input_hook_{arch::Attention::Input, &ConsoleTask::input_arrived};
    bool waiting_ = false; // in no queue, not running: input has to append the task
};

constinit ConsoleTask console_task;

void ConsoleTask::input_arrived(Worker& worker, AttentionHook&) {
    if (!console_task.waiting_) return;
    console_task.waiting_ = false;
    worker.append(console_task);
}

} // namespace

void prepare_console(Worker& worker, ConsoleStart const& start) {
    console_task.prepare(worker, start);
}

} // namespace mxk
