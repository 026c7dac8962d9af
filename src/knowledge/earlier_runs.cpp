#include "knowledge/earlier_runs.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "knowledge/history.hpp"
#include "knowledge/whole_file.hpp"

namespace starling {
namespace {

namespace fs = std::filesystem;

struct File {
  std::string name;
  RunRecord record;
};

Circumstances circumstances_of(const RunRecord& record) {
  return {record.run.machine, record.run.mpi_flavour, record.run.mpi_version};
}

/// The names of a directory's records: merged ones before those of runs, and the newest first.
std::vector<std::string> names_in(const std::string& directory, std::error_code& error) {
  std::vector<std::string> names;
  for (fs::directory_iterator one(directory, error), end; !error && one != end; one.increment(error)) {
    std::string name = one->path().filename();
    if (name.ends_with(".json") && !name.starts_with('.')) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end(), [](const std::string& one, const std::string& other) {
    return std::pair(is_merged_file_name(one), one) > std::pair(is_merged_file_name(other), other);
  });
  return names;
}

/// The text of a file, nothing if it is gone. Throws std::runtime_error where it can't be read.
std::optional<std::string> text_of(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe must not hold up the run
  if (file < 0 && errno == ENOENT) return std::nullopt;
  const auto fail = [&](const std::string& why) {
    if (file >= 0) ::close(file);
    throw std::runtime_error(why);
  };
  const auto fail_by = [&](int error) { fail("it cannot be read: " + std::generic_category().message(error)); };
  if (file < 0) fail_by(errno);
  struct stat about {};
  if (::fstat(file, &about) != 0) fail_by(errno);
  if (!S_ISREG(about.st_mode)) fail("it is not a regular file");
  if (about.st_size > EarlierRuns::most_bytes) fail("it is too long for a run record");
  std::string text(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t there = 0;
  while (there < text.size()) {
    const ssize_t got = ::read(file, text.data() + there, text.size() - there);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_by(errno);
    if (got == 0) break;
    there += static_cast<std::size_t>(got);
  }
  ::close(file);
  text.resize(there);
  return text;
}

/// Reads records until `take` wants no more; `take` gets each with the length of its text.
template <typename Take>
void each_record(const std::string& directory, const std::vector<std::string>& names, const SkippedFile& skipped,
                 Take take) {
  std::set<std::string> covered;  // by the merged records so far
  for (const std::string& name : names) {
    if (covered.count(name) != 0) continue;
    try {
      const auto text = text_of(directory + "/" + name);
      if (!text) continue;
      RunRecord record = run_record_from_json(*text);
      covered.insert(record.merged.begin(), record.merged.end());
      if (!take(File{name, std::move(record)}, static_cast<std::int64_t>(text->size()))) return;
    } catch (const std::runtime_error& error) {
      skipped(name, error.what());
    }
  }
}

/// Holds a directory's lock for the one who merges.
class Lock {
 public:
  explicit Lock(const std::string& directory) : file_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (file_ < 0)
      throw std::runtime_error("'" + directory + "' cannot be opened: " + std::generic_category().message(errno));
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    const int error = errno;
    ::close(file_);
    throw std::runtime_error(error == EWOULDBLOCK
                                 ? "'" + directory + "' is being merged by another process: wait for it"
                                 : "'" + directory + "' cannot be locked: " + std::generic_category().message(error));
  }
  ~Lock() { ::close(file_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  Lock(Lock&&) = delete;
  Lock& operator=(Lock&&) = delete;

 private:
  int file_;
};

/// One record of many, newest first.
RunRecord merged(const std::vector<File>& files) {
  RunRecord all;
  all.run = files.front().record.run;
  all.run.program.clear();
  all.run.settings.clear();
  all.run.seconds = 0;
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
    if (run.strategy != all.run.strategy) all.run.strategy.clear();
    contexts.insert(contexts.end(), record.contexts.begin(), record.contexts.end());
  }
  all.contexts = folded(std::move(contexts));
  return all;
}

}  // namespace

EarlierRuns EarlierRuns::read(const std::string& directory, const Circumstances& wanted, const SkippedFile& skipped) {
  EarlierRuns earlier;
  std::error_code error;
  const std::vector<std::string> names = names_in(directory, error);
  std::vector<RunRecord> merged_ones;
  std::int64_t bytes = 0;
  each_record(directory, names, skipped, [&](File file, std::int64_t length) {
    bytes += length;
    if (circumstances_of(file.record) == wanted) {
      if (file.record.merged.empty()) {
        earlier.add(std::move(file.record.contexts));
      } else {
        merged_ones.push_back(std::move(file.record));
      }
    }
    return bytes < most_bytes;
  });
  for (RunRecord& one : merged_ones) earlier.add(std::move(one.contexts));
  return earlier;
}

void EarlierRuns::add(std::vector<ContextRecord> contexts) {
  for (ContextRecord& one : contexts) {
    const auto same = std::find_if(contexts_.begin(), contexts_.end(),
                                   [&](const ContextRecord& other) { return same_key(one, other); });
    const auto enough = [&](const CandidateRecord& candidate) {
      if (candidate.agreed_s.value_or(0) <= 0 || candidate.samples <= 0) return true;
      if (same == contexts_.end()) return false;
      return std::any_of(same->candidates.begin(), same->candidates.end(), [&](const CandidateRecord& known) {
        return known.samples >= enough_samples && public_name(known) == public_name(candidate);
      });
    };
    one.candidates.erase(std::remove_if(one.candidates.begin(), one.candidates.end(), enough), one.candidates.end());
    if (one.candidates.empty()) continue;
    one.decisions.clear();
    if (same == contexts_.end()) {
      contexts_.push_back(std::move(one));
    } else {
      fold(*same, one);
    }
  }
}

std::optional<Earlier> EarlierRuns::of(const ContextRecord& key, std::string_view candidate) const {
  if (key.nodes == 0) return std::nullopt;  // how its ranks lie is not known
  for (const ContextRecord& context : contexts_) {
    if (!same_key(context, key)) continue;
    for (const CandidateRecord& one : context.candidates)
      if (public_name(one) == candidate) return Earlier{*one.agreed_s, one.samples};
  }
  return std::nullopt;
}

std::string EarlierRuns::to_text() const {
  std::string text;
  for (const ContextRecord& context : contexts_) text.append(to_json_line(context)).append("\n");
  return text;
}

EarlierRuns EarlierRuns::from_text(const std::string& text) {
  EarlierRuns earlier;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    earlier.contexts_.push_back(context_from_json_line(text.substr(start, end - start)));
    start = end + 1;
  }
  return earlier;
}

MergedRuns merge_runs(const std::string& directory, const SkippedFile& skipped) {
  const Lock lock(directory);
  std::error_code error;
  const std::vector<std::string> names = names_in(directory, error);
  if (error) throw std::runtime_error("'" + directory + "' cannot be read: " + error.message());
  std::vector<std::pair<Circumstances, std::vector<File>>> groups;
  each_record(directory, names, skipped, [&](File file, std::int64_t /*length*/) {
    const Circumstances its = circumstances_of(file.record);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == its; });
    if (group == groups.end()) group = groups.insert(groups.end(), {its, {}});
    group->second.push_back(std::move(file));
    return true;
  });
  MergedRuns result;
  for (const auto& [its, files] : groups) {
    if (files.size() < 2) continue;
    const RunRecord record = merged(files);
    const NewFile file = write_new_whole(
        directory, merged_file_name(std::chrono::system_clock::now(), host_name(), ::getpid()), to_json(record));
    if (!file.trouble.empty()) throw std::runtime_error(file.trouble);
    result.written.push_back(file.name);
    for (const std::string& one : record.merged) {
      if (!is_merged_file_name(one)) ++result.runs;
      ::unlink((directory + "/" + one).c_str());
    }
  }
  return result;
}

}  // namespace starling
