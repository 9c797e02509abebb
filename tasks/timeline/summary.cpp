#include "tasks/timeline/summary.hpp"

#include "arch/symbols.hpp"
#include "base/format.hpp"
#include "kernel/clock.hpp"
#include "tasks/worker.hpp"

namespace mxk::timeline {
namespace {

// The tasks that an event is inside of, while a timeline is read from its end: what is outside comes first.
class Enclosing {
  public:
    struct Outer {
        std::uint64_t begin;
        FunctionSums* function;
    };

    // The task that the event stands in, or null.
    Outer* around(TimelineEvent const& event) {
        while (depth_ != 0 && event.begin() < outer_[depth_ - 1].begin) --depth_;
        return depth_ == 0 ? nullptr : &outer_[depth_ - 1];
    }
    void enter(Outer const& outer) {
        if (depth_ < outer_.size()) outer_[depth_++] = outer;
    }

  private:
    std::array<Outer, 16> outer_{};
    std::size_t depth_ = 0;
};

double milliseconds(std::uint64_t cycles) {
    return static_cast<double>(cycles) * 1e3 / static_cast<double>(clock::frequency());
}

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) * 100 / static_cast<double>(whole);
}

void print_function(TextSink& out, std::uint64_t function) {
    if (function == 0) return out.write("(begun before 'trace on')");
    if (!arch::write_function_name(out, function)) format(out, "0x{:x}", function);
}

void print_cores(TextSink& out, std::span<CoreSums const> cores) {
    format(out, "{:>5} {:>12} {:>10} {:>11} {:>11} {:>14} {:>11} {:>7} {:>10} {:>10}\n", "core", "span, ms", "tasks",
           "tasks, ms", "rounds, ms", "safe points, ms", "idle, ms", "idle", "idle times", "lost");
    for (std::size_t i = 0; i < cores.size(); ++i) {
        CoreSums const& core = cores[i];
        format(out, "{:5} {:12.3} {:10} {:11.3} {:11.3} {:15.3} {:11.3} {:5.1} % {:10} {:10}\n", i,
               milliseconds(core.span), core.task_count, milliseconds(core.tasks), milliseconds(core.rounds),
               milliseconds(core.safe_points), milliseconds(core.idle), percent(core.idle, core.span), core.idle_count,
               core.lost);
    }
}

void print_functions(TextSink& out, Summary const& summary, std::size_t rows) {
    std::uint64_t all = summary.others().cycles;
    for (FunctionSums const& each : summary.functions()) all += each.cycles;
    format(out, "\n{:>10} {:>11} {:>7} {:>10} {:>10}  {}\n", "tasks", "time, ms", "share", "mean, us", "max, us",
           "function");
    auto const print_row = [&](FunctionSums const& each) {
        double const time = milliseconds(each.cycles);
        format(out, "{:10} {:11.3} {:5.1} % {:10.3} {:10.3}  ", each.count, time, percent(each.cycles, all),
               time * 1e3 / static_cast<double>(each.count), milliseconds(each.max) * 1e3);
    };
    for (FunctionSums const& each : summary.functions().first(std::min(rows, summary.functions().size()))) {
        print_row(each);
        print_function(out, each.function);
        out.write("\n");
    }
    if (summary.functions().size() > rows)
        format(out, "and {} functions more (--rows)\n", summary.functions().size() - rows);
    if (summary.others().count == 0) return;
    print_row(summary.others());
    format(out, "those beyond {} functions\n", Summary::max_functions);
}

void print_max(TextSink& out, Recording const& recording, std::span<MaxEvent const> ones, std::string_view what) {
    if (ones.empty()) return;
    std::uint64_t first = UINT64_MAX;
    for (CoreTimeline const& core : recording.cores) first = std::min(first, core.started());
    format(out, "\n{:>10} {:>5} {:>14}  {}\n", "us", "core", "at, ms", what);
    for (MaxEvent const& one : ones) {
        std::uint64_t const since = one.event.begin() - first;
        format(out, "{:10.3} {:5} {:14.3}  ", milliseconds(one.event.cycles()) * 1e3, one.core, milliseconds(since));
        if (is_turn(one.event.kind())) print_function(out, one.event.detail());
        out.write("\n");
    }
}

} // namespace

Result<Summary> Summary::create(Recording const& recording) {
    NodeId const node = Worker::current().node();
    Summary summary;
    summary.cores_ = MXK_TRY(NodeVector<CoreSums>::create(recording.cores.size(), node));
    summary.functions_ = MXK_TRY(NodeVector<FunctionSums>::create(max_functions, node));
    for (std::size_t i = 0; i < max_functions; ++i) summary.functions_.emplace();
    for (std::size_t i = 0; i < recording.cores.size(); ++i) summary.add(recording.cores[i], i);
    std::sort(summary.functions_.begin(), summary.functions_.end(), [](FunctionSums const& a, FunctionSums const& b) {
        return a.cycles != b.cycles ? a.cycles > b.cycles : a.count > b.count;
    });
    return summary;
}

void Summary::add(CoreTimeline const& core, std::size_t number) {
    CoreSums& sums = cores_.emplace();
    sums.lost = core.lost();
    // What is from before the first record that is left counts as lost, too.
    std::uint64_t const from = core.lost() == 0 ? core.started() : core[0].end();
    sums.span = core.stopped() - from;
    Enclosing enclosing;
    for (std::size_t at = core.size(); at-- > 0;) {
        TimelineEvent const& event = core[at];
        if (!is_work(event.kind()) && event.kind() != EventKind::Idle) continue;
        std::uint64_t const cycles = event.end() - std::clamp(event.begin(), from, event.end());
        if (Enclosing::Outer* const outer = enclosing.around(event)) {
            outer->function->cycles -= cycles;
            sums.tasks -= cycles;
        }
        if (is_turn(event.kind())) {
            ++sums.task_count;
            sums.tasks += cycles;
            FunctionSums& function = of(event.detail());
            ++function.count;
            function.cycles += cycles;
            function.max = std::max(function.max, event.cycles());
            max_tasks_.offer(event, number);
            enclosing.enter({event.begin(), &function});
        } else if (event.kind() == EventKind::Idle) {
            ++sums.idle_count;
            sums.idle += cycles;
            max_idle_.offer(event, number);
        } else {
            (event.kind() == EventKind::Round ? sums.rounds : sums.safe_points) += cycles;
        }
    }
}

FunctionSums& Summary::of(std::uint64_t function) {
    std::size_t at = (function * 0x9E37'79B9'7F4A'7C15) >> 54;
    static_assert(max_functions == 1 << 10);
    for (std::size_t looked = 0; looked < max_functions; ++looked, at = (at + 1) % max_functions) {
        FunctionSums& place = functions_[at];
        if (place.count != 0 && place.function != function) continue;
        if (place.count == 0) ++function_count_;
        place.function = function;
        return place;
    }
    return others_;
}

void print(TextSink& out, Recording const& recording, Summary const& summary, std::size_t rows) {
    print_cores(out, summary.cores());
    print_functions(out, summary, rows);
    print_max(out, recording, summary.max_tasks(), "long tasks, with what ran while they waited");
    print_max(out, recording, summary.max_idle(), "long idle times");
}

} // namespace mxk::timeline
