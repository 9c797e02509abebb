// `topology --acpi`: what is shown of another machine from its dumped tables, what is warned about, and that nothing of
// it stays behind. The six real servers are those of topology_servers_test.cpp, here by way of the command.
#include <gtest/gtest.h>

#include <numeric>
#include <sstream>

#include "base/log.hpp"
#include "kernel/console/shell.hpp"
#include "kernel/topology/system_topology.hpp"
#include "kernel/topology/topology_preview.hpp"
#include "tests/unit/memory_fixture.hpp"
#include "tests/unit/server_dumps.hpp"
#include "tests/unit/topology_image.hpp"

namespace mxk::topology {
namespace {

using namespace acpi_test;
using Texts = std::vector<std::string>;

class StringSink final : public TextSink {
  public:
    void write(std::string_view more) override { text += more; }
    std::string text;
};

// What was shown, less the first line, which names the path.
class TopologyPreview : public test::MemoryTest {
  protected:
    void SetUp() override { configure({64 * MiB}); }

    std::string shown(std::string const& arguments, bool ok = true) {
        StringSink sink;
        console::Shell shell(sink);
        auto const outcome = shell.execute("topology " + arguments);
        EXPECT_EQ(outcome, ok ? console::Outcome::Ok : console::Outcome::Failed) << sink.text;
        return sink.text;
    }
    std::string preview_of(std::vector<Bytes> const& tables, std::string const& more = "") {
        TemporaryDirectory const directory;
        for (std::size_t i = 0; i < tables.size(); ++i) {
            std::string name;
            for (std::size_t k = 0; k < 4; ++k) name += static_cast<char>(tables[i].at(k));
            if (std::filesystem::exists(directory.path() / name)) name += std::to_string(i);
            directory.write(name, tables[i]);
        }
        std::string text = shown("--acpi '" + directory.path().string() + "' " + more);
        std::string const head = "preview of " + directory.path().string() + "\n";
        if (more.empty()) {
            EXPECT_TRUE(text.starts_with(head)) << text;
            text.erase(0, head.size());
        }
        return text;
    }
};

Texts warnings_in(std::string const& text) {
    Texts result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("WARN ")) result.push_back(line.substr(5));
    }
    return result;
}

TEST_F(TopologyPreview, two_nodes) {
    EXPECT_EQ(preview_of({compiled("two_nodes_madt"), compiled("two_nodes_srat"), compiled("two_nodes_slit")}),
              R"(assumed: the boot core is the first that the MADT enables, APIC id 0
assumed: memory fills the SRAT's ranges, hot-pluggable ones too; the loader's map would tell
cores 4 (listed by the firmware: 4), nodes 2, memory 3071.6 MiB
node 0: cores 2, memory 1023.6 MiB, proximity domain 0
  memory  0x0000000000000000-0x000000000009ffff          0.6 MiB
          0x0000000000100000-0x000000003fffffff       1023.0 MiB
  cores   0-1
  apic    0-1
node 1: cores 2, memory 2048.0 MiB, proximity domain 1
  memory  0x0000000040000000-0x000000007fffffff       1024.0 MiB
          0x0000000100000000-0x000000013fffffff       1024.0 MiB
  cores   2-3
  apic    2-3
levels: not known (packages, caches, SMT siblings)
distance from (row) to (column)
         0   1
     0  10  21
     1  31  10
WARN )" + one_sided_slit +
                  "\n");
}

