#include "knowledge/earlier_runs.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <set>
#include <span>
#include <stdexcept>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "algorithms/candidate.hpp"
#include "knowledge/history.hpp"
#include "knowledge/record_json.hpp"
#include "knowledge/shorten.hpp"
#include "knowledge/whole_file.hpp"
#include "messages/told.hpp"
#include "schedule/collective.hpp"
#include "ways/way.hpp"

namespace starling {
namespace {

namespace fs = std::filesystem;

struct File {
  std::string name;
  RunRecord record;
};

bool tells_samples(const std::pair<std::string, std::string>& setting) {
  return setting.first == "samples";
}

Circumstances circumstances_of(const RunDescription& run) {
  const auto samples = std::find_if(run.settings.begin(), run.settings.end(), tells_samples);
  return {run.machine, run.mpi_flavour, run.mpi_version, samples == run.settings.end() ? "mean" : samples->second,
          run.shares_processors};
}

constexpr double longest = 1e5;  // seconds a call

bool is_deviation(const std::optional<double>& seconds) {
  return seconds && *seconds >= 0 && *seconds < longest;
}

/// Whether a candidate of a record has a plausible time on which its ranks agreed.
bool is_usable(const CandidateRecord& candidate) {
  const double seconds = candidate.agreed_s.value_or(0);
  return candidate.eligible && candidate.samples > 0 && seconds > 0 && seconds < longest;
}

/// The names of a directory's records: merged ones before those of runs, and the newest first.
std::vector<std::string> names_in(const std::string& directory, std::error_code& error) {
  std::vector<std::string> names;
  for (fs::directory_iterator one(directory, error), end; !error && one != end; one.increment(error)) {
    std::string name = one->path().filename();
    if (is_record_name(name)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end(), [](const std::string& one, const std::string& other) {
    return std::pair(is_merged_file_name(one), one) > std::pair(is_merged_file_name(other), other);
  });
  return names;
}

/// Whether the collective has a way of that name on so many ranks. Most names are looked up; those whose parameters
/// depend on the number of ranks are read.
bool is_way(Collective collective, int ranks, const std::string& name) {
  static std::array<std::unordered_set<std::string_view>, collective_count> all;
  auto& names = all[static_cast<std::size_t>(collective)];
  if (names.empty())
    for (const auto list = ways(collective, 1); const Way& way : *list) names.insert(way.name().text());
  if (names.count(name) != 0) return true;
  const auto candidate = candidate_named(collective, name);
  return candidate && candidate->is_tried_on(ranks);
}

/// Reads the wanted parts of records until `take`, which gets each record and the length of its text, wants no more.
/// Returns whether a file had disappeared.
template <typename Take>
bool each_record(const std::string& directory, const std::vector<std::string>& names, const Wanted& wanted,
                 const SkippedFile& skipped, Take take) {
  std::set<std::string> covered;  // by the merged records so far
  std::string text;
  bool gone = false;
  for (const std::string& name : names) {
    if (covered.count(name) != 0) continue;
    try {
      if (!read_whole(directory + "/" + name, EarlierRuns::most_bytes, text)) {
        gone = true;
        continue;
      }
      RunRecord record = run_record_from_json(text, wanted);
      covered.insert(record.merged.begin(), record.merged.end());
      if (!take(File{name, std::move(record)}, std::ssize(text))) break;
    } catch (const std::runtime_error& error) {
      skipped(name, error.what());
    }
  }
  return gone;
}

/// Holds a directory's lock while merging.
class Lock {
 public:
  explicit Lock(const std::string& directory) : file_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (file_ < 0)
      throw std::runtime_error("'" + told(directory) + "' cannot be opened: " + std::generic_category().message(errno));
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    const int error = errno;
    ::close(file_);
    throw std::runtime_error(
        error == EWOULDBLOCK ? "'" + told(directory) + "' is being merged by another process: wait for it"
                             : "'" + told(directory) + "' cannot be locked: " + std::generic_category().message(error));
  }
  ~Lock() { ::close(file_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  Lock(Lock&&) = delete;
  Lock& operator=(Lock&&) = delete;

 private:
  int file_;
};

std::optional<Earlier> earlier_of(const CandidateRecord& one) {
  if (!one.agreed_s) return std::nullopt;
  return Earlier{*one.agreed_s, one.samples, is_deviation(one.deviation_s) ? one.deviation_s : std::nullopt};
}

/// One record from many, newest first. Decisions belong to a single run: they are counted and left out.
RunRecord merged(std::span<const File> files) {
  RunRecord all;
  all.run = files.front().record.run;
  all.run.program.clear();
  auto& settings = all.run.settings;
  settings.erase(std::remove_if(settings.begin(), settings.end(), std::not_fn(tells_samples)), settings.end());
  all.run.seconds = 0;
  all.run.probe_s.reset();
  all.run.own_s.reset();
  all.run.unfinished = false;
  std::vector<ContextRecord> contexts;
  for (const auto& [name, record] : files) {
    const RunDescription& run = record.run;
    all.merged.push_back(name);
    all.merged.insert(all.merged.end(), record.merged.begin(), record.merged.end());
    all.run.started = std::max(all.run.started, run.started);
    all.run.ranks = std::max(all.run.ranks, run.ranks);
    all.run.nodes = std::max(all.run.nodes, run.nodes);
    all.run.ranks_per_node = std::max(all.run.ranks_per_node, run.ranks_per_node);
    all.run.seconds += run.seconds;
    if (run.probe_s) all.run.probe_s = all.run.probe_s.value_or(0) + *run.probe_s;
    if (run.own_s) all.run.own_s = all.run.own_s.value_or(0) + *run.own_s;
    if (run.strategy != all.run.strategy) all.run.strategy.clear();
    for (ContextRecord context : record.contexts) {
      context.decisions_dropped += std::ssize(context.decisions);
      context.decisions.clear();
      for (CandidateRecord& candidate : context.candidates) {
        candidate.earlier_s.reset();
        if (!is_usable(candidate)) candidate.agreed_s = candidate.deviation_s = std::nullopt;
      }
      contexts.push_back(std::move(context));
    }
    fold(all.left_out, record.left_out);
  }
  all.contexts = folded(std::move(contexts));
  return all;
}

/// Writes one record of `files`, newest first, or several if one would be too long; then deletes the merged files.
void merge_into(const std::string& directory, std::span<const File> files, MergedRuns& result) {
  if (files.size() < 2) return;
  const RunRecord record = merged(files);
  const std::string text = to_json(record, RecordForm::compact);
  if (text.size() > most_record_bytes) {
    const std::size_t half = files.size() / 2;
    merge_into(directory, files.first(half), result);
    merge_into(directory, files.subspan(half), result);
    return;
  }
  const NewFile file =
      write_new_whole(directory, merged_file_name(std::chrono::system_clock::now(), host_name(), ::getpid()), text,
                      OnDisk::before_return);
  if (!file.trouble.empty()) throw std::runtime_error(file.trouble);
  result.written.push_back(file.name);
  for (const std::string& one : record.merged) {
    if (!is_merged_file_name(one)) ++result.runs;
    ::unlink((directory + "/" + one).c_str());
  }
}

}  // namespace

EarlierRuns EarlierRuns::read(const std::string& directory, const Circumstances& wanted, const SkippedFile& skipped,
                              const EarlierRuns* newer) {
  constexpr int patience = 3;
  for (int turn = 1;; ++turn) {
    std::error_code error;
    const std::vector<std::string> names = names_in(directory, error);
    const bool is_none = error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
    if (error && !is_none) skipped("", "it cannot be read: " + error.message());
    EarlierRuns earlier = newer == nullptr ? EarlierRuns{} : *newer;
    std::vector<RunRecord> merged_ones;
    std::int64_t of_runs = 0;
    std::int64_t of_merged = 0;
    std::int64_t of_all = 0;
    std::vector<std::pair<std::string, std::string>> notes;
    const auto note = [&](const std::string& file, const std::string& why) { notes.emplace_back(file, why); };
    const auto fits = [&](const RunDescription& run) { return circumstances_of(run) == wanted; };
    const bool gone = each_record(directory, names, {fits, is_usable}, note, [&](File file, std::int64_t length) {
      of_all += length;
      if (fits(file.record.run)) {
        const bool is_run = file.record.merged.empty();
        std::int64_t& of_kind = is_run ? of_runs : of_merged;
        of_kind += length;
        if (is_run) {
          earlier.add(std::move(file.record.contexts));
        } else if (of_kind <= most_bytes) {
          merged_ones.push_back(std::move(file.record));
        }
      }
      return of_runs < most_bytes && of_all < most_bytes_read;
    });
    if (gone && turn < patience) continue;
    for (const auto& [file, why] : notes) skipped(file, why);
    for (RunRecord& one : merged_ones) earlier.add(std::move(one.contexts));
    return earlier;
  }
}

void EarlierRuns::add(std::vector<ContextRecord> contexts) {
  for (ContextRecord& one : contexts) {
    const auto collective =
        collective_named(one.collective);  // nothing for a pattern: only the program knows its names
    const ContextRecord* const known = contexts_.find(one);
    if (known == nullptr && contexts_.all().size() == most_contexts) continue;
    std::size_t expected = 0;
    const auto known_one = [&](const CandidateRecord& candidate) -> const CandidateRecord* {
      if (known == nullptr) return nullptr;
      const std::size_t place = place_of(candidate, known->candidates, expected);
      if (place == known->candidates.size()) return nullptr;
      expected = place + 1;
      return &known->candidates[place];
    };
    const auto useless = [&](const CandidateRecord& candidate) {
      if (!is_usable(candidate)) return true;
      if (const CandidateRecord* const before = known_one(candidate)) return before->samples >= enough_samples;
      if (candidates_ == most_candidates) return true;
      if (collective && !is_way(*collective, one.ranks, public_name(candidate))) return true;
      ++candidates_;
      return false;
    };
    one.candidates.erase(std::remove_if(one.candidates.begin(), one.candidates.end(), useless), one.candidates.end());
    if (one.candidates.empty()) continue;
    one.decisions.clear();
    contexts_.add(std::move(one));
  }
}

const ContextRecord* EarlierRuns::find(const ContextRecord& key) const {
  return key.nodes == 0 ? nullptr : contexts_.find(key);
}

std::optional<Earlier> EarlierRuns::of(const ContextRecord& known, std::string_view candidate) {
  const int index = index_of(known.candidates, candidate);
  return index < 0 ? std::nullopt : earlier_of(known.candidates[static_cast<std::size_t>(index)]);
}

std::vector<std::optional<Earlier>> EarlierRuns::of(const ContextRecord& known, std::span<const Interned> candidates) {
  std::vector<std::optional<Earlier>> all(candidates.size());
  for (const CandidateRecord& one : known.candidates) {
    const auto found = std::find(candidates.begin(), candidates.end(), Interned(public_name(one)));
    if (found != candidates.end()) all[static_cast<std::size_t>(found - candidates.begin())] = earlier_of(one);
  }
  return all;
}

std::string EarlierRuns::to_text(int most_ranks) const {
  RunRecord record;
  std::copy_if(contexts_.all().begin(), contexts_.all().end(), std::back_inserter(record.contexts),
               [&](const ContextRecord& one) { return one.ranks <= most_ranks; });
  if (record.contexts.empty()) return {};
  return to_json(record, RecordForm::compact);
}

EarlierRuns EarlierRuns::from_text(const std::string& text) {
  EarlierRuns earlier;
  if (text.empty()) return earlier;
  // Rank 0 has limited its size.
  Wanted all;
  all.room = std::numeric_limits<std::size_t>::max();
  for (ContextRecord& one : run_record_from_json(text, all).contexts) earlier.contexts_.add(std::move(one));
  return earlier;
}

void keep_newest(const std::string& directory, std::size_t most) {
  std::error_code error;
  std::vector<std::string> names = names_in(directory, error);
  names.erase(std::remove_if(names.begin(), names.end(), std::not_fn(is_run_file_name)), names.end());
  for (std::size_t i = most; i < names.size(); ++i) ::unlink((directory + "/" + names[i]).c_str());
}

MergedRuns merge_runs(const std::string& directory, const SkippedFile& skipped) {
  const Lock lock(directory);
  std::error_code error;
  const std::vector<std::string> names = names_in(directory, error);
  if (error) throw std::runtime_error("'" + told(directory) + "' cannot be read: " + error.message());
  std::vector<std::pair<Circumstances, std::vector<File>>> groups;
  each_record(directory, names, {}, skipped, [&](File file, std::int64_t /*length*/) {
    const Circumstances its = circumstances_of(file.record.run);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == its; });
    if (group == groups.end()) group = groups.insert(groups.end(), {its, {}});
    group->second.push_back(std::move(file));
    return true;
  });
  MergedRuns result;
  for (const auto& [its, files] : groups) merge_into(directory, files, result);
  return result;
}

}  // namespace starling
