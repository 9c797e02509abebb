#include "kernel/acpi/dump_files.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "arch/files.hpp"
#include "kernel/acpi/dump_text.hpp"

namespace mxk::acpi {
namespace {

constexpr char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

// The number in the name of a table's file, or nothing if it is none.
std::optional<std::uint32_t> number_of(std::string_view name) {
    constexpr std::size_t signature_length = 4;
    constexpr std::size_t max_digits = 9;
    constexpr std::array<std::string_view, 4> endings{"", ".dat", ".bin", ".aml"};
    std::string_view const signature = name.substr(0, std::min(signature_length, name.size()));
    if (std::none_of(topology_tables.begin(), topology_tables.end(),
                     [=](std::string_view known) { return equal_in_any_case(signature, known); })) {
        return std::nullopt;
    }
    std::string_view rest = name.substr(signature_length);
    std::uint32_t number = 0;
    for (std::size_t digits = 0; digits < max_digits && !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; ++digits) {
        number = number * 10 + static_cast<std::uint32_t>(rest[0] - '0');
        rest.remove_prefix(1);
    }
    bool const ends_well = std::any_of(endings.begin(), endings.end(),
                                       [=](std::string_view ending) { return equal_in_any_case(rest, ending); });
    return ends_well ? std::optional(number) : std::nullopt;
}

Result<std::string_view> concatenated(std::string_view a, std::string_view b, std::string_view c, Arena& arena) {
    std::span<char> const result = MXK_TRY(arena.array<char>(a.size() + b.size() + c.size()));
    auto end = std::copy(a.begin(), a.end(), result.begin());
    end = std::copy(b.begin(), b.end(), end);
    std::copy(c.begin(), c.end(), end);
    return std::string_view(result.data(), result.size());
}

Result<std::span<TableImage const>> read_text(std::string_view path, Arena& arena) {
    auto const bytes = MXK_TRY(arch::read_file(path, max_table_bytes, arena));
    std::string_view const text(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    auto const images = parse_dump_text(text, topology_tables, arena);
    if (!images) return Error::of("{}; in '{}'", images.error().message(), path);
    if (images.value().empty()) return Error::of("none of the tables APIC, SRAT, SLIT, HMAT in '{}'", path);
    return images.value();
}

Result<std::span<TableImage const>> read_tables(std::string_view directory, std::span<std::string_view> names,
                                                Arena& arena) {
    std::sort(names.begin(), names.end(), [](std::string_view a_name, std::string_view b_name) {
        auto const a = *number_of(a_name);
        auto const b = *number_of(b_name);
        return a != b ? a < b : a_name < b_name;
    });
    std::span<TableImage> const images = MXK_TRY(arena.array<TableImage>(names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::string_view const path = MXK_TRY(concatenated(directory, "/", names[i], arena));
        images[i].place = MXK_TRY(concatenated("in file ", names[i], "", arena));
        images[i].bytes = MXK_TRY(arch::read_file(path, max_table_bytes, arena));
    }
    return std::span<TableImage const>(images);
}

bool is_dump_by_name(std::string_view name) {
    constexpr std::string_view dump = "acpidump";
    return equal_in_any_case(name.substr(0, std::min(dump.size(), name.size())), dump);
}

bool is_text_by_name(std::string_view name) {
    constexpr std::string_view ending = ".txt";
    return name.size() > ending.size() && equal_in_any_case(name.substr(name.size() - ending.size()), ending);
}

} // namespace

bool is_table_file(std::string_view name) {
    return number_of(name).has_value();
}

Result<std::span<TableImage const>> read_dump(std::string_view path, Arena& arena) {
    if (MXK_TRY(arch::file_kind(path)) == arch::FileKind::File) return read_text(path, arena);

    std::span<std::string_view> const names = MXK_TRY(arch::file_names(path, arena));
    for (auto const is_it : {&is_table_file, &is_dump_by_name, &is_text_by_name}) {
        auto const others = std::partition(names.begin(), names.end(), is_it);
        std::span<std::string_view> const chosen(names.begin(), others);
        if (chosen.empty()) continue;
        if (is_it == &is_table_file) return read_tables(path, chosen, arena);
        if (chosen.size() > 1) {
            std::sort(chosen.begin(), chosen.end());
            return Error::of("several texts and no table's file, such as '{}' and '{}': name one; in '{}'", chosen[0],
                             chosen[1], path);
        }
        std::string_view const text = MXK_TRY(concatenated(path, "/", chosen[0], arena));
        return read_text(text, arena);
    }
    return Error::of("no ACPI tables: expected files such as APIC and SRAT, or the text of acpidump; in '{}'", path);
}

} // namespace mxk::acpi
