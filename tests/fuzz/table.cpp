// A tuning table, and what it advises.

#include <stdexcept>

#include "demands.hpp"
#include "knowledge/tuning_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starling;
  return fuzzing::read_bounded(data, size, [](const std::string& text) {
    TuningTable table;
    try {
      table = TuningTable::from_json(text);
    } catch (const std::runtime_error& refusal) {
      return fuzzing::expect_line(refusal.what());
    }
    const std::string written = table.to_json();
    fuzzing::expect(TuningTable::from_json(written).to_json() == written, "what is written is read");
    for (const TableEntry& entry : table.entries()) {
      ContextKey key;
      key.what = entry.collective;
      key.ranks = entry.ranks;
      key.nodes = entry.nodes;
      key.ranks_per_node = entry.ranks_per_node;
      for (const TableInterval& interval : entry.intervals) {
        key.bytes = interval.from;
        const auto advice = table.advice(key);
        fuzzing::expect(!advice.empty() && advice.front().candidate == interval.way, "an entry counts for itself");
        for (const Advice& one : advice) fuzzing::expect(in_one_line(one.why) == one.why, "one line");
      }
    }
    if (const std::string unknown = table.forget_unknown(); !unknown.empty()) fuzzing::expect_line(unknown);
    for (const TableEntry& entry : table.entries()) fuzzing::expect(!entry.intervals.empty(), "nothing empty is left");
  });
}
