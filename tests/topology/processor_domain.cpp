#include "topology/processor_domain.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "made_up_system.hpp"

namespace starling {
namespace {

/// Its folder is as /sys/devices/system.
class ProcessorDomain : public MadeUpSystem {
 protected:
  void put_on_socket(int socket, std::initializer_list<int> processors) {
    for (const int one : processors)
      write("cpu/cpu" + std::to_string(one) + "/topology/physical_package_id", std::to_string(socket));
  }
  [[nodiscard]] int domain_of(std::initializer_list<int> processors) const {
    std::array<std::uint64_t, 4> bits{};
    for (const int one : processors) bits.at(static_cast<std::size_t>(one / 64)) |= std::uint64_t{1} << (one % 64);
    return domain_of_processors(bits, root());
  }
};

TEST_F(ProcessorDomain, IsTheNumaNodeThatHasAllOfThem) {
  write("node/online", "0-1,3");
  write("node/node0/cpulist", "0-3,64-67");
  write("node/node1/cpulist", "");  // of memory alone
  write("node/node3/cpulist", "4-7,68,70-71");
  EXPECT_EQ(domain_of({0}), 0);
  EXPECT_EQ(domain_of({3, 66}), 0);
  EXPECT_EQ(domain_of({4, 68, 71}), 3);
  EXPECT_LT(domain_of({3, 4}), 0) << "two nodes";
  EXPECT_LT(domain_of({4, 69}), 0) << "69 is on none";
  EXPECT_LT(domain_of({}), 0);
}

TEST_F(ProcessorDomain, IsTheSocketWhereThatHasSeveralNumaNodesAndOneIsTooNarrow) {
  write("node/online", "0-3");
  for (int node = 0; node < 4; ++node) write("node/node" + std::to_string(node) + "/cpulist", std::to_string(node));
  put_on_socket(0, {0, 1});
  put_on_socket(1, {2, 3});
  EXPECT_EQ(domain_of({2}), 2);
  EXPECT_GE(domain_of({2, 3}), 0);
  EXPECT_NE(domain_of({0, 1}), domain_of({2, 3}));
  EXPECT_GT(domain_of({0, 1}), 3) << "no NUMA node has its number";
  EXPECT_LT(domain_of({1, 2}), 0);
}

TEST_F(ProcessorDomain, IsTheSocketWhereTheMachineIsOneNumaNode) {
  write("node/online", "0");
  write("node/node0/cpulist", "0-3");
  put_on_socket(0, {0, 2});
  put_on_socket(1, {1, 3});
  EXPECT_EQ(domain_of({0}), domain_of({0, 2}));
  EXPECT_NE(domain_of({0}), domain_of({3}));
  EXPECT_LT(domain_of({0, 1, 2, 3}), 0);
}

TEST_F(ProcessorDomain, IsUnknownWhereTheSystemDoesNotSay) {
  EXPECT_LT(domain_of({0}), 0);
  for (const char* const text : {"0-", "-1", "0,x", "0-99999999999", " "}) {
    write("node/online", text);
    put_on_socket(-1, {0});  // as some virtual machines say
    EXPECT_LT(domain_of({0}), 0) << text;
  }
}

}  // namespace
}  // namespace starling
