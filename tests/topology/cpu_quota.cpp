#include "topology/cpu_quota.hpp"

#include <gtest/gtest.h>

#include <string>

#include "made_up_system.hpp"

namespace starling {
namespace {

class Quota : public MadeUpSystem {
 protected:
  [[nodiscard]] CpuQuota here() const { return cpu_quota_here(root()); }
};

TEST_F(Quota, IsNoneWhereNoGroupHasOne) {
  EXPECT_EQ(here().group, 0U) << "no control groups";
  write("proc/self/cgroup", "0::/job");
  EXPECT_EQ(here().group, 0U) << "none that is seen";
  write("sys/fs/cgroup/job/cpu.max", "max 100000");
  EXPECT_EQ(here().group, 0U);
  write("proc/self/cgroup", "garbage\n0::\n:\n4:cpu:/v1");
  write("sys/fs/cgroup/cpu/v1/cpu.cfs_quota_us", "-1");
  write("sys/fs/cgroup/cpu/v1/cpu.cfs_period_us", "100000");
  EXPECT_EQ(here().group, 0U);
}

TEST_F(Quota, IsTheSmallestOfTheGroupAndThoseItIsIn) {
  write("proc/self/cgroup", "0::/slurm/job/step");
  write("sys/fs/cgroup/slurm/job/step/cpu.max", "400000 100000");
  EXPECT_EQ(here().processors, 4);
  const auto of_step = here().group;
  write("sys/fs/cgroup/slurm/job/cpu.max", "150000 100000");
  EXPECT_EQ(here().processors, 1.5);
  EXPECT_NE(here().group, of_step);
  write("sys/fs/cgroup/slurm/cpu.max", "800000 100000");
  EXPECT_EQ(here().processors, 1.5);
}

TEST_F(Quota, IsFoundInVersionOne) {
  write("proc/self/cgroup", "7:memory:/m\n4:cpu,cpuacct:/job\n0::/");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "50000");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(here().processors, 0.5);
  EXPECT_NE(here().group, 0U);
}

TEST_F(Quota, IsFoundInAContainerWhichSeesItsOwnGroupAlone) {
  write("proc/self/cgroup", "4:cpu,cpuacct:/docker/0123");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  EXPECT_EQ(here().processors, 2);
}

TEST_F(Quota, HasANumberForEachGroup) {
  for (const char* const name : {"one", "other"}) write("sys/fs/cgroup/" + std::string(name) + "/cpu.max", "1 1");
  write("proc/self/cgroup", "0::/one");
  const auto one = here().group;
  EXPECT_EQ(here().group, one);
  write("proc/self/cgroup", "0::/other");
  EXPECT_NE(here().group, one);
}

}  // namespace
}  // namespace starling
