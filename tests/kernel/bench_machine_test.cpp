// The benchmarks of the machine on real cores, small: each row is verified, and each cell of a matrix has a row.
#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "arch/machine.hpp"
#include "bench/machine/random_lines.hpp"
#include "kernel/console/command.hpp"
#include "kernel/memory/memory.hpp"
#include "kernel/memory/node_array.hpp"
#include "kernel/testing.hpp"
#include "kernel/topology/system_topology.hpp"
#include "tasks/worker.hpp"

namespace mxk::bench {
namespace {

// What a command says is only searched through: counts lines that contain a text. A line that is longer than there is
// room for, as JSON is with all warnings, is cut.
class LineCounter final : public TextSink {
  public:
    void write(std::string_view text) override {
        for (char const character : text) {
            if (character == '\n')
                end_line();
            else
                line_.append({&character, 1});
        }
    }

    [[nodiscard]] std::size_t verified() const { return verified_; }
    [[nodiscard]] std::size_t wrong() const { return wrong_; }

  private:
    void end_line() {
        bool const is_row = line_.view().starts_with("{\"benchmark\":");
        auto const has = [&](std::string_view text) { return line_.view().find(text) != std::string_view::npos; };
        if (is_row) ++(has("\"verified\":true") ? verified_ : wrong_);
        line_.clear();
    }

