// The blocks of code that were translated. One that is translated again is the same one as before.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "tools/simulator/decode/decoder.hpp"
#include "tools/simulator/model/machine_model.hpp"
#include "tools/simulator/model/sampled_costs.hpp"
#include "tools/simulator/plugin/pages.hpp"
#include "tools/simulator/plugin/plugin_api.hpp"
#include "tools/simulator/plugin/translated_block.hpp"

namespace mxk::simulator {

/// What some instructions take without a model.
struct Costs {
    Time pause;
    Time port; // in and out
};

class Blocks {
  public:
    /// begin, end: where functions that mark the measured part begin.
    Blocks(std::uint64_t begin, std::uint64_t end, Costs const& costs)
        : begin_(begin)
        , end_(end)
        , costs_(costs) {}

    /// While it is translated, on the thread that does it.
    Block& find(qemu_plugin_tb const* translated, Pages& pages);

    /// What each takes from now on where it is skipped.
    void set_skipped_costs(SampledCosts const& costs, unsigned nodes);
    /// What was skipped since the last call.
    InstructionsOfBlocks take_skipped();

  private:
    void decode(Block& block, std::string const& code);

    std::uint64_t begin_;
    std::uint64_t end_;
    Costs costs_;
    Decoder decoder_;
    std::unordered_map<std::string, std::unique_ptr<Block>> blocks_; // by address, lengths and code
};

} // namespace mxk::simulator
