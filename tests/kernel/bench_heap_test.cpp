// `bench heap` on real cores, small: each benchmark of every allocator that this build has, on one core and more, is
// verified, and frees what it has allocated; an allocator that gives one place to two objects is found out; a trace is
// read as it is written, and what is wrong in one is said.
#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <string_view>

#include "arch/machine.hpp"
#include "bench/heap/heap_experiment.hpp"
#include "bench/heap/heap_trace.hpp"
#include "bench/workload/random.hpp"
#include "kernel/console/command.hpp"
#include "kernel/console/named.hpp"
#include "kernel/memory/heap/checked_heap.hpp"
#include "kernel/memory/heap/heap.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/testing.hpp"
#include "tasks/workers.hpp"
#include "tests/kernel/all_cores.hpp"

namespace mxk::bench {
namespace {

// Gives each place to two objects, one after the other.
struct TwiceHeap {
    static constexpr std::size_t max_bytes = 1024;
    static constexpr std::size_t count = 16;

    static void* allocate(std::size_t bytes) {
        if (bytes > max_bytes) return nullptr;
        std::size_t const number = next.fetch_add(1, std::memory_order_relaxed) / 2 % count;
        return &places[number * max_bytes];
    }
    static void deallocate(void* /*place*/, std::size_t /*bytes*/) {}

    alignas(cache_line_bytes) static inline std::array<std::byte, count * max_bytes> places{};
    static inline std::atomic<std::size_t> next{0};
};
constexpr HeapKind twice{.name = "gives-twice",
                         .summary = "wrong: gives each place to two objects",
                         .is_of_a_test = true,
                         .workloads = heap_workloads<TwiceHeap>};
MXK_REGISTER(mxk_heap_kinds, HeapKind, twice);

// MXK's, which counts what is live.
struct CountedHeap {
    static void* allocate(std::size_t size) {
        void* const place = heap::allocate(size);
        if (place == nullptr) return nullptr;
        objects.fetch_add(1, std::memory_order_relaxed);
        bytes.fetch_add(size, std::memory_order_relaxed);
        return place;
    }
    static void deallocate(void* place, std::size_t size) {
        heap::deallocate(place, size);
        freed.fetch_add(1, std::memory_order_relaxed);
        objects.fetch_sub(1, std::memory_order_relaxed);
        bytes.fetch_sub(size, std::memory_order_relaxed);
    }

