// `mxk-peers --load`: tables, locks and allocators of users' own, from shared objects (mxk/own.hpp). What is loaded is
// registered as what was linked is, and stays until the program ends.
#include <dlfcn.h>

#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arch/sections.hpp"
#include "bench/frame/file_loader.hpp"
#include "bench/heap/heap_kind.hpp"
#include "bench/workload/operation_start.hpp"
#include "kernel/console/named.hpp"
#include "locks/lock_kind.hpp"
#include "mxk/own.hpp"
#include "peers/peer.hpp"

namespace mxk::bench {
namespace {

// What is handed to a file's table is as it is, not a copy.
static_assert(sizeof(own::Instruction) == sizeof(Instruction));
static_assert([] {
    Instruction it(0x0102'0304'0506'0708, Operation::Modify, true);
    it.is_last_write = true;
    it.version = 7;
    auto const same = std::bit_cast<own::Instruction>(it);
    return same.key == it.key && same.operation == own::Operation::Modify && same.expected && !same.is_exact &&
           same.is_last_write && same.version == 7 && own::value_of(3, 5) == value_of(3, 5) &&
           own::version_step == version_step;
}());

// A kind of a file is known to the functions of one place, since what calls them hands no kind on.
constexpr std::size_t max_of_a_kind = 4;

class LoadedTable final : public PeerTable {
  public:
    LoadedTable(own::TableKind const& kind, std::size_t capacity, std::size_t cores)
        : kind_(kind)
        , table_(kind.create(capacity, cores)) {
        if (table_ == nullptr) throw std::bad_alloc();
    }
    ~LoadedTable() override { kind_.destroy(table_); }
    LoadedTable(LoadedTable const&) = delete;
    LoadedTable& operator=(LoadedTable const&) = delete;

    std::size_t size() override { return kind_.size(table_); }

  private:
    std::uint64_t run_piece(std::size_t core, std::span<Instruction const> slice, std::size_t from, std::size_t to,
                            Histogram* latency) override {
        if (latency == nullptr) return run(core, slice, from, to);
        std::uint64_t wrong = 0;
        for (std::size_t at = from; at < to; ++at) {
            OperationStart const start = OperationStart::now();
            wrong += run(core, slice, at, at + 1);
            start.count_end(*latency);
        }
        return wrong;
    }
    Taken take(std::size_t core, std::span<Instruction const> all, std::atomic<std::size_t>& head,
               std::size_t max) override {
        Taken taken{0, 0};
        for (; taken.instructions < max; ++taken.instructions) {
            // relaxed: the instructions were made before; each number comes once, whatever the order
            std::size_t const at = head.fetch_add(1, std::memory_order_relaxed);
            if (at >= all.size()) break;
            taken.wrong += run(core, all, at, at + 1);
        }
        return taken;
    }
    void look_up(std::size_t core, std::span<std::uint64_t const> keys, Values values) override {
        for (std::size_t i = 0; i < keys.size(); ++i) {
            std::uint64_t value = 0;
            bool const is_there = kind_.find(table_, core, keys[i], &value);
            values[i] = is_there ? std::optional(value) : std::nullopt;
        }
    }
    [[nodiscard]] std::uint64_t run(std::size_t core, std::span<Instruction const> slice, std::size_t from,
                                    std::size_t to) const {
        return kind_.run(table_, core, reinterpret_cast<own::Instruction const*>(slice.data()), slice.size(), from, to);
    }

    own::TableKind const& kind_;
    void* table_;
};

template <std::size_t place> struct TablePlace {
    static inline own::TableKind const* kind = nullptr;

    static Peer registered() {
        constexpr std::string_view no_erase = "it has no erase";
        constexpr std::string_view no_updates = "it overwrites no values";
        return {.name = kind->name,
                .library = kind->library,
                .setup = kind->setup,
                .no_erase = kind->erases ? std::string_view() : no_erase,
                .no_updates = kind->overwrites ? std::string_view() : no_updates,
                .create = [](std::size_t capacity, Cores cores) -> std::unique_ptr<PeerTable> {
                    return std::make_unique<LoadedTable>(*kind, capacity, cores.size());
                }};
    }
};

template <std::size_t place> struct LockPlace {
    static inline own::LockKind const* kind = nullptr;

    static void acquire(void* lock, void* node) {
        arch::hold_core();
        kind->acquire(lock, node);
    }
    static void release(void* lock, void* node) {
        kind->release(lock, node);
        arch::release_core();
    }
    static locks::LockKind registered() {
        return {.name = kind->name,
                .summary = kind->summary,
                .library = kind->library,
                .forms = {.smp = {.bytes = kind->bytes,
                                  .alignment = kind->alignment,
                                  .node_bytes = kind->node_bytes,
                                  .node_alignment = kind->node_alignment,
                                  .construct = [](void* lock, void const* /*site*/) { kind->construct(lock); },
                                  .destroy = kind->destroy,
                                  .construct_node = kind->construct_node,
                                  .destroy_node = kind->destroy_node,
                                  .lock = &acquire,
                                  .unlock = &release,
                                  .repeat =
                                      [](void* lock, void* node, std::uint64_t sections) {
                                          for (std::uint64_t i = 0; i < sections; ++i) {
                                              acquire(lock, node);
                                              release(lock, node);
                                          }
                                      },
                                  .counts = [](void const* /*node*/) { return locks::LockCounts{}; }}}};
    }
};

template <std::size_t place> struct HeapPlace {
    static inline own::AllocatorKind const* kind = nullptr;

    static void* allocate(std::size_t bytes) { return kind->allocate(bytes); }
    static void deallocate(void* object, std::size_t bytes) { kind->deallocate(object, bytes); }
    static HeapKind registered() {
        return {.name = kind->name,
                .summary = kind->summary,
                .library = kind->library,
                .print_version = [](TextSink& out) { out.write(kind->library); },
                .workloads = heap_workloads<HeapPlace>};
    }
};

// All kinds of one sort that were loaded.
template <typename Kind, typename OwnKind, template <std::size_t> typename Place, std::size_t places>
class LoadedKinds {
  public:
    LoadedKinds(char const* symbol, std::string_view what, Registered<Kind> (*all)(), Registry const* registry)
        : symbol_(symbol)
        , what_(what)
        , all_(all)
        , registry_(registry) {}

    // Whether the file has one. Errors: it is of another version, or of a name that there is already; too many.
    Result<bool> add(void* file, std::string_view name, std::vector<RegistryEntry>& entries) {
        auto const* const kind = static_cast<OwnKind const*>(dlsym(file, symbol_));
        if (kind == nullptr) return false;
        if (kind->version != own::interface_version)
            return Error::of("--load: {}: expected version {} of mxk/own.hpp, got {}", name, own::interface_version,
                             kind->version);
        if (kind->name == nullptr || kind->library == nullptr || *kind->name == 0 || *kind->library == 0)
            return Error::of("--load: {}: expected a {} with a name and a library", name, what_);
        if (console::find_by_name(all_(), kind->name) != nullptr)
            return Error::of("--load: {}: expected another name than {}: there is such a {}", name, kind->name, what_);
        if (count_ == places) return Error::of("--load: {}: expected up to {} files with a {}", name, places, what_);
        kinds_[count_] = register_at(*kind, std::make_index_sequence<places>());
        entries.push_back({registry_, &kinds_[count_]});
        ++count_;
        return true;
    }

  private:
    template <std::size_t... place> Kind register_at(OwnKind const& kind, std::index_sequence<place...>) {
        Kind registered{};
        auto const take = [&]<std::size_t at>(std::integral_constant<std::size_t, at>) {
            if (at != count_) return;
            Place<at>::kind = &kind;
            registered = Place<at>::registered();
        };
        (take(std::integral_constant<std::size_t, place>()), ...);
        return registered;
    }

    char const* symbol_;
    std::string_view what_;
    Registered<Kind> (*all_)();
    Registry const* registry_;
    std::array<Kind, places> kinds_{};
    std::size_t count_ = 0;
};

// Errors: not a file that the loader takes.
Result<void*> open_file(std::string const& name) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(name, error))
        return Error::of("--load: expected a shared object, got {}: {}", name,
                         error ? error.message() : std::string("not a regular file"));
    // By its path: a name alone is looked for among the system's libraries.
    void* const file = dlopen(std::filesystem::absolute(name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (file == nullptr) return Error::of("--load: expected a shared object: {}", static_cast<char const*>(dlerror()));
    return file;
}

Result<void> load_files(std::string_view names) {
    static auto& entries = *new std::vector<RegistryEntry>; // as what is loaded, until the program ends
    static LoadedKinds<Peer, own::TableKind, TablePlace, max_of_a_kind> tables(
        "mxk_own_table", "table", &registered_peers, mxk_peers_registry_of(static_cast<Peer const*>(nullptr)));
    static LoadedKinds<locks::LockKind, own::LockKind, LockPlace, max_of_a_kind> all_locks(
        "mxk_own_lock", "lock", &locks::registered_lock_kinds,
        locks::mxk_lock_kinds_registry_of(static_cast<locks::LockKind const*>(nullptr)));
    static LoadedKinds<HeapKind, own::AllocatorKind, HeapPlace, 2> heaps( // each is all workloads once more
        "mxk_own_allocator", "allocator", &registered_heap_kinds,
        mxk_heap_kinds_registry_of(static_cast<HeapKind const*>(nullptr)));
    for (std::string_view rest = names;;) {
        std::string const name(rest.substr(0, rest.find(',')));
        void* const file = MXK_TRY(open_file(name));
        bool const has_table = MXK_TRY(tables.add(file, name, entries));
        bool const has_lock = MXK_TRY(all_locks.add(file, name, entries));
        bool const has_heap = MXK_TRY(heaps.add(file, name, entries));
        if (!has_table && !has_lock && !has_heap)
            return Error::of("--load: {}: expected MXK_OWN_TABLE, MXK_OWN_LOCK or MXK_OWN_ALLOCATOR of mxk/own.hpp",
                             name);
        added_entries = {entries.data(), entries.size(), names};
        if (name.size() == rest.size()) return {};
        rest.remove_prefix(name.size() + 1);
    }
}

constexpr FileLoader loader{&load_files};
MXK_REGISTER(mxk_file_loaders, FileLoader, loader);

} // namespace
} // namespace mxk::bench
