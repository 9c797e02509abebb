// `bench memory-random-peer`: random lines by a plain loop, without anything of MXK but the frame around it, for
// comparison with `bench memory --part random`: the same mixes, sets of cores, sizes, numbers and fields.
#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <bit>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include <immintrin.h>

#include "bench/frame/grid.hpp"
#include "bench/frame/measured_part.hpp"
#include "bench/machine/memory_options.hpp"
#include "bench/machine/random_lines.hpp"
#include "peers/pinned_thread.hpp"
#include "peers/plain_memory.hpp"

namespace mxk::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct alignas(64) PlainLine {
    std::uint64_t number;
    std::uint64_t additions;
    std::array<std::uint64_t, 6> rest;
};

// What one thread visits, and is the first to touch.
class PlainLines {
  public:
    // Throws std::bad_alloc.
    explicit PlainLines(std::size_t lines)
        : lines_(lines)
        , memory_(lines * sizeof(PlainLine)) {}

    void write() {
        for (std::size_t i = 0; i < lines_; ++i) line_[i] = {i, 0, {}};
    }
    // Gives the sum of the numbers read, of which each comes once in a lap. Each line of number `adds` is added to.
    // `ahead`: a power of two up to max_ahead, 1 without hints.
    template <unsigned adds, int locality> std::uint64_t visit(std::size_t count, std::size_t ahead) {
        std::array<PlainLine*, max_ahead> asked;
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < ahead; ++i) asked[i] = ask<adds, locality>(i);
        for (std::size_t i = 0; i < count; ++i) {
            PlainLine& line = *asked[i & (ahead - 1)];
            asked[i & (ahead - 1)] = ask<adds, locality>(i + ahead);
            sum += line.number;
            if (adds != 0 && i % (adds == 0 ? 1 : adds) == 0) ++line.additions;
        }
        return sum;
    }
    std::uint64_t stream(std::size_t count) {
        Order const order = order_; // what is stored may be any memory: this one is the loop's own
        PlainLine* const lines = line_;
        for (std::size_t i = 0; i < count; ++i) {
            std::uint64_t const number = order.at(i);
            auto* const place = reinterpret_cast<__m128i*>(&lines[number]);
            _mm_stream_si128(place, _mm_set_epi64x(1, static_cast<long long>(number)));
            for (int part = 1; part < 4; ++part) _mm_stream_si128(place + part, _mm_set1_epi64x(1));
        }
        _mm_sfence();
        return 0;
    }
    [[nodiscard]] std::uint64_t additions() const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < lines_; ++i) sum += line_[i].number == i ? line_[i].additions : lines_;
        return sum;
    }

    static constexpr std::size_t max_ahead = 128;

  private:
    // A permutation of the lines: by odd multipliers, and the upper half onto the lower one between.
    struct Order {
        explicit Order(std::size_t lines)
            : mask(lines - 1)
            , half(static_cast<unsigned>(std::bit_width(mask)) / 2 + 1) {}
        [[nodiscard]] std::uint64_t at(std::uint64_t i) const {
            std::uint64_t number = (i * 0x9e3779b97f4a7c15U) & mask;
            number = ((number ^ (number >> half)) * 0xbf58476d1ce4e5b9U) & mask;
            return number ^ (number >> half);
        }
        std::uint64_t mask;
        unsigned half;
    };

    template <unsigned adds, int locality> PlainLine* ask(std::uint64_t i) {
        PlainLine* const line = &line_[order_.at(i)];
        if (locality >= 0) __builtin_prefetch(line, adds == 1, locality < 0 ? 0 : locality);
        return line;
    }
    std::size_t lines_;
    Order order_{lines_};
    PlainMemory memory_;
    PlainLine* line_ = memory_.start_as<PlainLine>();
};

