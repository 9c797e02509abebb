// What a program for the model checker has: memory at the same addresses in each run, and words in it that only one
// thread uses at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>

#include "tests/model/weak_memory.hpp"

namespace mxk::test {

// Memory of a run, which all runs have at the same addresses, whichever thread runs first: each has its own. Nothing in
// it is destroyed.
class ModelMemory {
  public:
    static constexpr std::size_t max_bytes = 64 * 1024; // of a thread

    static void begin_run() { used_ = {}; }
    static void* allocate(std::size_t bytes, std::size_t alignment) {
        std::size_t const self = WeakMemory::current().self();
        std::size_t& used = used_[self];
        used = (used + alignment - 1) / alignment * alignment;
        void* const place = memory_[self] + used;
        used += bytes;
        if (used > sizeof(memory_[self])) std::abort();
        return place;
    }
    template <typename T, typename... Arguments> static T* make(Arguments&&... arguments) {
        return new (allocate(sizeof(T), alignof(T))) T(std::forward<Arguments>(arguments)...);
    }
    // A thread that still uses a word of it races.
    static void give_back(void* place, std::size_t bytes, std::source_location from = std::source_location::current()) {
        WeakMemory& memory = WeakMemory::current();
        std::byte* const first = static_cast<std::byte*>(place);
        for (std::size_t at = 0; at < bytes; ++at)
            if (memory.is_word(first + at)) memory.write({.where = first + at, .from = from, .is_plain = true}, 0);
    }

  private:
    alignas(64) static inline std::byte memory_[max_model_threads][max_bytes];
    static inline std::array<std::size_t, max_model_threads> used_{};
};

// Base of what a source makes by `new`, with words in it.
struct ModelAllocated {
    static void* operator new(std::size_t bytes, std::align_val_t alignment) {
        return ModelMemory::allocate(bytes, static_cast<std::size_t>(alignment));
    }
    static void* operator new(std::size_t bytes) { return ModelMemory::allocate(bytes, alignof(std::max_align_t)); }
    static void operator delete(void* /*place*/, std::size_t /*bytes*/) {}
};
// The same for containers, which are made before the run and grow no more.
template <typename T> struct ModelAllocator {
    using value_type = T;
    ModelAllocator() = default;
    template <typename U> ModelAllocator(ModelAllocator<U> const& /*other*/) {} // NOLINT(*-explicit-*): an allocator
    static T* allocate(std::size_t count) {
        return static_cast<T*>(ModelMemory::allocate(count * sizeof(T), alignof(T)));
    }
    static void deallocate(T* /*place*/, std::size_t /*count*/) {}
    bool operator==(ModelAllocator const&) const = default;
};

// The thread that runs, or the one that begin() does something for.
inline std::size_t model_thread_of_begin = 0;
inline std::size_t model_self() {
    std::size_t const self = WeakMemory::current().self();
    return self == 0 ? model_thread_of_begin : self;
}
class AsModelThread {
  public:
    explicit AsModelThread(std::size_t thread) { model_thread_of_begin = thread; }
    ~AsModelThread() { model_thread_of_begin = 0; }
    AsModelThread(AsModelThread const&) = delete;
    AsModelThread& operator=(AsModelThread const&) = delete;
};

// A thread_local object of a source. begin() makes them.
template <typename T> class ModelThreadLocal {
  public:
    static void make_all() {
        for (T*& object : objects_) object = ModelMemory::make<T>();
    }
    static T& mine() { return *objects_.at(model_self()); }

  private:
    static inline std::array<T*, max_model_threads> objects_{};
};

// The value of a word of up to 8 bytes as the checker knows it.
template <typename V> std::uint64_t model_bits(V value) {
    static_assert(sizeof(V) <= sizeof(std::uint64_t));
    std::uint64_t result = 0;
    std::memcpy(&result, &value, sizeof(V));
    return result;
}
template <typename V> V from_model_bits(std::uint64_t bits) {
    V result{};
    std::memcpy(static_cast<void*>(&result), &bits, sizeof(V));
    return result;
}

// What one user has at one time and nobody else touches then: used like a V.
template <typename V> class ModelPlain {
  public:
    using From = std::source_location;
    // A number may be given like a V; of two pointers that ?: chooses from, one must not become a word.
    constexpr explicit(std::is_pointer_v<V>) ModelPlain(V value = V{}, From from = From::current())
        : at_(value) {
        if (std::is_constant_evaluated()) return;
        WeakMemory::current().write({.where = this, .from = from, .is_plain = true, .constructs = true},
                                    model_bits(value));
    }
    ModelPlain(ModelPlain const& other, From from = From::current())
        : ModelPlain(other.read(from), from) {}
    ModelPlain& operator=(V value) {
        write(value, From::current());
        return *this;
    }
    ModelPlain& operator=(ModelPlain const& other) {
        write(other.read(), From::current());
        return *this;
    }
    ModelPlain& operator+=(V value) { return *this = static_cast<V>(read() + value); }
    ModelPlain& operator-=(V value) { return *this = static_cast<V>(read() - value); }
    ModelPlain& operator++() { return *this = static_cast<V>(read() + 1); }
    ModelPlain& operator--() { return *this = static_cast<V>(read() - 1); }
    V operator++(int) {
        V const before = read();
        write(static_cast<V>(before + 1));
        return before;
    }
    operator V() const { return read(); } // NOLINT(*-explicit-*): as a V is used
    V operator->() const { return read(); }
    [[nodiscard]] V read(From from = From::current()) const {
        return from_model_bits<V>(WeakMemory::current().read({.where = this, .from = from, .is_plain = true}));
    }
    void write(V value, From from = From::current()) {
        WeakMemory::current().write({.where = this, .from = from, .is_plain = true}, model_bits(value));
    }

  private:
    V at_{}; // an address of its own
};

// A span: two words.
template <typename T> class ModelPlain<std::span<T>> {
  public:
    ModelPlain() = default;
    ModelPlain(ModelPlain const&) = delete;
    ModelPlain& operator=(ModelPlain&) = delete; // {} is a span
    ModelPlain& operator=(std::span<T> value) {
        data_ = value.data();
        size_ = value.size();
        return *this;
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] T* begin() const { return data_; }
    [[nodiscard]] T* end() const { return begin() + size(); }

  private:
    ModelPlain<T*> data_{nullptr};
    ModelPlain<std::size_t> size_{0U};
};

} // namespace mxk::test
