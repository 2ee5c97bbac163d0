// Limits of containers and batch systems, from made trees of /proc and /sys.
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace profgauge {
namespace {

namespace fs = std::filesystem;

class Cgroup : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(::testing::TempDir()) / (std::string("profgauge_cgroup_") + test->name());
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  CgroupLimits Limits() const { return ReadCgroupLimits(root_.string()); }
  fs::path root_;
};

TEST_F(Cgroup, NoneWhereNothingLimits) {
  EXPECT_EQ(Limits().memory, std::nullopt);
  Write("proc/self/cgroup", "0::/user.slice");
  Write("sys/fs/cgroup/user.slice/memory.max", "max");
  Write("sys/fs/cgroup/user.slice/cpu.max", "max 100000");
  EXPECT_EQ(Limits().memory, std::nullopt);
  EXPECT_EQ(Limits().cores, std::nullopt);
}

// A job's step has no separate limit, the job has.
TEST_F(Cgroup, GroupsAroundItLimitToo) {
  Write("proc/self/cgroup", "0::/slurm/job_7/step_0");
  Write("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max");
  Write("sys/fs/cgroup/slurm/job_7/memory.max", "8589934592");
  Write("sys/fs/cgroup/slurm/memory.max", "68719476736");
  Write("sys/fs/cgroup/slurm/job_7/cpu.max", "250000 100000");
  EXPECT_EQ(Limits().memory, 8589934592U);
  EXPECT_EQ(Limits().cores, 2.5);
}

// A pod may know its path on the host, and see its own group as the root.
TEST_F(Cgroup, ContainerLimitsAreAtRoot) {
  Write("proc/self/cgroup", "0::/kubepods.slice/pod1.slice/cri-2.scope");
  Write("sys/fs/cgroup/memory.max", "4294967296");
  Write("sys/fs/cgroup/cpu.max", "50000 100000");
  EXPECT_EQ(Limits().memory, 4294967296U);
  EXPECT_EQ(Limits().cores, 0.5);
}

TEST_F(Cgroup, Version1HasFoldersByController) {
  Write("proc/self/cgroup", "4:memory:/job\n3:cpu,cpuacct:/job\n1:name=systemd:/\nnonsense\n");
  Write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824");
  Write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1");
  Write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(Limits().memory, 1073741824U);
  EXPECT_EQ(Limits().cores, std::nullopt);
  Write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000");
  Write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  EXPECT_EQ(Limits().cores, 3.0);
}

}  // namespace
}  // namespace profgauge
