// A table, a lock, an allocator of your own among those that mxk-peers measures: docs/bench-own.md. This header stands
// alone; a file that includes it is compiled to a shared object, and `mxk-peers --load FILE.so` adds what it has:
//
//     class Table {
//       public:
//         Table(std::size_t capacity, std::size_t cores);       // each core inserts its share of the capacity
//         std::size_t size();
//         bool insert(std::uint64_t key, std::uint64_t value);  // false: the key was there; nothing is changed
//         std::optional<std::uint64_t> find(std::uint64_t key);
//         bool erase(std::uint64_t key);                        // from here on only where it can
//         bool update(std::uint64_t key, std::uint64_t value);  // these three or none of them
//         bool upsert(std::uint64_t key, std::uint64_t value);  // true if the key was inserted
//         std::optional<std::uint64_t> modify(std::uint64_t key, std::uint64_t addend); // what was there before
//         void prefetch(std::uint64_t key);                     // told each key 16 instructions ahead
//     };
//     MXK_OWN_TABLE(Table, "my-table", "My library 1.2 (2026)", "one lock per bucket")
//
// All cores call it at once, but for size(). One that must know its threads has what is called by many in a class
// Session(Table&, std::size_t core), which is made on the core for each piece of its work. What a table throws
// (std::exception) is the error of its row.
//
//     struct Lock { struct Node {}; void acquire(Node&); void release(Node&); };   // a Node for each thread
//     MXK_OWN_LOCK(Lock, "my-lock", "My library 1.2 (2026)", "test and set, with a pause")
//
//     struct Heap { static void* allocate(std::size_t bytes); static void deallocate(void*, std::size_t bytes); };
//     MXK_OWN_ALLOCATOR(Heap, "my-heap", "My library 1.2 (2026)", "never gives anything back")
//
// One of each in a file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace mxk::own {

// Of what stands below. A program takes files of its own version only.
inline constexpr std::uint32_t interface_version = 1;

enum class Operation : std::uint8_t { Insert, Find, Erase, Update, Upsert, Modify };

// What is to be done to a key, and what comes of it.
struct Instruction {
    Operation operation;
    bool expected;         // its result
    bool is_exact;         // of a find or modify: only the value of that version is right; else, of any up to it
    bool is_last_write;    // nothing for a table
    std::uint32_t version; // that is written, or may be met; 0: what was inserted
    std::uint64_t key;
};

// The value of each version, which tells the key that it was written for.
constexpr std::uint64_t version_step = 0x9e37'79b9'7f4a'7c15;
constexpr std::uint64_t value_of(std::uint64_t key, std::uint64_t version) {
    return ~key + version * version_step;
}
constexpr bool is_right(std::uint64_t value, Instruction const& it) {
    std::uint64_t const met = (value - ~it.key) * 0xf1de'83e1'9937'733d; // the step's inverse
    return it.is_exact ? met == it.version : met <= it.version;
}

// All functions of one core at a time on its own work; `core`: its number in the run.
struct TableKind {
    std::uint32_t version;
    char const* name;
    char const* library;
    char const* setup;
    bool erases;
    bool overwrites;
    void* (*create)(std::size_t capacity, std::size_t cores);
    void (*destroy)(void* table);
    std::size_t (*size)(void* table);
    // The instructions [from, to) of those, in order; how many came to something else than what was expected.
    std::uint64_t (*run)(void* table, std::size_t core, Instruction const* all, std::size_t count, std::size_t from,
                         std::size_t to);
    bool (*find)(void* table, std::size_t core, std::uint64_t key, std::uint64_t* value);
};

struct LockKind {
    std::uint32_t version;
    char const* name;
    char const* library;
    char const* summary;
    std::size_t bytes;
    std::size_t alignment;
    std::size_t node_bytes;
    std::size_t node_alignment;
    void (*construct)(void* lock);
    void (*destroy)(void* lock);
    void (*construct_node)(void* node);
    void (*destroy_node)(void* node);
    void (*acquire)(void* lock, void* node);
    void (*release)(void* lock, void* node);
};

struct AllocatorKind {
    std::uint32_t version;
    char const* name;
    char const* library;
    char const* summary;
    void* (*allocate)(std::size_t bytes); // null: no memory
    void (*deallocate)(void* place, std::size_t bytes);
};

