#include "tests/unit/acpi_image.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <new>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "base/bytes.hpp"
#include "base/log.hpp"

namespace mxk::acpi_test {
namespace {

void append(Bytes& to, Bytes const& more) {
    to.insert(to.end(), more.begin(), more.end());
}

Bytes record(std::uint8_t type, std::size_t bytes) {
    Bytes result(bytes);
    put(result, 0, type);
    put(result, 1, static_cast<std::uint8_t>(bytes));
    return result;
}

Bytes compile(std::string const& name) {
    TemporaryDirectory const directory;
    auto const source = repository_root() / "tests/unit/acpi_tables" / (name + ".asl");
    std::string const output = directory.path() / "table"; // iasl adds the suffix
    std::string const command = "iasl -p '" + output + "' '" + source.string() + "' >/dev/null 2>&1";
    int const status = std::system(command.c_str());
    Bytes result = content_of(output + ".aml");
    if (status != 0 || result.empty()) {
        ADD_FAILURE() << "failed (is iasl installed? Debian: acpica-tools): " << command;
        return {};
    }
    return result;
}

constexpr std::size_t page_bytes = 4096;

struct PageDeleter {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{page_bytes}); }
};
std::vector<std::unique_ptr<std::byte, PageDeleter>> arena_chunks; // an Arena's source knows no owner
std::size_t living_arenas = 0;

std::span<std::byte> arena_source(std::size_t bytes) {
    arena_chunks.emplace_back(new (std::align_val_t{page_bytes}) std::byte[bytes]);
    return {arena_chunks.back().get(), bytes};
}

class NullSink final : public TextSink {
  public:
    void write(std::string_view) override {}
} null_sink;

} // namespace

std::filesystem::path repository_root() {
    return std::filesystem::absolute(__FILE__).parent_path().parent_path().parent_path();
}

Bytes content_of(std::filesystem::path const& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> const text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    Bytes result(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) result[i] = static_cast<std::byte>(text[i]);
    return result;
}

Bytes compiled(std::string const& name) {
    static std::map<std::string, Bytes> cache;
    auto const [entry, is_new] = cache.try_emplace(name);
    if (is_new) entry->second = compile(name);
    return entry->second;
}

void fix_checksum(Bytes& table) {
    put(table, 9, std::uint8_t{0});
    put(table, 9, static_cast<std::uint8_t>(-byte_sum(table)));
}

Bytes table(std::string_view signature, std::uint8_t revision, std::vector<Bytes> const& records,
            Bytes const& fixed_part) {
    Bytes result(acpi::table_header_bytes);
    for (std::size_t i = 0; i < 4; ++i) put(result, i, signature[i]);
    put(result, 8, revision);
    append(result, fixed_part);
    for (Bytes const& one : records) append(result, one);
    put(result, 4, static_cast<std::uint32_t>(result.size()));
    fix_checksum(result);
    return result;
}

Bytes madt(std::vector<Bytes> const& records) {
    Bytes fixed_part(8);
    put(fixed_part, 0, std::uint32_t{0xfee0'0000});
    put(fixed_part, 4, std::uint32_t{1});
    return table("APIC", 4, records, fixed_part);
}

Bytes srat(std::vector<Bytes> const& records, std::uint8_t revision) {
    return table("SRAT", revision, records, Bytes(12));
}

Bytes slit(std::uint64_t localities, std::vector<std::uint8_t> const& distances) {
    Bytes body(8 + distances.size());
    put(body, 0, localities);
    for (std::size_t i = 0; i < distances.size(); ++i) put(body, 8 + i, distances[i]);
    return table("SLIT", 1, {}, body);
}

Bytes hmat(std::vector<Bytes> const& structures, std::uint8_t revision) {
    return table("HMAT", revision, structures, Bytes(4));
}

Bytes locality_matrix(acpi::Measure measure, std::vector<std::uint32_t> const& initiators,
                      std::vector<std::uint32_t> const& targets, std::uint64_t unit,
                      std::vector<std::uint16_t> const& entries, std::uint8_t flags) {
    Bytes result(32 + 4 * (initiators.size() + targets.size()) + 2 * entries.size());
    put(result, 0, std::uint16_t{1});
    put(result, 4, static_cast<std::uint32_t>(result.size()));
    put(result, 8, flags);
    put(result, 9, measure);
    put(result, 12, static_cast<std::uint32_t>(initiators.size()));
    put(result, 16, static_cast<std::uint32_t>(targets.size()));
    put(result, 24, unit);
    std::size_t at = 32;
    for (auto const* const list : {&initiators, &targets}) {
        for (std::uint32_t const domain : *list) {
            put(result, at, domain);
            at += 4;
        }
    }
    for (std::uint16_t const entry : entries) {
        put(result, at, entry);
        at += 2;
    }
    return result;
}

std::string dump_text(std::vector<Bytes> const& tables) {
    std::ostringstream text;
    text << std::hex << std::uppercase << std::setfill('0');
    for (Bytes const& one : tables) {
        for (std::size_t i = 0; i < 4; ++i) text << static_cast<char>(one.at(i));
        text << " @ 0x00000000BFFE0390\n";
        for (std::size_t line = 0; line < one.size(); line += 16) {
            text << "    " << std::setw(4) << line << ": ";
            for (std::size_t i = line; i < line + 16; ++i) {
                if (i < one.size()) {
                    text << std::setw(2) << std::to_integer<unsigned>(one[i]) << ' ';
                } else {
                    text << "   ";
                }
            }
            text << ' ';
            for (std::size_t i = line; i < std::min(line + 16, one.size()); ++i) {
                auto const c = std::to_integer<char>(one[i]);
                text << (c >= ' ' && c <= '~' ? c : '.');
            }
            text << '\n';
        }
        text << '\n';
    }
    return text.str();
}

TemporaryDirectory::TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "mxk-acpi-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory " + name);
    path_ = name;
}
TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored; // nothing to be done about it in a destructor
    std::filesystem::remove_all(path_, ignored);
}

