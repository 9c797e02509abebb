"""Part of tools/lint: what a file uses of the library's common headers, it includes, or a file of ours that it includes
does. Those headers are precompiled, so that no compiler shows an include that is missing (common_headers in
CMakeLists.txt)."""

import functools
import re
from collections.abc import Iterator
from pathlib import Path

# Of each header, the names behind std:: that this project may use of it.
NAMES = {
    "algorithm": "all_of any_of clamp copy copy_backward copy_n count count_if equal fill fill_n find find_if"
    " lower_bound max min min_element minmax_element none_of nth_element partition remove_if reverse rotate shuffle"
    " sort stable_sort transform unique upper_bound",
    "array": "array to_array",
    "atomic": "atomic atomic_flag atomic_ref atomic_signal_fence atomic_thread_fence memory_order memory_order_acq_rel"
    " memory_order_acquire memory_order_relaxed memory_order_release memory_order_seq_cst",
    "bit": "bit_cast bit_ceil bit_floor bit_width byteswap countl_one countl_zero countr_one countr_zero has_single_bit"
    " popcount rotl rotr",
    "concepts": "assignable_from constructible_from convertible_to copyable default_initializable derived_from"
    " destructible floating_point integral invocable move_constructible movable predicate regular regular_invocable"
    " same_as signed_integral unsigned_integral",
    "coroutine": "coroutine_handle noop_coroutine suspend_always suspend_never",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t to_integer",
    "cstdint": "int16_t int32_t int64_t int8_t intptr_t uint16_t uint32_t uint64_t uint8_t uintptr_t",
    "cstring": "memchr memcmp memcpy memmove memset strchr strcmp strerror strlen strncmp strstr",
    "limits": "numeric_limits",
    "new": "align_val_t bad_alloc bad_array_new_length launder nothrow nothrow_t",
    "optional": "nullopt nullopt_t optional",
    "span": "as_bytes as_writable_bytes dynamic_extent span",
    "string_view": "string_view",
    "type_traits": "conditional_t decay_t enable_if_t false_type integral_constant remove_const_t remove_cv_t"
    " remove_cvref_t remove_pointer_t remove_reference_t true_type type_identity_t underlying_type_t void_t",
    "utility": "as_const cmp_equal cmp_greater cmp_less declval exchange forward in_place index_sequence make_pair move"
    " pair swap to_underlying unreachable",
    "vector": "vector",
}
HEADER_OF = {name: header for header, names in NAMES.items() for name in names.split()}
# Headers that promise to bring others, or what these have; and names that several headers have.
BRINGS = {
    "string": {"string_view"},
    "map": {"utility"},
    "tuple": {"utility"},
    "unordered_map": {"utility"},
    "mutex": {"utility"},
    "cstdlib": {"cstddef"},
    "cstdio": {"cstddef"},
    "cstring": {"cstddef"},
    "exception": {"new"},
}
USED = re.compile(r"\bstd::(\w+)")
TRAIT = re.compile(r"(?:is|has)_\w+_v$")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
COMMENT = re.compile(r"//.*")


def missing_includes(root: Path, file: Path) -> Iterator[str]:
    """The headers that the file should include, each with the first line that needs it."""
    there = library_headers(root, file)
    told = set()
    for number, line in enumerate((root / file).read_text().splitlines(), 1):
        for name in USED.findall(COMMENT.sub("", line)):
            header = "type_traits" if TRAIT.match(name) else HEADER_OF.get(name)
            if header is not None and header not in there and header not in told:
                told.add(header)
                yield f"{file}:{number}: std::{name}: expected <{header}> to be included, here or by what is"


@functools.cache
def library_headers(root: Path, file: Path) -> frozenset[str]:
    """The library's headers that it includes, by what it includes of ours, too."""
    found: set[str] = set()
    seen = {file}
    waiting = [file]
    while waiting:
        for own, library in INCLUDE.findall((root / waiting.pop()).read_text()):
            if library:
                found |= {library, *BRINGS.get(library, ())}
            elif (path := resolved(root, own)) is not None and path not in seen:
                seen.add(path)
                waiting.append(path)
    return frozenset(found)


def resolved(root: Path, included: str) -> Path | None:
    """From the root; or, of what both platforms have, one of the two."""
    for folder in ("", "arch/linux", "arch/x86_64", "tasks/threads/posix", "tasks/threads/mxos"):
        path = Path(folder) / included
        if (root / path).is_file():
            return path
    return None
