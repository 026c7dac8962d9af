#include "knowledge/record_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "knowledge/json_fields.hpp"
#include "messages/told.hpp"

namespace starling {
namespace {

constexpr std::size_t most_merged = 100'000;

using Texts = std::vector<std::pair<std::string, std::string>>;

/// Whether a parameter's value is written as JSON writes that number, so that reading it back is exact.
bool is_number(const std::string& text) {
  constexpr std::size_t exact = 15;  // digits that any reader of JSON keeps
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  if (std::from_chars(text.data(), end, whole).ptr == end && text == std::to_string(whole)) return text.size() <= exact;
  double value = 0;
  return std::from_chars(text.data(), end, value).ptr == end && text == json_number(value) && value != 0;
}

/// Reads an object whose members are data: `value(text)` reads one of them.
template <typename Value>
void read_texts(JsonReader& reader, Texts& into, Value value) {
  into.clear();
  reader.object([&](std::string_view key) {
    reader.keep(room_of<Texts::value_type> + key.size());
    value(into.emplace_back(key, std::string()).second);
  });
}

void read_parameters(JsonReader& reader, std::string_view /*name*/, CandidateRecord& into) {
  read_texts(reader, into.parameters, [&](std::string& value) {
    if (reader.at_text()) {
      reader.text(value);
    } else {
      value = reader.written_number();
    }
  });
}

void write_parameters(JsonWriter& writer, const CandidateRecord& from) {
  writer.object();
  for (const auto& [name, value] : from.parameters) {
    writer.key(name);
    if (is_number(value)) {
      writer.word(value);
    } else {
      writer.text(value);
    }
  }
  writer.close();
}

constexpr auto samples_field = field<&CandidateRecord::samples>("samples");

constexpr std::array candidate_fields{
    field<&CandidateRecord::name>("name"),
    samples_field,
    Field<CandidateRecord>{"parameters", read_parameters, write_parameters, nullptr},
    told_only(field<&CandidateRecord::median_s>("median_s")),
    told_only(field<&CandidateRecord::min_s>("min_s")),
    field<&CandidateRecord::agreed_s>("agreed_s", Presence::since_later),
    field<&CandidateRecord::deviation_s>("deviation_s", Presence::where_known),
    told_only(field<&CandidateRecord::earlier_s>("earlier_s", Presence::where_known)),
    told_only(field<&CandidateRecord::setup_s>("setup_s", Presence::where_known)),
    field<&CandidateRecord::eligible>("eligible"),
    told_only(field<&CandidateRecord::reason>("reason")),
    told_only(field<&CandidateRecord::note>("note", Presence::where_known)),
};

/// The same fields, of which only those are read that later runs learn from: nothing more of the many candidates that
/// were not tried.
constexpr auto fields_to_learn_from = [] {
  auto fields = candidate_fields;
  for (Field<CandidateRecord>& one : fields) {
    if (!one.is_learnt_from) {
      one.read = [](JsonReader& reader, std::string_view /*name*/, CandidateRecord& /*into*/) { reader.skip(); };
    } else if (one.name == samples_field.name) {
      one.read = [](JsonReader& reader, std::string_view name, CandidateRecord& into) {
        samples_field.read(reader, name, into);
        if (into.samples == 0) reader.skip_rest();
      };
    }
  }
  return fields;
}();

template <typename Struct, std::size_t count>
void write_object(JsonWriter& writer, const Struct& from, const std::array<Field<Struct>, count>& fields) {
  writer.object();
  write_fields(writer, from, fields);
  writer.close();
}

/// A field that is a struct.
template <auto member, const auto& fields>
constexpr auto struct_field(std::string_view name) {
  using Struct = decltype(struct_of(member));
  return Field<Struct>{
      name,
      [](JsonReader& reader, std::string_view /*name*/, Struct& into) { read_fields(reader, into.*member, fields); },
      [](JsonWriter& writer, const Struct& from) { write_object(writer, from.*member, fields); }, nullptr};
}

/// A field that is a struct, and is there where it is known.
template <auto member, const auto& fields>
constexpr auto optional_field(std::string_view name) {
  using Struct = decltype(struct_of(member));
  return Field<Struct>{name,
                       [](JsonReader& reader, std::string_view /*name*/, Struct& into) {
                         read_fields(reader, (into.*member).emplace(), fields);
                       },
                       [](JsonWriter& writer, const Struct& from) { write_object(writer, *(from.*member), fields); },
                       [](const Struct& from) { return (from.*member).has_value(); }, Presence::where_known};
}

/// A field that is a vector of structs.
template <auto member, const auto& fields>
constexpr auto list_field(std::string_view name) {
  using Struct = decltype(struct_of(member));
  using Element = typename decltype(value_of(member))::value_type;
  return Field<Struct>{name,
                       [](JsonReader& reader, std::string_view /*name*/, Struct& into) {
                         reader.array([&] {
                           reader.keep(room_of<Element>);
                           read_fields(reader, (into.*member).emplace_back(), fields);
                         });
                       },
                       [](JsonWriter& writer, const Struct& from) {
                         writer.array();
                         for (const Element& one : from.*member) write_object(writer, one, fields);
                         writer.close();
                       },
                       nullptr};
}

constexpr std::array phase_fields{
    field<&PhaseRecord::calls>("calls"),
    field<&PhaseRecord::seconds>("seconds"),
    field<&PhaseRecord::bookkeeping_seconds>("bookkeeping_seconds"),
};

constexpr std::array phases_fields{
    struct_field<&ContextRecord::exploring, phase_fields>("exploring"),
    struct_field<&ContextRecord::settled, phase_fields>("settled"),
};

void read_phases(JsonReader& reader, std::string_view /*name*/, ContextRecord& into) {
  read_fields(reader, into, phases_fields);
}

void write_phases(JsonWriter& writer, const ContextRecord& from) {
  write_object(writer, from, phases_fields);
}

constexpr std::array last_fields{
    field<&LastRank::rank>("rank"),
    field<&LastRank::calls>("calls"),
};

constexpr std::array arrivals_fields{
    field<&ArrivalsRecord::calls>("calls"),
    field<&ArrivalsRecord::slowest_s>("slowest_s"),
    field<&ArrivalsRecord::mean_s>("mean_s"),
    field<&ArrivalsRecord::fastest_s>("fastest_s"),
    list_field<&ArrivalsRecord::last, last_fields>("last"),
};

constexpr std::array profile_fields{
    field<&ContextProfile::communicators>("communicators"),
    field<&ContextProfile::ranks>("ranks"),
    field<&ContextProfile::rank_seconds>("rank_seconds"),
    field<&ContextProfile::slowest_rank>("slowest_rank"),
    field<&ContextProfile::slowest_rank_seconds>("slowest_rank_seconds"),
    field<&ContextProfile::quickest_rank>("quickest_rank"),
    field<&ContextProfile::quickest_rank_seconds>("quickest_rank_seconds"),
    field<&ContextProfile::waiting_rank_seconds>("waiting_rank_seconds"),
    field<&ContextProfile::unequal_work_rank_seconds>("unequal_work_rank_seconds", Presence::since_later),
    field<&ContextProfile::sampled_calls>("sampled_calls"),
    list_field<&ContextProfile::last, last_fields>("last"),
    field<&ContextProfile::mean_bytes>("mean_bytes"),
};

/// All fields of a context except its candidates and decisions, which come last.
constexpr std::array context_fields{
    field<&ContextRecord::collective>("collective"),
    field<&ContextRecord::bytes>("bytes"),
    field<&ContextRecord::bucket>("bucket"),
    field<&ContextRecord::up_to>("up_to", Presence::where_known),
    field<&ContextRecord::ranks>("ranks"),
    field<&ContextRecord::nodes>("nodes", Presence::since_later),
    field<&ContextRecord::ranks_per_node>("ranks_per_node", Presence::since_later),
    field<&ContextRecord::layout>("layout", Presence::since_later),
    field<&ContextRecord::in_place>("in_place"),
    field<&ContextRecord::operator_class>("operator_class"),
    field<&ContextRecord::calls>("calls"),
    field<&ContextRecord::stage>("stage"),
    field<&ContextRecord::winner>("winner"),
    field<&ContextRecord::seconds>("seconds"),
    field<&ContextRecord::tuning_seconds>("tuning_seconds"),
    field<&ContextRecord::slowest_seconds>("slowest_seconds", Presence::since_later),
    field<&ContextRecord::slowest_tuning_seconds>("slowest_tuning_seconds", Presence::since_later),
    Field<ContextRecord>{"phases", read_phases, write_phases, nullptr},
    field<&ContextRecord::native_s>("native_s"),
    field<&ContextRecord::candidates_left_out>("candidates_left_out", Presence::where_known),
    field<&ContextRecord::decisions_dropped>("decisions_dropped"),
    optional_field<&ContextRecord::arrivals, arrivals_fields>("arrivals"),
    optional_field<&ContextRecord::profile, profile_fields>("profile"),
};

/// A decision in its JSON form.
struct NamedDecision {
  std::int64_t call = 0;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::string why;
};

constexpr std::array decision_fields{
    field<&NamedDecision::call>("call"),
    field<&NamedDecision::from>("from"),
    field<&NamedDecision::to>("to"),
    field<&NamedDecision::why>("why"),
};

/// The name of a candidate; nothing for -1, which stands for none in a decision.
std::optional<std::string> name_at(const ContextRecord& context, int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= context.candidates.size()) return std::nullopt;
  return public_name(context.candidates[static_cast<std::size_t>(index)]);
}

void write(JsonWriter& writer, const ContextRecord& context) {
  writer.object();
  write_fields(writer, context, context_fields);
  writer.key("candidates");
  writer.array();
  for (const CandidateRecord& candidate : context.candidates) write_object(writer, candidate, candidate_fields);
  writer.close();
  writer.key("decisions");
  writer.array();
  for (const Decision& one : context.decisions)
    write_object(writer, NamedDecision{one.call, name_at(context, one.from), name_at(context, one.to), one.why},
                 decision_fields);
  writer.close();
  writer.close();
}

void read_candidates(JsonReader& reader, const Wanted& wanted, std::vector<CandidateRecord>& into) {
  reader.array([&] {
    CandidateRecord candidate;
    read_fields(reader, candidate, wanted.candidate == nullptr ? candidate_fields : fields_to_learn_from);
    if (wanted.candidate != nullptr && !wanted.candidate(candidate)) return;
    reader.keep(room_of<CandidateRecord>);
    into.push_back(std::move(candidate));
  });
}

void read_decisions(JsonReader& reader, ContextRecord& context) {
  const auto index = [&](const std::optional<std::string>& name) {
    return name ? index_of(context.candidates, *name) : -1;
  };
  reader.array([&] {
    NamedDecision named;
    read_fields(reader, named, decision_fields);
    reader.keep(room_of<Decision>);
    context.decisions.push_back({named.call, index(named.from), index(named.to), std::move(named.why)});
  });
}

ContextRecord read_context(JsonReader& reader, const Wanted& wanted) {
  ContextRecord context;
  bool has_candidates = false;
  std::optional<JsonReader> decisions;  // they name candidates, which may follow them in the text
  read_fields(reader, context, context_fields, [&](std::string_view key) {
    if (key == "candidates" && !has_candidates) {
      has_candidates = true;
      read_candidates(reader, wanted, context.candidates);
      return true;
    }
    if (key == "decisions") decisions = reader;
    return false;
  });
  if (!has_candidates) reader.missing("candidates");
  if (!decisions) reader.missing("decisions");
  if (wanted.candidate == nullptr) read_decisions(*decisions, context);
  return context;
}

void read_settings(JsonReader& reader, std::string_view /*name*/, RunDescription& into) {
  read_texts(reader, into.settings, [&](std::string& value) { reader.text(value); });
}

void write_settings(JsonWriter& writer, const RunDescription& from) {
  writer.object();
  for (const auto& [name, value] : from.settings) {
    writer.key(name);
    writer.text(value);
  }
  writer.close();
}

constexpr std::array run_fields{
    field<&RunDescription::program>("program"),
    field<&RunDescription::machine>("machine", Presence::since_later),
    field<&RunDescription::ranks>("ranks"),
    field<&RunDescription::nodes>("nodes"),
    field<&RunDescription::ranks_per_node>("ranks_per_node"),
    field<&RunDescription::mpi_flavour>("mpi_flavour"),
    field<&RunDescription::mpi_version>("mpi_version"),
    field<&RunDescription::strategy>("strategy"),
    Field<RunDescription>{"settings", read_settings, write_settings, nullptr},
    field<&RunDescription::started>("started"),
    field<&RunDescription::seconds>("seconds"),
    field<&RunDescription::probe_s>("probe_s", Presence::where_known),
    field<&RunDescription::own_s>("own_s", Presence::where_known),
    field<&RunDescription::shares_processors>("shares_processors", Presence::where_known),
    field<&RunDescription::unfinished>("unfinished", Presence::where_known),
};

constexpr std::array left_out_fields{
    field<&LeftOut::contexts>("contexts"),
    field<&LeftOut::calls>("calls"),
    field<&LeftOut::seconds>("seconds"),
    field<&LeftOut::tuning_seconds>("tuning_seconds"),
    field<&LeftOut::slowest_seconds>("slowest_seconds"),
    field<&LeftOut::slowest_tuning_seconds>("slowest_tuning_seconds"),
};

constexpr std::array ordered_call_fields{
    field<&OrderedCall::collective>("collective"),
    field<&OrderedCall::bytes>("bytes"),
    field<&OrderedCall::bucket>("bucket"),
    field<&OrderedCall::ranks>("ranks"),
};

constexpr std::array succession_fields{
    struct_field<&Succession::from, ordered_call_fields>("from"),
    struct_field<&Succession::to, ordered_call_fields>("to"),
    field<&Succession::calls>("calls"),
    field<&Succession::seconds_between>("seconds_between"),
};

constexpr std::array run_profile_fields{
    list_field<&RunProfile::order, succession_fields>("order"),
    field<&RunProfile::order_left_out>("order_left_out"),
};

void check_schema(JsonReader& reader) {
  const std::string_view written = reader.written_number();
  if (written != std::to_string(RunRecord::schema))
    throw JsonError(std::string("it is of schema ")
                        .append(told(written))
                        .append(", and this version reads schema ")
                        .append(std::to_string(RunRecord::schema)));
}

void read_merged(JsonReader& reader, std::vector<std::string>& into) {
  reader.array([&] {
    if (into.size() == most_merged) reader.too_much();
    reader.keep(room_of<std::string>);
    std::string& name = into.emplace_back();
    reader.text(name);
    if (!is_record_name(name)) throw JsonError("'" + told(name) + "' in its list of merged files is no record's name");
  });
}

struct NotWanted {};

/// A record that is being read, in the order of its text.
class Reading {
 public:
  Reading(std::string_view text, const Wanted& wanted) : room_(wanted.room), reader_(text, room_), wanted_(wanted) {}

