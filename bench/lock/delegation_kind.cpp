// The lock that is given sections, as a kind of `bench lock` for those benchmarks that can give them.
#include "locks/delegation_lock.hpp"
#include "locks/lock_kind.hpp"

namespace mxk::bench {
namespace {

using locks::DelegationLock, locks::Fairness, locks::LockCounts, locks::LockForm, locks::LockForms, locks::LockKind;

struct DelegationFunctions {
    struct Node {};
    static void construct(void* lock, void const* /*site*/) { new (lock) DelegationLock; }
    static void destroy(void* lock) { static_cast<DelegationLock*>(lock)->~DelegationLock(); }
    static void construct_node(void* /*node*/) {}
    static void destroy_node(void* /*node*/) {}
    static void run(void* lock, void* /*node*/, void (*section)(void*), void* argument) {
        auto call = [=] { section(argument); };
        static_cast<DelegationLock*>(lock)->run(call);
    }
    static void repeat(void* lock, void* /*node*/, std::uint64_t sections) {
        auto empty = [] {};
        for (; sections != 0; --sections) static_cast<DelegationLock*>(lock)->run(empty);
    }
    static LockCounts counts(void const* /*node*/) { return {}; }
};

constexpr LockForm delegation_form{.bytes = sizeof(DelegationLock),
                                   .alignment = alignof(DelegationLock),
                                   .node_bytes = sizeof(DelegationFunctions::Node),
                                   .construct = &DelegationFunctions::construct,
                                   .destroy = &DelegationFunctions::destroy,
                                   .construct_node = &DelegationFunctions::construct_node,
                                   .destroy_node = &DelegationFunctions::destroy_node,
                                   .run = &DelegationFunctions::run,
                                   .repeat = &DelegationFunctions::repeat,
                                   .counts = &DelegationFunctions::counts};
constexpr LockKind delegation = locks::flat_lock("delegation", "sections of all, executed by one of those who wait",
                                                 Fairness::Fifo, LockForms{.smp = delegation_form});
MXK_REGISTER(mxk_lock_kinds, LockKind, delegation);

} // namespace
} // namespace mxk::bench
