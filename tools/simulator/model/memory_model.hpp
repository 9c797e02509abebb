// The memory of the whole machine: each core's caches and TLB, coherence, channels and links. Answers when an access is
// done and where its data was. Threads of a core have its caches together. One thread may call it; cores' times may
// differ.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/simulator/model/line_coherence.hpp"
#include "tools/simulator/model/machine_model.hpp"
#include "tools/simulator/model/memory_access.hpp"
#include "tools/simulator/model/private_caches.hpp"

namespace mxk::simulator {

class Memory {
  public:
    /// machine must outlive it.
    explicit Memory(Machine const& machine);
    Memory(Memory const&) = delete;
    Memory& operator=(Memory const&) = delete;

    /// Which physical addresses are memory, of which nodes. All others are devices: not cached. Throws
    /// std::runtime_error. Before the first access.
    void map(std::span<MemoryRange const> ranges) { coherence_.directory().map(ranges); }

    /// code: the instruction's address, for the line statistics.
    Answer access(unsigned processor, Access const& asked, Time start, std::uint64_t code) {
        PrivateCaches& own = *own_[processor];
        bool const in_line = asked.physical_address % Machine::line_bytes + asked.bytes <= Machine::line_bytes;
        if (in_line && asked.kind <= Kind::Store && own.tlb.is_last(asked.virtual_address, asked.page_bits)) {
            CacheLine* const hit = own.data.find(line_of(asked.physical_address));
            if (hit != nullptr && !hit->watched) {
                if (asked.kind == Kind::Load) return first_level_hit(*hit, start, machine_.l1.latency, 0);
                if (hit->state >= State::Exclusive) {
                    hit->state = State::Modified;
                    hit->written = std::max(hit->written, start + per_cycle);
                    return first_level_hit(*hit, start, per_cycle, 0);
                }
            }
        }
        return any_access(processor, asked, start, code);
    }

    /// An instruction of a core waited so long for a line that another core's cache had.
    void blame(std::uint64_t physical_address, Time time) {
        coherence_.statistics().blame(line_of(physical_address), time);
    }

    /// Whether accesses wait for channels and links, and count, as at first. Not where no model of a core says when
    /// they come: then only caches and directory know of them.
    void set_modelled(bool is_modelled) {
        coherence_.fabric().set_modelled(is_modelled);
        coherence_.statistics().set_counting(is_modelled);
    }

    /// The translations of the processor's core are forgotten.
    void flush_tlb(unsigned processor) { own_[processor]->tlb.flush(); }

    /// For tests: whether all caches agree about the line of that address.
    bool is_consistent(std::uint64_t physical_address) { return coherence_.is_consistent(line_of(physical_address)); }

    Machine const& machine() const { return machine_; }
    Fabric const& fabric() const { return coherence_.fabric(); }
    LineStatistics const& lines() const { return coherence_.statistics(); }
    void reset_statistics() { coherence_.reset_statistics(); }

  private:
    static LineNumber line_of(std::uint64_t physical) {
        auto const line = static_cast<LineNumber>(physical / Machine::line_bytes);
        return line + (line == 0 ? 1 : 0);
    }

    static Answer first_level_hit(CacheLine const& hit, Time start, Time latency, Time translation) {
        Time const done = start + latency;
        if (hit.ready <= done) return {done, start, translation, Source::L1, false};
        return {hit.ready, start, translation, hit.source, true};
    }

    Answer any_access(unsigned processor, Access const& asked, Time start, std::uint64_t code);
    Answer two_lines(unsigned processor, Access const& asked, Time start, std::uint64_t code);
    Answer device(unsigned core, Time start) const;
    Time held(Kind kind) const;
    Answer line_access(unsigned core, Access const& asked, Time start, std::uint64_t code);
    Answer beyond_first_level(unsigned core, Access const& asked, Time start, std::uint64_t code);
    Time translate(unsigned core, Access const& asked, Time start);
    Time walk(unsigned core, Access const& asked, Time start);
    void prefetch_for(unsigned core, Access const& asked, Time start, std::uint64_t code, bool fetched);
    bool prefetch(unsigned core, LineNumber line, Access const& by, Time start);
    void insert_second(unsigned core, CacheLine const& line, Time when);
    void count_place(unsigned processor, Access const& asked, std::uint64_t code);

    Machine const& machine_;
    std::vector<PrivateCaches> cores_;
    std::vector<PrivateCaches*> own_; // by processor
    Coherence coherence_;
};

} // namespace mxk::simulator