  RunRecord record() {
    try {
      reader_.object([&](std::string_view key) { member(key); });
    } catch (const NotWanted&) {
      return std::move(record_);
    }
    reader_.end();
    if (early_contexts_) read_contexts(*early_contexts_);
    for (const std::string_view name : {"schema", "run", "contexts"})
      if (std::find(seen_.begin(), seen_.end(), name) == seen_.end()) reader_.missing(name);
    return std::move(record_);
  }

 private:
  void member(std::string_view key) {
    constexpr std::array<std::string_view, 6> known{"schema", "run", "contexts", "left_out", "profile", "merged"};
    const auto* const name = std::find(known.begin(), known.end(), key);
    if (name == known.end()) return reader_.skip();
    if (std::find(seen_.begin(), seen_.end(), key) != seen_.end())
      throw JsonError("it has '" + std::string(key) + "' twice in one place");
    seen_.push_back(*name);
    if (key == "schema") return check_schema(reader_);
    if (key == "run") return read_run();
    if (key == "left_out") return read_fields(reader_, record_.left_out.emplace(), left_out_fields);
    if (key == "profile") return read_fields(reader_, record_.profile.emplace(), run_profile_fields);
    if (key == "merged") return read_merged(reader_, record_.merged);
    if (std::find(seen_.begin(), seen_.end(), "run") != seen_.end()) return read_contexts(reader_);
    early_contexts_ = reader_;
    reader_.skip();
  }

