// A platform file: an accepted one is a tree with its hosts as leaves.

#include "topology/platform.hpp"

#include <stdexcept>

#include "demands.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starling;
  return fuzzing::read_bounded(data, size, [](const std::string& text) {
    try {
      const Platform platform = Platform::from_json(text);
      const std::vector<int> hosts = platform.placed(1024);
      const SwitchTree tree = platform.tree(hosts);
      fuzzing::expect(tree.ranks() == static_cast<int>(hosts.size()), "every rank has its place");
      fuzzing::expect(walk_from(tree, 0).order.size() == hosts.size(), "a walk comes by every rank");
    } catch (const std::runtime_error& refusal) {
      fuzzing::expect_line(refusal.what());
    }
  });
}
