// What `tools/mxk heap-record` loads into a program (LD_PRELOAD): each object that the program allocates or frees, by
// C's functions or by C++'s, which call them, is an event in a log, a file that all of it is mapped from. So the log is
// whole however the program ends, needs no descriptor, and the recorder allocates nothing; what is made of it is the
// tool's (heap_record.py).
//
// The order of events is one for all threads: a free is counted before it is done, an allocation after. So an
// address that comes again is counted behind the free, and a free by another thread behind the allocation.
//
// Recorded is the process that loads this first. Child processes are not: one that runs another program has another
// number, and in one that was forked the page that leads to the log is empty. If the process itself runs another
// program (exec), the log begins anew.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <new>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

enum class What : std::uint32_t { None, Allocated, Freed };

struct Event {
    std::uint64_t address;
    std::uint64_t bytes;    // as asked for
    std::uint32_t thread;   // from 1 on, as they allocate first
    std::atomic<What> what; // written last: None, if the process ended before
};
static_assert(sizeof(Event) == 24);

struct Log {
    char magic[8];
    std::atomic<std::uint64_t> count;   // of events, also of those that there is no room for
    std::atomic<std::uint32_t> process; // 0: not loaded yet
    std::atomic<std::uint32_t> threads;
    std::atomic<std::uint64_t> others; // programs that child processes ran
    char program[4064];
    Event events[];
};
static_assert(sizeof(Log) == 4096);

struct Recording {
    Log* log;
    std::uint64_t room; // events
};
constinit std::atomic<Recording*> recording{nullptr};
thread_local std::uint32_t thread = 0;

// Where it stands; nullptr: nowhere.
Event* record(What what, void const* address, std::size_t bytes) {
    Recording const* const here = recording.load(std::memory_order_acquire); // pairs with attach()
    if (here == nullptr || here->log == nullptr) return nullptr;
    if (thread == 0) thread = here->log->threads.fetch_add(1, std::memory_order_relaxed) + 1;
    std::uint64_t const at = here->log->count.fetch_add(1, std::memory_order_relaxed);
    if (at >= here->room) return nullptr;
    Event& event = here->log->events[at];
    event.address = reinterpret_cast<std::uintptr_t>(address);
    event.bytes = bytes;
    event.thread = thread;
    event.what.store(what, std::memory_order_release); // read when the process has ended
    return &event;
}

void* allocated(void* place, std::size_t bytes) {
    if (place != nullptr) record(What::Allocated, place, bytes);
    return place;
}

// The log that the environment names, if it is for this process. The first of all constructors (-z initfirst), also of
// the C library's, so std::getenv finds nothing yet.
[[gnu::constructor]] void attach(int, char**, char** environment) {
    constexpr std::string_view name = "MXK_HEAP_LOG=";
    char const* path = nullptr;
    for (; path == nullptr && *environment != nullptr; ++environment)
        if (std::string_view(*environment).starts_with(name)) path = *environment + name.size();
    int const file = path != nullptr ? open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    if (file < 0) return;
    struct stat status {};
    bool const is_log = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > off_t{sizeof(Log)};
    auto const bytes = static_cast<std::size_t>(status.st_size);
    void* const mapped = is_log ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    close(file);
    void* const page = mmap(nullptr, sizeof(Recording), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED || page == MAP_FAILED || madvise(page, sizeof(Recording), MADV_WIPEONFORK) != 0) return;
    auto& log = *static_cast<Log*>(mapped);
    if (std::memcmp(log.magic, "mxkheap1", sizeof(log.magic)) != 0) return;
    auto const own = static_cast<std::uint32_t>(getpid());
    std::uint32_t process = 0;
    if (!log.process.compare_exchange_strong(process, own, std::memory_order_relaxed) && process != own) {
        log.others.fetch_add(1, std::memory_order_relaxed);
        munmap(mapped, bytes);
        return;
    }
    std::uint64_t const room = (bytes - sizeof(Log)) / sizeof(Event);
    std::uint64_t const old = std::min(log.count.load(std::memory_order_relaxed), room);
    std::memset(static_cast<void*>(log.events), 0, old * sizeof(Event));
    log.count.store(0, std::memory_order_relaxed);
    log.threads.store(0, std::memory_order_relaxed);
    log.others.store(0, std::memory_order_relaxed);
    std::memset(log.program, 0, sizeof(log.program));
    if (readlink("/proc/self/exe", log.program, sizeof(log.program)) < 0) log.program[0] = '\0';
    recording.store(new (page) Recording{&log, room}, std::memory_order_release);
}

