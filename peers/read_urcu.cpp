// liburcu's read sections as kinds of `bench rcu-read`: flavour QSBR, whose section is nothing and whose threads report
// quiescent states; and flavour memb, whose sections are plain stores beside which the writer uses membarrier(2). Both
// as functions that are inlined, which their headers permit.
#include <urcu/static/urcu-memb.h>
#include <urcu/static/urcu-qsbr.h>
#include <urcu/urcu-memb.h>
#include <urcu/urcu-qsbr.h>

#include "bench/rcu/read_kind.hpp"

namespace mxk::bench {
namespace {

struct QsbrReaders {
    class Reader {
      public:
        struct Section {
            explicit Section(Reader&) { _urcu_qsbr_read_lock(); }
            ~Section() { _urcu_qsbr_read_unlock(); }
            Section(Section const&) = delete;
            Section& operator=(Section const&) = delete;
        };
        Reader(QsbrReaders&, std::size_t) { urcu_qsbr_register_thread(); }
        ~Reader() { urcu_qsbr_unregister_thread(); }
        Reader(Reader const&) = delete;
        Reader& operator=(Reader const&) = delete;
        static void quiescent() { _urcu_qsbr_quiescent_state(); }
    };
    [[nodiscard]] static bool is_sound(std::uint64_t /*sections*/) {
        urcu_qsbr_synchronize_rcu(); // ends, since nobody is registered any more
        return true;
    }
};

Result<Sample> run_urcu_qsbr(ReadRun const& run) {
    QsbrReaders shared;
    return read_in_tasks(run, shared);
}
constexpr ReadKind urcu_qsbr{.name = "urcu-qsbr",
                             .summary = "liburcu's QSBR, with a quiescent state every 1024 sections",
                             .library = MXK_PEER_LIBRARY,
                             .run = &run_urcu_qsbr};
MXK_REGISTER(mxk_read_kinds, ReadKind, urcu_qsbr);

struct MembReaders {
    class Reader {
      public:
        struct Section {
            explicit Section(Reader&) { _urcu_memb_read_lock(); }
            ~Section() { _urcu_memb_read_unlock(); }
            Section(Section const&) = delete;
            Section& operator=(Section const&) = delete;
        };
        Reader(MembReaders&, std::size_t) { urcu_memb_register_thread(); }
        ~Reader() { urcu_memb_unregister_thread(); }
        Reader(Reader const&) = delete;
        Reader& operator=(Reader const&) = delete;
        static void quiescent() {}
    };
    [[nodiscard]] static bool is_sound(std::uint64_t /*sections*/) {
        urcu_memb_synchronize_rcu();
        return true;
    }
};

Result<Sample> run_urcu_memb(ReadRun const& run) {
    MembReaders shared;
    return read_in_tasks(run, shared);
}
constexpr ReadKind urcu_memb{
    .name = "urcu-memb", .summary = "liburcu's membarrier flavour", .library = MXK_PEER_LIBRARY, .run = &run_urcu_memb};
MXK_REGISTER(mxk_read_kinds, ReadKind, urcu_memb);

} // namespace
} // namespace mxk::bench
