// Other people's machines, simulated as their files describe them: GB/s that were published of them. Reads in sequence
// have fitted the one free parameter of such a file, memory.burst_gap_ns; all others are predictions.
#include <filesystem>
#include <fstream>
#include <string_view>

#include "tests/unit/sequential/simulator/memory_streams.hpp"

namespace mxk::simulator {
namespace {

/// What a machine's file says, of as much TOML as those files have.
Keys keys_of(std::string const& machine) {
    auto const root = std::filesystem::absolute(__FILE__).parent_path() / "../../../..";
    std::ifstream file(root / "tools/simulator/machines" / (machine + ".toml"));
    EXPECT_TRUE(file.is_open()) << machine;
    Keys keys;
    std::string section;
    std::string key;
    for (std::string line; std::getline(file, line);) {
        line.resize(std::min(line.find('#'), line.size()));
        std::size_t const equals = line.find(" = ");
        if (line.starts_with('[')) {
            section = line.substr(1, line.find(']') - 1);
        } else if (equals != std::string::npos) {
            key = section + "." + line.substr(0, equals);
            keys[key] = line.substr(equals + 3);
        } else if (!key.empty()) {
            keys[key] += line; // of a matrix
        }
    }
    keys.erase("machine.description");
    for (auto& [name, value] : keys) {
        bool const text = value.starts_with('"');
        std::erase_if(value, [text](char one) {
            return std::string_view(text ? "\"" : "[]_").find(one) != std::string_view::npos;
        });
        std::ranges::replace(value, ',', ' ');
    }
    return keys;
}

/// Of 32 cores, which are a socket of each of these machines.
double gigabytes_per_second(Keys keys, unsigned node, Order order, What what) {
    keys["core.threads"] = "1";
    keys["l2.bytes"] = "65536"; // so that lines are written back soon; reads find nothing in caches anyway
    keys["l2.ways"] = keys["l3.ways"] = "8";
    keys["l3.bytes"] = "262144";
    return stream_bytes_per_cycle(keys, 32, node, order, what) * std::stod(keys["machine.hertz"]) / 1e9;
}

TEST(PublicMachines, read_in_sequence_as_they_were_fitted_to) {
    double const epyc = gigabytes_per_second(keys_of("epyc-9354p"), 0, Order::Sequential, What::Reads);
    EXPECT_NEAR(epyc, 342, 0.02 * 342);
    double const xeon = gigabytes_per_second(keys_of("xeon-6548y"), 0, Order::Sequential, What::Reads);
    EXPECT_NEAR(xeon, 249, 0.02 * 249);
}

TEST(PublicMachines, read_and_write_in_sequence_as_published) {
    double const epyc = gigabytes_per_second(keys_of("epyc-9354p"), 0, Order::Sequential, What::ReadsAndWrites);
    EXPECT_NEAR(epyc, 271, 0.15 * 271);
}

TEST(PublicMachines, read_the_memory_of_the_other_socket_as_published) {
    double const xeon = gigabytes_per_second(keys_of("xeon-6548y"), 1, Order::Sequential, What::Reads);
    EXPECT_NEAR(xeon, 126, 0.15 * 126);
}

} // namespace
} // namespace mxk::simulator
