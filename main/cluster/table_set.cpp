#include "main/cluster/table_set.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <system_error>

#include "base/crc32.hpp"
#include "base/format.hpp"

namespace mxk::cluster {
namespace {

// A line each: what it is and its version, the set's number, a part with pairs and check sum, the check sum of all
// that.
constexpr std::string_view first_line = "mxk table set 1";
constexpr std::string_view part_prefix = "table-";

std::string list_path(std::string const& folder) {
    return folder + "/table.set";
}

std::string prefix_of(std::uint64_t set) {
    std::ostringstream text;
    text << part_prefix << std::hex << set << '-';
    return text.str();
}

// As much of it as an error has room for.
std::string_view end_of(std::string const& path) {
    constexpr std::size_t max = 100;
    return std::string_view(path).substr(path.size() - std::min(path.size(), max));
}

Error damaged(std::string const& path, std::string_view what) {
    return Error::of("{}: damaged: {}", end_of(path), what);
}

std::string text_of(TableSet const& set) {
    std::ostringstream text;
    text << first_line << "\nset " << set.number << '\n';
    for (TablePart const& part : set.parts) text << "part " << part.pairs << ' ' << part.sum << '\n';
    return text.str();
}

} // namespace

std::uint64_t new_set_number() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

std::string part_path(std::string const& folder, std::uint64_t set, std::uint32_t rank) {
    return folder + '/' + prefix_of(set) + std::to_string(rank);
}

Result<void> write_set(std::string const& folder, TableSet const& set) {
    std::string const path = list_path(folder);
    std::string const beside = path + ".new";
    std::string text = text_of(set);
    text += "sum " + std::to_string(crc32(text)) + '\n';
    int const file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool is_written =
        file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
    int reason = errno;
    if (file >= 0) ::close(file);
    if (is_written && ::rename(beside.c_str(), path.c_str()) != 0) {
        is_written = false;
        reason = errno;
    }
    if (is_written) return {};
    ::unlink(beside.c_str());
    std::array<char, 64> said{};
    return Error::of("{}: cannot be written: {}", end_of(path), strerror_r(reason, said.data(), said.size()));
}

Result<TableSet> read_set(std::string const& folder) {
    std::string const path = list_path(folder);
    std::ifstream file(path);
    if (!file) return Error::of("{}: cannot be read: expected the list of a saved table", end_of(path));
    std::ostringstream content;
    content << file.rdbuf();
    std::string const text = content.str();
    if (!text.starts_with("mxk table set ")) return Error::of("{}: expected the list of a saved table", end_of(path));
    if (!text.starts_with(std::string(first_line) + '\n'))
        return Error::of("{}: expected '{}', got another version", end_of(path), first_line);
    auto const sum_at = text.rfind("sum ");
    if (sum_at == text.npos || text.back() != '\n') return damaged(path, "it ends early");
    std::istringstream last(text.substr(sum_at + 4));
    std::uint32_t sum = 0;
    last >> sum;
    if (!last || sum != crc32(std::string_view(text).substr(0, sum_at)))
        return damaged(path, "its check sum is another one");
    TableSet set;
    std::istringstream lines(text.substr(first_line.size() + 1, sum_at - first_line.size() - 1));
    std::string word;
    lines >> word >> set.number;
    if (word != "set") return damaged(path, "expected the set's number");
    while (lines >> word) {
        TablePart part;
        lines >> part.pairs >> part.sum;
        if (word != "part" || !lines) return damaged(path, "expected parts");
        set.parts.push_back(part);
    }
    if (set.parts.empty()) return damaged(path, "it has no part");
    return set;
}

void remove_part(std::string const& path) {
    ::unlink(path.c_str());
}

void remove_other_parts(std::string const& folder, std::uint64_t set) {
    std::error_code ignored;
    std::string const own = prefix_of(set);
    for (auto const& entry : std::filesystem::directory_iterator(folder, ignored)) {
        std::string const name = entry.path().filename().string();
        if (name.starts_with(part_prefix) && !name.starts_with(own)) std::filesystem::remove(entry.path(), ignored);
    }
}

} // namespace mxk::cluster
