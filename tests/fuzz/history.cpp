// Several records, separated by lines of `---`: their joint knowledge, as broadcast to ranks, and their contexts
// summed.

#include <stdexcept>

#include "demands.hpp"
#include "knowledge/earlier_runs.hpp"
#include "knowledge/fold.hpp"
#include "knowledge/record_json.hpp"
#include "knowledge/record_sum.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starling;
  return fuzzing::read_bounded(data, size, [](std::string text) {
    EarlierRuns earlier;
    std::vector<ContextRecord> all;
    for (const std::string end = "\n---\n"; !text.empty();) {
      const std::size_t at = text.find(end);
      try {
        const RunRecord record = run_record_from_json(text.substr(0, at));
        all.insert(all.end(), record.contexts.begin(), record.contexts.end());
        earlier.add(record.contexts);
      } catch (const std::runtime_error& refusal) {
        fuzzing::expect_line(refusal.what());
      }
      text.erase(0, at == std::string::npos ? at : at + end.size());
    }
    for (const ContextRecord& key : all)
      if (const ContextRecord* known = earlier.find(key))
        for (const CandidateRecord& one : known->candidates) static_cast<void>(EarlierRuns::of(*known, one.name));
    const std::string told_to_ranks = earlier.to_text();
    fuzzing::expect(EarlierRuns::from_text(told_to_ranks).to_text() == told_to_ranks, "ranks hear what rank 0 says");
    RecordSum sum(all);
    sum.add(RecordSum(all).text());
    static_cast<void>(sum.record());
    RunRecord merged;
    merged.contexts = folded(std::move(all));
    merged.merged = {"a.json"};
    const std::string written = to_json(merged);
    fuzzing::expect(to_json(run_record_from_json(written)) == written, "a merged record that is written is read");
  });
}
