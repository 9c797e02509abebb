// Each test's processor seconds, of all threads and of the processes that it has waited for, and what it says for being
// long (RecordProperty("long", reason)): tools/slowest reads them.
#include <sys/resource.h>

#include <cstdio>
#include <string_view>

#include <gtest/gtest.h>

namespace {

double processor_seconds() {
    double result = 0;
    for (auto const whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        getrusage(whose, &used);
        auto const seconds = [](timeval time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
        result += seconds(used.ru_utime) + seconds(used.ru_stime);
    }
    return result;
}

class ProcessorSeconds : public testing::EmptyTestEventListener {
    void OnTestStart(testing::TestInfo const& /*test*/) override { start_ = processor_seconds(); }
    void OnTestEnd(testing::TestInfo const& test) override {
        double const seconds = processor_seconds() - start_;
        if (seconds < 1) return;
        char const* reason = "";
        for (int i = 0; i < test.result()->test_property_count(); ++i) {
            auto const& property = test.result()->GetTestProperty(i);
            if (std::string_view(property.key()) == "long") reason = property.value();
        }
        std::printf("[  SECONDS ] %s.%s %.1f %s\n", test.test_suite_name(), test.name(), seconds, reason);
    }

    double start_ = 0;
};

// Before main(), which is GoogleTest's: it owns the listener from then on.
[[maybe_unused]] bool const appended = [] {
    testing::UnitTest::GetInstance()->listeners().Append(new ProcessorSeconds);
    return true;
}();

} // namespace
