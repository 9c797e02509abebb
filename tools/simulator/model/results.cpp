#include "tools/simulator/model/results.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include <nlohmann/json.hpp>

namespace mxk::simulator {
namespace {

using Json = nlohmann::ordered_json;

std::string hexadecimal(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

Json in_json(CpiStack const& stack) {
    Json causes = Json::object();
    for (std::size_t cause = 0; cause != cause_count; ++cause)
        causes[std::string(cause_names[cause])] = in_cycles(stack.time[cause]);
    return causes;
}

Json in_json(Sampled const& sampled) {
    return {{"modelled", in_cycles(sampled.modelled)},
            {"skipped_instructions", sampled.skipped_instructions},
            {"error", sampled.error ? Json(*sampled.error) : Json()}};
}

Json cores_in_json(Machine const& machine, std::span<Core const* const> cores) {
    Json list = Json::array();
    for (Core const* const core : cores)
        list.push_back({{"core", core->number()},
                        {"node", machine.node_of(machine.core_of(core->number()))},
                        {"instructions", core->instructions()},
                        {"cycles", in_cycles(core->stack().total())},
                        {"stack", in_json(core->stack())}});
    return list;
}

/// Of all cores together.
Json functions_in_json(std::span<Core const* const> cores) {
    std::map<std::uint64_t, BlockTime> sums;
    for (Core const* const core : cores) {
        for (BlockTime const& block : core->blocks()) {
            BlockTime& sum = sums[block.address];
            sum.instructions += block.instructions;
            for (std::size_t cause = 0; cause != cause_count; ++cause) sum.stack.time[cause] += block.stack.time[cause];
        }
    }
    Json list = Json::array();
    for (auto const& [address, sum] : sums) {
        if (sum.stack.total() == 0) continue;
        list.push_back({{"address", hexadecimal(address)},
                        {"instructions", sum.instructions},
                        {"cycles", in_cycles(sum.stack.total())},
                        {"stack", in_json(sum.stack)}});
    }
    return list;
}

Json traffic_in_json(Machine const& machine, Fabric const& fabric) {
    Json rows = Json::array();
    for (unsigned from = 0; from != machine.nodes; ++from) {
        Json row = Json::array();
        for (unsigned to = 0; to != machine.nodes; ++to) row.push_back(fabric.traffic(from, to));
        rows.push_back(row);
    }
    return rows;
}

Json channels_in_json(Machine const& machine, Fabric const& fabric, Time time) {
    Json list = Json::array();
    for (unsigned node = 0; node != machine.nodes; ++node) {
        for (unsigned number = 0; number != machine.channels; ++number) {
            DramChannel const& channel = fabric.channel(node, number);
            double const max_bytes = channel.bytes_per_cycle() * std::max(in_cycles(time), 1.0);
            list.push_back({{"node", node},
                            {"bytes", channel.bytes()},
                            {"busy", static_cast<double>(channel.bytes()) / max_bytes}});
        }
    }
    return list;
}

Json lines_in_json(LineStatistics const& statistics) {
    Json list = Json::array();
    for (LineStatistics::Line const& line : statistics.by_cost(Results::max_lines)) {
        Json places = Json::array();
        for (Place const& place : line.places) {
            if (places.size() == Results::max_places_per_line) break;
            places.push_back({{"offset", place.offset},
                              {"bytes", place.bytes},
                              {"core", place.core},
                              {"code", hexadecimal(place.code)},
                              {"reads", place.reads},
                              {"writes", place.writes}});
        }
        list.push_back({{"physical", hexadecimal(line.record.physical_address)},
                        {"virtual", hexadecimal(line.record.virtual_address)},
                        {"transfers", line.record.transfers},
                        {"invalidations", line.record.invalidations},
                        {"cycles", in_cycles(line.record.lost)},
                        {"waited", in_cycles(line.record.waited)},
                        {"places", places}});
    }
    return list;
}

} // namespace

std::string Sampled::json() const {
    return in_json(*this).dump();
}

void Results::add_region(Time begin, Time end, Memory const& memory, std::span<Core const* const> cores,
                         std::optional<Sampled> const& sampled) {
    Time const modelled = sampled ? sampled->modelled : end - begin;
    Json region = {{"begin", in_cycles(begin)},
                   {"end", in_cycles(end)},
                   {"cores", cores_in_json(machine_, cores)},
                   {"traffic", traffic_in_json(machine_, memory.fabric())},
                   {"channels", channels_in_json(machine_, memory.fabric(), modelled)},
                   {"functions", functions_in_json(cores)},
                   {"lines", lines_in_json(memory.lines())}};
    if (sampled) region["sampled"] = in_json(*sampled);
    regions_.push_back(region.dump());
}

void Results::write(std::ostream& output, std::uint64_t instructions, double host_seconds) const {
    output << "{\"machine\": " << Json(machine_.name).dump() << ", \"hertz\": " << machine_.hertz
           << ", \"instructions\": " << instructions << ", \"host_seconds\": " << host_seconds << ", \"regions\": [";
    for (std::size_t number = 0; number != regions_.size(); ++number)
        output << (number == 0 ? "\n" : ",\n") << regions_[number];
    output << "]}\n";
}

} // namespace mxk::simulator
