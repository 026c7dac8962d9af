#include "topology/available_memory.hpp"

#include <gtest/gtest.h>

#include <string>

#include "made_up_system.hpp"

namespace starling {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20U;

class AvailableMemory : public MadeUpSystem {
 protected:
  [[nodiscard]] std::int64_t mebibytes() const { return available_memory(root()) / mebibyte; }
  void write_meminfo() { write("proc/meminfo", "MemTotal: 8192000 kB\nMemFree: 1024 kB\nMemAvailable: 4194304 kB"); }
};

TEST_F(AvailableMemory, IsThatOfTheSystemWhereNoGroupIsLimited) {
  EXPECT_EQ(mebibytes(), 0) << "nothing is known";
  write_meminfo();
  EXPECT_EQ(mebibytes(), 4096);
  write("proc/self/cgroup", "0::/job");
  write("sys/fs/cgroup/job/memory.max", "max");
  write("sys/fs/cgroup/job/memory.current", std::to_string(100 * mebibyte));
  EXPECT_EQ(mebibytes(), 4096);
}

TEST_F(AvailableMemory, IsWhatIsLeftOfTheSmallestLimit) {
  write_meminfo();
  write("proc/self/cgroup", "0::/slurm/job/step");
  write("sys/fs/cgroup/slurm/job/step/memory.max", std::to_string(2000 * mebibyte));
  write("sys/fs/cgroup/slurm/job/step/memory.current", std::to_string(500 * mebibyte));
  EXPECT_EQ(mebibytes(), 1500);
  write("sys/fs/cgroup/slurm/job/memory.max", std::to_string(1000 * mebibyte));
  write("sys/fs/cgroup/slurm/job/memory.current", std::to_string(700 * mebibyte));
  EXPECT_EQ(mebibytes(), 300);
  write("sys/fs/cgroup/slurm/memory.max", std::to_string(9000 * mebibyte));
  write("sys/fs/cgroup/slurm/memory.current", std::to_string(700 * mebibyte));
  EXPECT_EQ(mebibytes(), 300) << "of the step's job";
}

TEST_F(AvailableMemory, CountsFilesThatAreOnlyCachedAsAvailable) {
  write("proc/self/cgroup", "0::/job");
  write("sys/fs/cgroup/job/memory.max", std::to_string(1000 * mebibyte));
  write("sys/fs/cgroup/job/memory.current", std::to_string(900 * mebibyte));
  write("sys/fs/cgroup/job/memory.stat",
        "anon 1\nactive_file 7\ninactive_file " + std::to_string(600 * mebibyte) + "\nslab 3");
  EXPECT_EQ(mebibytes(), 700);
}

TEST_F(AvailableMemory, IsFoundInVersionOne) {
  write_meminfo();
  write("proc/self/cgroup", "7:cpu,cpuacct:/c\n4:memory:/job\n0::/");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(3000 * mebibyte));
  EXPECT_EQ(mebibytes(), 4096);
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", std::to_string(1000 * mebibyte));
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", std::to_string(900 * mebibyte));
  write("sys/fs/cgroup/memory/job/memory.stat",
        "inactive_file 0\ntotal_inactive_file " + std::to_string(50 * mebibyte));
  EXPECT_EQ(mebibytes(), 150);
}

TEST_F(AvailableMemory, IsKnownWhereNothingIsLeft) {
  write_meminfo();
  write("proc/self/cgroup", "0::/job");
  write("sys/fs/cgroup/job/memory.max", "1000");
  write("sys/fs/cgroup/job/memory.current", "2000");
  EXPECT_EQ(available_memory(root()), 1);
}

}  // namespace
}  // namespace starling
