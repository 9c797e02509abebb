// Dumped tables: acpidump's text in all its versions, with every kind of bad line; directories as Linux, acpidump and
// acpixtract make them; paths that lead nowhere.
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <random>

#include "kernel/acpi/dump_files.hpp"
#include "kernel/acpi/dump_text.hpp"
#include "tests/unit/acpi_image.hpp"

namespace mxk::acpi_test {
namespace {

using Texts = std::vector<std::string>;

struct Dump {
    std::vector<Bytes> tables;
    Texts places;
    std::string error;
};

Dump as_dump(Result<std::span<acpi::TableImage const>> const& result) {
    Dump dump;
    if (!result) {
        dump.error = result.error().message();
        return dump;
    }
    for (acpi::TableImage const& image : result.value()) {
        dump.tables.emplace_back(image.bytes.begin(), image.bytes.end());
        dump.places.emplace_back(image.place);
    }
    return dump;
}

Dump parsed(std::string const& text) {
    TestArena arena;
    std::unique_ptr<char[]> const exact(new char[text.size()]); // for AddressSanitizer
    std::copy(text.begin(), text.end(), exact.get());
    return as_dump(acpi::parse_dump_text({exact.get(), text.size()}, acpi::topology_tables, arena.arena));
}

Dump read(std::filesystem::path const& path) {
    TestArena arena;
    return as_dump(acpi::read_dump(path.string(), arena.arena));
}

Bytes bytes_of(std::initializer_list<int> values) {
    Bytes result;
    for (int const value : values) result.push_back(static_cast<std::byte>(value));
    return result;
}

TEST(AcpiDumpText, gives_back_what_was_dumped) {
    Bytes const ignored = table("FACP", 1, {}, Bytes(100));
    std::vector<Bytes> const tables{compiled("two_nodes_madt"), compiled("two_nodes_srat"), compiled("two_nodes_slit"),
                                    compiled("two_nodes_hmat")};
    Dump const dump = parsed(dump_text({ignored, tables[0], ignored, tables[1], tables[2], tables[3], ignored}));
    EXPECT_EQ(dump.error, "");
    EXPECT_EQ(dump.tables, tables);
    EXPECT_EQ(dump.places[0], "from line 12");
}

TEST(AcpiDumpText, every_length_comes_back) {
    std::mt19937 random(3);
    for (std::size_t length = 4; length < 70; ++length) {
        Bytes bytes = bytes_of({'A', 'P', 'I', 'C'});
        // Characters that look like hexadecimal digits, too: the last column must not be read.
        while (bytes.size() < length) bytes.push_back(static_cast<std::byte>("0123 AF:@\xff"[random() % 10]));
        Dump const dump = parsed(dump_text({bytes, bytes}));
        EXPECT_EQ(dump.error, "");
        EXPECT_EQ(dump.tables, (std::vector<Bytes>{bytes, bytes}));
    }
}

TEST(AcpiDumpText, versions_of_acpidump_differ) {
    Bytes const expected = bytes_of({0x41, 0x50, 0xef});
    for (char const* const text : {
             "APIC @ 0x00000000BFFE0390\n    0000: 41 50 EF   AP.\n\n",
             "APIC @ 0xbffe0390\n  0000: 41 50 ef                                         AP.\n",
             "APIC @ 0xbffe0390\r\n  0000: 41 50 ef  AP.\r\n\r\n",
             "APIC @ BFFE0390 (3 bytes)\n0000: 41 50 ef\n",
             "\tAPIC @ 0XBFFE0390\n\t00000000:  41 50 ef",
             "host# acpidump\nDSDT @ 0x0\nwhat\n  0: xy\nAPIC @ 0x0\n\n  0000: 41 50\n\n  0002: ef\n\nhost#\n",
         }) {
        Dump const dump = parsed(text);
        EXPECT_EQ(dump.error, "") << text;
        EXPECT_EQ(dump.tables, std::vector<Bytes>{expected}) << text;
    }
}

TEST(AcpiDumpText, a_bad_line_is_named) {
    std::string const header = "\nAPIC @ 0x0\n";
    for (auto const& [lines, complaint] : {
             std::pair("  0000: 41 5x\n", "line 3: expected up to 16 bytes of two digits each, got '  0000: 41 5x'"),
             std::pair("  0000: 41 5\n", "line 3: expected up to 16 bytes of two digits each, got '  0000: 41 5'"),
             std::pair("  0000: 4150\n", "line 3: expected up to 16 bytes of two digits each, got '  0000: 4150'"),
             std::pair("  0000:\n", "line 3: expected up to 16 bytes of two digits each, got '  0000:'"),
             std::pair("  0010: 41\n", "line 3: expected the bytes from offset 0x0 on, got '  0010: 41'"),
             std::pair("  0000: 41\n  0002: 42\n", "line 4: expected the bytes from offset 0x1 on, got '  0002: 42'"),
             std::pair("  0000: 41\nwhat\x1b[2J\n",
                       "line 4: expected a table's header such as 'APIC @ 0xBFFE0390', or a "
                       "line of its bytes, got 'what?[2J'"),
             std::pair("  0000: 41\n\nSRAT @ here\n",
                       "line 5: expected a table's header such as 'APIC @ 0xBFFE0390', or "
                       "a line of its bytes, got 'SRAT @ here'"),
             std::pair("  0000 41\n", "line 3: expected a table's header such as 'APIC @ 0xBFFE0390', or a line of its "
                                      "bytes, got '  0000 41'"),
         }) {
        EXPECT_EQ(parsed(header + lines).error, complaint);
    }
    EXPECT_EQ(parsed("  0000: 41\n").error,
              "line 1: expected a table's header such as 'APIC @ 0xBFFE0390' first, got '  0000: 41'");
}

TEST(AcpiDumpText, what_is_no_dump_is_said_to_be_none) {
    std::string const no_dump =
        "expected the text of acpidump: it has a line such as 'APIC @ 0xBFFE0390' for each table";
    EXPECT_EQ(parsed("").error, no_dump);
    EXPECT_EQ(parsed("\n\nonce upon a time\n").error, no_dump);
    EXPECT_EQ(parsed(std::string("APIC\0\0", 6)).error,
              "expected the text of acpidump, got binary data (binary tables: name the directory they lie in)");
    EXPECT_EQ(parsed("DSDT @ 0x0\n  0000: 44\n").tables.size(), 0U); // a dump, but with nothing of use
}

TEST(AcpiDumpText, changed_at_random_it_is_never_read_past_its_end) {
    std::string const good =
        dump_text({compiled("two_nodes_slit"), table("FACP", 1, {}, Bytes(8)), compiled("two_nodes_slit")});
    std::mt19937 random(4);
    std::string const nasty("@ :\n\r\t0fx\0\xff", 11);
    for (unsigned i = 0; i < 20'000; ++i) {
        std::string text = good;
        for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
            text[random() % text.size()] = nasty[random() % nasty.size()];
        }
        if (random() % 2 == 0) text.resize(random() % text.size());
        Dump const dump = parsed(text);
        EXPECT_TRUE(dump.tables.empty() || dump.error.empty());
        EXPECT_LE(dump.tables.size(), 3U);
    }
}

// The tools that people use, if they are installed (Debian: acpica-tools, as iasl).
TEST(AcpiDumpText, acpidump_and_acpixtract_agree) {
    TemporaryDirectory const directory;
    std::vector<Bytes> const tables{compiled("two_nodes_madt"), compiled("two_nodes_srat"), compiled("two_nodes_slit")};
    directory.write("1", tables[0]);
    directory.write("2", tables[1]);
    directory.write("3", tables[2]);
    std::string const command =
        "cd '" + directory.path().string() +
        "' && acpidump -f 1 -f 2 -f 3 > acpidump.out 2>/dev/null && acpidump -f 1 > text 2>/dev/null"
        " && acpidump -f 2 >> text 2>/dev/null && acpidump -f 3 >> text 2>/dev/null"
        " && acpixtract -a text > log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << "is acpidump installed? Debian: acpica-tools";
    EXPECT_EQ(read(directory.path() / "text").tables, tables);
    Dump const extracted = read(directory.path());
    EXPECT_EQ(extracted.places, (Texts{"in file apic.dat", "in file slit.dat", "in file srat.dat"}));
    EXPECT_EQ(extracted.tables, (std::vector<Bytes>{tables[0], tables[2], tables[1]}));
}

TEST(AcpiDumpFiles, names_of_tables) {
    for (char const* const name :
         {"APIC", "SRAT", "SLIT", "HMAT", "APIC1", "srat12", "apic.dat", "Slit2.BIN", "hmat.aml"})
        EXPECT_TRUE(acpi::is_table_file(name)) << name;
    for (char const* const name :
         {"", "API", "FACP", "DSDT", "APIC.txt", "APICX", "xAPIC", "APIC.", "APIC1234567890", "MADT"})
        EXPECT_FALSE(acpi::is_table_file(name)) << name;
}

TEST(AcpiDumpFiles, a_directory_of_tables_in_the_order_of_their_numbers) {
    TemporaryDirectory const directory;
    Bytes const one = bytes_of({1});
    for (char const* const name : {"APIC10", "APIC2", "SRAT", "slit.dat", "APIC1", "DSDT", "FACP", "acpidump.txt"})
        directory.write(name, one);
    std::filesystem::create_directory(directory.path() / "HMAT");
    Dump const dump = read(directory.path());
    EXPECT_EQ(dump.error, "");
    EXPECT_EQ(dump.places,
              (Texts{"in file SRAT", "in file slit.dat", "in file APIC1", "in file APIC2", "in file APIC10"}));
}

TEST(AcpiDumpFiles, a_text_in_a_directory) {
    TemporaryDirectory const directory;
    directory.write("DSDT", "no matter");
    EXPECT_EQ(read(directory.path()).error.substr(0, 90),
              "no ACPI tables: expected files such as APIC and SRAT, or the text of acpidump; in '" +
                  directory.path().string().substr(0, 7));
    directory.write("notes.txt", dump_text({compiled("two_nodes_madt")}));
    EXPECT_EQ(read(directory.path()).places, Texts{"from line 1"});
    directory.write("more.txt", "x");
    EXPECT_TRUE(read(directory.path())
                    .error.starts_with(
                        "several texts and no table's file, such as 'more.txt' and 'notes.txt': name one; in '"));
    directory.write("acpidump.out", dump_text({compiled("two_nodes_madt"), compiled("two_nodes_slit")}));
    EXPECT_EQ(read(directory.path()).tables.size(), 2U);
    EXPECT_EQ(read(directory.path() / "notes.txt").tables.size(), 1U);
}

TEST(AcpiDumpFiles, what_cannot_be_read_is_named) {
    TemporaryDirectory const directory;
    auto const path = directory.path().string();
    EXPECT_EQ(read(path + "/none").error, "cannot look at it: No such file or directory: '" + path + "/none'");
    EXPECT_TRUE(read("/dev/zero").error.starts_with("expected a file or a directory, got something else"));
    directory.write("text", "APIC @ 0x0\n  0000: 4");
    EXPECT_EQ(read(path + "/text").error,
              "line 2: expected up to 16 bytes of two digits each, got '  0000: 4'; in '" + path + "/text'");
    directory.write("dsdt", "DSDT @ 0x0\n  0000: 44\n");
    EXPECT_EQ(read(path + "/dsdt").error, "none of the tables APIC, SRAT, SLIT, HMAT in '" + path + "/dsdt'");
    ASSERT_EQ(mkfifo((path + "/SRAT").c_str(), 0600), 0); // no regular file: neither read nor waited for
    EXPECT_TRUE(read(path).error.starts_with("no ACPI tables"));
    directory.write("APIC", "x");
    std::filesystem::resize_file(path + "/APIC", acpi::max_table_bytes + 1); // sparse
    EXPECT_EQ(read(path).error, "expected up to 64 MiB, got more: '" + path + "/APIC'");
}

TEST(AcpiDumpFiles, a_table_that_may_not_be_read_is_an_error_and_not_a_machine_without_it) {
    if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
    TemporaryDirectory const directory;
    directory.write("APIC", "x");
    directory.write("SRAT", "x");
    std::filesystem::permissions(directory.path() / "SRAT", std::filesystem::perms::none);
    EXPECT_TRUE(read(directory.path()).error.starts_with("cannot open: Permission denied: '"));
}

} // namespace
} // namespace mxk::acpi_test
