#include "bench/peers/peer_rows.hpp"

#include "base/json.hpp"
#include "bench/frame/machine_record.hpp"
#include "bench/frame/throughput.hpp"

namespace mxk::bench {
namespace {

FixedText<32> name_of(Mix const& mix) {
    FixedText<32> name;
    print_value(name, mix);
    return name;
}

} // namespace

void print_peer_head(TextSink& out, PeerOptions const& options) {
    FixedText<64> phases;
    print_value(phases, options.mix);
    FixedText<32> operations;
    console::print_count(operations, options.operations);
    FixedText<32> distribution;
    print_value(distribution, options.distribution);
    FixedText<256> keys;
    print_value(keys, options.keys);
    format(out, "peers: {} operations ({}, {}), {} keys, seed {}\n", operations.view(), phases.view(),
           distribution.view(), keys.view(), options.seed);
    format(out, "{:<20} {:>5} {:<6} ", "peer", "cores", "mix");
    print_throughput_head(out);
    out.write("  verified\n");
}

void print_peer_row(TextSink& out, PeerOptions const& options, PeerRow const& row) {
    FixedText<32> const mix = name_of(row.mix);
    format(out, "{:<20} {:5} {:<6} ", row.peer->name, row.cores, mix.view().substr(0, mix.view().find(':')));
    switch (row.state) {
    case PeerRow::State::Unsupported:
        return format(out, "{}: {}\n", row.peer->missing.empty() ? "not supported" : "not built",
                      std::string_view(row.reason));
    case PeerRow::State::Failed: return format(out, "failed: {}\n", std::string_view(row.reason));
    case PeerRow::State::Measured: break;
    }
    print_throughput(out, options.operations, row.throughput);
    format(out, "  {}\n", row.verified ? "yes" : "NO");
}

void print_peer_json(TextSink& out, PeerOptions const& options, PeerRow const& row) {
    FixedText<32> distribution;
    print_value(distribution, options.distribution);
    FixedText<256> keys;
    print_value(keys, options.keys);
    JsonWriter json(out);
    json.begin_object();
    json.field("benchmark", "peer");
    json.field("peer", row.peer->name);
    json.field("kind", name_of(row.peer->kind));
    json.field("library", row.peer->library);
    json.field("setup", row.peer->setup);
    json.field("mix", name_of(row.mix).view());
    json.field("cores", row.cores);
    json.field("operations", options.operations);
    json.field("dist", distribution.view());
    json.field("keys", keys.view());
    json.field("seed", options.seed);
    json.field("supported", row.state != PeerRow::State::Unsupported);
    if (row.state == PeerRow::State::Unsupported) json.field("reason", std::string_view(row.reason));
    if (row.state == PeerRow::State::Failed) json.field("error", std::string_view(row.reason));
    if (row.state == PeerRow::State::Measured) write_throughput(json, options.operations, row.throughput);
    if (row.state != PeerRow::State::Unsupported) json.field("verified", row.verified);
    write_machine(json);
    json.end_object();
    out.write("\n");
}

void print_peer_list(TextSink& out) {
    for (Peer const* const peer : all_peers()) {
        format(out, "{:<20} {:<9} {:<18} ", peer->name, name_of(peer->kind), peer->library);
        if (peer->missing.empty())
            format(out, "{}\n", peer->setup);
        else
            format(out, "not built: {}\n", peer->missing);
    }
}

void print_peer_list_json(TextSink& out) {
    JsonWriter json(out);
    json.begin_object();
    json.field("benchmark", "peer-list");
    json.begin_array("peers");
    for (Peer const* const peer : all_peers()) {
        json.begin_object();
        json.field("name", peer->name);
        json.field("kind", name_of(peer->kind));
        json.field("library", peer->library);
        json.field("built", peer->missing.empty());
        json.field(peer->missing.empty() ? "setup" : "reason", peer->missing.empty() ? peer->setup : peer->missing);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    out.write("\n");
}

} // namespace mxk::bench
