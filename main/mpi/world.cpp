// Compiled for each implementation of MPI; the only file that includes its header. The C interface only.
#include "main/mpi/world.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "base/units.hpp"
#include "main/mpi/short_slices.hpp"

namespace mxk::mpi {
namespace {

MPI_Datatype type_of(std::size_t bytes) {
    switch (bytes) {
    case 1: return MPI_UINT8_T;
    case 2: return MPI_UINT16_T;
    case 4: return MPI_UINT32_T;
    default: return MPI_UINT64_T;
    }
}
MPI_Op operation_of(Atomic operation) {
    switch (operation) {
    case Atomic::Replace: return MPI_REPLACE;
    case Atomic::Sum: return MPI_SUM;
    case Atomic::None: break;
    }
    return MPI_NO_OP;
}
int as_int(std::size_t value) {
    return static_cast<int>(value);
}
MPI_Aint displacement(Place place) {
    return static_cast<MPI_Aint>(place.at);
}

// MPI's blocking calls may spin until the system takes the processor away (MPICH).
void complete(MPI_Request& request) {
    for (int is_done = 0;;) {
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        if (is_done != 0) return;
        World::pause();
    }
}

bool has_message(MPI_Comm communicator, int from, int tag) {
    int is_there = 0;
    MPI_Iprobe(from, tag, communicator, &is_there, MPI_STATUS_IGNORE);
    return is_there != 0;
}

// Open MPI's components for one-sided operations are its parameter "osc". It prefers rdma, whose compare-and-swap of 64
// bits crashes where ranks share a machine (open-mpi/ompi issue 7967, here with 4.1.4).
constexpr char const* component_variable = "OMPI_MCA_osc";
void choose_component() {
    setenv(component_variable, "pt2pt,sm", 0); // unless mpirun was told which
}
std::string chosen_component() {
    char const* const chosen = std::getenv(component_variable);
    return chosen != nullptr ? chosen : "the library's choice";
}

constexpr int empty_tag = 1;
constexpr int number_tag = 2;

} // namespace

struct World::State {
    struct OwnWindow {
        MPI_Win window;
        int home;
    };
    MPI_Comm locks = MPI_COMM_NULL;   // empty messages, and progress
    MPI_Comm control = MPI_COMM_NULL; // barriers and results
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Win memory = MPI_WIN_NULL; // that a node's ranks share
    MPI_Win regions = MPI_WIN_NULL;
    std::vector<std::byte*> bases; // by rank
    std::vector<MPI_Request> sent;
    std::vector<std::optional<OwnWindow>> own_windows;
};

World::World(int& count, char**& arguments)
    : state_(new State) {
    choose_component();
    MPI_Init(&count, &arguments);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rank_ = static_cast<Rank>(rank);
    ranks_ = static_cast<Rank>(ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &state_->locks);
    MPI_Comm_dup(MPI_COMM_WORLD, &state_->control);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
    int here = 1;
    MPI_Comm_size(machine, &here);
    MPI_Comm_free(&machine);
    // The processors of all ranks here, not only of this one, which its starter may have bound to one.
    is_crowded_ = here > sysconf(_SC_NPROCESSORS_ONLN);
    waits_offer_processor = is_crowded_;
    if (is_crowded_) ask_for_short_slices();
}

World::~World() {
    barrier();
    if (state_->regions != MPI_WIN_NULL) {
        MPI_Win_unlock_all(state_->regions);
        MPI_Win_free(&state_->regions);
        MPI_Win_free(&state_->memory);
        MPI_Comm_free(&state_->node);
    }
    MPI_Comm_free(&state_->locks);
    MPI_Comm_free(&state_->control);
    MPI_Finalize();
    delete state_;
}

Library World::library() const {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::string const all(text.data(), static_cast<std::size_t>(length));
    Library library{.version = all, .component = chosen_component(), .is_unified = false};
    // MPICH has lines of a name, a tab and a value; Open MPI has commas.
    if (auto const device = all.find("MPICH Device:"); device != all.npos) {
        auto const value = all.find_first_not_of(": \t", device + std::strlen("MPICH Device"));
        library.component = all.substr(value, all.find('\n', value) - value);
        auto const number = all.find_first_not_of(": \t", all.find("Version") + std::strlen("Version"));
        library.version = "MPICH " + all.substr(number, all.find('\n', number) - number);
    } else {
        library.version = all.substr(0, all.find(','));
    }
    int* model = nullptr;
    int has_model = 0;
    if (state_->regions != MPI_WIN_NULL)
        MPI_Win_get_attr(state_->regions, MPI_WIN_MODEL, static_cast<void*>(&model), &has_model);
    library.is_unified = has_model != 0 && *model == MPI_WIN_UNIFIED;
    return library;
}

void World::open_regions(Rank nodes, std::size_t bytes) {
    Rank const of_node = ranks_ / nodes;
    Rank const first = rank_ / of_node * of_node;
    MPI_Comm_split(MPI_COMM_WORLD, as_int(first), as_int(rank_), &state_->node);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    void* own = nullptr;
    auto const size = static_cast<MPI_Aint>(bytes + cache_line_bytes); // MPI promises no line's begin
    MPI_Win_allocate_shared(size, 1, info, state_->node, static_cast<void*>(&own), &state_->memory);
    MPI_Info_free(&info);
    state_->bases.assign(ranks_, nullptr);
    for (Rank i = 0; i < of_node; ++i) {
        MPI_Aint its_size = 0;
        int unit = 1;
        void* base = nullptr;
        MPI_Win_shared_query(state_->memory, as_int(i), &its_size, &unit, static_cast<void*>(&base));
        // Begins of pages agree in all processes, so begins of lines do.
        state_->bases[first + i] =
            reinterpret_cast<std::byte*>(align_up(reinterpret_cast<std::uintptr_t>(base), cache_line_bytes));
    }
    std::byte* const region = state_->bases[rank_];
    std::memset(region, 0, bytes);
    MPI_Win_create(region, static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &state_->regions);
    MPI_Win_lock_all(0, state_->regions);
    barrier();
}

std::byte* World::region(Rank rank) const {
    return state_->bases[rank];
}

void World::fetch(Place place, std::size_t bytes, Atomic operation, void const* value, void* before) {
    MPI_Fetch_and_op(value, before, type_of(bytes), as_int(place.rank), displacement(place), operation_of(operation),
                     state_->regions);
    flush(place.rank);
}

void World::compare_and_swap(Place place, std::size_t bytes, void const* expected, void const* desired, void* before) {
    MPI_Compare_and_swap(desired, expected, before, type_of(bytes), as_int(place.rank), displacement(place),
                         state_->regions);
    flush(place.rank);
}

void World::get(Place place, std::size_t bytes, void* value) {
    MPI_Get(value, 1, type_of(bytes), as_int(place.rank), displacement(place), 1, type_of(bytes), state_->regions);
    flush(place.rank);
}

void World::put(Place place, std::size_t bytes, void const* value) {
    MPI_Put(value, 1, type_of(bytes), as_int(place.rank), displacement(place), 1, type_of(bytes), state_->regions);
}

void World::accumulate(Place place, std::size_t bytes, void const* value) {
    MPI_Accumulate(value, 1, type_of(bytes), as_int(place.rank), displacement(place), 1, type_of(bytes), MPI_REPLACE,
                   state_->regions);
}

void World::flush(Rank rank) {
    MPI_Win_flush(as_int(rank), state_->regions);
}
void World::flush_all() {
    MPI_Win_flush_all(state_->regions);
}
void World::sync() {
    MPI_Win_sync(state_->regions);
}

void World::probe() {
    (void)has_message(state_->locks, MPI_ANY_SOURCE, MPI_ANY_TAG);
}

void World::pause() {
    sched_yield();
}

void World::send_empty(Rank rank) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(nullptr, 0, MPI_BYTE, as_int(rank), empty_tag, state_->locks, &request);
    complete(request);
}
void World::receive_empty() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, empty_tag, state_->locks, &request);
    complete(request);
}
bool World::has_empty() {
    return has_message(state_->locks, MPI_ANY_SOURCE, empty_tag);
}