// A way to ask for lines ahead: as __builtin_prefetch() takes it; below 0: not at all.
struct PlainAhead {
    int locality;
    std::size_t distance;
};
constexpr std::array<PlainAhead, 12> ways{
    {{-1, 1}, {3, 8}, {3, 16}, {3, 32}, {3, 64}, {1, 16}, {1, 32}, {1, 64}, {1, 128}, {0, 16}, {0, 32}, {0, 64}}};

template <unsigned adds> std::uint64_t visit_by(PlainLines& lines, std::size_t count, PlainAhead way) {
    if (way.locality < 0) return lines.visit<adds, -1>(count, 1);
    if (way.locality == 0) return lines.visit<adds, 0>(count, way.distance);
    if (way.locality == 1) return lines.visit<adds, 1>(count, way.distance);
    return lines.visit<adds, 3>(count, way.distance);
}

std::uint64_t visit_as(PlainLines& lines, LineMix mix, std::size_t count, PlainAhead way) {
    switch (mix) {
    case LineMix::Read: return visit_by<0>(lines, count, way);
    case LineMix::ThreeToOne: return visit_by<3>(lines, count, way);
    case LineMix::TwoToOne: return visit_by<2>(lines, count, way);
    case LineMix::OneToOne: return visit_by<1>(lines, count, way);
    case LineMix::Streamed: break;
    }
    return lines.stream(count);
}

constexpr std::uint64_t added(LineMix mix, std::uint64_t count) {
    switch (mix) {
    case LineMix::Read: return 0;
    case LineMix::ThreeToOne: return (count + 2) / 3;
    case LineMix::TwoToOne: return (count + 1) / 2;
    case LineMix::OneToOne:
    case LineMix::Streamed: break;
    }
    return count;
}

struct RandomPeerOptions : CoreSetOptions {
    RandomPeerOptions()
        : CoreSetOptions{{.repeat = 5, .warm_up = 0}, {}} {}

