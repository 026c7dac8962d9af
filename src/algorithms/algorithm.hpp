#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedule/collective.hpp"
#include "schedule/schedule.hpp"
#include "topology/places.hpp"
#include "topology/switch_tree.hpp"

namespace starling {

/// How many parts of a composed algorithm may divide its vector.
inline constexpr std::size_t most_parts = 3;

/// How an algorithm divides the data of a call.
struct Division {
  /// All there are: of a vector any number; where each rank has a block one for each, or n for each where those are
  /// divided in n parts (divides_blocks()).
  int blocks = 1;
  int per_message = 0;  ///< for algorithms that send several blocks the same way; 0: as many as there are
  /// Of a composed algorithm: how many blocks each part divides its vector in, a divisor of all there are.
  std::array<int, most_parts> of_parts{1, 1, 1};
  auto operator<=>(const Division&) const = default;
};

/// The place of one rank among those that carry out a collective, as a builder sees it.
struct Team {
  int size;      ///< ranks
  int rank;      ///< this rank, 0 <= rank < size
  int root = 0;  ///< for rooted collectives
  Division division{};
  /// What is to be carried out: an algorithm may serve several collectives (scan and exscan).
  Collective collective = Collective::barrier;
  /// The network, for algorithms that need its switches; it outlives the schedule's making.
  const SwitchTree* tree = nullptr;
  /// The node of each rank, equal on all ranks; none where it is not known. It outlives the schedule's making.
  const Places* places = nullptr;

  /// `rank` taken modulo the number of ranks, never negative.
  [[nodiscard]] constexpr int wrap(int any_rank) const { return ((any_rank % size) + size) % size; }
  [[nodiscard]] constexpr int right(int steps = 1) const { return wrap(rank + steps); }
  [[nodiscard]] constexpr int left(int steps = 1) const { return wrap(rank - steps); }
  [[nodiscard]] constexpr int blocks() const { return division.blocks; }
  /// How many parts each rank's block is divided in.
  [[nodiscard]] constexpr int parts() const { return blocks() / size; }
  /// Into how many blocks a part of a composed algorithm divides its vector, and how many blocks one of these is.
  [[nodiscard]] constexpr int blocks_of(std::size_t part) const { return division.of_parts.at(part); }
  [[nodiscard]] constexpr int scale_of(std::size_t part) const { return blocks() / blocks_of(part); }
  /// The number of a part of a rank's block among all blocks.
  [[nodiscard]] constexpr int part_of(int any_rank, int part) const { return (any_rank * parts()) + part; }
  /// This rank counted from the root: the root is 0.
  [[nodiscard]] constexpr int relative() const { return wrap(rank - root); }
  /// The rank that stands `relative` places after the root.
  [[nodiscard]] constexpr int absolute(int relative_rank) const { return wrap(relative_rank + root); }
  bool operator==(const Team&) const = default;
};

/// Values bound to the parameters of an algorithm, in the order of its descriptor. Each is read as a number once, when
/// it is bound: builders ask for it at every call.
class Parameters {
 public:
  Parameters() = default;
  Parameters(std::initializer_list<std::pair<std::string, std::string>> bound);

  void bind(std::string_view name, std::string_view value);
  /// The value bound to `name`; throws std::out_of_range for a name that is not bound (an error in the algorithm's
  /// file).
  [[nodiscard]] std::string_view text(std::string_view name) const;
  /// The same as a number; the word "none" is 0. Throws std::invalid_argument unless all of the text is a number.
  [[nodiscard]] std::int64_t number(std::string_view name) const;
  /// Names and texts.
  [[nodiscard]] std::span<const std::pair<std::string, std::string>> all() const { return bound_; }
  bool operator==(const Parameters&) const = default;

 private:
  [[nodiscard]] std::size_t place_of(std::string_view name) const;

  std::vector<std::pair<std::string, std::string>> bound_;
  std::vector<std::optional<std::int64_t>> numbers_;  ///< of `bound_`; nothing for a text that is no number
};

/// `name?parameter=value,...`, as public names are written.
std::string with_parameters(std::string name, const Parameters& parameters);

/// Names and values: where a candidate lies in the space of things to try.
using Attributes = std::vector<std::pair<std::string, std::string>>;

/// A parameter of an algorithm with the values that are worth trying.
struct Parameter {
  std::string_view name;
  std::vector<std::string_view> values;  ///< texts that live as long as the process
  std::string_view says;
  /// Each value adds in an order of its own, so that results of two values may differ in their last bits.
  bool reorders = false;
  /// With another value than the first the algorithm optimises something else: those values are a group of their own,
  /// which the first that can serve stands for (STAR-MPI, section 3.3).
  bool regroups = false;
  /// For values that depend on the number of ranks, as the shapes of a mesh do: those worth trying on so many. Null
  /// where these are `values`; else `values` are names for one of them on any number of ranks.
  std::vector<std::string> (*values_on)(int ranks) = nullptr;
  /// Whether a text can be a value on so many ranks, or for 0 on any number, though it is none that is tried.
  bool (*accepts)(std::string_view text, int ranks) = nullptr;
  /// Which values are tried, where an algorithm serves collectives that not all of them serve. Null: all are.
  bool (*serves)(std::string_view value, Collective collective) = nullptr;

