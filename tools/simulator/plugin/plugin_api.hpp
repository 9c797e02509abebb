// QEMU's interface for TCG plugins, as far as it is used, in own words: no package has its header. Version 4, of
// QEMU 9.1 to 10.0 (docs/devel/tcg-plugins). Names are QEMU's.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

using qemu_plugin_id_t = std::uint64_t;
using qemu_plugin_meminfo_t = std::uint32_t;

struct qemu_plugin_tb;       // a translated block of instructions
struct qemu_plugin_insn;     // one of its instructions; valid while the block is translated
struct qemu_plugin_hwaddr;   // where an access went; valid during its callback
struct qemu_plugin_register; // a handle

struct qemu_info_t {
    char const* target_name;
    struct {
        int min;
        int cur;
    } version;
    bool system_emulation;
    struct {
        int smp_vcpus;
        int max_vcpus;
    } system;
};

// GLib's arrays, of which QEMU gives and takes some.
struct GArray {
    char* data;
    unsigned len;
};
struct GByteArray {
    std::uint8_t* data;
    unsigned len;
};
GByteArray* g_byte_array_new();
GByteArray* g_byte_array_set_size(GByteArray* array, unsigned length);

struct qemu_plugin_reg_descriptor {
    qemu_plugin_register* handle;
    char const* name;
    char const* feature;
};

// What a callback may look at: TCG writes back the registers that it keeps elsewhere.
constexpr int plugin_no_registers = 0;
constexpr int plugin_reads_registers = 1;
constexpr int plugin_loads_and_stores = 3;

using qemu_plugin_vcpu_simple_cb_t = void (*)(qemu_plugin_id_t, unsigned core);
using qemu_plugin_vcpu_udata_cb_t = void (*)(unsigned core, void* data);
using qemu_plugin_vcpu_mem_cb_t = void (*)(unsigned core, qemu_plugin_meminfo_t, std::uint64_t address, void* data);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t, qemu_plugin_vcpu_simple_cb_t);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, qemu_plugin_tb*));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void* data), void* data);

// Before a block's first instruction; before an instruction; after each access of an instruction.
void qemu_plugin_register_vcpu_tb_exec_cb(qemu_plugin_tb*, qemu_plugin_vcpu_udata_cb_t, int registers, void* data);
void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn*, qemu_plugin_vcpu_udata_cb_t, int registers, void* data);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn*, qemu_plugin_vcpu_mem_cb_t, int registers, int accesses,
                                      void* data);

std::size_t qemu_plugin_tb_n_insns(qemu_plugin_tb const*);
std::uint64_t qemu_plugin_tb_vaddr(qemu_plugin_tb const*);
qemu_plugin_insn* qemu_plugin_tb_get_insn(qemu_plugin_tb const*, std::size_t number);
std::size_t qemu_plugin_insn_data(qemu_plugin_insn const*, void* bytes, std::size_t size);
std::size_t qemu_plugin_insn_size(qemu_plugin_insn const*);
std::uint64_t qemu_plugin_insn_vaddr(qemu_plugin_insn const*);

unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);
qemu_plugin_hwaddr* qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t, std::uint64_t address);
bool qemu_plugin_hwaddr_is_io(qemu_plugin_hwaddr const*);
std::uint64_t qemu_plugin_hwaddr_phys_addr(qemu_plugin_hwaddr const*);

// Of the core that runs: on its thread only.
GArray* qemu_plugin_get_registers(); // of qemu_plugin_reg_descriptor
int qemu_plugin_read_register(qemu_plugin_register*, GByteArray* value);

void qemu_plugin_outs(char const* text);

} // extern "C"
