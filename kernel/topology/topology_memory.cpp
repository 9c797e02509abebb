#include "kernel/topology/topology_memory.hpp"

#include <algorithm>

namespace mxk::topology {
namespace {

PlacedMemory as_claim(acpi::MemoryAffinity const& range) {
    return {raw(range.start), raw(range.start) + range.bytes, range.proximity_domain};
}

// Sorts the pieces and cuts from each what an earlier one holds already. `contested_bytes`: what domains both claimed.
std::span<PlacedMemory> make_disjoint(std::span<PlacedMemory> pieces, std::uint64_t& contested_bytes) {
    std::sort(pieces.begin(), pieces.end(), [](PlacedMemory const& a, PlacedMemory const& b) {
        if (a.start != b.start) return a.start < b.start;
        return a.proximity_domain < b.proximity_domain;
    });
    std::size_t count = 0;
    for (PlacedMemory piece : pieces) {
        if (count != 0 && piece.start < pieces[count - 1].end) {
            PlacedMemory const& holder = pieces[count - 1];
            std::uint64_t const shared_end = std::min(piece.end, holder.end);
            if (holder.proximity_domain != piece.proximity_domain) contested_bytes += shared_end - piece.start;
            piece.start = shared_end;
        }
        if (piece.start < piece.end) pieces[count++] = piece;
    }
    return pieces.first(count);
}

// Both ascending and disjoint. `out` has room for 2 * (ram.size() + claims.size()) pieces; the result is part of it.
std::span<PlacedMemory> cut(std::span<PlacedMemory const> ram, std::span<PlacedMemory const> claims,
                            std::span<PlacedMemory> out) {
    std::size_t count = 0;
    std::size_t next_claim = 0;
    for (PlacedMemory const& range : ram) {
        while (next_claim < claims.size() && claims[next_claim].end <= range.start) ++next_claim;
        std::uint64_t at = range.start;
        for (std::size_t i = next_claim; i < claims.size() && claims[i].start < range.end; ++i) {
            if (at < claims[i].start) out[count++] = {at, claims[i].start, std::nullopt};
            std::uint64_t const end = std::min(claims[i].end, range.end);
            out[count++] = {std::max(at, claims[i].start), end, claims[i].proximity_domain};
            at = end;
        }
        if (at < range.end) out[count++] = {at, range.end, std::nullopt};
    }
    return out.first(count);
}

} // namespace

Result<std::span<PlacedMemory const>> without_non_volatile(std::span<PlacedMemory const> pieces,
                                                           std::span<acpi::MemoryAffinity const> non_volatile,
                                                           std::uint64_t& lost, acpi::WarningSink& warnings,
                                                           Arena& arena) {
    lost = 0;
    if (non_volatile.empty()) return pieces;
    std::span<PlacedMemory> holes = MXK_TRY(arena.array<PlacedMemory>(non_volatile.size()));
    std::transform(non_volatile.begin(), non_volatile.end(), holes.begin(), &as_claim);
    std::uint64_t contested = 0; // does not matter: all of them are no RAM
    holes = make_disjoint(holes, contested);
    // Each hole adds no more than one piece.
    std::span<PlacedMemory> const out = MXK_TRY(arena.array<PlacedMemory>(pieces.size() + holes.size()));
    std::size_t count = 0;
    std::size_t next_hole = 0;
    for (PlacedMemory piece : pieces) {
        while (next_hole < holes.size() && holes[next_hole].end <= piece.start) ++next_hole;
        for (std::size_t i = next_hole; i < holes.size() && holes[i].start < piece.end; ++i) {
            if (piece.start < holes[i].start) out[count++] = {piece.start, holes[i].start, piece.proximity_domain};
            std::uint64_t const start = std::max(piece.start, holes[i].start);
            piece.start = std::min(piece.end, holes[i].end);
            lost += piece.start - start;
        }
        if (piece.start < piece.end) out[count++] = piece;
    }
    if (lost == 0) return pieces;
    if (count == 0) {
        lost = 0;
        warnings.warn("ACPI: SRAT calls all memory non-volatile, which cannot be: it is used");
        return pieces;
    }
    warnings.warn("ACPI: SRAT calls {} KiB of RAM non-volatile; they are not used", lost / KiB);
    return std::span<PlacedMemory const>(out.first(count));
}

Result<std::span<PlacedMemory const>> place_memory(std::span<acpi::MemoryAffinity const> affinities,
                                                   std::span<MemoryRange const> usable, acpi::WarningSink& warnings,
                                                   Arena& arena) {
    std::span<PlacedMemory> claims = MXK_TRY(arena.array<PlacedMemory>(affinities.size()));
    std::transform(affinities.begin(), affinities.end(), claims.begin(), &as_claim);
    std::uint64_t contested_bytes = 0;
    claims = make_disjoint(claims, contested_bytes);
    if (contested_bytes != 0) {
        warnings.warn("ACPI: SRAT gives {} KiB to two proximity domains; the range that begins first keeps them",
                      contested_bytes / KiB);
    }
    if (usable.empty()) return std::span<PlacedMemory const>(claims);

    std::span<PlacedMemory> ram = MXK_TRY(arena.array<PlacedMemory>(usable.size()));
    std::transform(usable.begin(), usable.end(), ram.begin(), [](MemoryRange const& range) {
        return PlacedMemory{raw(range.start), raw(range.start) + range.bytes, std::nullopt};
    });
    ram = make_disjoint(ram, contested_bytes);
    std::span<PlacedMemory> const out = MXK_TRY(arena.array<PlacedMemory>(2 * (ram.size() + claims.size())));
    return std::span<PlacedMemory const>(cut(ram, claims, out));
}

} // namespace mxk::topology
