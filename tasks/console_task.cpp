#include "tasks/console_task.hpp"

#include "arch/terminal.hpp"
#include "tasks/skew.hpp"

namespace mxk {
namespace {

class ConsoleTask : public Task {
  public:
    constexpr ConsoleTask()
        : Task(&ConsoleTask::begin) {}

    void prepare(Worker& worker, std::string_view run_line, console::Partner partner) {
        run_line_ = run_line;
        partner_ = partner;
        home = worker.core();
        worker.on(arch::Attention::Input, &ConsoleTask::input_arrived);
        worker.append(*this);
    }

  private:
    static void begin(Worker&, Task& task) {
        auto& self = static_cast<ConsoleTask&>(task);
        report_skew();
        self.console_.start(self.run_line_, self.partner_);
        task.body = &ConsoleTask::read;
        self.finish();
    }

    static void read(Worker&, Task& task) { static_cast<ConsoleTask&>(task).finish(); }

    // Whatever came before or during the command, too.
    void finish() {
        while (auto const byte = arch::terminal_read()) console_.feed(*byte);
        if (arch::terminal_closed()) console_.end_of_input();
        waiting_ = true;
    }

    static void input_arrived(Worker& worker);

    arch::TerminalSink out_;
    console::Console console_{out_};
    std::string_view run_line_;
    console::Partner partner_ = console::Partner::SerialLine;
    bool waiting_ = false; // in no queue, not running: input has to append the task
};

constinit ConsoleTask console_task;

void ConsoleTask::input_arrived(Worker& worker) {
    if (!console_task.waiting_) return;
    console_task.waiting_ = false;
    worker.append(console_task);
}

} // namespace

void prepare_console(Worker& worker, std::string_view run_line, console::Partner partner) {
    console_task.prepare(worker, run_line, partner);
}

} // namespace mxk
