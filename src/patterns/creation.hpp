#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patterns/decider.hpp"
#include "patterns/functions.hpp"
#include "patterns/request.hpp"

namespace starling::patterns {

/// The strategy of a name, or the run's for an empty one, for a set with such functions. Throws a Fault for an unknown
/// name.
Choosing choosing_by(std::string_view strategy, const FunctionSet& set, std::span<const Candidate> functions);

/// What requests of a set on such data have in common in the run record, except the ranks.
ContextRecord key_of(const FunctionSet& set, const Implementations& implementations);

/// A set on data, before the ranks have agreed that they fit.
struct Prepared {
  std::shared_ptr<FunctionSet> set;
  Data data;
  std::unique_ptr<Implementations> implementations;
  std::vector<Candidate> functions;
  Choosing choosing;
  /// A number of at least 0 for what must be equal on all ranks.
  [[nodiscard]] std::int64_t common() const;
};

/// Throws on all ranks if a Fault is `wrong` on one, or if what they have in common differs. Collective.
void agree(const Topology& topology, const std::optional<Fault>& wrong, std::int64_t common);

/// What this rank prepares for a request, if all ranks of the topology can: none goes on alone, and waits for a rank
/// that has found a fault with its own arguments. Throws a Fault on all ranks otherwise. Collective.
template <typename Prepare>
Prepared prepared_on_all(const Topology& topology, const Prepare& prepare) {
  std::optional<Fault> wrong;
  Prepared made;
  try {
    made = prepare();
  } catch (const Fault& fault) {
    wrong = fault;
  }
  agree(topology, wrong, wrong ? 0 : made.common());
  return made;
}

/// Binds a set to data, as far as one rank can alone.
Prepared prepare(std::shared_ptr<FunctionSet> set, Data data, std::string_view strategy);

/// Makes the request that all ranks have prepared. Collective. Throws a Fault on all ranks.
std::shared_ptr<Request> make_request(Prepared prepared);

/// Makes the handle of a new request, which its functions are called with.
Handle keep(std::shared_ptr<Request> request);

/// The number of a predefined set by its name; -1 for none. Its handle is the same in every program.
int number_of_predefined(std::string_view name);
/// The handle of the predefined set of a number.
Handle predefined_set(int number);
/// An owner of the set of a handle, predefined or the program's.
std::shared_ptr<FunctionSet> owned_set(Handle handle);

}  // namespace starling::patterns
