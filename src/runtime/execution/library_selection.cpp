#include "runtime/execution/library_selection.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "runtime/mpi/flavour.hpp"
#include "runtime/mpi/opal_parameter_files.hpp"
#include "ways/described_values.hpp"

namespace starling {
namespace {

constexpr const char* dynamic_rules = "OMPI_MCA_coll_tuned_use_dynamic_rules";

using InPlace = LibraryAlgorithm::InPlace;

/// A parameter of an algorithm: the variable that holds it, by its name, and the values worth trying; 0 is "none".
struct Knob {
  std::string_view collective;
  std::string_view algorithm;
  std::string_view parameter;
  std::string_view variable;
  std::vector<int> values;
};

/// `one` once for each combination of values of the knobs that it has.
std::vector<LibraryAlgorithm> with_knobs(const LibraryAlgorithm& one, std::string_view collective,
                                         const std::vector<Knob>& knobs) {
  std::vector<LibraryAlgorithm> all{one};
  for (const Knob& knob : knobs) {
    if (knob.collective != collective || knob.algorithm != one.name) continue;
    const std::string variable(knob.variable);
    const auto found = control_variable(variable);
    if (!found || !found->is_writable()) continue;
    std::vector<LibraryAlgorithm> more;
    for (const LibraryAlgorithm& shorter : all) {
      for (const int value : knob.values) {
        more.push_back(shorter);
        more.back().parameters.bind(knob.parameter, value == 0 ? "none" : std::to_string(value));
        more.back().settings.push_back({variable, value});
      }
    }
    all = std::move(more);
  }
  return all;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// ---- Open MPI: variables of coll/tuned, which act when a communicator is made.

const std::vector<Knob>& knobs_of_openmpi() {
  static const std::vector<Knob> knobs = [] {
    std::vector<Knob> all;
    const std::string_view bcast = "coll_tuned_bcast_algorithm_segmentsize";
    const std::string_view reduce = "coll_tuned_reduce_algorithm_segmentsize";
    for (const std::string_view name : {"chain", "pipeline"}) {
      all.push_back({"bcast", name, "segment", bcast, {8192, 65536}});
      all.push_back({"reduce", name, "segment", reduce, {8192, 65536}});
    }
    for (const std::string_view name : {"split_binary_tree", "binary_tree", "binomial", "knomial"})
      all.push_back({"bcast", name, "segment", bcast, {0, 8192, 65536}});
    for (const std::string_view name : {"binary", "binomial", "in_order_binary"})
      all.push_back({"reduce", name, "segment", reduce, {0, 8192, 65536}});
    all.push_back({"bcast", "chain", "fanout", "coll_tuned_bcast_algorithm_chain_fanout", {4, 2}});
    all.push_back({"reduce", "chain", "fanout", "coll_tuned_reduce_algorithm_chain_fanout", {4, 2}});
    all.push_back(
        {"allreduce", "segmented_ring", "segment", "coll_tuned_allreduce_algorithm_segmentsize", {65536, 1048576}});
    return all;
  }();
  return knobs;
}

/// Which reductions keep the order of ranks, so that any operator will do.
bool keeps_order(std::string_view collective, std::string_view name) {
  if (is_one_of(collective, {"scan", "exscan"})) return true;
  return is_one_of(name, {"basic_linear", "linear", "nonoverlapping", "non_overlapping", "in_order_binary"});
}

/// Which algorithms call other collectives of their communicator, for which the library must choose by itself.
bool is_composed(std::string_view collective, std::string_view name) {
  return is_one_of(name, {"nonoverlapping", "non_overlapping"}) || (collective == "allgather" && name == "linear") ||
         (collective == "reduce_scatter_block" && name == "basic_linear") ||
         (collective == "allgatherv" && name == "default") || name == "allgather_reduce";
}

/// Which give wrong results. modified_bruck takes the send buffer for one of the receive type, and a rank does not know
/// whether these differ on another one.
bool is_wrong(std::string_view name) {
  return name == "modified_bruck";
}

/// What an algorithm of coll/tuned cannot do without, by the comments and checks of its source.
void add_needs_of_openmpi(LibraryAlgorithm& one, Collective collective) {
  const std::string_view what = starling::name_of(collective);
  one.commutative = reduces(collective) && !keeps_order(what, one.name);
  // With fewer elements than ranks they become others.
  if (what == "allreduce") one.element_each = is_one_of(one.name, {"ring", "segmented_ring", "rabenseifner"});
  if (one.name == "two_proc") one.ranks = 2;
  if (one.name == "neighbor") one.even = 2;
  if (what == "allgather" && one.name == "recursive_doubling") one.power_of_two = true;
  // In place, the library always uses the same algorithm, whichever is selected.
  if (is_one_of(what, {"alltoall", "alltoallv"})) one.in_place = InPlace::never;
}

void add_tuned(std::vector<LibraryAlgorithm>& into, Collective collective) {
  const std::string variable = std::string("coll_tuned_").append(name_of(collective)).append("_algorithm");
  const auto found = control_variable(variable);
  if (!found || !found->is_writable()) return;
  std::vector<ControlSetting> wins;
  // Elsewhere another component may be preferred to coll/tuned, so that the variables of that one do not act.
  if (const auto priority = control_variable("coll_tuned_priority"); priority && priority->is_writable())
    wins.push_back({"coll_tuned_priority", 100});
  for (const auto& [number, name] : found->enumeration()) {
    if (number == 0 || is_wrong(name)) continue;  // 0 leaves the choice to the library
    LibraryAlgorithm one{.name = name, .settings = wins};
    std::replace(one.name.begin(), one.name.end(), '-', '_');
    one.settings.push_back({variable, number});
    add_needs_of_openmpi(one, collective);
    for (LibraryAlgorithm& each : with_knobs(one, name_of(collective), knobs_of_openmpi()))
      into.push_back(std::move(each));
  }
}

/// A component of Open MPI's and the collectives it is worth trying for.
struct Component {
  std::string_view name;
  std::string_view variable;  ///< which exists only where the component is there
  bool hierarchy;
  bool one_node;
  std::vector<Collective> collectives;
};

std::vector<Component> components() {
  using enum Collective;
  return {
      {"basic", "coll_basic_priority", false, false, {allreduce, alltoall, bcast, gather, reduce, scatter}},
      {"han", "coll_han_priority", true, false, {allgather, allreduce, barrier, bcast, gather, reduce, scatter}},
      {"adapt", "coll_adapt_priority", false, false, {bcast}},  // its reduce ends some jobs
      {"sm", "coll_sm_priority", false, true, {allreduce, barrier, bcast, reduce}},
  };
}

/// A parameter of coll/tuned that a file sets, by which dynamic rules are left off; empty if none is.
std::string& set_by_user() {
  static std::string& parameter = *new std::string;
  return parameter;
}

LibraryAlgorithms of_openmpi() {
  constexpr int shared = -1;
  LibraryAlgorithms all{.names = LibraryAlgorithms::Names::of_openmpi, .act_at_creation = true, .looked_for = true};
  const auto dynamic = control_variable("coll_tuned_allreduce_algorithm");
  const char* const rules = std::getenv(dynamic_rules);
  if (!dynamic) {
    all.why_none = "this Open MPI has no component coll/tuned";
    return all;
  }
  if (rules == nullptr || std::string_view("1tTyY").find(*rules) == std::string_view::npos) {
    all.why_none = set_by_user().empty() ? std::string(dynamic_rules) + " is not 1"
                                         : set_by_user() + " is the user's, and would begin to act or is in the way";
    return all;
  }
  if (!text_of_control_variable("coll_tuned_dynamic_rules_filename").empty()) {
    all.why_none = "the job has a file of dynamic rules, which goes before what is asked for at run time";
    return all;
  }
  for (int i = 0; i < collective_count; ++i)
    add_tuned(all.of_collective[static_cast<std::size_t>(i)], static_cast<Collective>(i));
  // Composed algorithms have a communicator each. Others share one where they stand at equal places.
  int composed = 0;
  for (int i = 0; i < collective_count; ++i)
    for (LibraryAlgorithm& one : all.of_collective[static_cast<std::size_t>(i)])
      one.communicator = is_composed(name_of(static_cast<Collective>(i)), one.name) ? composed++ : shared;
  int communicators = composed;
  for (auto& algorithms : all.of_collective) {
    int place = composed;
    for (LibraryAlgorithm& one : algorithms)
      if (one.communicator == shared) one.communicator = place++;
    communicators = std::max(communicators, place);
  }
  for (const Component& one : components()) {
    if (!control_variable(std::string(one.variable))) continue;
    for (const Collective collective : one.collectives) {
      LibraryAlgorithm way{.name = std::string(one.name), .component = std::string(one.name)};
      way.communicator = communicators;
      way.hierarchy = one.hierarchy;
      way.one_node = one.one_node;
      way.commutative = reduces(collective);
      way.in_place = collective == Collective::alltoall ? InPlace::never : InPlace::either;
      all.of_collective[static_cast<std::size_t>(collective)].push_back(std::move(way));
    }
    ++communicators;
  }
  return all;
}

// ---- MPICH: variables that act when a collective is called.

const std::vector<Knob>& knobs_of_mpich() {
  static const std::vector<Knob> knobs{
      {"allgather", "k_brucks", "k", "MPIR_CVAR_ALLGATHER_BRUCKS_KVAL", {2, 4, 8}},
      {"allgather", "recexch_doubling", "k", "MPIR_CVAR_ALLGATHER_RECEXCH_KVAL", {2, 4}},
      {"allgather", "recexch_halving", "k", "MPIR_CVAR_ALLGATHER_RECEXCH_KVAL", {2, 4}},
      {"allreduce", "recursive_multiplying", "k", "MPIR_CVAR_ALLREDUCE_RECURSIVE_MULTIPLYING_KVAL", {2, 4, 8}},
      {"allreduce", "tree", "k", "MPIR_CVAR_ALLREDUCE_TREE_KVAL", {2, 4}},
      {"allreduce", "tree", "chunk", "MPIR_CVAR_ALLREDUCE_TREE_PIPELINE_CHUNK_SIZE", {0, 65536}},
      {"allreduce", "recexch", "k", "MPIR_CVAR_ALLREDUCE_RECEXCH_KVAL", {2, 4}},
      {"allreduce", "k_reduce_scatter_allgather", "k", "MPIR_CVAR_ALLREDUCE_RECEXCH_KVAL", {2, 4}},
      {"alltoall", "k_brucks", "k", "MPIR_CVAR_ALLTOALL_BRUCKS_KVAL", {2, 4, 8}},
      {"barrier", "k_dissemination", "k", "MPIR_CVAR_BARRIER_DISSEM_KVAL", {2, 4, 8}},
      {"barrier", "recexch", "k", "MPIR_CVAR_BARRIER_RECEXCH_KVAL", {2, 4}},
      {"bcast", "tree", "k", "MPIR_CVAR_BCAST_TREE_KVAL", {2, 4}},
      {"bcast", "pipelined_tree", "k", "MPIR_CVAR_BCAST_TREE_KVAL", {2, 4}},
      {"bcast", "pipelined_tree", "chunk", "MPIR_CVAR_BCAST_TREE_PIPELINE_CHUNK_SIZE", {8192, 65536}},
  };
  return knobs;
}

/// What an algorithm of MPICH cannot do without, by the conditions under which it falls back to another one.
void add_needs_of_mpich(LibraryAlgorithm& one, Collective collective) {
  const std::string_view what = name_of(collective);
  const std::string_view name = one.name;
  if (name == "smp") one.hierarchy = true;
  if (name == "smp" && reduces(collective)) one.commutative = true;
  if (is_one_of(what, {"allgather", "allgatherv"}) && name == "recursive_doubling") one.power_of_two = true;
  if (what == "bcast" && name == "scatter_recursive_doubling_allgather") one.power_of_two = true;
  if (what == "reduce" && name == "reduce_scatter_gather") one.built_in = one.element_each = true;
  if (what == "allreduce" && is_one_of(name, {"reduce_scatter_allgather", "k_reduce_scatter_allgather"}))
    one.built_in = one.commutative = one.element_each = true;
  if (what == "allreduce" && is_one_of(name, {"ring", "tree", "recexch", "recursive_multiplying"}))
    one.commutative = true;
  if (is_one_of(what, {"reduce_scatter", "reduce_scatter_block"})) {
    one.commutative = is_one_of(name, {"pairwise", "recursive_halving"});
    one.power_of_two = name == "noncommutative";  // and blocks of one size
  }
  if (is_one_of(what, {"alltoall", "alltoallv", "alltoallw"}))
    one.in_place = name == "pairwise_sendrecv_replace" ? InPlace::always : InPlace::never;
}

LibraryAlgorithms of_mpich() {
  LibraryAlgorithms all{.names = LibraryAlgorithms::Names::of_mpich, .looked_for = true};
  std::vector<ControlSetting> always;
  // Collectives of the device come first, and know nothing of the algorithm that is asked for.
  if (const auto device = control_variable("MPIR_CVAR_DEVICE_COLLECTIVES")) {
    const std::vector<std::string> names = names_in_description(device->description());
    const auto none = std::find(names.begin(), names.end(), "none");
    if (none != names.end()) always.push_back({"MPIR_CVAR_DEVICE_COLLECTIVES", static_cast<int>(none - names.begin())});
  }
  for (int i = 0; i < collective_count && !always.empty(); ++i) {
    const auto collective = static_cast<Collective>(i);
    if (is_among_neighbours(collective)) continue;  // private communicators have no topology
    std::string variable = "MPIR_CVAR_";
    for (const char letter : name_of(collective))
      variable += letter == '_' ? '_' : static_cast<char>(letter - 'a' + 'A');
    variable += "_INTRA_ALGORITHM";
    const auto found = control_variable(variable);
    if (!found || !found->is_writable()) continue;
    const std::vector<std::string> names = names_in_description(found->description());
    for (std::size_t number = 0; number < names.size(); ++number) {
      // What chooses by itself, what needs GPUs, what ends the job where blocks are not of one size, and what counts
      // its messages by a rank's own datatype.
      if (is_one_of(names[number], {"auto", "ccl"})) continue;
      if (collective == Collective::reduce_scatter && names[number] == "noncommutative") continue;
      if (collective == Collective::allgatherv && names[number] == "ring") continue;
      LibraryAlgorithm one{.name = names[number], .settings = always};
      one.settings.push_back({variable, static_cast<int>(number)});
      add_needs_of_mpich(one, collective);
      for (LibraryAlgorithm& each : with_knobs(one, name_of(collective), knobs_of_mpich()))
        all.of_collective[static_cast<std::size_t>(i)].push_back(std::move(each));
    }
  }
  return all;
}

}  // namespace

void prepare_library_selection() {
  if (flavour().name != "openmpi") return;
  // Settings of the user's that do nothing without dynamic rules must not begin to act.
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view variable(*one);
    if (variable.starts_with("OMPI_MCA_coll_tuned_") && !variable.starts_with(dynamic_rules)) return;
  }
  set_by_user() = parameter_in_files("coll_tuned_");
  if (!set_by_user().empty()) return;
  constexpr int keep = 0;  // what the user has set
  setenv(dynamic_rules, "1", keep);
}

LibraryAlgorithms find_library_algorithms(bool is_serialized) {
  LibraryAlgorithms none{.looked_for = true};
  if (!is_serialized) {
    none.why_none = "several threads may call MPI at once, and a selection acts on the whole process";
  } else if (!is_one_of(flavour().name, {"openmpi", "mpich"})) {
    none.why_none = flavour().name + " has no algorithms that can be selected while a program runs";
  } else if (!start_control_variables()) {
    none.why_none = "this MPI library has no control variables";
  } else {
    LibraryAlgorithms all = flavour().name == "openmpi" ? of_openmpi() : of_mpich();
    const bool any = std::any_of(all.of_collective.begin(), all.of_collective.end(),
                                 [](const auto& algorithms) { return !algorithms.empty(); });
    if (!any && all.why_none.empty()) all.why_none = "this MPI library lists no algorithms";
    return all;
  }
  return none;
}

std::optional<Selection> Selection::of(const std::vector<ControlSetting>& settings) {
  Selection selection;
  for (const ControlSetting& one : settings) {
    const auto variable = control_variable(one.variable);
    if (!variable) return std::nullopt;
    selection.values_.push_back({variable, one.value});
  }
  return selection;
}

SelectionOfCommunicator selection_of_communicator(int communicator) {
  SelectionOfCommunicator selection;
  for (const auto& algorithms : library_algorithms().of_collective) {
    for (const LibraryAlgorithm& one : algorithms) {
      if (one.communicator != communicator) continue;
      selection.component = one.component;
      for (const ControlSetting& setting : one.settings)
        if (std::find(selection.settings.begin(), selection.settings.end(), setting) == selection.settings.end())
          selection.settings.push_back(setting);
    }
  }
  return selection;
}

}  // namespace starling
