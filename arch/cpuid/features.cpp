#include "arch/cpuid/features.hpp"

#include <string_view>

#include "arch/processor.hpp"
#include "base/bits.hpp"

namespace mxk::arch {
namespace {

enum class Register : std::uint8_t { Eax, Ebx, Ecx, Edx };

struct FeatureBit {
    std::uint32_t leaf;
    std::uint32_t subleaf;
    Register word;
    unsigned bit;
    std::string_view name;
};

// SDM vol. 2A, CPUID; leaves from 8000'0000h on: AMD APM vol. 3. What every processor with 64 bits has is left out.
constexpr FeatureBit feature_bits[] = {
    {1, 0, Register::Ecx, 0, "sse3"},
    {1, 0, Register::Ecx, 1, "pclmulqdq"},
    {1, 0, Register::Ecx, 3, "monitor"},
    {1, 0, Register::Ecx, 5, "vmx"},
    {1, 0, Register::Ecx, 9, "ssse3"},
    {1, 0, Register::Ecx, 12, "fma"},
    {1, 0, Register::Ecx, 13, "cmpxchg16b"},
    {1, 0, Register::Ecx, 17, "pcid"},
    {1, 0, Register::Ecx, 19, "sse4.1"},
    {1, 0, Register::Ecx, 20, "sse4.2"},
    {1, 0, Register::Ecx, 21, "x2apic"},
    {1, 0, Register::Ecx, 22, "movbe"},
    {1, 0, Register::Ecx, 23, "popcnt"},
    {1, 0, Register::Ecx, 24, "tsc-deadline"},
    {1, 0, Register::Ecx, 25, "aes"},
    {1, 0, Register::Ecx, 26, "xsave"},
    {1, 0, Register::Ecx, 28, "avx"},
    {1, 0, Register::Ecx, 29, "f16c"},
    {1, 0, Register::Ecx, 30, "rdrand"},
    {1, 0, Register::Ecx, 31, "hypervisor"},
    {6, 0, Register::Eax, 2, "arat"},
    {6, 0, Register::Ecx, 0, "aperfmperf"},
    {7, 0, Register::Ebx, 0, "fsgsbase"},
    {7, 0, Register::Ebx, 1, "tsc-adjust"},
    {7, 0, Register::Ebx, 3, "bmi1"},
    {7, 0, Register::Ebx, 4, "hle"},
    {7, 0, Register::Ebx, 5, "avx2"},
    {7, 0, Register::Ebx, 7, "smep"},
    {7, 0, Register::Ebx, 8, "bmi2"},
    {7, 0, Register::Ebx, 9, "erms"},
    {7, 0, Register::Ebx, 10, "invpcid"},
    {7, 0, Register::Ebx, 11, "rtm"},
    {7, 0, Register::Ebx, 16, "avx512f"},
    {7, 0, Register::Ebx, 17, "avx512dq"},
    {7, 0, Register::Ebx, 18, "rdseed"},
    {7, 0, Register::Ebx, 19, "adx"},
    {7, 0, Register::Ebx, 20, "smap"},
    {7, 0, Register::Ebx, 21, "avx512ifma"},
    {7, 0, Register::Ebx, 23, "clflushopt"},
    {7, 0, Register::Ebx, 24, "clwb"},
    {7, 0, Register::Ebx, 28, "avx512cd"},
    {7, 0, Register::Ebx, 29, "sha"},
    {7, 0, Register::Ebx, 30, "avx512bw"},
    {7, 0, Register::Ebx, 31, "avx512vl"},
    {7, 0, Register::Ecx, 1, "avx512vbmi"},
    {7, 0, Register::Ecx, 2, "umip"},
    {7, 0, Register::Ecx, 3, "pku"},
    {7, 0, Register::Ecx, 5, "waitpkg"},
    {7, 0, Register::Ecx, 6, "avx512vbmi2"},
    {7, 0, Register::Ecx, 7, "cet-ss"},
    {7, 0, Register::Ecx, 8, "gfni"},
    {7, 0, Register::Ecx, 9, "vaes"},
    {7, 0, Register::Ecx, 10, "vpclmulqdq"},
    {7, 0, Register::Ecx, 11, "avx512vnni"},
    {7, 0, Register::Ecx, 12, "avx512bitalg"},
    {7, 0, Register::Ecx, 14, "avx512vpopcntdq"},
    {7, 0, Register::Ecx, 16, "la57"},
    {7, 0, Register::Ecx, 22, "rdpid"},
    {7, 0, Register::Ecx, 25, "cldemote"},
    {7, 0, Register::Ecx, 27, "movdiri"},
    {7, 0, Register::Ecx, 28, "movdir64b"},
    {7, 0, Register::Edx, 4, "fsrm"},
    {7, 0, Register::Edx, 14, "serialize"},
    {7, 0, Register::Edx, 15, "hybrid"},
    {7, 0, Register::Edx, 20, "cet-ibt"},
    {7, 0, Register::Edx, 22, "amx-bf16"},
    {7, 0, Register::Edx, 24, "amx-tile"},
    {7, 0, Register::Edx, 25, "amx-int8"},
    {0xd, 1, Register::Eax, 0, "xsaveopt"},
    {0xd, 1, Register::Eax, 1, "xsavec"},
    {0xd, 1, Register::Eax, 3, "xsaves"},
    {0x8000'0001, 0, Register::Ecx, 2, "svm"},
    {0x8000'0001, 0, Register::Ecx, 5, "lzcnt"},
    {0x8000'0001, 0, Register::Ecx, 6, "sse4a"},
    {0x8000'0001, 0, Register::Ecx, 8, "prefetchw"},
    {0x8000'0001, 0, Register::Ecx, 29, "mwaitx"},
    {0x8000'0001, 0, Register::Edx, 20, "nx"},
    {0x8000'0001, 0, Register::Edx, 26, "1g-pages"},
    {0x8000'0001, 0, Register::Edx, 27, "rdtscp"},
    {0x8000'0007, 0, Register::Edx, 8, "invariant-tsc"},
    {0x8000'0008, 0, Register::Ebx, 0, "clzero"},
};

std::uint32_t word_of(CpuidResult const& answer, Register word) {
    switch (word) {
    case Register::Eax: return answer.eax;
    case Register::Ebx: return answer.ebx;
    case Register::Ecx: return answer.ecx;
    case Register::Edx: break;
    }
    return answer.edx;
}

} // namespace

void write_features(TextSink& out, AskCpuid ask) {
    constexpr std::uint32_t first_extended = 0x8000'0000;
    std::uint32_t const highest = ask(0, 0).eax;
    std::uint32_t const highest_extended = ask(first_extended, 0).eax;
    std::string_view separator;
    for (FeatureBit const& feature : feature_bits) {
        // A leaf beyond the highest one answers as any other (SDM vol. 2A): it must not be asked.
        if (feature.leaf > (feature.leaf < first_extended ? highest : highest_extended)) continue;
        if (!has_bit(word_of(ask(feature.leaf, feature.subleaf), feature.word), feature.bit)) continue;
        out.write(separator);
        out.write(feature.name);
        separator = " ";
    }
}

void write_features(TextSink& out) {
    write_features(out, [](std::uint32_t leaf, std::uint32_t subleaf) { return cpuid(leaf, subleaf); });
}

} // namespace mxk::arch
