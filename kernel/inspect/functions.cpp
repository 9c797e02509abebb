// Functions for `call` and `mcall` that belong to no other room.
#include "arch/core_counters.hpp"
#include "arch/core_local.hpp"
#include "arch/inspect.hpp"
#include "base/log.hpp"
#include "kernel/clock.hpp"
#include "kernel/inspect/function.hpp"
#include "kernel/memory/memory.hpp"

namespace mxk::inspect {
namespace {

std::uint64_t calling_core() {
    return index(arch::core_local().id);
}
constexpr auto core_function =
    function<&calling_core>({.name = "core", .summary = "the number of the core that runs it"});
MXK_REGISTER(mxk_functions, Function, core_function);

std::uint64_t read_timestamp() {
    return raw(clock::timestamp());
}
constexpr auto timestamp_function =
    function<&read_timestamp>({.name = "timestamp", .summary = "the core's time-stamp counter"});
MXK_REGISTER(mxk_functions, Function, timestamp_function);

std::uint64_t same_value(std::uint64_t value) {
    return value;
}
constexpr auto value_function = function<&same_value>(
    {.name = "value", .summary = "the number itself, decimal and hexadecimal", .parameters = "NUMBER"});
MXK_REGISTER(mxk_functions, Function, value_function);

Result<std::uint64_t> peek(std::uint64_t address) {
    return arch::read_memory(address);
}
constexpr auto peek_function =
    function<&peek>({.name = "peek", .summary = "the eight bytes at an address, as a number", .parameters = "ADDRESS"});
MXK_REGISTER(mxk_functions, Function, peek_function);

Result<std::uint64_t> read_msr_of_core(std::uint64_t number) {
    if (number > UINT32_MAX) return Error::of("expected the number of a register, of 32 bits, got 0x{:x}", number);
    return arch::read_model_register(static_cast<std::uint32_t>(number));
}
constexpr auto read_msr_function = function<&read_msr_of_core>(
    {.name = "read-msr", .summary = "a model-specific register of the core", .parameters = "NUMBER"});
MXK_REGISTER(mxk_functions, Function, read_msr_function);

Result<void> flush_tlb() {
    return arch::flush_translations();
}
constexpr auto tlb_flush_function =
    function<&flush_tlb>({.name = "tlb-flush", .summary = "the core forgets all translations of addresses"});
MXK_REGISTER(mxk_functions, Function, tlb_flush_function);

Result<std::uint64_t> count_smis() {
    if (auto const smis = arch::read_core_counters().smis) return *smis;
    return Error("expected a machine that counts system management interrupts, this one does not");
}
constexpr auto smi_count_function = function<&count_smis>(
    {.name = "smi-count", .summary = "system management interrupts that the core has taken since reset"});
MXK_REGISTER(mxk_functions, Function, smi_count_function);

Result<std::uint64_t> free_bytes(std::uint64_t node) {
    if (node >= memory::node_count()) return Error::of("expected a node below {}, got {}", memory::node_count(), node);
    memory::NodeUse const use = memory::use(node_id(node));
    return std::uint64_t{use.total - use.used};
}
constexpr auto free_bytes_function =
    function<&free_bytes>({.name = "free-bytes", .summary = "free memory of a node", .parameters = "NODE"});
MXK_REGISTER(mxk_functions, Function, free_bytes_function);

std::uint64_t count_warnings() {
    return log::warning_count();
}
constexpr auto warnings_function =
    function<&count_warnings>({.name = "warnings", .summary = "WARN lines since the start"});
MXK_REGISTER(mxk_functions, Function, warnings_function);

} // namespace
} // namespace mxk::inspect