void TemporaryDirectory::write(std::string const& name, Bytes const& content) const {
    write(name, std::string_view(reinterpret_cast<char const*>(content.data()), content.size()));
}
void TemporaryDirectory::write(std::string const& name, std::string_view content) const {
    std::ofstream file(path_ / name, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file.flush()) throw std::runtime_error("cannot write " + name);
}

Bytes local_apic(std::uint8_t uid, std::uint8_t apic_id, std::uint32_t flags) {
    Bytes result = record(0, 8);
    put(result, 2, uid);
    put(result, 3, apic_id);
    put(result, 4, flags);
    return result;
}

Bytes local_x2apic(std::uint32_t uid, std::uint32_t apic_id, std::uint32_t flags) {
    Bytes result = record(9, 16);
    put(result, 4, apic_id);
    put(result, 8, flags);
    put(result, 12, uid);
    return result;
}

Bytes processor_affinity(std::uint32_t domain, std::uint8_t apic_id, std::uint32_t flags) {
    Bytes result = record(0, 16);
    put(result, 2, static_cast<std::uint8_t>(domain));
    put(result, 3, apic_id);
    put(result, 4, flags);
    for (std::size_t i = 0; i < 3; ++i) put(result, 9 + i, static_cast<std::uint8_t>(domain >> (8 * (i + 1))));
    return result;
}

Bytes x2apic_affinity(std::uint32_t domain, std::uint32_t apic_id, std::uint32_t flags) {
    Bytes result = record(2, 24);
    put(result, 4, domain);
    put(result, 8, apic_id);
    put(result, 12, flags);
    return result;
}

Bytes memory_affinity(std::uint32_t domain, std::uint64_t start, std::uint64_t bytes, std::uint32_t flags) {
    Bytes result = record(1, 40);
    put(result, 2, domain);
    put(result, 8, start);
    put(result, 16, bytes);
    put(result, 28, flags);
    return result;
}

std::span<std::byte const> FakeMemory::view(PhysicalAddress address, std::size_t bytes) {
    auto block = blocks_.upper_bound(raw(address));
    if (block == blocks_.begin()) return {};
    --block;
    std::uint64_t const offset = raw(address) - block->first;
    if (offset > block->second.size() || bytes > block->second.size() - offset) return {};
    views_.emplace_back(new std::byte[bytes]);
    std::copy_n(block->second.data() + offset, bytes, views_.back().get());
    return {views_.back().get(), bytes};
}

TestArena::TestArena()
    : arena(arena_source) {
    ++living_arenas;
}
TestArena::~TestArena() {
    if (--living_arenas == 0) arena_chunks.clear();
}

Bytes root_pointer(std::uint8_t revision, std::uint32_t rsdt, std::uint64_t xsdt) {
    Bytes result(revision < 2 ? 20 : 36);
    std::string_view const signature = "RSD PTR ";
    for (std::size_t i = 0; i < signature.size(); ++i) put(result, i, signature[i]);
    put(result, 15, revision);
    put(result, 16, rsdt);
    put(result, 8, static_cast<std::uint8_t>(-byte_sum(result)));
    if (revision < 2) return result;
    put(result, 20, std::uint32_t{36});
    put(result, 24, xsdt);
    put(result, 32, static_cast<std::uint8_t>(-byte_sum(result)));
    return result;
}

Firmware::Firmware(std::vector<Bytes> const& tables, std::uint8_t revision)
    : rsdp(root_pointer(revision, rsdt_address, xsdt_address)) {
    Bytes narrow(4 * tables.size());
    Bytes wide(8 * tables.size());
    for (std::size_t i = 0; i < tables.size(); ++i) {
        std::uint64_t const address = first_table_address + i * table_stride;
        put(narrow, 4 * i, static_cast<std::uint32_t>(address));
        put(wide, 8 * i, address);
        memory.place(address, tables[i]);
    }
    memory.place(rsdt_address, table("RSDT", 1, {}, narrow));
    memory.place(xsdt_address, table("XSDT", 1, {}, wide));
}

acpi::Tables Firmware::tables() {
    auto result = open();
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : std::string(result.error().message()));
    return result.ok() ? result.value() : acpi::Tables();
}

LogCapture::LogCapture() {
    log::set_sink(*this);
}
LogCapture::~LogCapture() {
    log::set_sink(null_sink);
}

std::vector<std::string> LogCapture::warnings() const {
    std::vector<std::string> result;
    std::istringstream lines(text_);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("WARN ")) result.push_back(line.substr(5));
    }
    return result;
}

} // namespace mxk::acpi_test
