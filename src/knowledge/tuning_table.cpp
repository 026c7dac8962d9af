#include "knowledge/tuning_table.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "knowledge/history.hpp"
#include "knowledge/json_fields.hpp"
#include "knowledge/names.hpp"
#include "messages/told.hpp"
#include "ways/way.hpp"

namespace starling {
namespace {

constexpr std::string_view table_schema = "starling-table-1";
constexpr std::string_view kind = "tuning table";
/// What may be kept of a text, in bytes.
constexpr std::size_t room_of_table = std::size_t{16} << 20;

constexpr std::array made_fields{
    field<&TableOrigin::when>("when"),
    field<&TableOrigin::command>("command"),
    field<&TableOrigin::starling>("starling"),
};

constexpr std::array run_time_fields{
    field<&WayAtRunTime::way>("way"),
    field<&WayAtRunTime::gain>("gain", Presence::since_later),
};

void read_at_run_time(JsonReader& reader, std::string_view /*name*/, TableInterval& into) {
  if (reader.null()) return;
  read_fields(reader, into.at_run_time.emplace(), run_time_fields);
}

void write_at_run_time(JsonWriter& writer, const TableInterval& from) {
  writer.object();
  write_fields(writer, *from.at_run_time, run_time_fields);
  writer.close();
}

void read_seconds(JsonReader& reader, std::string_view name, TableInterval& into) {
  if (reader.null()) return;
  int place = 0;
  reader.array([&] {
    std::optional<double> found;
    read_value(reader, name, found);
    if (++place <= 2) (place == 1 ? into.seconds.first : into.seconds.second) = found;
  });
  if (place != 2) throw JsonError("an interval's 'seconds' are not two");
}

void write_seconds(JsonWriter& writer, const TableInterval& from) {
  writer.array();
  write_value(writer, from.seconds.first);
  write_value(writer, from.seconds.second);
  writer.close();
}

constexpr std::array interval_fields{
    field<&TableInterval::from>("from"),
    field<&TableInterval::below>("below"),
    field<&TableInterval::way>("way"),
    Field<TableInterval>{"seconds", read_seconds, write_seconds,
                         [](const TableInterval& from) { return from.seconds.first || from.seconds.second; },
                         Presence::where_known},
    field<&TableInterval::gain>("gain", Presence::since_later),
    field<&TableInterval::why>("why", Presence::since_later),
    Field<TableInterval>{"at_run_time", read_at_run_time, write_at_run_time,
                         [](const TableInterval& from) { return from.at_run_time.has_value(); }, Presence::where_known},
};

/// What is negative of an interval, or nothing.
std::string_view negative(const TableInterval& interval) {
  const auto is_negative = [](const std::optional<double>& number) { return number && *number < 0; };
  if (is_negative(interval.seconds.first) || is_negative(interval.seconds.second)) return "'seconds' are";
  if (is_negative(interval.gain)) return "'gain' is";
  if (interval.at_run_time && is_negative(interval.at_run_time->gain)) return "'gain' at run time is";
  return {};
}

std::string sizes_in_words(const TableInterval& interval) {
  const std::string from = std::to_string(interval.from);
  if (!interval.below) return from + " bytes and more";
  return *interval.below == interval.from + 1 ? from + " bytes"
                                              : from + " to " + std::to_string(*interval.below - 1) + " bytes";
}

void read_intervals(JsonReader& reader, std::string_view /*name*/, TableEntry& into) {
  reader.array([&] {
    reader.keep(room_of<TableInterval>);
    TableInterval& interval = into.intervals.emplace_back();
    read_fields(reader, interval, interval_fields);
    if (interval.way.empty()) throw JsonError("an interval's 'way' is empty");
    if (const auto what = negative(interval); !what.empty())
      throw JsonError("an interval's " + std::string(what) + " below 0");
    if (interval.below && *interval.below <= interval.from)
      throw JsonError("the interval from " + std::to_string(interval.from) + " below " +
                      std::to_string(*interval.below) + " bytes is empty");
    if (into.intervals.size() < 2) return;
    const TableInterval& before = *(into.intervals.end() - 2);
    if (!before.below || interval.from < *before.below)
      throw JsonError("the interval of " + sizes_in_words(interval) + " overlaps the one before it, of " +
                      sizes_in_words(before) + ", or is out of order");
  });
}

void write_intervals(JsonWriter& writer, const TableEntry& from) {
  writer.array();
  for (const TableInterval& interval : from.intervals) {
    writer.object();
    write_fields(writer, interval, interval_fields);
    writer.close();
  }
  writer.close();
}

constexpr std::array entry_fields{
    field<&TableEntry::collective>("collective"),
    field<&TableEntry::ranks>("ranks"),
    field<&TableEntry::nodes>("nodes"),
    field<&TableEntry::ranks_per_node>("ranks_per_node"),
    Field<TableEntry>{"intervals", read_intervals, write_intervals, nullptr},
};

std::string counted(std::int64_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string shape_in_words(int ranks, int nodes, int ranks_per_node) {
  std::string text = counted(ranks, "rank");
  if (nodes > 0) text += " on " + counted(nodes, "node");
  if (nodes > 1) text += " of " + std::to_string(ranks_per_node);
  return text;
}

std::string shape_in_words(const TableEntry& entry) {
  return shape_in_words(entry.ranks, entry.nodes, entry.ranks_per_node);
}

TableEntry read_entry(JsonReader& reader) {
  TableEntry entry;
  read_fields(reader, entry, entry_fields);
  const auto [ranks, nodes, most] =
      std::tuple<std::int64_t, std::int64_t, std::int64_t>{entry.ranks, entry.nodes, entry.ranks_per_node};
  if (nodes < 1 || most < 1 || nodes > ranks || most > ranks || nodes * most < ranks)
    throw JsonError(counted(ranks, "rank") + " cannot be on " + counted(nodes, "node") + " with at most " +
                    std::to_string(most) + " each");
  return entry;
}

/// How many times as large the larger is.
double ratio(int one, int other) {
  return static_cast<double>(std::max(one, other)) / static_cast<double>(std::min(one, other));
}

/// How far an entry is from a context: by the ranks and the ranks on a node, then by the nodes. Exactly rounded, so
/// that all ranks of a job come to the same.
struct Distance {
  double all = 1;    ///< product of the ratios of ranks and of ranks on a node
  double ranks = 1;  ///< ratio of the numbers of ranks; 1: equal
  double nodes = 1;
  auto operator<=>(const Distance&) const = default;  // NOLINT(modernize-use-nullptr): clang 14 sees one in it
};

/// Nothing where the entry says nothing about the context.
std::optional<Distance> distance(const TableEntry& entry, const ContextKey& key) {
  if (entry.collective != key.what) return std::nullopt;
  const double ranks = ratio(entry.ranks, key.ranks);
  double per_node = 1;
  double nodes = 1;
  if (key.nodes > 0) {
    nodes = ratio(entry.nodes, key.nodes);
    if ((entry.nodes == 1) != (key.nodes == 1)) return std::nullopt;
    if (key.nodes > 1) per_node = ratio(entry.ranks_per_node, key.ranks_per_node);
  }
  if (std::max(ranks, per_node) > TuningTable::farthest) return std::nullopt;
  return Distance{ranks * per_node, ranks, nodes};
}

/// The interval that holds a size, or the nearest where the size is below or above all; nullptr in a gap.
const TableInterval* interval_at(const TableEntry& entry, std::int64_t bytes) {
  const auto& all = entry.intervals;
  if (all.empty()) return nullptr;
  if (bytes < 0) return all.size() == 1 && all.front().from == 0 && !all.front().below ? &all.front() : nullptr;
  const auto above = std::upper_bound(all.begin(), all.end(), bytes,
                                      [](std::int64_t size, const TableInterval& one) { return size < one.from; });
  if (above == all.begin()) return &all.front();
  const TableInterval& found = *(above - 1);
  return !found.below || bytes < *found.below || above == all.end() ? &found : nullptr;
}

/// The interval for a size. Null also where that has a way that is not here: those beside it do not speak for its
/// sizes.
const TableInterval* interval_for(const TableEntry& entry, std::int64_t bytes) {
  const TableInterval* const found = interval_at(entry, bytes);
  return found == nullptr || found->way.empty() ? nullptr : found;
}

/// Seconds of a call of so many bytes, on the line between both ends; the lesser where it is not between them.
std::optional<double> seconds_at(const TableInterval& interval, std::int64_t bytes) {
  const auto& [first, last] = interval.seconds;
  if (!first || !last) return first ? first : last;
  if (bytes < 0 || !interval.below) return std::min(*first, *last);
  const double share =
      static_cast<double>(bytes - interval.from) / static_cast<double>(*interval.below - interval.from);
  return *first + (std::clamp(share, 0.0, 1.0) * (*last - *first));
}

void take_way_at_run_time(TableInterval& interval) {
  const double slower = interval.gain.value_or(1) / interval.at_run_time->gain.value_or(1);
  for (std::optional<double>* const end : {&interval.seconds.first, &interval.seconds.second})
    if (*end) **end *= slower;
  const std::string why_not = why_not_of_library(interval.way);
  interval.why = interval.way + " would be faster" + (interval.why.empty() ? "" : ", " + interval.why) + ", but " +
                 (why_not.empty() ? "is not here" : why_not + "; see starling export");
  interval.way = std::move(interval.at_run_time->way);
  interval.gain = interval.at_run_time->gain;
  interval.at_run_time.reset();
}

std::string reason(const std::string& file, const TableEntry& entry, const TableInterval& interval,
                   const ContextKey& key) {
  const bool is_exact =
      entry.ranks == key.ranks && entry.nodes == key.nodes && entry.ranks_per_node == key.ranks_per_node;
  std::string why = told(interval.way) + ": " + told(file) + " has it for " + shape_in_words(entry);
  if (!is_exact) why += " (nearest entry to " + shape_in_words(key.ranks, key.nodes, key.ranks_per_node) + ")";
  why += ", " + sizes_in_words(interval);
  const bool holds = key.bytes < 0 || (interval.from <= key.bytes && (!interval.below || key.bytes < *interval.below));
  if (!holds) why += " (nearest to " + std::to_string(key.bytes) + ")";
  return interval.why.empty() ? why : why + ": " + told(interval.why);
}

}  // namespace

TuningTable TuningTable::from_json(std::string_view text) {
  std::size_t room = room_of_table;
  JsonReader reader(text, room, kind);
  TuningTable table;
  std::set<std::string, std::less<>> seen;
  std::set<std::tuple<std::string, int, int, int>> shapes;
  const auto member = [&](std::string_view key) {
    constexpr std::array<std::string_view, 7> known{"schema",      "file", "machine", "mpi_flavour",
                                                    "mpi_version", "made", "choices"};
    if (std::find(known.begin(), known.end(), key) == known.end()) return reader.skip();
    if (!seen.emplace(key).second) throw JsonError("it has '" + std::string(key) + "' twice");
    if (key == "schema") {
      std::string found;
      if (!reader.at_text()) reader.of_another_kind("its 'schema' is not '" + std::string(table_schema) + "'");
      reader.text(found);
      if (found != table_schema)
        throw JsonError("it is of schema '" + told(found) + "', and this version reads '" + std::string(table_schema) +
                        "'");
    } else if (key == "file") {
      reader.text(table.file_);
    } else if (key == "machine") {
      reader.text(table.machine_);
    } else if (key == "mpi_flavour") {
      reader.text(table.mpi_flavour_);
    } else if (key == "mpi_version") {
      reader.text(table.mpi_version_);
    } else if (key == "made") {
      read_fields(reader, table.made_, made_fields);
      if (!is_iso_8601(table.made_.when)) throw JsonError("its 'when' is no time like 2024-05-01T12:00:00Z");
    } else {
      reader.array([&] {
        TableEntry entry = read_entry(reader);
        reader.keep(room_of<TableEntry> + room_of<decltype(shapes)::value_type>);
        if (!shapes.emplace(entry.collective, entry.ranks, entry.nodes, entry.ranks_per_node).second)
          throw JsonError("it has two entries for " + told(entry.collective) + " with " + shape_in_words(entry));
        table.entries_.push_back(std::move(entry));
      });
    }
  };
  try {
    reader.object(member);
    reader.end();
    for (const std::string_view name : {"schema", "machine", "mpi_flavour", "mpi_version", "made", "choices"})
      if (!seen.contains(name)) reader.missing(name);
  } catch (const JsonError& error) {
    throw JsonError("line " + std::to_string(reader.line()) + ": " + error.what());
  }
  return table;
}

std::string TuningTable::to_json() const {
  JsonWriter writer(0);
  writer.object();
  for (const auto& [name, value] : {std::pair{"schema", table_schema},
                                    {"file", file_},
                                    {"machine", machine_},
                                    {"mpi_flavour", mpi_flavour_},
                                    {"mpi_version", mpi_version_}}) {
    writer.key(name);
    writer.text(value);
  }
  writer.key("made");
  writer.object();
  write_fields(writer, made_, made_fields);
  writer.close();
  writer.key("choices");
  writer.array();
  for (const TableEntry& entry : entries_) {
    writer.object();
    write_fields(writer, entry, entry_fields);
    writer.close();
  }
  writer.close();
  writer.close();
  return writer.written();
}

std::string TuningTable::misfit(const Circumstances& here) const {
  if (!machine_.empty() && machine_ != here.machine)
    return "it was made on the machine '" + told(machine_) + "', and this is '" + told(here.machine) + "'";
  const auto major = [](const std::string& version) { return version.substr(0, version.find('.')); };
  if (mpi_flavour_ != here.mpi_flavour || major(mpi_version_) != major(here.mpi_version))
    return "it was made with " + told(mpi_flavour_) + " " + told(mpi_version_) + ", and this is " +
           told(here.mpi_flavour) + " " + told(here.mpi_version);
  return {};
}

std::string TuningTable::forget_unknown() {
  std::string first;
  std::string why;
  std::int64_t forgotten = 0;
  for (TableEntry& entry : entries_) {
    const auto collective = collective_named(entry.collective);
    for (TableInterval& interval : entry.intervals) {
      if (interval.way.empty()) continue;
      if (collective && interval.at_run_time && !way_named(*collective, interval.way)) take_way_at_run_time(interval);
      if (collective && way_named(*collective, interval.way)) continue;
      if (forgotten++ == 0) {
        first =
            entry.collective + ":" + interval.way + " with " + shape_in_words(entry) + ", " + sizes_in_words(interval);
        why = why_not_of_library(interval.way);
      }
      interval.way.clear();
    }
  }
  std::erase_if(entries_,
                [](const TableEntry& entry) { return entry.intervals.empty() || !collective_named(entry.collective); });
  if (forgotten == 0) return {};
  return told(file_) + " names a way that is not here: " + told(first) + (why.empty() ? "" : " (" + why + ")") +
         (forgotten == 1 ? "; this interval is ignored"
                         : "; this and " + counted(forgotten - 1, "more interval") + " like it are ignored");
}

std::vector<Advice> TuningTable::advice(const ContextKey& key) const {
  std::vector<std::pair<Distance, const TableEntry*>> near;
  for (const TableEntry& entry : entries_)
    if (const auto far = distance(entry, key)) near.emplace_back(*far, &entry);
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<Advice> found;
  for (const auto& [far, entry] : near) {
    const TableInterval* const interval = interval_for(*entry, key.bytes);
    if (interval != nullptr) {
      found.push_back(
          {interval->way, reason(file_, *entry, *interval, key), interval->gain, seconds_at(*interval, key.bytes)});
    } else if (found.empty()) {
      return {};
    }
  }
  return found;
}

std::array<std::vector<std::int64_t>, collective_count> TuningTable::size_edges() const {
  std::array<std::vector<std::int64_t>, collective_count> edges;
  for (const TableEntry& entry : entries_) {
    const auto collective = collective_named(entry.collective);
    if (!collective) continue;
    auto& those = edges[static_cast<std::size_t>(*collective)];
    for (const TableInterval& interval : entry.intervals) {
      those.push_back(interval.from);
      if (interval.below) those.push_back(*interval.below);
    }
  }
  for (auto& those : edges) {
    std::sort(those.begin(), those.end());
    those.erase(std::unique(those.begin(), those.end()), those.end());
  }
  return edges;
}

}  // namespace starling
