#include "arch/linux/proc_sizes.hpp"

#include <fstream>
#include <sstream>

#include "base/units.hpp"

namespace mxk::arch {

std::map<std::string, std::uint64_t> read_proc_sizes(char const* path) {
    std::map<std::string, std::uint64_t> result;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string name;
        std::uint64_t kibibytes = 0;
        if (words >> name >> kibibytes && name.ends_with(':'))
            result[name.substr(0, name.size() - 1)] = kibibytes * KiB;
    }
    return result;
}

} // namespace mxk::arch