  [[nodiscard]] bool is_tried_for(std::string_view value, Collective collective) const {
    return serves == nullptr || serves(value, collective);
  }
  /// The values that are worth trying on so many ranks.
  [[nodiscard]] std::vector<std::string> tried_on(int ranks) const {
    return values_on == nullptr ? std::vector<std::string>(values.begin(), values.end()) : values_on(ranks);
  }
};

/// The facts of a call that a choice may rest on: equal on all ranks of the communicator by the MPI standard.
struct Situation {
  Collective collective;
  int ranks;
  /// Of what one rank has for one peer: the vector in bcast, reduce, allreduce and scans; one block in allgather,
  /// gather, scatter and alltoall; one rank's result in reduce_scatter; the mean block of a v-variant.
  std::int64_t bytes;
  std::int64_t elements;             ///< of the vector, for a reduction; else equal to bytes
  bool commutative = true;           ///< the operator of a reduction
  bool in_place = false;             ///< only where all ranks must pass MPI_IN_PLACE or none
  const SwitchTree* tree = nullptr;  ///< of the communicator; none where the network is not described
  /// The node of each rank; none where it is not known, which is not the same as one node for each.
  const Places* places = nullptr;
  bool built_in = true;         ///< the operator of a reduction
  bool large_elements = false;  ///< of a reduction: too large to pass through memory that ranks share
};

/// What an algorithm cannot do without, whatever its parameters. Anything else it must do right, or exclude by
/// `Algorithm::refuses`, which sees the whole situation and the parameters. What stands here is shown in lists, and
/// tests prove that it is true: that the algorithm would fail without it.
struct Needs {
  bool power_of_two = false;  ///< ranks
  bool commutative = false;   ///< operator
  int least_ranks = 1;
  bool switches = false;  ///< a description of the network
  bool one_node = false;  ///< all ranks on one node, which share memory
};

/// The names the same algorithm has in other libraries; empty where they have none.
struct Counterparts {
  std::string_view ompi;
  std::string_view mpich;
  std::string_view ucc;
  std::string_view with{};  ///< "allgather=ring": the parameter they hold for; empty: for every one
};

/// An algorithm: the only place that knows anything about it. Registry, names, documentation, tests and exports derive
/// from it. The file src/algorithms/<collective>/<name>.cpp defines one function, `Algorithm
/// starling::<collective>::<name>()`.
struct Algorithm {
  std::vector<Collective> collectives;  ///< those it carries out, the one of its folder first
  std::string_view name;                ///< without the collective; the file's name
  std::string_view says;                ///< one true sentence
  std::string_view source;              ///< paper and section, or book
  std::string_view group;               ///< what it optimises: STAR-MPI's group (section 3.3 there)
  Needs needs{};
  std::vector<Parameter> parameters{};
  /// Synchronisations it comes with. Each is a name of its own: `ring`, `ring_light_barrier`, `ring_mpi_barrier`.
  std::vector<Synchronisation> synchronisations{Synchronisation::none};
  /// The tuner tries it for blocks of at most so many bytes; 0: no limit (STAR-MPI, section 3.1).
  std::int64_t probe_up_to = 0;
  /// Candidates of one class add in the same order, so their results are bitwise equal; empty where nothing is reduced.
  std::string_view reduction_order{};
  std::vector<Counterparts> counterparts{};
  /// Terms of the cost, for people; nothing checks them. alpha: one message, beta: one byte, p: ranks, s: bytes of a
  /// block, m: bytes of the vector, on the rank that has most to do.
  std::string_view latency{};
  std::string_view bandwidth{};
  /// How the data is divided where that is a vector or each rank's block may be (divides_blocks()); by default, and
  /// always elsewhere, in one block for each rank.
  Division (*divide)(const Situation&, const Parameters&) = nullptr;
  /// Whether it is still right when the send buffer lies in the receive buffer (MPI_IN_PLACE). It counts only for
  /// collectives that has_in_place() names; the checker must agree.
  bool works_in_place = true;
  /// Why it cannot serve in a situation that its needs do not exclude already; empty if it can. A sentence without a
  /// full stop. Also the place for limits: on blocks, rounds, scratch.
  std::string (*refuses)(const Situation&, const Parameters&) = nullptr;
  /// Blocks of scratch that the rank with most of it uses; more than it really uses is allowed, less is not, and none
  /// only where no rank uses any. Null: none.
  std::int64_t (*scratch_blocks)(const Situation&, const Parameters&) = nullptr;
  /// Whether rounds meet in memory that ranks of a node share. Null: none does.
  bool (*shares_memory)(const Parameters&) = nullptr;
  /// How many groups of ranks the rank that is in most of them is in, for sub-collectives: each group's communicator is
  /// made on first use. Null: none.
  int (*communicators)(const Parameters&) = nullptr;
  /// What one rank does. A pure function.
  Schedule (*build)(const Team&, const Parameters&) = nullptr;
  /// The same with a light barrier of its own, where words between the partners of the next round are not enough. Null:
  /// these are put between the rounds of `build`.
  Schedule (*build_light_barrier)(const Team&, const Parameters&) = nullptr;
};

}  // namespace starling
