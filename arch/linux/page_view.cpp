#include "arch/page_view.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "arch/linux/proc_sizes.hpp"

namespace mxk::arch {
namespace {

// The size of the pages that the system has set aside for the memory at this address, or of its ordinary ones. 0:
// unknown.
std::size_t kernel_page_bytes(std::byte const* address) {
    auto const wanted = reinterpret_cast<std::uintptr_t>(address);
    std::ifstream file("/proc/self/smaps");
    bool is_here = false;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::uintptr_t from = 0;
        std::uintptr_t to = 0;
        char dash = 0;
        std::string name;
        std::size_t kibibytes = 0;
        if (words >> std::hex >> from >> dash >> to && dash == '-') is_here = from <= wanted && wanted < to;
        words.clear();
        words.seekg(0);
        if (is_here && words >> name >> std::dec >> kibibytes && name == "KernelPageSize:") return kibibytes * KiB;
    }
    return 0;
}

std::size_t large_page_bytes_of_process() {
    return read_proc_sizes("/proc/self/smaps_rollup")["AnonHugePages"];
}

// As volatile objects: the compiler must not leave it out.
void touch(std::span<std::byte> memory) {
    for (std::size_t at = 0; at < memory.size(); at += 4 * KiB)
        static_cast<std::byte volatile&>(memory[at]) = std::byte{0};
}

Result<void> advise(std::span<std::byte> memory, int advice) {
    if (madvise(memory.data(), memory.size(), advice) == 0) return {};
    return Error::of("the system refuses such pages: {}", std::strerror(errno));
}

} // namespace

Result<PageView> PageView::create(std::span<std::byte> memory, std::size_t page_size) {
    std::size_t const set_aside = kernel_page_bytes(memory.data());
    if (page_size == GiB) {
        if (set_aside != GiB) return Error("the system has set aside no pages of 1 GiB (nr_hugepages)");
        touch(memory);
        return PageView({}, memory.data());
    }
    if (set_aside == GiB) return Error("this memory lies in pages of 1 GiB that the system has set aside");
    // Pages that are there already would stay as they are.
    MXK_TRY(advise(memory, MADV_DONTNEED));
    PageView view(memory, memory.data()); // from here on it is undone
    MXK_TRY(advise(memory, page_size == 2 * MiB ? MADV_HUGEPAGE : MADV_NOHUGEPAGE));
    std::size_t const before = large_page_bytes_of_process();
    touch(memory);
    std::size_t const after = large_page_bytes_of_process();
    std::size_t const large = after > before ? after - before : 0;
    if (page_size == 2 * MiB && large < memory.size())
        return Error::of("the system gave pages of 2 MiB for {} of {} MiB", large / MiB, memory.size() / MiB);
    return view;
}

PageView::~PageView() {
    if (memory_.empty()) return;
    madvise(memory_.data(), memory_.size(), MADV_DONTNEED);
    madvise(memory_.data(), memory_.size(), MADV_HUGEPAGE);
}

} // namespace mxk::arch
