#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "schedule/expectation.hpp"

namespace starling {

/// An algorithm with everything bound that it leaves open: a point in the space of things to try.
struct Bound {
  const Algorithm* algorithm;
  Collective collective;
  Synchronisation synchronisation;
  Parameters parameters;

  /// As `candidates` and `candidate_named` return them.
  [[nodiscard]] static std::vector<Bound> all(Collective collective, std::optional<int> ranks);
  [[nodiscard]] static std::optional<Bound> named(Collective collective, std::string_view name);

  /// `ring_light_barrier`: the algorithm's name and its synchronisation.
  [[nodiscard]] std::string algorithm_name() const;
  /// `chain?segment=8192`: the public name without the collective.
  [[nodiscard]] std::string name() const;
  /// What the algorithm does, and what the synchronisation adds.
  [[nodiscard]] std::string says() const;
  [[nodiscard]] const Parameters& parameter_values() const { return parameters; }
  /// The algorithm, its synchronisation, its parameters.
  [[nodiscard]] Attributes attributes() const;
  /// The group in STAR-MPI's sense: the synchronisation where there is one and it could be left out, else the
  /// algorithm's.
  [[nodiscard]] std::string group() const;
  /// The class of candidates that add in the same order: the algorithm's, with the values that reorder.
  [[nodiscard]] std::string reduction_order() const;
  /// Whether it is one of candidates(collective, ranks).
  [[nodiscard]] bool is_tried_on(int ranks) const;
  /// Tuners try it for blocks of at most so many bytes; 0: no limit.
  [[nodiscard]] std::int64_t probe_up_to() const { return algorithm->probe_up_to; }
  /// How the call's data is divided.
  [[nodiscard]] Division division(const Situation& situation) const;
  [[nodiscard]] int blocks(const Situation& situation) const { return division(situation).blocks; }
  /// Blocks of scratch a rank uses at most.
  [[nodiscard]] std::int64_t scratch_blocks(const Situation& situation) const;
  /// Whether its ranks meet in memory that those of a node share: nothing for calls that do not block.
  [[nodiscard]] bool shares_memory() const {
    return algorithm->shares_memory != nullptr && algorithm->shares_memory(parameters);
  }
  /// Communicators that a rank needs at most: for groups of ranks, and one of all ranks for MPI barriers.
  [[nodiscard]] int communicators() const {
    return (algorithm->communicators != nullptr ? algorithm->communicators(parameters) : 0) +
           (synchronisation == Synchronisation::mpi_barrier ? 1 : 0);
  }
  /// Whether the send buffer may lie in the receive buffer.
  [[nodiscard]] bool works_in_place() const { return has_in_place(collective) && algorithm->works_in_place; }
  /// Whether ranks pass on blocks whose sizes they do not know, so that they have to learn them before each call.
  [[nodiscard]] bool learns_sizes() const {
    return algorithm->scratch_blocks != nullptr && !all_know_sizes(collective);
  }
  /// By what they learn them: to and from the root `size_bytes` for each rank, elsewhere the candidate itself with so
  /// many in place of each block.
  [[nodiscard]] Bound tells_sizes() const;
  static constexpr std::int64_t size_bytes = 8;
  /// Why it cannot serve there, in words for people; empty if it can.
  [[nodiscard]] std::string refusal(const Situation& situation) const;
  /// As a way: it is carried out, and predicted, by its own schedules.
  [[nodiscard]] const Bound* scheduled() const { return this; }
  [[nodiscard]] std::optional<Bound> predicted_as() const { return *this; }
  /// The place of rank `rank`, with the data divided as the candidate does it there.
  [[nodiscard]] Team team(const Situation& situation, int rank, int root = 0) const;
  /// What one rank does, synchronisation included.
  [[nodiscard]] Schedule schedule(const Team& team) const;
};

/// Every algorithm, in the order of folders and files. Generated from the files by CMake.
const std::vector<Algorithm>& repository();

/// Every candidate of a collective: each algorithm x synchronisation x parameter value. For parameters whose values
/// depend on the number of ranks, those names of values that serve any number.
const std::vector<Bound>& candidates(Collective collective);

/// Every candidate of a collective that is worth trying on so many ranks.
std::vector<Bound> candidates(Collective collective, int ranks);

/// The algorithm of that name for that collective, or nullptr. The name is without synchronisation and parameters.
const Algorithm* algorithm_named(Collective collective, std::string_view name);

/// The candidate `name` of `collective`, e.g. "ring_light_barrier" or "chain?segment=8192"; for a parameter that is not
/// named its first value. Any well-formed number may be given for a parameter whose values are numbers, any well-formed
/// mesh for one whose values are meshes.
std::optional<Bound> candidate_named(Collective collective, std::string_view name);

}  // namespace starling