    FixedText<1500> line_;
    std::size_t verified_ = 0; // rows
    std::size_t wrong_ = 0;    // the others
};

// Runs `bench NAME` with these words; gives the number of rows, all of which must be verified.
template <std::size_t count> std::size_t rows_of(std::string_view name, std::array<std::string_view, count> arguments) {
    LineCounter said;
    for (console::Command const* const command : console::registered_commands()) {
        if (command->parent != "bench" || command->name != name) continue;
        console::Invocation invocation(said);
        invocation.arguments = arguments;
        MXK_CHECK(command->run(invocation) == console::Outcome::Ok);
    }
    MXK_CHECK_EQUAL(said.wrong(), 0);
    return said.verified();
}

// Nodes with cores, and nodes with memory.
std::size_t node_pairs() {
    std::size_t with_cores = 0;
    std::size_t with_memory = 0;
    for (topology::Node const& node : system_topology().nodes) {
        if (!node.cores.empty()) ++with_cores;
        if (memory::use(node.id).total != 0) ++with_memory;
    }
    return with_cores * with_memory;
}

std::size_t used_memory() {
    std::size_t sum = 0;
    for (std::size_t node = 0; node < memory::node_count(); ++node) sum += memory::use(node_id(node)).used;
    return sum;
}

// All cores of a node work at once, and wait for each other.
bool bandwidth_takes_minutes() {
    constexpr std::size_t quick = 32;
    return arch::describe_machine().is_emulated() && system_topology().cores.size() > quick;
}

MXK_TEST(bench_machine, memory_latency_has_a_row_for_each_set) {
    constexpr std::array<std::string_view, 8> words{"--part",  "latency", "--max",      "64Ki",
                                                    "--loads", "100",     "--repeat=2", "--json"};
    MXK_CHECK_EQUAL(rows_of("memory", words), 9);
}

MXK_TEST(bench_machine, memory_matrices_have_a_row_for_each_pair_of_nodes) {
    if (bandwidth_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    constexpr std::array<std::string_view, 8> words{"--part",  "matrix", "--set",      "64Ki",
                                                    "--loads", "100",    "--repeat=2", "--json"};
    std::size_t const before = used_memory();
    MXK_CHECK_EQUAL(rows_of("memory", words), 5 * node_pairs()); // latency, and four transfers
    MXK_CHECK_EQUAL(used_memory(), before);
}

MXK_TEST(bench_machine, loaded_latency_has_a_row_for_each_load) {
    if (bandwidth_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    constexpr std::array<std::string_view, 8> words{"--part",  "loaded", "--set",      "64Ki",
                                                    "--loads", "5000",   "--repeat=2", "--json"};
    auto const cores = system_topology().nodes[index(system_topology().cores[0].node)].cores;
    MXK_CHECK_EQUAL(rows_of("memory", words), cores.size() < 2 ? 1 : 6);
}

MXK_TEST(bench_machine, overlapping_loads_have_a_row_for_each_number_of_chains_and_each_distance) {
    constexpr std::array<std::string_view, 8> words{"--part",  "overlap", "--set",      "64Ki",
                                                    "--loads", "100",     "--repeat=2", "--json"};
    std::size_t const before = used_memory();
    MXK_CHECK_EQUAL(rows_of("memory", words), 6 + 8);
    MXK_CHECK_EQUAL(used_memory(), before);
}

MXK_TEST(bench_machine, random_lines_have_a_row_for_each_mix) {
    constexpr std::array<std::string_view, 10> words{"--part", "random",  "--set",   "64Ki",       "--loads",
                                                     "500",    "--cores", "up-to:2", "--repeat=2", "--json"};
    std::size_t const before = used_memory();
    MXK_CHECK_EQUAL(rows_of("memory", words), value_names(LineMix{}).size());
    MXK_CHECK_EQUAL(used_memory(), before);
}

MXK_TEST(bench_machine, curves_have_a_row_for_each_mix_and_load) {
    if (bandwidth_takes_minutes()) MXK_SKIP("takes minutes on so many emulated cores");
    constexpr std::array<std::string_view, 8> words{"--part",  "curves", "--set",      "64Ki",
                                                    "--loads", "2000",   "--repeat=1", "--json"};
    auto const cores = system_topology().nodes[index(system_topology().cores[0].node)].cores;
    MXK_CHECK_EQUAL(rows_of("memory", words), cores.size() < 2 ? 1 : 6 * value_names(LineMix{}).size());
}

// A load that writes has another content to look for in each lap, and one that reads the same.
MXK_TEST(bench_machine, what_a_load_of_the_memory_reads_and_writes_is_looked_at) {
    struct alignas(cache_line_bytes) Line {
        std::array<std::uint64_t, 8> words;
    };
    constexpr std::size_t lines = 3 * 256 + 16; // pieces of 16 KiB, the last one shorter
    auto memory = NodeArray<Line>::create(lines, Worker::current().node());
    MXK_CHECK(memory.ok());
    if (!memory.ok()) return;
    Words const words{memory.value()[0].words.data(), lines * 8};
    for (auto const& [mix, its_name] : value_names(LineMix{})) {
        for (std::size_t const pieces : {1U, 2U, 3U, 4U, 6U, 9U}) {
            write_words(words, 7);
            MemoryLoad load(words, 7, 1, mix);
            for (std::size_t i = 0; i < pieces; ++i) load.do_piece();
            MXK_CHECK(load.verified());
            MXK_CHECK(load.bytes_per_second() > 0);
            words[2 * 2048 + 5] ^= 1; // in the third piece
            load.do_piece();
            bool const is_written_over = mix != LineMix::Read && mix != LineMix::TwoToOne && pieces % 4 == 2;
            bool const is_looked_at = mix == LineMix::Read || mix == LineMix::TwoToOne ? pieces % 4 == 2 : true;
            MXK_CHECK_EQUAL(load.verified(), is_written_over || !is_looked_at);
        }
    }
}

MXK_TEST(bench_machine, noise_has_a_row_for_each_core) {
    constexpr std::array<std::string_view, 4> words{"--seconds", "1", "--repeat=1", "--json"};
    MXK_CHECK_EQUAL(rows_of("noise", words), system_topology().cores.size());
}

// In any number of lines, also beyond a lap and between two.
MXK_TEST(bench_machine, random_lines_come_once_in_a_lap_or_are_found_out) {
    struct alignas(cache_line_bytes) Line {
        std::array<std::uint64_t, 8> words;
    };
    std::array<Line, 64> memory{};
    for (auto const& [mix, its_name] : value_names(LineMix{})) {
        for (std::size_t const size : {1U, 2U, 64U}) {
            RandomLines lines({memory[0].words.data(), size * 8});
            lines.prepare();
            for (std::size_t const count : {1U, 2U, 61U, 65U}) {
                lines.visit(mix, {LineHint::Nta, 5}, count);
                MXK_CHECK(lines.verified());
            }
            MXK_CHECK(lines.visits() >= 129 && lines.visits() <= 129 + 4 * 2);
            memory[size / 2].words[1] ^= 2;
            MXK_CHECK(!lines.verified()); // was written to by another
            lines.prepare();
            memory[size / 2].words[0] ^= 2;
            lines.visit(mix, {}, size);
            MXK_CHECK(mix == LineMix::Streamed || !lines.verified()); // what is streamed is not read
        }
    }
    // Each once: all have been streamed after as many visits as there are lines, and not after one less.
    RandomLines lines({memory[0].words.data(), 64 * 8});
    lines.prepare();
    lines.visit(LineMix::Streamed, {}, 63);
    auto const is_streamed = [](Line const& line) { return line.words[1] == 1; };
    MXK_CHECK_EQUAL(std::ranges::count_if(memory, is_streamed), 63);
    lines.visit(LineMix::Streamed, {}, 1);
    MXK_CHECK_EQUAL(std::ranges::count_if(memory, is_streamed), 64);
}

// The first few cores: with 255 emulated ones all pairs would take minutes.
MXK_TEST(bench_machine, lines_have_a_row_for_each_pair_of_cores) {
    constexpr std::array<std::string_view, 3> counts{"1", "2", "3"};
    std::size_t const cores = std::min(system_topology().cores.size(), counts.size());
    std::array<std::string_view, 8> const words{"--cores", counts[cores - 1], "--trips", "50", "--passes",
                                                "2",       "--repeat=1",      "--json"};
    MXK_CHECK_EQUAL(rows_of("lines", words), cores + 3 * cores * (cores - 1));
}

MXK_TEST(bench_machine, lines_that_other_cores_have_are_read_wherever_they_lie) {
    if (system_topology().cores.size() < 3) MXK_SKIP("needs three cores");
    constexpr std::array<std::string_view, 10> words{
        "--cores",  "3",   "--passes", "2", "--repeat=1", "--measure", "read-modified,read-exclusive,read-shared",
        "--memory", "own", "--json"};
    MXK_CHECK_EQUAL(rows_of("lines", words), 3 * 6);
}

MXK_TEST(bench_machine, pages_of_4_KiB_can_be_measured_everywhere) {
    constexpr std::array<std::string_view, 6> words{"--max", "64Ki", "--loads", "100", "--repeat=2", "--json"};
    MXK_CHECK_EQUAL(rows_of("tlb", words), 8); // 1, 2, 3, 4, 6, 8, 12, 16 pages
    std::size_t const before = used_memory();  // with the page tables of small pages, which stay
    MXK_CHECK_EQUAL(rows_of("tlb", words), 8);
    MXK_CHECK_EQUAL(used_memory(), before);
}

} // namespace
} // namespace mxk::bench
