// Between the program and MPI, by MPI's interface for profilers: the flush that a mutant leaves out; and an MPI that is
// as lazy as the standard allows, and begins what is put or accumulated when it is flushed, or when another atomic
// operation comes to the same place, whose order is promised. Compiled for each implementation.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/mpi/mutants.hpp"

namespace mxk::mpi {
namespace {

struct Begun {
    void const* value;
    int rank;
    MPI_Aint at;
    MPI_Datatype type;
    std::optional<MPI_Op> operation; // of an accumulate
    MPI_Win window;
};
std::vector<Begun> begun;

int begin(Begun const& it) {
    if (!it.operation) return PMPI_Put(it.value, 1, it.type, it.rank, it.at, 1, it.type, it.window);
    return PMPI_Accumulate(it.value, 1, it.type, it.rank, it.at, 1, it.type, *it.operation, it.window);
}

// Those that this is true of.
template <typename Chosen> void begin_all(Chosen chosen) {
    for (Begun const& it : begun)
        if (chosen(it)) begin(it);
    std::erase_if(begun, chosen);
}
void begin_atomic_ones(int rank, MPI_Aint at) {
    begin_all([&](Begun const& it) { return it.operation && it.rank == rank && it.at == at; });
}

} // namespace
} // namespace mxk::mpi

using namespace mxk::mpi;

// All of one word.
extern "C" int MPI_Put(void const* value, int /*count*/, MPI_Datatype type, int rank, MPI_Aint at, int /*there*/,
                       MPI_Datatype /*its*/, MPI_Win window) {
    Begun const it{value, rank, at, type, std::nullopt, window};
    if (!is_lazy) return begin(it);
    begun.push_back(it);
    return MPI_SUCCESS;
}
extern "C" int MPI_Accumulate(void const* value, int /*count*/, MPI_Datatype type, int rank, MPI_Aint at, int /*there*/,
                              MPI_Datatype /*its*/, MPI_Op operation, MPI_Win window) {
    Begun const it{value, rank, at, type, operation, window};
    if (!is_lazy) return begin(it);
    begun.push_back(it);
    return MPI_SUCCESS;
}
extern "C" int MPI_Fetch_and_op(void const* value, void* before, MPI_Datatype type, int rank, MPI_Aint at,
                                MPI_Op operation, MPI_Win window) {
    begin_atomic_ones(rank, at);
    return PMPI_Fetch_and_op(value, before, type, rank, at, operation, window);
}
extern "C" int MPI_Compare_and_swap(void const* value, void const* expected, void* before, MPI_Datatype type, int rank,
                                    MPI_Aint at, MPI_Win window) {
    begin_atomic_ones(rank, at);
    return PMPI_Compare_and_swap(value, expected, before, type, rank, at, window);
}
extern "C" int MPI_Win_flush(int rank, MPI_Win window) {
    if (leaves_out_flush()) return MPI_SUCCESS;
    begin_all([&](Begun const& it) { return it.rank == rank && it.window == window; });
    return PMPI_Win_flush(rank, window);
}
extern "C" int MPI_Win_flush_all(MPI_Win window) {
    begin_all([&](Begun const& it) { return it.window == window; });
    return PMPI_Win_flush_all(window);
}