    std::uint64_t set = GiB;
    std::uint64_t loads = 1'000'000;
};
constexpr auto random_peer_schema = console::schema<RandomPeerOptions>(
    core_set_option::cores,
    console::option<&RandomPeerOptions::set>("set", "bytes, of all cores together",
                                             console::between(WorkingSets::smallest, std::uint64_t{1} << 40)),
    console::option<&RandomPeerOptions::loads>("loads", "no fewer are timed in a run, by each core",
                                               console::between(1, 1'000'000'000)),
    run_option::all);

class RandomPeer final : public GridExperiment {
  public:
    using Options = RandomPeerOptions;
    static constexpr std::string_view name = "memory-random-peer";

    explicit RandomPeer(Options const& options)
        : options_(options) {}
    Result<void> set_up() override {
        add(Axis::chosen("mix", 9, mixes_));
        MXK_TRY(add_cores(options_.cores));
        best_.resize(configurations());
        return {};
    }
    [[nodiscard]] Unit unit() const override { return Unit::BytesPerSecond; }
    [[nodiscard]] bool has_speed_up() const override { return false; }
    Result<void> run_at(Point const& point, std::span<Sample> samples, Progress& progress) override {
        MXK_TRY(progress.check());
        try {
            samples[0] = measure(point);
        } catch (std::exception const& thrown) {
            return Error(thrown.what());
        }
        return progress.check();
    }
    [[nodiscard]] std::string_view failure() const override { return "lines did not have what was written to them"; }
    void print_head(TextSink& out) const override {
        format(out, "memory-random-peer: random lines by a plain loop over memory of its own; {} runs per row\n",
               options_.repeat.text().view());
    }
    void write_details(JsonWriter& json, Row const& row) const override {
        PlainAhead const way = ways[best_[row.configuration].value_or(0)];
        json.field("locality", way.locality);
        json.field("distance", way.distance);
    }

  private:
    // All threads at once, each its own lines; first by each way, where the best one is not known yet.
    Sample measure(Point const& point);
    void write_options(JsonWriter& json, Point const& /*point*/) const override {
        json.field("peer", "plain-loop");
        json.field("library", "none");
        json.field("measure", "random");
        json.field("bytes", options_.set);
    }

    Options const& options_;
    NameSet<LineMix> mixes_ = or_all(NameSet<LineMix>{});
    std::vector<std::optional<std::size_t>> best_; // way, by configuration
};

Sample RandomPeer::measure(Point const& point) {
    struct Span {
        Clock::time_point start;
        Clock::time_point end;
    };
    auto const cores = this->cores(point);
    LineMix const mix = chosen_at(mixes_, point[0]);
    std::size_t const lines = std::bit_floor(options_.set / cores.size() / sizeof(PlainLine));
    if (lines == 0) throw std::invalid_argument("--set: expected a line for each core");
    std::size_t const laps = (options_.loads + lines - 1) / lines;
    std::size_t const tried = best_[configuration_of(point)] || mix == LineMix::Streamed ? 0 : ways.size();
    std::size_t chosen = best_[configuration_of(point)].value_or(0);
    double time = 0; // seconds, of the last run
    double min = std::numeric_limits<double>::max();
    std::atomic<bool> verified{true};
    std::vector<Span> spans(cores.size());
    // What the last thread to come does: how long that took, and which way is the best so far.
    std::size_t step = 0;
    auto const judge = [&]() noexcept {
        if (step++ % 2 == 0) return;
        auto const start = std::ranges::min(spans, {}, &Span::start).start;
        auto const end = std::ranges::max(spans, {}, &Span::end).end;
        time = std::chrono::duration<double>(end - start).count();
        std::size_t const way = step / 2 - 1;
        if (way >= tried || time >= min) return;
        min = time;
        chosen = way;
    };
    std::barrier together(static_cast<std::ptrdiff_t>(cores.size()), judge);
    std::deque<PlainLines> memories;
    for (std::size_t place = 0; place < cores.size(); ++place) memories.emplace_back(lines);
    auto const work = [&](std::size_t place) {
        PlainLines& own = memories[place];
        std::uint64_t sum = 0;
        own.write();
        for (std::size_t run = 0; run <= tried; ++run) {
            if (run > 0 && run == tried) own.write();
            together.arrive_and_wait();
            bool const is_trial = run < tried;
            measured_part_begins();
            spans[place].start = Clock::now();
            sum = visit_as(own, mix, is_trial ? std::min<std::size_t>(lines, options_.loads) : laps * lines,
                           ways[is_trial ? run : chosen]);
            spans[place].end = Clock::now();
            measured_part_ends();
            together.arrive_and_wait();
        }
        bool const is_streamed = mix == LineMix::Streamed;
        std::uint64_t const wanted = is_streamed ? 0 : laps * (lines * (lines - 1) / 2);
        if (sum != wanted || own.additions() != (is_streamed ? lines : added(mix, laps * lines))) verified = false;
    };
    {
        std::deque<PinnedThread> threads;
        for (std::size_t place = 0; place < cores.size(); ++place) try {
                threads.emplace_back(cores[place], [&, place] { work(place); });
            } catch (...) {
                for (; place < cores.size(); ++place) together.arrive_and_drop(); // those that are there must end
                throw;
            }
    }
    best_[configuration_of(point)] = chosen;
    std::uint64_t const visits = cores.size() * laps * lines;
    std::uint64_t const writes = mix == LineMix::Streamed ? 0 : cores.size() * added(mix, laps * lines);
    std::uint64_t const bytes = (visits + writes) * sizeof(PlainLine);
    Sample sample{.value = static_cast<double>(bytes) / time, .operations = bytes, .verified = verified};
    sample.findings.add("lines_per_second", static_cast<double>(visits) / time);
    return sample;
}

constexpr auto random_peer_benchmark = benchmark<RandomPeer, random_peer_schema>(
    {.summary = "bytes per second in random lines, by a plain loop over memory of its own",
     .notes = "Example: bench memory-random-peer --cores 4 --set 1Gi --json\n"});
MXK_REGISTER(mxk_commands, console::Command, random_peer_benchmark);

} // namespace
} // namespace mxk::bench
