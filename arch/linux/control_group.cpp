#include "arch/linux/control_group.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace mxk::arch {
namespace {

// Where a hierarchy of groups is mounted, and the process' group in it.
struct Hierarchy {
    std::string mount;   // the folder
    std::string mounted; // the group that is seen there, "/" for the highest
    bool is_second_version;
};

struct Names {
    char const* memory_limit;
    char const* memory_used;
    char const* droppable; // in memory.stat
};
constexpr Names first_version{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Names second_version{"memory.max", "memory.current", "inactive_file"};

template <typename Number> std::optional<Number> read_number(std::string const& path) {
    std::ifstream file(path);
    Number number{};
    if (file >> number) return number; // not "max"
    return std::nullopt;
}

// The line "NAME NUMBER" of a file.
std::uint64_t read_named(std::string const& path, std::string_view name) {
    std::ifstream file(path);
    std::string found;
    for (std::uint64_t number = 0; file >> found >> number;)
        if (found == name) return number;
    return 0;
}

bool has_word(std::string_view words, std::string_view word) {
    for (std::size_t end = 0; !words.empty(); words.remove_prefix(std::min(end + 1, words.size()))) {
        end = std::min(words.find(','), words.size());
        if (words.substr(0, end) == word) return true;
    }
    return false;
}

// The mounted hierarchy of the first version that this controller belongs to, or ("") the second version's.
std::optional<Hierarchy> find_mount(std::string const& root, std::string_view controller) {
    std::ifstream file(root + "/proc/self/mountinfo");
    for (std::string line; std::getline(file, line);) {
        std::size_t const separator = line.find(" - ");
        if (separator == line.npos) continue;
        std::istringstream front(line);
        std::istringstream back(line.substr(separator + 3));
        std::string skipped;
        std::string mounted;
        std::string mount;
        std::string type;
        std::string options;
        front >> skipped >> skipped >> skipped >> mounted >> mount;
        back >> type >> skipped >> options;
        if (controller.empty() ? type == "cgroup2" : type == "cgroup" && has_word(options, controller))
            return Hierarchy{root + mount, mounted, controller.empty()};
    }
    return std::nullopt;
}

// As /proc/self/cgroup has it: "NUMBER:CONTROLLERS:PATH" with nothing between the colons for the second version.
std::string own_group(std::string const& root, std::string_view controller) {
    std::ifstream file(root + "/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        std::size_t const first = line.find(':');
        std::size_t const second = line.find(':', first + 1);
        if (first == line.npos || second == line.npos) continue;
        std::string_view const controllers = std::string_view(line).substr(first + 1, second - first - 1);
        if (controller.empty() ? controllers.empty() : has_word(controllers, controller))
            return line.substr(second + 1);
    }
    return "/";
}

// The folders from the process' own group up to the mounted one. A container may see the path of another name space:
// then what is mounted is all that is known.
std::vector<std::string> folders(std::string const& root, Hierarchy const& hierarchy, std::string_view controller) {
    std::string path = own_group(root, controller);
    if (hierarchy.mounted != "/") {
        if (path == hierarchy.mounted || path.starts_with(hierarchy.mounted + "/"))
            path.erase(0, hierarchy.mounted.size());
        else
            path.clear();
    }
    std::vector<std::string> result;
    for (; !path.empty() && path != "/"; path.erase(path.rfind('/'))) result.push_back(hierarchy.mount + path);
    result.push_back(hierarchy.mount);
    return result;
}

template <typename Number> void lower(std::optional<Number>& limit, Number value) {
    limit = std::min(limit.value_or(value), value);
}

void take_memory(ControlGroup& found, std::string const& folder, Names const& names) {
    auto const limit = read_number<std::uint64_t>(folder + "/" + names.memory_limit);
    if (!limit) return;
    std::uint64_t const used = read_number<std::uint64_t>(folder + "/" + names.memory_used).value_or(0);
    std::uint64_t const kept = used - std::min(used, read_named(folder + "/memory.stat", names.droppable));
    lower(found.memory_left, *limit - std::min(*limit, kept));
}

// cpu.max is "QUOTA PERIOD" or "max PERIOD"; the first version has a file for each, and -1 for no quota.
void take_quota(ControlGroup& found, std::string const& folder, bool is_second_version) {
    double quota = 0;
    double period = 0;
    if (is_second_version) {
        std::ifstream file(folder + "/cpu.max");
        file >> quota >> period;
    } else {
        quota = read_number<double>(folder + "/cpu.cfs_quota_us").value_or(0);
        period = read_number<double>(folder + "/cpu.cfs_period_us").value_or(0);
    }
    if (quota > 0 && period > 0) lower(found.processors, quota / period);
}

} // namespace

ControlGroup read_control_group(std::string const& root) {
    ControlGroup found;
    for (std::string_view const controller : {"memory", "cpu", ""}) {
        auto const hierarchy = find_mount(root, controller);
        if (!hierarchy) continue;
        bool const second = hierarchy->is_second_version;
        for (std::string const& folder : folders(root, *hierarchy, controller)) {
            if (controller != "cpu") take_memory(found, folder, second ? second_version : first_version);
            if (controller != "memory") take_quota(found, folder, second);
        }
    }
    return found;
}

} // namespace mxk::arch