void World::send_number(Rank rank, std::uint64_t const& value) {
    MPI_Isend(&value, 1, MPI_UINT64_T, as_int(rank), number_tag, MPI_COMM_WORLD, &state_->sent.emplace_back());
}
bool World::all_sent() {
    int is_done = 0;
    MPI_Testall(as_int(state_->sent.size()), state_->sent.data(), &is_done, MPI_STATUSES_IGNORE);
    if (is_done != 0) state_->sent.clear();
    return is_done != 0;
}
bool World::try_receive_number(Rank from, std::uint64_t& value) {
    if (!has_message(MPI_COMM_WORLD, as_int(from), number_tag)) return false;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&value, 1, MPI_UINT64_T, as_int(from), number_tag, MPI_COMM_WORLD, &request);
    complete(request);
    return true;
}

void World::barrier() {
    if (state_->regions != MPI_WIN_NULL) {
        sync();
        flush_all();
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(state_->control, &request);
    complete(request);
    if (state_->regions != MPI_WIN_NULL) sync();
}

void World::gather(std::span<std::uint64_t const> own, std::span<std::uint64_t> all) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(own.data(), as_int(own.size()), MPI_UINT64_T, all.data(), as_int(own.size()), MPI_UINT64_T,
                   state_->control, &request);
    complete(request);
}

void World::broadcast(std::uint64_t& value) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(&value, 1, MPI_UINT64_T, 0, state_->control, &request);
    complete(request);
}

World::WindowLock World::open_window_lock(Rank home) {
    void* base = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_allocate(home == rank_ ? 1 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&base), &window);
    if (home == rank_) *static_cast<std::byte*>(base) = std::byte{0};
    auto& windows = state_->own_windows;
    auto const free = std::find(windows.begin(), windows.end(), std::nullopt);
    auto const number = static_cast<WindowLock>(free - windows.begin());
    if (free == windows.end()) windows.emplace_back();
    windows[number] = State::OwnWindow{window, as_int(home)};
    return number;
}
void World::close_window_lock(WindowLock lock) {
    MPI_Win_free(&state_->own_windows[lock]->window);
    state_->own_windows[lock].reset();
}
void World::lock_window(WindowLock lock) {
    auto const& [window, home] = *state_->own_windows[lock];
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, home, 0, window);
    // It may return before the lock is held; an operation does not.
    std::byte byte{};
    MPI_Get(&byte, 1, MPI_BYTE, home, 0, 1, MPI_BYTE, window);
    MPI_Win_flush(home, window);
}
void World::unlock_window(WindowLock lock) {
    auto const& [window, home] = *state_->own_windows[lock];
    MPI_Win_unlock(home, window);
}

} // namespace mxk::mpi
