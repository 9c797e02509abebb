#include "arch/linux/machine.hpp"

#include <cpuid.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "arch/linux/proc_sizes.hpp"
#include "arch/linux/terminal.hpp"
#include "arch/terminal.hpp"
#include "base/format.hpp"
#include "base/log.hpp"
#include "base/units.hpp"
#include <build_description.hpp> // made by tools/build_description.cmake

namespace mxk::arch {
namespace {

using Registers = std::array<std::uint32_t, 4>; // eax, ebx, ecx, edx

Registers cpuid(std::uint32_t leaf) { // leaves: SDM vol. 2A, CPUID
    Registers r{};
    __cpuid(leaf, r[0], r[1], r[2], r[3]);
    return r;
}

template <std::size_t Size> void append_bytes(std::string& text, std::array<std::uint32_t, Size> const& words) {
    std::array<char, sizeof words> bytes{};
    std::memcpy(bytes.data(), words.data(), sizeof words);
    text.append(bytes.data(), bytes.size());
}

std::string trimmed(std::string const& text) {
    std::string const whole(text.c_str()); // up to the first zero
    auto const first = whole.find_first_not_of(' ');
    return first == whole.npos ? std::string() : whole.substr(first, whole.find_last_not_of(' ') - first + 1);
}

std::string brand() {
    std::string text;
    if (cpuid(0x8000'0000)[0] < 0x8000'0004) return text;
    for (std::uint32_t leaf = 0x8000'0002; leaf <= 0x8000'0004; ++leaf) append_bytes(text, cpuid(leaf));
    return trimmed(text);
}

std::string hypervisor() {
    constexpr std::uint32_t present = 1U << 31;
    std::string text;
    if ((cpuid(1)[2] & present) == 0) return text;
    Registers const vendor = cpuid(0x4000'0000);
    append_bytes(text, std::array{vendor[1], vendor[2], vendor[3]});
    return trimmed(text);
}

std::string platform() {
    utsname system{};
    if (uname(&system) != 0) return "Linux";
    return std::string(system.sysname) + " " + system.release;
}

// What the system made of the wish for large pages; it may have none free, or be told not to. The first time that there
// is much memory and more than half of it is in small pages, a WARN says so.
FixedText<128> describe_pages() {
    constexpr std::uint64_t much = 32 * MiB;
    static bool has_warned = false;
    FixedText<128> text;
    auto sizes = read_proc_sizes("/proc/self/smaps_rollup");
    std::uint64_t const all = sizes["Anonymous"];
    std::uint64_t const large = sizes["AnonHugePages"];
    std::uint64_t const gigabytes = read_proc_sizes("/proc/self/status")["HugetlbPages"];
    if (gigabytes != 0) format(text, "1 GiB pages for {} MiB (MAP_HUGETLB), ", gigabytes / MiB);
    if (all == 0) {
        text.append("unknown");
        return text;
    }
    format(text, "2 MiB pages for {} % of {} MiB (MADV_HUGEPAGE)", large * 100 / all, all / MiB);
    if (gigabytes == 0) text.append(", no 1 GiB pages");
    if (all >= much && large < all / 2 && !has_warned) {
        has_warned = true;
        log::warn("memory lies in pages of 4 KiB ({}): expected transparent huge pages for madvise or always",
                  text.view());
    }
    return text;
}

// The first processor's.
std::string microcode() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("microcode") && line.find(": ") != line.npos) return line.substr(line.find(": ") + 2);
    return {};
}

// What the system says of attacks by speculation, by their names.
std::string mitigations() {
    std::string mitigated, vulnerable;
    std::error_code error;
    std::set<std::filesystem::path> files; // in the order of their names
    for (auto const& entry : std::filesystem::directory_iterator("/sys/devices/system/cpu/vulnerabilities", error))
        files.insert(entry.path());
    for (auto const& path : files) {
        std::ifstream file(path);
        std::string state;
        std::getline(file, state);
        bool const is_open = state.starts_with("Vulnerable");
        if (!is_open && !state.starts_with("Mitigation")) continue;
        std::string& list = is_open ? vulnerable : mitigated;
        list += (list.empty() ? "" : ", ") + path.filename().string();
    }
    if (mitigated.empty() && vulnerable.empty()) return "not told";
    return "mitigated: " + (mitigated.empty() ? "none" : mitigated) +
           (vulnerable.empty() ? "" : "; vulnerable: " + vulnerable);
}

} // namespace

void exit_machine(ExitStatus status) {
    restore_terminal();
    // A result that did not arrive is no success: the disk may be full, the reader gone.
    if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && status == ExitStatus::Success) {
        std::fputs("mxk: standard output cannot be written\n", stderr);
        status = ExitStatus::CommandFailed;
    }
    std::exit(exit_code(status));
}

void halt_machine(ExitStatus status) {
    terminal_write(status == ExitStatus::Success ? "MXK has halted: every command succeeded.\n"
                                                 : "MXK has halted: a command failed.\n");
    exit_machine(status);
}

void reset_machine() {
    if (terminal_closed()) {
        std::fputs("mxk: nothing to start anew: there is nobody at the console\n", stderr);
        exit_machine(ExitStatus::CommandFailed);
    }
    restore_terminal();
    std::fflush(stdout);
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
    std::vector<char*> arguments(words.size() + 1); // the last one stays null
    for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
    execv("/proc/self/exe", arguments.data());
    std::perror("mxk: cannot start anew");
    std::exit(exit_code(ExitStatus::CommandFailed));
}

MachineDescription describe_machine() {
    static std::string const cpu = brand();
    static std::string const below = hypervisor();
    static std::string const system = platform();
    static std::string const revision = microcode();
    static std::string const protection = mitigations();
    static FixedText<128> pages;
    pages = describe_pages();
    return {.cpu = cpu,
            .hypervisor = below,
            .platform = system,
            .pages = pages.view(),
            .version = MXK_VERSION,
            .build = MXK_BUILD,
            .microcode = revision,
            .mitigations = protection,
            .processors = static_cast<std::size_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L))};
}

} // namespace mxk::arch