  void read_run() {
    read_fields(reader_, record_.run, run_fields);
    if (wanted_.run && !wanted_.run(record_.run)) throw NotWanted();
  }

  void read_contexts(JsonReader& reader) {
    reader.array([&] {
      ContextRecord context = read_context(reader, wanted_);
      if (wanted_.candidate != nullptr && context.candidates.empty()) return;
      reader.keep(room_of<ContextRecord>);
      record_.contexts.push_back(std::move(context));
    });
  }

  std::size_t room_;
  JsonReader reader_;
  const Wanted& wanted_;
  RunRecord record_;
  std::vector<std::string_view> seen_;
  std::optional<JsonReader> early_contexts_;  ///< that came before the fields that decide whether they are wanted
};

constexpr int lines_for_people = 4;
constexpr int depth_of_contexts = 2;

}  // namespace

std::string to_json(const RunRecord& record, RecordForm form) {
  JsonWriter writer(form == RecordForm::for_people ? lines_for_people : 0);
  writer.object();
  writer.key("schema");
  writer.count(RunRecord::schema);
  writer.key("run");
  write_object(writer, record.run, run_fields);
  writer.key("contexts");
  writer.array();
  for (const ContextRecord& context : record.contexts) write(writer, context);
  writer.close();
  if (record.left_out) {
    writer.key("left_out");
    write_object(writer, *record.left_out, left_out_fields);
  }
  if (record.profile) {
    writer.key("profile");
    write_object(writer, *record.profile, run_profile_fields);
  }
  if (!record.merged.empty()) {
    writer.key("merged");
    writer.array();
    for (const std::string& name : record.merged) writer.text(name);
    writer.close();
  }
  writer.close();
  return writer.written() + "\n";
}

std::size_t json_size(const ContextRecord& context) {
  JsonWriter writer(lines_for_people, depth_of_contexts);
  write(writer, context);
  constexpr std::size_t comma_line_and_indentation = 2 + (2 * depth_of_contexts);
  return writer.written().size() + comma_line_and_indentation;
}

RunRecord run_record_from_json(std::string_view text, const Wanted& wanted) {
  return Reading(text, wanted).record();
}

}  // namespace starling