TEST_F(TopologyPreview, memory_is_not_known_without_an_srat) {
    std::string const text = preview_of({compiled("two_nodes_madt")});
    EXPECT_EQ(text, R"(assumed: the boot core is the first that the MADT enables, APIC id 0
memory: not known from these tables, since no SRAT names any; the loader's map would tell
cores 4 (listed by the firmware: 4), nodes 1, memory not known
node 0: cores 4, memory not known, proximity domain 0
  memory  not known
  cores   0-3
  apic    0-3
levels: not known (packages, caches, SMT siblings)
)");
    std::string const json = preview_of({compiled("two_nodes_madt")}, "--json");
    EXPECT_NE(json.find(R"("memory_known":false)"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("memory":[])"), std::string::npos) << json;
}

TEST_F(TopologyPreview, without_a_madt_there_is_one_core) {
    std::string const text = preview_of({compiled("two_nodes_srat"), compiled("two_nodes_slit")});
    EXPECT_TRUE(text.starts_with("assumed: the boot core is the only one, APIC id 0\n")) << text;
    EXPECT_NE(text.find("cores 1 (listed by the firmware: 1), nodes 2"), std::string::npos) << text;
    EXPECT_EQ(
        warnings_in(text),
        (Texts{"ACPI: no MADT with an enabled processor: this core, APIC id 0, is the only one", one_sided_slit}));
}

TEST_F(TopologyPreview, the_boot_core_is_the_first_enabled_one) {
    std::string const text = preview_of({madt({local_apic(0, 4, 0), local_apic(1, 9), local_apic(2, 2)})});
    EXPECT_TRUE(text.starts_with("assumed: the boot core is the first that the MADT enables, APIC id 9\n")) << text;
    EXPECT_NE(text.find("cores 2 (listed by the firmware: 3)"), std::string::npos) << text;
}

TEST_F(TopologyPreview, of_several_madts_the_first_sound_one_counts) {
    Bytes broken = madt({local_apic(0, 0), local_apic(1, 1)});
    put(broken, 9, std::uint8_t{1});
    std::string const text = preview_of({broken, madt({local_apic(0, 5)}), madt({local_apic(0, 6)})});
    EXPECT_NE(text.find("  apic    5\n"), std::string::npos) << text;
    EXPECT_EQ(warnings_in(text), (Texts{"ACPI: table APIC in file APIC: wrong checksum; skipped",
                                        "ACPI: 2 tables APIC; the first one is taken"}));
}

TEST_F(TopologyPreview, broken_tables_are_as_if_they_were_not_there) {
    Bytes cut = compiled("two_nodes_srat");
    cut.resize(100);
    Bytes wild = compiled("two_nodes_slit");
    put(wild, 4, std::uint32_t{0xffff'ffff});
    std::string const text = preview_of({compiled("two_nodes_madt"), cut, wild});
    EXPECT_EQ(warnings_in(text), (Texts{"ACPI: table SLIT in file SLIT: impossible length 4294967295; skipped",
                                        "ACPI: table SRAT in file SRAT: its 312 bytes are not readable; skipped"}));
    EXPECT_NE(text.find("cores 4 (listed by the firmware: 4), nodes 1, memory not known"), std::string::npos) << text;
}

TEST_F(TopologyPreview, warnings_are_shown_once_and_are_not_this_machines) {
    LogCapture log;
    std::size_t const before = log::warning_count();
    Bytes const srat_of_one = srat({processor_affinity(3, 0)});
    std::string const text = preview_of({madt({local_apic(0, 0), local_apic(1, 1), local_apic(1, 1)}), srat_of_one});
    EXPECT_EQ(warnings_in(text), (Texts{"ACPI: MADT enables 1 processors more than once; each is taken once",
                                        "ACPI: SRAT does not name 1 of 2 cores; they go to node 0"}));
    EXPECT_EQ(log::warning_count(), before);
    EXPECT_EQ(log.warnings(), Texts{});
}

TEST_F(TopologyPreview, more_warnings_than_the_log_keeps_are_all_shown) {
    std::vector<Bytes> tables{compiled("two_nodes_madt")};
    for (std::size_t i = 0; i < log::kept_warnings + 10; ++i) {
        Bytes broken = compiled("two_nodes_slit");
        put(broken, 9, static_cast<std::uint8_t>(std::to_integer<unsigned>(broken[9]) + 1));
        tables.push_back(broken);
    }
    EXPECT_EQ(warnings_in(preview_of(tables)).size(), log::kept_warnings + 10);
    EXPECT_NE(preview_of(tables, "--json").find(R"("warning_count":42,"crc32":")"), std::string::npos);
}

TEST_F(TopologyPreview, json) {
    Bytes const machine = madt({local_apic(7, 4), local_apic(8, 6), local_apic(9, 8, 0)});
    Bytes const domains =
        srat({processor_affinity(1, 4), memory_affinity(1, 0x1000, GiB), memory_affinity(3, 4 * GiB, 8 * GiB)});
    Bytes const figures = hmat({locality_matrix(acpi::Measure::ReadLatency, {1}, {1, 3}, 1000, {80, 0xffff})});
    TemporaryDirectory const directory;
    directory.write("acpidump.txt", dump_text({machine, domains, figures}));
    auto const path = directory.path().string();
    std::string const text = shown("--json --acpi " + path);
    EXPECT_EQ(
        text.substr(0, text.find(R"(,"crc32":)")),
        R"({"topology":"preview","acpi":")" + path +
            R"(","listed_cores":3,"memory_known":true,"distances_known":false,"cores":[{"id":0,"apic_id":4,"node":0,"acpi_uid":7,"physical_core":null,"package":null,"caches":[]},)"
            R"({"id":1,"apic_id":6,"node":0,"acpi_uid":8,"physical_core":null,"package":null,"caches":[]}],"nodes":[{"id":0,"proximity_domain":1,)"
            R"("memory":[{"start":4096,"bytes":1073741824}],"cores":[0,1],"distances":[10,20],)"
            R"("read_latency_ps":[80000,"unreachable"],"write_latency_ps":[null,null],)"
            R"("read_bandwidth_mb_per_s":[null,null],"write_bandwidth_mb_per_s":[null,null]},)"
            R"({"id":1,"proximity_domain":3,"memory":[{"start":4294967296,"bytes":8589934592}],"cores":[],)"
            R"("distances":[20,10],"read_latency_ps":[null,null],"write_latency_ps":[null,null],)"
            R"("read_bandwidth_mb_per_s":[null,null],"write_bandwidth_mb_per_s":[null,null]}],)"
            R"("warnings":["ACPI: SRAT does not name 1 of 2 cores; they go to node 0",)"
            R"("ACPI: no SLIT; distances taken as 10 local, 20 remote"],"warning_count":2)");
}

TEST_F(TopologyPreview, json_of_the_machine_that_runs) {
    Machine const machine({}, 3, {{PhysicalAddress{0x1000}, MiB}});
    Topology const before = system_topology();
    set_system_topology(machine.topology);
    std::string const text = shown("--json");
    set_system_topology(before);
    EXPECT_TRUE(text.starts_with(R"({"topology":"this machine","cpu":")")) << text;
    EXPECT_NE(text.find(R"("mitigations":")"), std::string::npos) << text;
    EXPECT_NE(
        text.find(
            R"(","listed_cores":1,"memory_known":true,"distances_known":true,"cores":[{"id":0,"apic_id":3,"node":0,"acpi_uid":null,"physical_core":null,"package":null,"caches":[]}],)"
            R"("nodes":[{"id":0,"proximity_domain":0,"memory":[{"start":4096,"bytes":1048576}],"cores":[0],"distances":[10]}],)"
            R"("warnings":[)"),
        std::string::npos)
        << text;
}

TEST_F(TopologyPreview, errors_fail_the_command) {
    TemporaryDirectory const directory;
    auto const path = directory.path().string();
    EXPECT_EQ(shown("--acpi", false), "error: --acpi needs a value: --acpi PATH\n");
    EXPECT_EQ(shown("--acpi ''", false), "error: --acpi: expected the path of a directory or a file, got ''\n");
    EXPECT_EQ(shown("everything", false), "error: unexpected argument 'everything'\n");
    EXPECT_TRUE(shown("--acpi " + path, false).starts_with("error: no ACPI tables: expected files such as APIC"));
    EXPECT_TRUE(shown("--json --acpi " + path + "/x", false).starts_with("error: cannot look at it: No such file"));
}

TEST_F(TopologyPreview, gives_all_memory_back) {
    std::vector<Bytes> processors(5000);
    for (std::uint32_t i = 0; i < processors.size(); ++i) processors[i] = local_x2apic(i, i);
    std::vector<Bytes> const tables{madt(processors)};
    std::size_t const before = used_bytes();
    for (int i = 0; i < 20; ++i) preview_of(tables);
    EXPECT_EQ(used_bytes(), before);
}

TEST_F(TopologyPreview, a_dump_larger_than_the_memory_is_an_error) {
    TemporaryDirectory const directory;
    directory.write("APIC", "x");
    std::filesystem::resize_file(directory.path() / "APIC", acpi::max_table_bytes); // sparse
    EXPECT_TRUE(shown("--acpi " + directory.path().string(), false).starts_with("error: out of memory"));
    EXPECT_EQ(used_bytes(), 0U);
}

struct Server {
    std::string name; // how its directory begins
    std::size_t cores;
    std::size_t listed;
    std::size_t nodes;
    Texts warnings;
};

class TopologyPreviewOfServer : public TopologyPreview, public testing::WithParamInterface<Server> {};

TEST_P(TopologyPreviewOfServer, is_as_known) {
    MXK_SKIP_WITHOUT_SERVER_DUMPS();
    Server const& server = GetParam();
    std::filesystem::path const directory = server_dump(server.name);
    ASSERT_FALSE(directory.empty()) << server.name;
    std::string const text = shown("--acpi '" + directory.string() + "'");
    std::ostringstream counts;
    counts << "\ncores " << server.cores << " (listed by the firmware: " << server.listed << "), nodes " << server.nodes
           << ", memory ";
    EXPECT_NE(text.find(counts.str()), std::string::npos) << text;
    EXPECT_EQ(warnings_in(text), server.warnings);

    // The same from the text that acpidump would have written there.
    std::vector<Bytes> tables;
    for (char const* const name : {"APIC", "SLIT", "SRAT"}) {
        if (std::filesystem::exists(directory / name)) tables.push_back(content_of(directory / name));
    }
    TemporaryDirectory const copy;
    copy.write("dump", dump_text(tables));
    std::string const again = shown("--acpi " + (copy.path() / "dump").string());
    EXPECT_EQ(again.substr(again.find('\n')), text.substr(text.find('\n')));
}

Texts const no_slit{"ACPI: no SLIT; distances taken as 10 local, 20 remote"};

INSTANTIATE_TEST_SUITE_P(
    Dumps, TopologyPreviewOfServer,
    testing::Values(Server{"Server-Dell-PowerEdge-PowerEdge-R820", 80, 96, 4, {}},
                    Server{"Server-Hewlett-Packard-ProLiant-ProLiant-DL360-G7", 16, 32, 2, no_slit},
                    Server{"Server-Hewlett-Packard-ProLiant-ProLiant-DL380e-Gen8", 8, 64, 2, no_slit},
                    Server{"Server-Supermicro-X8-X8DTT", 16, 24, 2, {}},
                    Server{"Server-Supermicro-H8-H8DGU", 24, 32, 4, {}},
                    Server{"Server-Quanta-QuantaMicro-QuantaMicro-X10E-9N", 8, 8, 1, {}}),
    server_test_name);

} // namespace
} // namespace mxk::topology
