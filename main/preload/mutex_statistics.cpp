#include "main/preload/mutex_statistics.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "main/preload/mutex_record.hpp"
#include "main/preload/preload_memory.hpp"

namespace mxk::preload {

void MutexStatistics::acquired(void const* thread, std::uint64_t begin) {
    std::uint32_t const processor = current_processor();
    since_ = nanoseconds_now();
    if (begin != 0) waits_.add(since_ - begin);
    if (acquisitions_++ != 0) {
        Distance const distance =
            thread == last_thread_ ? Distance::SameThread : distance_between(processor, last_processor_);
        ++hand_overs_[static_cast<std::size_t>(distance)];
    }
    holder_ = thread;
}

void MutexStatistics::released(void const* thread) {
    if (thread != holder_) return; // by one that has not locked it
    holds_.add(nanoseconds_now() - since_);
    holder_ = nullptr;
    last_thread_ = thread;
    last_processor_ = current_processor();
}

namespace {

// Lines of formatted text, without the program's heap.
template <typename... Values> void print(char const* pattern, Values... values) {
    std::array<char, 1024> text{};
    int const length = std::snprintf(text.data(), text.size(), pattern, values...);
    [[maybe_unused]] ssize_t const written =
        write(STDERR_FILENO, text.data(), std::min(static_cast<std::size_t>(length), text.size() - 1));
}

std::string_view file_name(char const* path) {
    std::string_view const name = path;
    return name.substr(std::min(name.size(), name.rfind('/') + 1));
}

// The variable that the mutex is in, or else where it was locked first.
void print_place(MutexRecord const& record) {
    auto const print_name = [](char const* what, Dl_info const& info, void const* address) {
        std::string_view const file = file_name(info.dli_fname);
        void const* const begin = info.dli_sname != nullptr ? info.dli_saddr : info.dli_fbase;
        auto const offset = static_cast<char const*>(address) - static_cast<char const*>(begin);
        print("  %s%s+%#tx (%.*s)\n", what, info.dli_sname != nullptr ? info.dli_sname : "", offset,
              static_cast<int>(file.size()), file.data());
    };
    Dl_info info{};
    void const* const mutex = record.mutex.load(std::memory_order_relaxed);
    if (dladdr(mutex, &info) != 0 && info.dli_sname != nullptr) return print_name("", info, mutex);
    if (dladdr(record.first_caller, &info) != 0) return print_name("first in ", info, record.first_caller);
    print("  first in %p\n", record.first_caller);
}

void print_row(MutexRecord const& record) {
    MutexStatistics const& of = *record.statistics;
    print("%16p %12lu %10lu %10lu %10lu %10lu %10lu", static_cast<void*>(record.mutex.load(std::memory_order_relaxed)),
          of.acquisitions(), of.waits().count(), of.waits().quantile(0.5), of.waits().quantile(0.99),
          of.holds().quantile(0.5), of.holds().quantile(0.99));
    for (std::uint64_t const count : of.hand_overs()) print(" %10lu", count);
    print_place(record);
}

} // namespace

void write_report(char const* kind) {
    std::size_t all = 0;
    std::size_t count = 0;
    each_record([&](MutexRecord const& record) {
        ++all;
        if (record.statistics != nullptr && record.statistics->acquisitions() != 0) ++count;
    });
    if (count == 0) return;
    // As it is now: other threads may go on.
    struct Row {
        std::uint64_t waited;
        std::uint64_t acquisitions;
        MutexRecord const* record;
    };
    auto* const rows = static_cast<Row*>(take_memory(count * sizeof(Row)));
    std::size_t found = 0;
    each_record([&](MutexRecord const& record) {
        if (found == count || record.statistics == nullptr || record.statistics->acquisitions() == 0) return;
        MutexStatistics const& of = *record.statistics;
        rows[found++] = {of.waits().mean() * of.waits().count(), of.acquisitions(), &record};
    });
    std::sort(rows, rows + found, [](Row const& a, Row const& b) {
        return a.waited != b.waited ? a.waited > b.waited : a.acquisitions > b.acquisitions;
    });
    print("mxk-locks: process %d (%s), lock %s, mutexes by the time that threads waited for them; %zu not counted\n",
          getpid(), program_invocation_short_name, kind, all - found);
    print("%16s %12s %10s %10s %10s %10s %10s %10s %10s %10s %10s %10s  mutex\n", "address", "acquisitions",
          "contended", "wait-p50", "wait-p99", "hold-p50", "hold-p99", "to-thread", "to-core", "to-cache", "to-node",
          "to-other");
    for (std::size_t i = 0; i < found; ++i) print_row(*rows[i].record);
}

} // namespace mxk::preload
