#include "knowledge/tuning_table.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "messages/told.hpp"

namespace starling {
namespace {

std::string interval(std::int64_t from, const std::string& below, const std::string& way) {
  return R"({"from": )" + std::to_string(from) + R"(, "below": )" + below + R"(, "way": ")" + way + "\"}";
}

std::string entry(const std::string& collective, int ranks, int nodes, int ranks_per_node,
                  const std::string& intervals) {
  return "{\"collective\": \"" + collective + "\", \"ranks\": " + std::to_string(ranks) +
         ", \"nodes\": " + std::to_string(nodes) + ", \"ranks_per_node\": " + std::to_string(ranks_per_node) +
         ",\n\"intervals\": [" + intervals + "]}";
}

std::string with(const std::string& choices) {
  return R"({"schema": "starling-table-1", "machine": "m", "mpi_flavour": "openmpi", "mpi_version": "4.1.4",
"made": {"when": "2026-11-23", "command": "by hand", "starling": "1"},
"choices": [
)" + choices +
         "],\n\"points\": [{\"median_s\": 1}]}";
}

TuningTable table(const std::string& choices) {
  TuningTable found = TuningTable::from_json(with(choices));
  found.set_file("t.json");
  return found;
}

std::string table_fault(const std::string& text) {
  try {
    TuningTable::from_json(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

ContextKey key(std::string_view what, std::int64_t bytes, int ranks, int nodes, int ranks_per_node) {
  ContextKey found;
  found.what = what;
  found.bytes = bytes;
  found.ranks = ranks;
  found.nodes = nodes;
  found.ranks_per_node = ranks_per_node;
  return found;
}

/// The names of the ways that are advised, with blanks between.
std::string advised(const TuningTable& table, const ContextKey& where) {
  std::string names;
  for (const Advice& one : table.advice(where)) names += (names.empty() ? "" : " ") + one.candidate.text();
  return names;
}

const std::string three =
    interval(8, "100", "ring") + ",\n" + interval(100, "200", "chain") + ",\n" + interval(400, "null", "native");

TEST(TuningTable, HasAWayForEachSizeAndNoneInAGap) {
  const TuningTable found = table(entry("bcast", 16, 4, 4, three));
  const auto at = [&](std::int64_t bytes) { return advised(found, key("bcast", bytes, 16, 4, 4)); };
  EXPECT_EQ(at(0), "ring") << "below all: the nearest";
  EXPECT_EQ(at(8), "ring");
  EXPECT_EQ(at(99), "ring");
  EXPECT_EQ(at(100), "chain");
  EXPECT_EQ(at(199), "chain");
  EXPECT_EQ(at(200), "");
  EXPECT_EQ(at(399), "");
  EXPECT_EQ(at(400), "native");
  EXPECT_EQ(at(std::int64_t{1} << 40), "native");
  EXPECT_EQ(at(-1), "") << "an unknown size";
  EXPECT_EQ(advised(found, key("reduce", 8, 16, 4, 4)), "");
}

TEST(TuningTable, UsesTheLastIntervalForLargerSizes) {
  const TuningTable found = table(entry("bcast", 4, 1, 4, interval(8, "100", "ring")));
  EXPECT_EQ(advised(found, key("bcast", 5000, 4, 1, 4)), "ring");
  EXPECT_EQ(found.advice(key("bcast", 5000, 4, 1, 4))[0].why,
            "ring: t.json has it for 4 ranks on 1 node, 8 to 99 bytes (nearest to 5000)");
}

TEST(TuningTable, HasAChoiceForUnknownSizesOnlyWhereItHasOneForAll) {
  const TuningTable found = table(entry("alltoallv", 4, 1, 4, interval(0, "null", "pair")) + "," +
                                  entry("gatherv", 4, 1, 4, interval(0, "8", "a") + "," + interval(8, "null", "b")));
  EXPECT_EQ(advised(found, key("alltoallv", -1, 4, 1, 4)), "pair");
  EXPECT_EQ(advised(found, key("gatherv", -1, 4, 1, 4)), "");
}

TEST(TuningTable, PrefersTheNearestNumberOfRanksByRatio) {
  const auto all = [](int ranks, const char* way) { return entry("bcast", ranks, ranks, 1, interval(0, "null", way)); };
  const TuningTable found = table(all(8, "r8") + "," + all(16, "r16") + "," + all(32, "r32"));
  const auto at = [&](int ranks) { return advised(found, key("bcast", 8, ranks, ranks, 1)); };
  EXPECT_EQ(at(16), "r16 r8 r32");
  EXPECT_EQ(at(11), "r8 r16") << "1.38 against 1.45";
  EXPECT_EQ(at(12), "r16 r8");
  EXPECT_EQ(at(23), "r32 r16");
  EXPECT_EQ(at(64), "r32");
  EXPECT_EQ(at(65), "") << "more than twice as many";
  EXPECT_EQ(at(3), "");
  EXPECT_EQ(
      found.advice(key("bcast", 8, 12, 12, 1))[0].why,
      "r16: t.json has it for 16 ranks on 16 nodes of 1 (nearest entry to 12 ranks on 12 nodes of 1), 0 bytes and "
      "more");
}

TEST(TuningTable, PrefersTheSameRanksPerNode) {
  const auto all = [](int ranks, int nodes, int per_node, const char* way) {
    return entry("bcast", ranks, nodes, per_node, interval(0, "null", way));
  };
  const TuningTable found =
      table(all(16, 4, 4, "n4") + "," + all(16, 8, 2, "n8") + "," + all(8, 1, 8, "one") + "," + all(32, 2, 16, "n2"));
  EXPECT_EQ(advised(found, key("bcast", 8, 16, 4, 4)), "n4 n8");
  EXPECT_EQ(advised(found, key("bcast", 8, 16, 8, 2)), "n8 n4");
  EXPECT_EQ(advised(found, key("bcast", 8, 8, 1, 8)), "one");
  EXPECT_EQ(advised(found, key("bcast", 8, 16, 1, 16)), "one") << "one node says nothing of a network";
  EXPECT_EQ(advised(found, key("bcast", 8, 16, 0, 0)), "n4 n8 one n2") << "nodes are not known";
}

TEST(TuningTable, PrefersTheEntryForJustTheseNodes) {
  const auto all = [](int nodes, const char* way) { return entry("bcast", 7, nodes, 4, interval(0, "null", way)); };
  const TuningTable found = table(all(2, "n2") + "," + all(3, "n3"));
  EXPECT_EQ(advised(found, key("bcast", 8, 7, 3, 4)), "n3 n2");
  EXPECT_EQ(advised(found, key("bcast", 8, 7, 2, 4)), "n2 n3");
}

TEST(TuningTable, DoesNotLookFurtherWhereTheNearestHasAGap) {
  const TuningTable found =
      table(entry("bcast", 16, 4, 4, three) + "," + entry("bcast", 8, 2, 4, interval(0, "null", "pair")));
  EXPECT_EQ(advised(found, key("bcast", 300, 16, 4, 4)), "");
  EXPECT_EQ(advised(found, key("bcast", 50, 16, 4, 4)), "ring pair");
  EXPECT_EQ(advised(found, key("bcast", 300, 8, 2, 4)), "pair") << "and a gap further off counts for nothing";
}

TEST(TuningTable, IsWrittenInOneLineAndReadAgain) {
  const TuningTable found =
      table(entry("bcast", 16, 4, 4,
                  R"({"from": 0, "below": 8, "way": "ring", "gain": 1.5, "why": "a \"figure\""},)" +
                      interval(8, "null", "chain?segment=512")));
  const std::string text = found.to_json();
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const TuningTable again = TuningTable::from_json(text);
  EXPECT_EQ(again.to_json(), text);
  EXPECT_EQ(again.file(), "t.json");
  ASSERT_EQ(again.entries().size(), 1U);
  EXPECT_EQ(again.entries()[0].intervals[0].why, "a \"figure\"");
  EXPECT_EQ(again.entries()[0].intervals[0].gain, 1.5);
  EXPECT_FALSE(again.entries()[0].intervals[1].below);
}

TEST(TuningTable, TellsTheSecondsOfACallBetweenTheEndsOfAnInterval) {
  const auto timed = [](std::int64_t from, const std::string& below, const std::string& seconds) {
    return R"({"from": )" + std::to_string(from) + R"(, "below": )" + below +
           R"(, "way": "ring", "gain": 2, "seconds": )" + seconds + "}";
  };
  const TuningTable found = table(entry("bcast", 16, 4, 4,
                                        timed(0, "8", "null") + "," + timed(8, "16", "[1, 3]") + "," +
                                            timed(16, "32", "[null, 4]") + "," + timed(32, "null", "[6, 5]")));
  const auto seconds = [&](const TuningTable& of, std::int64_t bytes) {
    return of.advice(key("bcast", bytes, 16, 4, 4)).at(0).seconds;
  };
  for (const TuningTable& one : {found, TuningTable::from_json(found.to_json())}) {
    EXPECT_FALSE(seconds(one, 4));
    EXPECT_EQ(seconds(one, 8), 1);
    EXPECT_EQ(seconds(one, 12), 2);
    EXPECT_EQ(seconds(one, 20), 4);
    EXPECT_EQ(seconds(one, 4096), 5);
  }
  for (const char* const wrong : {"[1]", "[1, 2, 3]", "7", "[1, \"2\"]"})
    EXPECT_NE(table_fault(with(entry("bcast", 16, 4, 4, timed(0, "8", wrong)))), "") << wrong;
}

TEST(TuningTable, HasTheEdgesOfItsIntervalsByCollective) {
  const auto edges = table(entry("bcast", 16, 4, 4, three) + "," + entry("bcast", 8, 2, 4, interval(0, "50", "ring")) +
                           "," + entry("no_such", 8, 2, 4, interval(0, "50", "ring")))
                         .size_edges();
  EXPECT_EQ(edges[static_cast<std::size_t>(Collective::bcast)], (std::vector<std::int64_t>{0, 8, 50, 100, 200, 400}));
  EXPECT_TRUE(edges[static_cast<std::size_t>(Collective::reduce)].empty());
}

TEST(TuningTable, ForgetsWaysThatAreNotHere) {
  TuningTable found = table(
      entry("bcast", 4, 1, 4,
            interval(0, "8", "binomial") + "," + interval(8, "16", "gone") + "," + interval(16, "null", "native")) +
      "," + entry("no_such", 4, 1, 4, interval(0, "8", "ring")));
  EXPECT_EQ(found.forget_unknown(),
            "t.json names a way that is not here: bcast:gone with 4 ranks on 1 node, 8 to 15 bytes; this and 1 more "
            "interval like it are ignored");
  EXPECT_EQ(advised(found, key("bcast", 4, 4, 1, 4)), "binomial");
  EXPECT_EQ(advised(found, key("bcast", 9, 4, 1, 4)), "");
  EXPECT_EQ(advised(found, key("bcast", 16, 4, 1, 4)), "native");
  EXPECT_EQ(found.entries().size(), 1U);
  EXPECT_EQ(found.forget_unknown(), "");
}

TEST(TuningTable, WaysThatAreNotHereLeaveTheirSizesToNativeAtTheEndsToo) {
  TuningTable found =
      table(entry("bcast", 4, 1, 4,
                  interval(0, "8", "gone") + "," + interval(8, "16", "binomial") + "," + interval(16, "null", "gone")) +
            "," + entry("bcast", 8, 1, 8, interval(0, "null", "chain")) + "," +
            entry("reduce", 4, 1, 4, interval(0, "null", "gone")) + "," +
            entry("reduce", 8, 1, 8, interval(0, "null", "chain")));
  found.forget_unknown();
  EXPECT_EQ(advised(found, key("bcast", 4, 4, 1, 4)), "");
  EXPECT_EQ(advised(found, key("bcast", 9, 4, 1, 4)), "binomial chain");
  EXPECT_EQ(advised(found, key("bcast", 1 << 20, 4, 1, 4)), "");
  EXPECT_EQ(advised(found, key("reduce", 64, 4, 1, 4)), "") << "another entry is not nearer for that";
}

TEST(TuningTable, TakesAnotherWayForAnAlgorithmOfTheLibraryThatCannotBeSelected) {
  const auto set = [](int from, const char* below, const std::string& instead) {
    return R"({"from": )" + std::to_string(from) + R"(, "below": )" + below +
           R"(, "way": "native_adjust_8", "seconds": [2, 4], "gain": 2.5, "why": "2.00 times", "at_run_time": )" +
           instead + "}";
  };
  TuningTable found =
      table(entry("bcast", 4, 1, 4,
                  set(0, "8", R"({"way": "binomial", "gain": 1.25})") + "," + set(8, "16", R"({"way": "gone"})") + "," +
                      set(16, "32", "null") + "," + set(32, "null", R"({"way": "native", "gain": 1})")));
  EXPECT_EQ(TuningTable::from_json(found.to_json()).to_json(), found.to_json());
  EXPECT_EQ(found.forget_unknown(),
            "t.json names a way that is not here: bcast:gone with 4 ranks on 1 node, 8 to 15 bytes; this and 1 more "
            "interval like it are ignored");
  const std::vector<Advice> small = found.advice(key("bcast", 4, 4, 1, 4));
  ASSERT_EQ(small.size(), 1U);
  EXPECT_EQ(small[0].candidate.text(), "binomial");
  EXPECT_EQ(small[0].gain, 1.25) << "its own, not that of the way that was left";
  EXPECT_EQ(small[0].seconds, 6) << "likewise";
  EXPECT_EQ(small[0].why,
            "binomial: t.json has it for 4 ranks on 1 node, 0 to 7 bytes: native_adjust_8 would be faster, 2.00 times, "
            "but the MPI library has no algorithm native_adjust_8; see starling export");
  EXPECT_EQ(advised(found, key("bcast", 9, 4, 1, 4)), "");
  EXPECT_EQ(advised(found, key("bcast", 64, 4, 1, 4)), "native");
  EXPECT_EQ(found.to_json().find("at_run_time"), std::string::npos) << "taken once";
  TuningTable of_later = table(
      entry("bcast", 4, 1, 4, R"({"from": 0, "below": null, "way": "of_later", "at_run_time": {"way": "chain"}})"));
  EXPECT_EQ(of_later.forget_unknown(), "");
  EXPECT_TRUE(
      of_later.advice(key("bcast", 4, 4, 1, 4)).at(0).why.ends_with("of_later would be faster, but is not here"));
}

TEST(TuningTable, FitsItsMachineAndTheMajorVersionOfItsMpi) {
  const TuningTable found = table("");
  EXPECT_EQ(found.misfit({"m", "openmpi", "4.1.4", "max"}), "");
  EXPECT_EQ(found.misfit({"m", "openmpi", "4.0.1", "mean"}), "");
  EXPECT_EQ(found.misfit({"n", "openmpi", "4.1.4", "max"}), "it was made on the machine 'm', and this is 'n'");
  EXPECT_EQ(found.misfit({"m", "openmpi", "5.0.1", "max"}),
            "it was made with openmpi 4.1.4, and this is openmpi 5.0.1");
  EXPECT_EQ(found.misfit({"m", "mpich", "4.1.4", "max"}), "it was made with openmpi 4.1.4, and this is mpich 4.1.4");
}

TEST(TuningTable, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(table_fault(""), "line 1: it is cut short, or no JSON");
  EXPECT_EQ(table_fault("[]"), "line 1: it is no tuning table: it has another value where an object must be");
  EXPECT_EQ(table_fault("{}"), "line 1: it is no tuning table: it has no 'schema'");
  EXPECT_EQ(table_fault(R"({"schema": 1})"), "line 1: it is no tuning table: its 'schema' is not 'starling-table-1'");
  EXPECT_EQ(table_fault("{\n\"schema\": \"starling-table-2\"}"),
            "line 2: it is of schema 'starling-table-2', and this version reads 'starling-table-1'");
  const std::string whole = with(entry("bcast", 16, 4, 4, three));
  for (const std::size_t cut : {50U, 150U, 300U})
    EXPECT_TRUE(table_fault(whole.substr(0, cut)).ends_with(": it is cut short, or no JSON"))
        << table_fault(whole.substr(0, cut));
  EXPECT_EQ(table_fault(with(entry("bcast", 16, 2, 4, three))),
            "line 7: 16 ranks cannot be on 2 nodes with at most 4 each");
  EXPECT_EQ(
      table_fault(with(entry("bcast", 16, 4, 4, interval(8, "100", "ring") + ",\n" + interval(99, "200", "chain")))),
      "line 6: the interval of 99 to 199 bytes overlaps the one before it, of 8 to 99 bytes, or is out of order");
  EXPECT_EQ(
      table_fault(with(entry("bcast", 16, 4, 4, interval(8, "null", "ring") + "," + interval(99, "200", "chain")))),
      "line 5: the interval of 99 to 199 bytes overlaps the one before it, of 8 bytes and more, or is out of "
      "order");
  EXPECT_EQ(table_fault(with(entry("bcast", 16, 4, 4, interval(8, "8", "ring")))),
            "line 5: the interval from 8 below 8 bytes is empty");
  EXPECT_EQ(table_fault(with(entry("bcast", 16, 4, 4, interval(-1, "8", "ring")))), "line 5: its 'from' is no count");
  EXPECT_EQ(table_fault(with(entry("bcast", 16, 4, 4, interval(1, "8", "")))), "line 5: an interval's 'way' is empty");
  EXPECT_EQ(table_fault(with(entry("bcast", 16, 4, 4, "") + "," + entry("bcast", 16, 4, 4, ""))),
            "line 6: it has two entries for bcast with 16 ranks on 4 nodes of 4");
  EXPECT_EQ(table_fault(with("") + "x"), "line 5: it is cut short, or no JSON");
}

TEST(TuningTable, SaysHowItWasMade) {
  const std::string whole = with("");
  EXPECT_NE(table("").to_json().find(R"("made":{"when":"2026-11-23","command":"by hand","starling":"1"})"),
            std::string::npos);
  const auto instead = [&](const std::string& made) {
    const std::size_t from = whole.find("\"made\"");
    return table_fault(whole.substr(0, from) + made + whole.substr(whole.find("\"choices\"")));
  };
  EXPECT_EQ(instead(""), "line 4: it is no tuning table: it has no 'made'");
  EXPECT_EQ(instead(R"("made": {"when": "2026-11-23", "command": "by hand"},)"),
            "line 2: it is no tuning table: it has no 'starling'");
  const auto made_when = [&](const std::string& when) {
    return instead(R"("made": {"when": ")" + when + R"(", "command": "by hand", "starling": "1"},)");
  };
  // As the Python reader does: tests/python/test_tuning_table.py.
  for (const char* time : {"2026-11-23", "2026-01-31T00:00:00Z", "2026-12-01T23:59:59Z"})
    EXPECT_EQ(made_when(time), "");
  for (const char* other :
       {"", "noon", "20261123", "2026-13-23", "2026-00-23", "2026-11-32", "2026-11-23T06:00:00", "2026-11-23 06:00:00Z",
        "2026-11-23T24:00:00Z", "2026-11-23T06:60:00Z", "2026-11-23T06:00:60Z", "2026-11-23T06:00:00+01:00"})
    EXPECT_EQ(made_when(other), "line 2: its 'when' is no time like 2024-05-01T12:00:00Z") << other;
  EXPECT_EQ(instead(R"("made": "yesterday",)"),
            "line 2: it is no tuning table: it has another value where an object must be");
}

TEST(TuningTable, HasNoNegativeGainsOrSeconds) {
  const auto with_figure = [](const std::string& figure) {
    return table_fault(with(entry("bcast", 16, 4, 4, R"({"from": 0, "below": null, "way": "ring", )" + figure + "}")));
  };
  EXPECT_EQ(with_figure(R"("gain": 0, "seconds": [0, 0], "at_run_time": {"way": "chain", "gain": 0})"), "");
  EXPECT_EQ(with_figure(R"("gain": -1.5)"), "line 5: an interval's 'gain' is below 0");
  EXPECT_EQ(with_figure(R"("seconds": [-1e-9, null])"), "line 5: an interval's 'seconds' are below 0");
  EXPECT_EQ(with_figure(R"("seconds": [null, -1])"), "line 5: an interval's 'seconds' are below 0");
  EXPECT_EQ(with_figure(R"("at_run_time": {"way": "chain", "gain": -1})"),
            "line 5: an interval's 'gain' at run time is below 0");
}

TEST(TuningTable, IsBounded) {
  std::string entries;
  for (int i = 1; i < 300000; ++i) entries += (i == 1 ? "" : ",") + entry("bcast", i, 1, i, "");
  EXPECT_TRUE(table_fault(with(entries)).ends_with("it holds more than a tuning table can"))
      << table_fault(with(entries));
  const std::string wild = with(entry("bcast", 4, 1, 4, interval(0, "8", std::string(5000, 'x') + "\\u0007")));
  TuningTable found = TuningTable::from_json(wild);
  const std::string told = found.forget_unknown();
  EXPECT_LT(told.size(), 400U);
  EXPECT_EQ(in_one_line(told), told);
}

}  // namespace
}  // namespace starling
