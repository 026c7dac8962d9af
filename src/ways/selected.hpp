#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/candidate.hpp"

namespace starling {

/// A control variable of the MPI library and the value that it needs.
struct ControlSetting {
  std::string variable;
  int value;
  bool operator==(const ControlSetting&) const = default;
};

/// An algorithm of the MPI library for one collective, with its parameters bound, and how it is selected.
struct LibraryAlgorithm {
  std::string name;         ///< as the library calls it, with '_' for '-': "recursive_doubling"
  Parameters parameters{};  ///< segment in bytes, radix, fan-out, chunk in bytes
  std::vector<ControlSetting> settings{};
  std::string component{};  ///< of Open MPI's, to be preferred by the communicator; empty: none
  /// Where a selection acts when a communicator is made: algorithms with equal numbers share one.
  int communicator = 0;

  // What it cannot do without. Elsewhere the library would quietly use another algorithm, or give wrong results.
  bool power_of_two = false;  ///< ranks
  bool commutative = false;   ///< operator
  bool built_in = false;      ///< operator
  bool element_each = false;  ///< at least as many elements as ranks
  bool hierarchy = false;     ///< several nodes, of which some have several ranks
  bool one_node = false;      ///< all ranks on it
  int ranks = 0;              ///< exactly so many; 0: any number
  int even = 1;               ///< the number of ranks is a multiple of it
  enum class InPlace : std::uint8_t { either, always, never } in_place = InPlace::either;
};

/// The algorithms of the MPI library that can be selected in this job.
struct LibraryAlgorithms {
  /// What their names stand for in the repository's descriptors (Counterparts).
  enum class Names : std::uint8_t { of_openmpi, of_mpich } names = Names::of_openmpi;
  /// Whether a selection acts when a communicator is made; else it acts when a collective is called.
  bool act_at_creation = false;
  std::array<std::vector<LibraryAlgorithm>, collective_count> of_collective{};
  /// Whether this process has an MPI library and looked for them.
  bool looked_for = false;
  /// Why there are none, a sentence without a full stop; empty where there are some.
  std::string why_none{};

  /// A number that differs, most probably, where two processes have different ones.
  [[nodiscard]] std::uint64_t fingerprint() const;
};

/// Those of this process. Until they are set none are known.
const LibraryAlgorithms& library_algorithms();
/// Sets them, before anything asks for ways.
void set_library_algorithms(LibraryAlgorithms all);

/// The MPI library with one of its algorithms selected: `native_recursive_doubling`, `native_chain?segment=8192`.
struct Selected {
  static constexpr std::string_view prefix = "native_";

  Collective collective;
  const LibraryAlgorithm* algorithm;  ///< lives as long as the process

  /// Those of a collective, whatever the number of ranks: what they need is for `refusal` to say.
  [[nodiscard]] static std::vector<Selected> all(Collective collective, std::optional<int> ranks = {});
  /// Parameters that the name leaves out have the values of the first algorithm of that name.
  [[nodiscard]] static std::optional<Selected> named(Collective collective, std::string_view name);

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string algorithm_name() const;
  [[nodiscard]] std::string says() const { return "the MPI library's " + algorithm->name; }
  [[nodiscard]] const Parameters& parameter_values() const { return algorithm->parameters; }
  [[nodiscard]] Attributes attributes() const;
  [[nodiscard]] static std::string group() { return "library"; }
  [[nodiscard]] static std::string reduction_order() { return {}; }
  [[nodiscard]] static std::int64_t probe_up_to() { return 0; }
  /// A private one of the same ranks.
  [[nodiscard]] static int communicators() { return 1; }
  [[nodiscard]] std::string refusal(const Situation& situation) const;
  [[nodiscard]] static const Bound* scheduled() { return nullptr; }
  [[nodiscard]] std::optional<Bound> predicted_as() const { return counterpart(); }
  /// The repository's own form of the same algorithm; nothing where it has none.
  [[nodiscard]] std::optional<Bound> counterpart() const;
};

}  // namespace starling
