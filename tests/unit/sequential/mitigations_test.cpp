// Microcode and controls of speculation of made-up processors.
#include "arch/x86_64/cpu/mitigations.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/format.hpp"

namespace mxk::arch {
namespace {

std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidResult> answers;
std::map<std::uint32_t, std::uint64_t> contents; // those that are not in it fault

CpuidResult answer_of(std::uint32_t leaf, std::uint32_t subleaf) {
    auto const found = answers.find({leaf, subleaf});
    return found == answers.end() ? CpuidResult{} : found->second;
}
std::optional<std::uint64_t> content_of_register(std::uint32_t number) {
    auto const found = contents.find(number);
    return found == contents.end() ? std::nullopt : std::optional(found->second);
}

std::string described() {
    Mitigations const found = read_mitigations(&answer_of, &content_of_register);
    FixedText<300> text;
    if (found.microcode) format(text, "0x{:x}: ", *found.microcode);
    print_mitigations(text, found);
    return std::string(text.view());
}

TEST(Mitigations, of_intel) {
    answers = {{{0, 0}, {0x16, 0x756e'6547, 0, 0}},
               {{7, 0}, {2, 0, 0, 1U << 26 | 1U << 27 | 1U << 29 | 1U << 31}},
               {{7, 2}, {0, 0, 0, 1U << 4}}};
    contents = {{msr::microcode, 0x0d00'0389'0000'0000}, {msr::spec_ctrl, 0x401}, {msr::arch_capabilities, 0x121}};
    EXPECT_EQ(described(), "0xd000389: IBRS on, STIBP off, SSBD off, BHI_DIS_S on; not affected by RDCL, MDS, TAA");
    contents.erase(msr::arch_capabilities);
    contents.erase(msr::spec_ctrl);
    EXPECT_EQ(described(), "0xd000389: IBRS off, STIBP off, SSBD off, BHI_DIS_S off") << "what faults is off";
}

TEST(Mitigations, of_amd) {
    answers = {{{0, 0}, {0x10, 0x6874'7541, 0, 0}},
               {{0x8000'0000, 0}, {0x8000'0020, 0, 0, 0}},
               {{0x8000'0008, 0}, {0, 1U << 15 | 1U << 24 | 1U << 28, 0, 0}}};
    contents = {{msr::microcode, 0x0a20'1210}, {msr::spec_ctrl, 0x4}};
    EXPECT_EQ(described(), "0xa201210: STIBP off, SSBD on, PSFD off");
}

TEST(Mitigations, of_a_processor_without_any) {
    answers = {{{0, 0}, {2, 0x756e'6547, 0, 0}}};
    contents = {{msr::spec_ctrl, UINT64_MAX}, {msr::arch_capabilities, UINT64_MAX}};
    EXPECT_EQ(described(), "no controls");
}

} // namespace
} // namespace mxk::arch