template <typename Table> class TableFunctions {
  public:
    static void* create(std::size_t capacity, std::size_t cores) { return new Table(capacity, cores); }
    static void destroy(void* table) { delete &of(table); }
    static std::size_t size(void* table) { return of(table).size(); }
    static std::uint64_t run(void* table, std::size_t core, Instruction const* all, std::size_t count, std::size_t from,
                             std::size_t to) {
        auto&& session = session_of(of(table), core);
        std::uint64_t wrong = 0;
        for (std::size_t at = from; at < to; ++at) {
            if constexpr (prefetches) session.prefetch(all[std::min(at + ahead, count - 1)].key);
            wrong += operate(session, all[at]) ? 0U : 1U;
        }
        return wrong;
    }
    static bool find(void* table, std::size_t core, std::uint64_t key, std::uint64_t* value) {
        auto&& session = session_of(of(table), core);
        std::optional<std::uint64_t> const found = session.find(key);
        *value = found.value_or(0);
        return found.has_value();
    }

  private:
    static constexpr std::size_t ahead = 16;

    static Table& of(void* table) { return *static_cast<Table*>(table); }
    static decltype(auto) session_of(Table& table, [[maybe_unused]] std::size_t core) {
        if constexpr (requires { typename Table::Session; })
            return typename Table::Session(table, core);
        else
            return (table);
    }
    using Session = std::remove_reference_t<decltype(session_of(std::declval<Table&>(), 0))>;

    static bool operate(Session& session, Instruction const& it) {
        switch (it.operation) {
        case Operation::Insert: return session.insert(it.key, value_of(it.key, 0)) == it.expected;
        case Operation::Find: return is_met(session.find(it.key), it);
        case Operation::Erase:
            if constexpr (erases) return session.erase(it.key) == it.expected;
            return false;
        default: break;
        }
        if constexpr (overwrites) {
            if (it.operation == Operation::Update)
                return session.update(it.key, value_of(it.key, it.version)) == it.expected;
            if (it.operation == Operation::Upsert)
                return session.upsert(it.key, value_of(it.key, it.version)) == it.expected;
            return is_met(session.modify(it.key, version_step), it);
        }
        return false;
    }
    static bool is_met(std::optional<std::uint64_t> const& found, Instruction const& it) {
        return found.has_value() == it.expected && (!found || is_right(*found, it));
    }

  public:
    static constexpr bool erases = requires(Session & session) { session.erase(0U); };
    static constexpr bool overwrites = requires(Session & session) { session.upsert(0U, 0U); };
    static constexpr bool prefetches = requires(Session & session) { session.prefetch(0U); };

    static constexpr TableKind kind(char const* name, char const* library, char const* setup) {
        return {interface_version, name, library, setup, erases, overwrites, &create, &destroy, &size, &run, &find};
    }
};

template <typename Lock> struct LockFunctions {
    using Node = typename Lock::Node;
    static constexpr LockKind kind(char const* name, char const* library, char const* summary) {
        return {interface_version,
                name,
                library,
                summary,
                sizeof(Lock),
                alignof(Lock),
                sizeof(Node),
                alignof(Node),
                [](void* lock) { new (lock) Lock(); },
                [](void* lock) { static_cast<Lock*>(lock)->~Lock(); },
                [](void* node) { new (node) Node(); },
                [](void* node) { static_cast<Node*>(node)->~Node(); },
                [](void* lock, void* node) { static_cast<Lock*>(lock)->acquire(*static_cast<Node*>(node)); },
                [](void* lock, void* node) { static_cast<Lock*>(lock)->release(*static_cast<Node*>(node)); }};
    }
};

template <typename Heap> struct HeapFunctions {
    static constexpr AllocatorKind kind(char const* name, char const* library, char const* summary) {
        return {interface_version, name, library, summary, &Heap::allocate, &Heap::deallocate};
    }
};

} // namespace mxk::own

#define MXK_OWN_KIND(Kind, symbol, Functions, Type, ...)                                                               \
    extern "C" [[gnu::visibility("default")]] mxk::own::Kind const symbol;                                             \
    constexpr mxk::own::Kind symbol = mxk::own::Functions<Type>::kind(__VA_ARGS__);
#define MXK_OWN_TABLE(Type, ...) MXK_OWN_KIND(TableKind, mxk_own_table, TableFunctions, Type, __VA_ARGS__)
#define MXK_OWN_LOCK(Type, ...) MXK_OWN_KIND(LockKind, mxk_own_lock, LockFunctions, Type, __VA_ARGS__)
#define MXK_OWN_ALLOCATOR(Type, ...) MXK_OWN_KIND(AllocatorKind, mxk_own_allocator, HeapFunctions, Type, __VA_ARGS__)