// What the program would call without this.
struct Functions {
    void* (*malloc)(std::size_t);
    void* (*calloc)(std::size_t, std::size_t);
    void* (*realloc)(void*, std::size_t);
    void (*free)(void*);
    void* (*aligned_alloc)(std::size_t, std::size_t);
    int (*posix_memalign)(void**, std::size_t, std::size_t);
    void* (*memalign)(std::size_t, std::size_t);
};
constinit Functions functions{};
enum class Known : std::uint8_t { No, Asked, Yes };
constinit std::atomic<Known> known{Known::No};

template <typename F> void find(F*& function, char const* name) {
    function = reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

// nullptr while they are looked for: what dlsym itself allocates then is early().
Functions const* real() {
    if (known.load(std::memory_order_acquire) == Known::Yes) [[likely]] // pairs with the store below
        return &functions;
    Known is = Known::No;
    if (!known.compare_exchange_strong(is, Known::Asked, std::memory_order_acquire)) return nullptr;
    find(functions.malloc, "malloc");
    find(functions.calloc, "calloc");
    find(functions.realloc, "realloc");
    find(functions.free, "free");
    find(functions.aligned_alloc, "aligned_alloc");
    find(functions.posix_memalign, "posix_memalign");
    find(functions.memalign, "memalign");
    known.store(Known::Yes, std::memory_order_release);
    return &functions;
}

constexpr std::size_t page_bytes = 4096; // of x86-64

// Memory for what dlsym allocates: never given back, and zero.
alignas(16) constinit std::byte early_memory[64 << 10]{};
constinit std::atomic<std::size_t> early_used{0};

bool is_early(void const* place) {
    auto const distance = reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(early_memory);
    return distance < sizeof(early_memory);
}

// Its bytes stand before it.
void* early(std::size_t bytes) {
    if (bytes > sizeof(early_memory)) return nullptr;
    std::size_t const at = early_used.fetch_add(16 + (bytes + 15) / 16 * 16, std::memory_order_relaxed);
    if (at + 16 + bytes >= sizeof(early_memory)) return nullptr; // >=: none is at the end, which is_early() denies
    std::memcpy(early_memory + at, &bytes, sizeof(bytes));
    return early_memory + at + 16;
}

} // namespace

extern "C" {

void* malloc(std::size_t bytes) noexcept {
    Functions const* const to = real();
    return to != nullptr ? allocated(to->malloc(bytes), bytes) : early(bytes);
}

void* calloc(std::size_t count, std::size_t each) noexcept {
    std::size_t bytes = 0;
    bool const is_too_large = __builtin_mul_overflow(count, each, &bytes);
    if (Functions const* const to = real()) return allocated(to->calloc(count, each), bytes);
    return is_too_large ? nullptr : early(bytes);
}

void free(void* place) noexcept {
    if (place == nullptr || is_early(place)) return;
    if (Functions const* const to = real()) {
        record(What::Freed, place, 0);
        to->free(place);
    }
}

void* realloc(void* place, std::size_t bytes) noexcept {
    if (place == nullptr) return malloc(bytes);
    if (is_early(place)) {
        std::size_t old = 0;
        std::memcpy(&old, static_cast<std::byte*>(place) - 16, sizeof(old));
        void* const copy = malloc(bytes);
        if (copy != nullptr) std::memcpy(copy, place, std::min(old, bytes));
        return copy;
    }
    Functions const* const to = real();
    if (to == nullptr) return nullptr;
    Event* const freed = record(What::Freed, place, 0);
    void* const result = to->realloc(place, bytes);
    if (result == nullptr && bytes != 0 && freed != nullptr) // it is as it was
        freed->what.store(What::None, std::memory_order_relaxed);
    return allocated(result, bytes);
}

void* reallocarray(void* place, std::size_t count, std::size_t each) noexcept {
    std::size_t bytes = 0;
    if (!__builtin_mul_overflow(count, each, &bytes)) return realloc(place, bytes);
    errno = ENOMEM;
    return nullptr;
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    Functions const* const to = real();
    return to != nullptr ? allocated(to->aligned_alloc(alignment, bytes), bytes) : nullptr;
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
    Functions const* const to = real();
    return to != nullptr ? allocated(to->memalign(alignment, bytes), bytes) : nullptr;
}

int posix_memalign(void** place, std::size_t alignment, std::size_t bytes) noexcept {
    Functions const* const to = real();
    int const error = to != nullptr ? to->posix_memalign(place, alignment, bytes) : ENOMEM;
    if (error == 0) allocated(*place, bytes);
    return error;
}

void* valloc(std::size_t bytes) noexcept {
    return memalign(page_bytes, bytes);
}

void* pvalloc(std::size_t bytes) noexcept {
    return memalign(page_bytes,
                    bytes > SIZE_MAX - page_bytes ? bytes : (bytes + page_bytes - 1) / page_bytes * page_bytes);
}

} // extern "C"
