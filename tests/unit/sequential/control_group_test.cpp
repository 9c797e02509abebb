// What the control groups of a process leave to it, in made-up trees of both versions.
#include "arch/linux/control_group.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/units.hpp"

namespace mxk::arch {
namespace {

// A folder in place of "/", with the files of a test.
class Tree {
  public:
    Tree()
        : root_(std::filesystem::path(testing::TempDir()) / ("control-groups-" + std::to_string(getpid()))) {}
    ~Tree() { std::filesystem::remove_all(root_); }

    void write(std::string const& path, std::string const& text) const {
        std::filesystem::path const file(root_.string() + path);
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    [[nodiscard]] ControlGroup read() const { return read_control_group(root_.string()); }

  private:
    std::filesystem::path root_;
};

void mount_first_version(Tree const& tree, std::string const& mounted) {
    tree.write("/proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
                                       "32 31 0:29 " +
                                           mounted +
                                           " /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpuacct,cpu\n"
                                           "35 31 0:32 " +
                                           mounted +
                                           " /sys/fs/cgroup/memory rw shared:10 master:2 - cgroup cgroup rw,memory\n");
}

TEST(ControlGroup, no_groups_set_no_limit) {
    ControlGroup const found = Tree().read();
    EXPECT_FALSE(found.memory_left);
    EXPECT_FALSE(found.processors);
}

TEST(ControlGroup, the_second_versions_limit_is_the_minimum_along_the_path) {
    Tree const tree;
    tree.write("/proc/self/cgroup", "0::/system.slice/slurm.scope/job_7/step_0\n");
    tree.write("/proc/self/mountinfo",
               "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
    std::string const job = "/sys/fs/cgroup/system.slice/slurm.scope/job_7";
    tree.write(job + "/step_0/memory.max", "max\n");
    tree.write(job + "/step_0/cpu.max", "max 100000\n");
    tree.write(job + "/memory.max", "1073741824\n");
    tree.write(job + "/memory.current", "536870912\n");
    tree.write(job + "/memory.stat", "anon 1\ninactive_file 134217728\nactive_file 7\n");
    tree.write("/sys/fs/cgroup/system.slice/memory.max", "8589934592\n");
    tree.write("/sys/fs/cgroup/system.slice/cpu.max", "20000 100000\n");
    ControlGroup const found = tree.read();
    EXPECT_EQ(found.memory_left.value_or(0), 512 * MiB + 128 * MiB);
    EXPECT_DOUBLE_EQ(found.processors.value_or(0), 0.2);
}

TEST(ControlGroup, the_first_version_has_a_path_for_each_controller) {
    Tree const tree;
    mount_first_version(tree, "/");
    tree.write("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/job\n2:cpu,cpuacct:/a/b\n0::/\n");
    tree.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    tree.write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1048576\n");
    tree.write("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "2097152\n"); // lowered after it was used
    tree.write("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
    tree.write("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
    tree.write("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "150000\n");
    tree.write("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
    ControlGroup const found = tree.read();
    EXPECT_EQ(found.memory_left.value_or(1), 0U);
    EXPECT_DOUBLE_EQ(found.processors.value_or(0), 1.5);
}

// The mount shows the container's own group as its root; the process' path is the host's, or another name space's.
TEST(ControlGroup, a_container_sees_its_own_group_at_the_mount) {
    for (char const* const path : {"/docker/7", "/docker/7/inner", "/", "/elsewhere"}) {
        Tree const tree;
        mount_first_version(tree, "/docker/7");
        tree.write("/proc/self/cgroup", std::string("4:memory:") + path + "\n2:cpu,cpuacct:" + path + "\n");
        tree.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576\n");
        EXPECT_EQ(tree.read().memory_left.value_or(0), 1 * MiB) << path;
    }
}

} // namespace
} // namespace mxk::arch
