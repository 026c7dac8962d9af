#pragma once

#include <array>
#include <vector>

#include "patterns/functions.hpp"
#include "runtime/call/call.hpp"
#include "runtime/call/facts.hpp"

namespace starling::patterns {

/// A call with arrays of its own.
struct OwnCall {
  Call call;
  std::array<std::vector<int>, 4> arrays;  ///< counts to send, to receive, displacements of both

  OwnCall(const Call& of, int ranks);
  OwnCall(const OwnCall&) = delete;
  OwnCall& operator=(const OwnCall&) = delete;
  OwnCall(OwnCall&&) = delete;
  OwnCall& operator=(OwnCall&&) = delete;
  ~OwnCall() = default;
};

/// The call that vectors and their maps stand for. Throws Fault where they do not fit the collective.
Call call_of(Collective collective, const Data& data);

/// A call's facts, with the places of the ranks in them. Throws Fault where the MPI library would refuse the call.
Facts facts_on(const Call& call, Topology& topology);

}  // namespace starling::patterns
