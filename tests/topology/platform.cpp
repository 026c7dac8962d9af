#include "topology/platform.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace starling {
namespace {

const std::string two_switches = R"({"schema": 1, "name": "two", "switches": ["s0", "s1"],
  "hosts": [{"name": "h0", "ranks": 1}, {"name": "h1", "ranks": 2}, {"name": "h2", "ranks": 1}],
  "links": [{"between": ["s0", "s1"], "rate": 1000000}, {"between": ["h0", "s0"], "rate": 1000000},
            {"between": ["s1", "h1"], "rate": 1000000}, {"between": ["s1", "h2"], "rate": 1000000}]})";

/// The sentence with which a text is refused.
std::string refused(std::string from, const std::string& part, const std::string& by) {
  from.replace(from.find(part), part.size(), by);
  try {
    Platform::from_json(from);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "taken";
}

TEST(Platform, RefusesWhatWouldTakeAllMemoryOrStack) {
  EXPECT_EQ(refused(two_switches, R"("ranks": 2)", R"("ranks": -1)"), "'h1' takes no number of ranks from 1 to 4096");
  EXPECT_EQ(refused(two_switches, R"("ranks": 2)", R"("ranks": 1e300)"),
            "'h1' takes no number of ranks from 1 to 4096");
  EXPECT_EQ(refused(two_switches, R"("two")", std::string(100000, '[')), "it is nested too deeply");
  std::string switches = R"("s0")";
  std::string links;
  for (int i = 1; i < 65000; ++i) {
    switches += ",\"s" + std::to_string(i) + "\"";
    links += (links.empty() ? "" : ",") + std::string(R"({"rate": 1, "between": ["s)") + std::to_string(i - 1) +
             R"(", "s)" + std::to_string(i) + R"("]})";
  }
  EXPECT_EQ(refused(R"({"switches": [)" + switches + R"(], "hosts": [], "links": [)" + links + "]}", "", ""),
            "more than 1000 switches are below each other");
}

TEST(Platform, KnowsItsHostsByNameWithAndWithoutDomain) {
  const Platform platform = Platform::from_json(two_switches);
  EXPECT_EQ(platform.host("h2"), 2);
  EXPECT_EQ(platform.host("h1.cluster.example"), 1);
  EXPECT_FALSE(platform.host("h10"));
}

TEST(Platform, MakesASwitchOfAHostWithSeveralRanks) {
  const SwitchTree tree = Platform::from_json(two_switches).tree(std::array{0, 1, 1, 2});
  EXPECT_EQ(tree.switches(), 3);
  EXPECT_EQ(tree.switch_of(0), 0);
  EXPECT_EQ(tree.switch_of(1), 2);
  EXPECT_EQ(tree.switch_of(2), 2);
  EXPECT_EQ(tree.parent(2), 1);
  EXPECT_EQ(tree.switch_of(3), 1);
}

TEST(Platform, OfNodesMakesASwitchOfEachNodeWithSeveralRanks) {
  EXPECT_EQ(Platform::of_nodes(3, 5000).hosts()[2].rate, 5000);
  const SwitchTree tree = Platform::of_nodes(3).tree(std::array{0, 1, 2, 0, 1});
  EXPECT_EQ(tree, SwitchTree({-1, 0, 0}, {1, 2, 0, 1, 2})) << "ranks dealt out to nodes in turn";
  EXPECT_EQ(walk_from(tree, 0).order, (std::vector{0, 3, 2, 1, 4}));
}

TEST(Platform, KnowsTheLinkAboveEachSwitchAndHost) {
  std::string text = two_switches;
  text.replace(text.find("\"rate\": 1000000"), 15, R"("latency": 0.5, "rate": 7)");
  const Platform platform = Platform::from_json(text);
  EXPECT_EQ(platform.switches()[0].parent, -1);
  EXPECT_EQ(platform.switches()[1].parent, 0);
  EXPECT_EQ(platform.switches()[1].rate, 7);
  EXPECT_EQ(platform.switches()[1].latency, 0.5);
  EXPECT_EQ(platform.hosts()[2].parent, 1);
  EXPECT_EQ(platform.hosts()[2].rate, 1000000);
  EXPECT_EQ(platform.hosts()[2].latency, 0);
}

TEST(Platform, PlacesRanksUntilHostsAreFull) {
  const Platform platform = Platform::from_json(two_switches);
  EXPECT_EQ(platform.placed(3), (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(platform.placed(100), (std::vector<int>{0, 1, 1, 2}));
}

TEST(Platform, KnowsTheDomainsOfItsHosts) {
  std::string text = two_switches;
  text.replace(text.find("\"ranks\": 2"), 10, R"("ranks": 4, "domains": 2)");
  const Platform platform = Platform::from_json(text);
  EXPECT_EQ(platform.domains(0), 0) << "it does not say";
  EXPECT_EQ(platform.domains(1), 2);
  EXPECT_EQ(platform.domains_of(platform.placed(6)), (std::vector<int>{0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(refused(text, "\"domains\": 2", "\"domains\": -2"), "'h1' has no number of domains from 1 to 4096");
}

TEST(Platform, SaysWhatIsWrong) {
  EXPECT_EQ(refused(two_switches, "\"h2\", \"ranks\"", "\"h0\", \"ranks\""), "'h0' is there twice");
  EXPECT_EQ(refused(two_switches, "[\"h0\", \"s0\"]", "[\"h0\", \"s7\"]"),
            "a link goes to 's7', which is neither switch nor host");
  EXPECT_EQ(refused(two_switches, "[\"h0\", \"s0\"]", "[\"h1\", \"s0\"]"), "its links make no tree");
  EXPECT_EQ(refused(two_switches, "[\"h0\", \"s0\"]", "[\"h0\", \"h2\"]"), "'h2' has more than one link");
  EXPECT_EQ(refused(two_switches, "[\"s0\", \"s1\"], \"rate\"", "[\"s0\"], \"rate\""), "a link has 1 ends");
  for (const char* rate : {"0", "-1", "1e16", "100555555555555555555555555555550000"})
    EXPECT_EQ(refused(two_switches, "\"rate\": 1000000", "\"rate\": " + std::string(rate)),
              "the link between 's0' and 's1' has no rate from 1 to 10^15 bit/s, or a negative latency");
  EXPECT_EQ(refused(two_switches, "\"links\"", "\"cables\"").find("it is no platform file"), 0U);
  EXPECT_EQ(refused(two_switches, "{\"schema\"", "\"schema\"").find("it is no platform file"), 0U);
}

}  // namespace
}  // namespace starling
