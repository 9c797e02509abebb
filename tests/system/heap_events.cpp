// What test_heap_record.py records: each way to allocate, told by its bytes; or, with the argument "threads", threads
// that free each other's objects. The other arguments say how it ends.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <pthread.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Static {
    void* place = std::malloc(1001);
    ~Static() { std::free(place); }
};
Static const of_static;

struct alignas(128) Wide {
    std::array<char, 1024> bytes;
};

void expect(bool holds, int code) {
    if (!holds) _exit(code);
}

void all_ways() {
    std::free(std::malloc(0));
    void* place = std::realloc(nullptr, 1002);
    place = std::realloc(place, 1003);    // in place
    place = std::realloc(place, 300'000); // elsewhere
    expect(std::realloc(place, std::size_t{1} << 62) == nullptr && errno == ENOMEM, 10);
    expect(std::realloc(place, 0) == nullptr, 11);
    std::free(std::calloc(4, 251));
    expect(std::calloc(std::size_t{1} << 40, 1 << 30) == nullptr, 12);
    std::free(reallocarray(nullptr, 5, 201));
    expect(reallocarray(nullptr, std::size_t{1} << 40, 1 << 30) == nullptr && errno == ENOMEM, 13);
    std::free(std::aligned_alloc(64, 1088));
    expect(posix_memalign(&place, 4096, 1006) == 0 && reinterpret_cast<std::uintptr_t>(place) % 4096 == 0, 14);
    std::free(place);
    expect(posix_memalign(&place, 3, 1007) == EINVAL, 15);
    std::free(memalign(64, 1008));
    std::free(valloc(1009));
    std::free(pvalloc(1010));
    delete[] new char[1011];
    delete new Wide;
    ::operator delete (::operator new(1012), std::size_t{1012});
}

void* replace(void* object) {
    std::free(*static_cast<void**>(object));
    *static_cast<void**>(object) = std::malloc(1014);
    return nullptr;
}

void children() {
    if (fork() == 0) {
        std::free(std::malloc(2001));
        std::exit(0);
    }
    wait(nullptr);
    if (vfork() == 0) {
        execl("/bin/sh", "sh", "-c", "true", nullptr);
        _exit(1);
    }
    wait(nullptr);
}

std::array<std::atomic<void*>, 64> shared{};

void* exchange(void* seed) {
    auto random = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(seed));
    for (int i = 0; i < 20'000; ++i) {
        random = random * 1664525 + 1013904223;
        void* place = std::malloc(random >> 16 & 255);
        if ((random & 256) != 0) place = std::realloc(place, 300);
        std::free(shared[random >> 26].exchange(place));
    }
    return nullptr;
}

void in_threads(void* (*body)(void*), std::array<void*, 4> with, std::size_t count) {
    std::array<pthread_t, 4> threads{};
    for (std::size_t i = 0; i < count; ++i) pthread_create(&threads[i], nullptr, body, with[i]);
    for (std::size_t i = 0; i < count; ++i) pthread_join(threads[i], nullptr);
}

void* numbered(std::uintptr_t number) {
    return reinterpret_cast<void*>(number);
}

} // namespace

int main(int count, char** words) {
    std::string_view const how = count > 1 ? words[1] : "";
    if (how == "threads") {
        in_threads(exchange, {numbered(1), numbered(2), numbered(3), numbered(4)}, 4);
        return 0;
    }
    all_ways();
    void* object = std::malloc(1013);
    in_threads(replace, {&object}, 1);
    std::free(object);
    children();
    for (int file = 3; file < 100; ++file) close(file);
    expect(chdir("/") == 0, 16);
    std::free(std::malloc(1015));
    if (how == "_exit") _exit(7);
    if (how == "abort") std::abort();
    if (how == "exec") execl("/bin/sh", "sh", "-c", "exit 9", nullptr);
    return 0;
}
