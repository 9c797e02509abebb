// The files of a table of several ranks: a part for each rank (library/table_file.hpp), and the list of them, which
// says that they belong together and takes their place at once. Parts of a set that its list does not name are never
// read, so until the new list stands there, the old set is what it was.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace mxk::cluster {

struct TablePart {
    std::uint64_t pairs = 0;
    std::uint32_t sum = 0; // the check sum of its pairs
};

struct TableSet {
    std::uint64_t number = 0;     // by chance: part of the files' names
    std::vector<TablePart> parts; // by rank
};

std::uint64_t new_set_number();
std::string part_path(std::string const& folder, std::uint64_t set, std::uint32_t rank);

// Errors begin with the list's path.
Result<void> write_set(std::string const& folder, TableSet const& set);
Result<TableSet> read_set(std::string const& folder);

void remove_part(std::string const& path);
// All parts in the folder that are not of this set.
void remove_other_parts(std::string const& folder, std::uint64_t set);

} // namespace mxk::cluster
