#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "patterns/decider.hpp"
#include "patterns/functions.hpp"
#include "patterns/request.hpp"

namespace starling::patterns {

/// The strategy of a name, or the run's for an empty one, for a set with such functions. Throws a Fault for an unknown
/// name.
Choosing choosing_by(std::string_view strategy, const FunctionSet& set, std::span<const Candidate> functions);

/// What requests of a set on such data have in common in the run record, except the ranks.
ContextRecord key_of(const FunctionSet& set, const Implementations& implementations);

/// Binds a set to data. Collective. Throws a Fault where they do not fit.
std::shared_ptr<Request> make_request(std::shared_ptr<FunctionSet> set, Data data, std::string_view strategy);

/// Makes the handle of a new request, which its functions are called with.
Handle keep(std::shared_ptr<Request> request);

/// The number of a predefined set by its name; -1 for none. Its handle is the same in every program.
int number_of_predefined(std::string_view name);
/// The handle of the predefined set of a number.
Handle predefined_set(int number);
/// An owner of the set of a handle, predefined or the program's.
std::shared_ptr<FunctionSet> owned_set(Handle handle);

}  // namespace starling::patterns
