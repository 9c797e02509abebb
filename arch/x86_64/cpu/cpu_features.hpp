// What the processor can do, read once from CPUID by the boot core, and what each core switches on.
#pragma once

#include <cstdint>
#include <string_view>

namespace mxk::arch {

struct CpuFeatures {
    bool no_execute = false;
    bool gigabyte_pages = false;
    bool smep = false; // supervisor must not execute user pages
    bool smap = false; // supervisor must not touch user pages
    bool global_pages = false;
    bool pcid = false;    // translations of several address spaces are kept; used with global pages only
    bool invpcid = false; // and those of one that is not active can be forgotten
    bool x2apic = false;
    bool tsc_deadline = false; // the local APIC's timer goes by time stamps
    bool xsave = false;
    bool avx2 = false; // and BMI1, BMI2, LZCNT, POPCNT, and XCR0 lets them be used
    bool invariant_tsc = false;
    bool tsc_adjust = false;          // IA32_TSC_ADJUST
    bool machine_check = false;       // exception 18
    bool machine_check_banks = false; // and registers that say what it was
    bool hypervisor = false;
    unsigned address_bits = 36;       // of physical addresses
    std::string_view brand;           // "AMD EPYC ..."
    std::string_view hypervisor_name; // "TCGTCGTCGTCG", "KVMKVMKVM", ...; empty on bare metal
};

// Fills the one CpuFeatures; the boot core, before anything asks for it.
void detect_features();
CpuFeatures const& features();

// On a bare machine only, for there firmware may have switched them off: what protects the kernel, and a time-stamp
// counter that keeps its frequency. One warning. The boot core.
void warn_of_missing_features();

// SMEP, SMAP, global pages, PCIDs and XSAVE with what it saves, as far as there are, on the calling core.
void enable_features();

} // namespace mxk::arch