    static inline std::atomic<std::size_t> objects{0}; // live, as the bytes
    static inline std::atomic<std::size_t> bytes{0};
    static inline std::atomic<std::size_t> freed{0}; // objects so far
};
constexpr HeapKind counted{.name = "counted",
                           .summary = "MXK's, and counts what is live",
                           .is_of_a_test = true,
                           .workloads = heap_workloads<CountedHeap>};
MXK_REGISTER(mxk_heap_kinds, HeapKind, counted);

bool is_slow() {
    return arch::describe_machine().is_emulated();
}
// Of three numbers, the one for an emulator, for a build with checks and sanitizers, or for all others.
std::string_view as_fast_as_it_is(std::string_view emulated, std::string_view checked, std::string_view native) {
    return is_slow() ? emulated : heap::is_checked ? checked : native;
}
// All cores work at once, and wait for each other.
bool takes_minutes() {
    return is_slow() && workers::count() > 32;
}

// `bench heap NAME` with these words.
template <std::size_t count> console::Outcome run(std::string_view name, std::array<std::string_view, count> words) {
    FixedText<1> nowhere;
    for (console::Command const* const command : console::registered_commands()) {
        if (command->parent != "bench heap" || command->name != name) continue;
        console::Invocation invocation(nowhere);
        invocation.arguments = words;
        return command->run(invocation);
    }
    bool const there_is_such_a_benchmark = false;
    MXK_CHECK(there_is_such_a_benchmark);
    return console::Outcome::Failed;
}

using Words = std::array<std::string_view, 6>;

MXK_TEST(bench_heap, own_objects_are_right) {
    if (takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    std::string_view const operations = as_fast_as_it_is("--ops=50", "--ops=500", "--ops=5000");
    MXK_CHECK(run("micro", Words{"--size", "8,16,300,5000,70000", "--live", "16", operations, "--repeat=1"}) ==
              console::Outcome::Ok);
}

MXK_TEST(bench_heap, objects_that_others_free_are_right) {
    if (takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    std::string_view const operations = as_fast_as_it_is("--ops=100", "--ops=1000", "--ops=10K");
    MXK_CHECK(run("remote", Words{"--size", "8,64,20000", operations, "--repeat", "1", "--seed=3"}) ==
              console::Outcome::Ok);
}

MXK_TEST(bench_heap, arrays_that_go_from_core_to_core_are_right) {
    if (takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    std::string_view const replacements =
        as_fast_as_it_is("--replacements=40", "--replacements=400", "--replacements=2000");
    MXK_CHECK(run("larson", Words{"--objects", "50", "--rounds", "4", replacements, "--repeat=1"}) ==
              console::Outcome::Ok);
}

MXK_TEST(bench_heap, objects_that_are_written_to_are_right) {
    if (takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    for (std::string_view const name : {"cache-thrash", "cache-scratch"})
        MXK_CHECK(run(name, Words{"--ops", "20", "--writes", "30", "--size=8", "--repeat=2"}) == console::Outcome::Ok);
}

MXK_TEST(bench_heap, what_is_held_has_a_row_for_each_part) {
    MXK_CHECK(run("footprint", Words{"--mib=1", "--size=510Ki", "--rounds=20", "--large=3", "--repeat", "1"}) ==
              console::Outcome::Ok);
}

MXK_TEST(bench_heap, fresh_memory_is_written_page_by_page) {
    MXK_CHECK(run("first-touch", Words{"--mib", "1", "--iterations", "2", "--repeat", "1"}) == console::Outcome::Ok);
}

MXK_TEST(bench_heap, one_with_one_lock_gives_everything_back) {
    auto const used = [] {
        std::size_t sum = 0;
        for (std::size_t node = 0; node < memory::node_count(); ++node) sum += memory::use(node_id(node)).used;
        return sum;
    };
    Words const words{"--heap=locked", "--part=release", "--mib=1", "--repeat", "1", "--cores=1"};
    MXK_CHECK(run("footprint", words) == console::Outcome::Ok); // pools of tasks have what they need from now on
    std::size_t const before = used();
    MXK_CHECK(run("footprint", words) == console::Outcome::Ok);
    MXK_CHECK_EQUAL(used(), before);
}

MXK_TEST(bench_heap, a_place_given_twice_is_found_out) {
    MXK_CHECK(run("micro", Words{"--heap=gives-twice", "--pattern=lifo", "--ops=50", "--cores=1", "--size=64",
                                 "--repeat=1"}) == console::Outcome::Failed);
    MXK_CHECK(run("micro", Words{"--heap=gives-twice", "--pattern=random,sawtooth", "--ops=50", "--cores=1",
                                 "--size=64", "--repeat=1"}) == console::Outcome::Failed);
    MXK_CHECK(run("remote", Words{"--heap=gives-twice", "--pattern=pairs", "--ops=50", "--cores=1", "--size=64",
                                  "--repeat=1"}) == console::Outcome::Failed);
    MXK_CHECK(run("larson", Words{"--heap=gives-twice", "--objects=50", "--rounds=2", "--replacements=50", "--cores=1",
                                  "--repeat=1"}) == console::Outcome::Failed);
    MXK_CHECK(run("footprint", Words{"--heap=gives-twice", "--part=release", "--mib=1", "--cores=1", "--repeat=1",
                                     "--seed=2"}) == console::Outcome::Failed);
}

MXK_TEST(bench_heap, every_object_is_freed_in_the_end) {
    if (takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    std::string_view const operations = as_fast_as_it_is("--ops=40", "--ops=200", "--ops=2000");
    std::string_view const replacements =
        as_fast_as_it_is("--replacements=40", "--replacements=100", "--replacements=1000");
    struct Case {
        std::string_view name;
        Words words;
    };
    for (auto const& [name, words] : {
             Case{"micro", {"--heap=counted", "--size=16,5000", "--live=16", operations, "--repeat=1", "--seed=2"}},
             Case{"remote", {"--heap=counted", "--size=8,20000", operations, "--repeat", "1", "--seed=2"}},
             Case{"larson", {"--heap=counted", "--objects=50", "--rounds=4", replacements, "--repeat=1", "--seed=2"}},
             Case{"cache-thrash", {"--heap=counted", "--ops=20", "--writes=30", "--size=8", "--repeat=1", "--seed=2"}},
             Case{"cache-scratch", {"--heap=counted", "--ops=20", "--writes=30", "--size=8", "--repeat=1", "--seed=2"}},
             Case{"footprint", {"--heap=counted", "--mib=1", "--rounds=20", "--large=3", "--repeat=1", "--seed=2"}},
             Case{"first-touch", {"--heap=counted", "--mib=1", "--iterations", "2", "--repeat", "1"}},
         }) {
        std::size_t const objects = CountedHeap::objects.load(std::memory_order_relaxed);
        std::size_t const bytes = CountedHeap::bytes.load(std::memory_order_relaxed);
        std::size_t const freed = CountedHeap::freed.load(std::memory_order_relaxed);
        MXK_CHECK(run(name, words) == console::Outcome::Ok);
        MXK_CHECK(CountedHeap::freed.load(std::memory_order_relaxed) > freed);
        MXK_CHECK_EQUAL(CountedHeap::objects.load(std::memory_order_relaxed), objects);
        MXK_CHECK_EQUAL(CountedHeap::bytes.load(std::memory_order_relaxed), bytes);
    }
}

MXK_TEST(bench_heap, names_are_allocators_that_there_are) {
    HeapNames names;
    MXK_CHECK(parse_value("locked,mxk", names).ok());
    MXK_CHECK_EQUAL(names.kinds().size(), 2);
    MXK_CHECK_EQUAL(names.kinds()[0]->name, "locked");
    auto const unknown = parse_value("lockd", names);
    MXK_CHECK(!unknown.ok());
    if (!unknown) MXK_CHECK(unknown.error().message().find("'lockd'; did you mean locked") != std::string_view::npos);
    MXK_CHECK(parse_value("all", names).ok());
    for (auto const* const kind : names.kinds()) MXK_CHECK(!kind->is_of_a_test);
}

// A trace of some cores that free what others have allocated; some objects are left.
class TraceText {
  public:
    void make(std::size_t cores, std::size_t events) {
        text_.clear();
        format(text_, "mxk-heap-trace 1\n# made for a test\n");
        Random random(5);
        std::array<std::uint64_t, 32> bytes{}; // of objects, by number; 0: not live
        for (std::size_t i = 0; i < events; ++i) {
            std::size_t const object = random.below(bytes.size());
            std::uint64_t const core = random.below(cores);
            bool const is_free = bytes[object] != 0;
            if (!is_free) bytes[object] = 8 + random.below(5000);
            format(text_, "{} {} {} {}\n", core, is_free ? "f" : "a", object, bytes[object]);
            if (is_free) bytes[object] = 0;
        }
    }
    [[nodiscard]] std::string_view view() const { return text_.view(); }

  private:
    FixedText<16'384> text_;
};
constinit TraceText trace_text;

Result<Sample> replayed(HeapTrace const& trace, std::string_view heap, std::span<CoreId const> cores) {
    FixedText<1> nowhere;
    console::Invocation const invocation(nowhere);
    Progress progress(invocation);
    ResidentWatch resident(false);
    Sample sample;
    MXK_TRY(replay_trace(trace, {.kind = *console::find_by_name(registered_heap_kinds(), heap),
                                 .cores = cores,
                                 .point = {},
                                 .samples = {&sample, 1},
                                 .progress = progress,
                                 .resident = resident}));
    return sample;
}

MXK_TEST(bench_heap, a_trace_is_replayed_on_fewer_cores_and_on_more) {
    auto const all = all_cores();
    std::size_t const events = is_slow() ? 100 : 600;
    std::size_t const live = CountedHeap::objects.load(std::memory_order_relaxed);
    for (std::size_t const of_trace : {std::size_t{1}, std::size_t{3}, std::min<std::size_t>(all.size(), 8)}) {
        trace_text.make(of_trace, events);
        auto const trace = HeapTrace::parse(trace_text.view(), Worker::current().node());
        MXK_CHECK(trace.ok());
        if (!trace) return;
        MXK_CHECK_EQUAL(trace.value().events().size(), events);
        MXK_CHECK(trace.value().cores() <= of_trace);
        for (std::size_t const cores : {std::size_t{1}, std::min<std::size_t>(all.size(), 4)}) {
            for (std::string_view const heap : {"mxk", "locked", "counted"}) {
                auto const sample = replayed(trace.value(), heap, all.span().first(cores));
                MXK_CHECK(sample.ok());
                if (!sample) continue;
                MXK_CHECK(sample.value().verified);
                MXK_CHECK_EQUAL(sample.value().operations, events);
                MXK_CHECK_EQUAL(CountedHeap::objects.load(std::memory_order_relaxed), live);
            }
        }
    }
    // Whichever of the first two shares its place with the other one, or with the third.
    auto const three =
        HeapTrace::parse("mxk-heap-trace 1\n0 a 1 8\n0 a 2 8\n0 a 3 8\n0 f 1 8\n", Worker::current().node());
    MXK_CHECK(three.ok());
    if (!three) return;
    MXK_CHECK_EQUAL(three.value().max_live_bytes(), 24);
    auto const sample = replayed(three.value(), "gives-twice", all.span().first(1));
    MXK_CHECK(sample.ok());
    if (sample) MXK_CHECK(!sample.value().verified);
}

MXK_TEST(bench_heap, what_is_wrong_in_a_trace_is_said) {
    struct Wrong {
        std::string_view text;
        std::string_view message;
    };
    for (auto const& [text, message] : {
             Wrong{"0 a 1 8\n", "line 1: expected 'mxk-heap-trace 1', got '0 a 1 8'"},
             Wrong{"mxk-heap-trace 1\n\n# nothing\n", "line 4: expected an allocation, got the end"},
             Wrong{"mxk-heap-trace 1\nx a 1 8\n",
                   "line 2: expected a core from 0 to 65535, decimal or 0x and hexadecimal, got 'x'"},
             Wrong{"mxk-heap-trace 1\n0 m 1 8\n", "line 2: expected a (allocates) or f (frees), got 'm'"},
             Wrong{"mxk-heap-trace 1\n0 a 1 7\n", "line 2: expected the object's bytes from 8 to 1073741824, decimal "
                                                  "or 0x and hexadecimal, got '7'"},
             Wrong{"mxk-heap-trace 1\n0 a 1 8 8\n", "line 2: expected the end of the line behind the bytes, got '8'"},
             Wrong{"mxk-heap-trace 1\n0 f 1 8\n", "line 2: expected object 1 to be allocated before it is freed"},
             Wrong{"mxk-heap-trace 1\n0 a 1 8\n\n1 a 0x1 8\n",
                   "line 4: expected object 1 to be freed before it is allocated again"},
             Wrong{"mxk-heap-trace 1\n0 a 1 8\n1 f 1 16\n",
                   "line 3: expected the 8 bytes that object 1 was allocated with, got 16"},
         }) {
        auto const trace = HeapTrace::parse(text, Worker::current().node());
        MXK_CHECK(!trace.ok());
        if (!trace) MXK_CHECK_EQUAL(trace.error().message(), message);
    }
}

} // namespace
} // namespace mxk::bench
