#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "knowledge/run_record.hpp"
#include "patterns/attributes.hpp"
#include "patterns/topology.hpp"
#include "patterns/vector.hpp"
#include "selection/strategy.hpp"

namespace starling::patterns {

class Request;

/// What a request binds a function set to.
struct Data {
  std::shared_ptr<Topology> topology;
  std::shared_ptr<Vector> send;     ///< null for none
  std::shared_ptr<Vector> receive;  ///< null for none; may be `send`
  int root = 0;
};

/// The functions of a set on the data of one request: the candidates among which a strategy chooses, and what carries
/// them out. At most one call is in flight at a time.
class Implementations {
 public:
  Implementations() = default;
  virtual ~Implementations() = default;
  Implementations(const Implementations&) = delete;
  Implementations& operator=(const Implementations&) = delete;
  Implementations(Implementations&&) = delete;
  Implementations& operator=(Implementations&&) = delete;

  /// The functions, the baseline first; the same on all ranks.
  [[nodiscard]] virtual std::vector<Candidate> candidates() const = 0;
  /// The values of the attributes of a function; empty where the set has no attributes.
  [[nodiscard]] virtual std::vector<int> values(int /*function*/) const { return {}; }
  /// What the ranks settle before the first call. Throws a Fault on all ranks alike. Collective.
  virtual void connect() {}
  /// Completes the key, which has the name and the ranks already: the bytes, if all ranks know them.
  virtual void describe(ContextRecord& /*key*/) const {}

  /// Whether what a function needs is there: else `refusal` makes it, which takes time.
  [[nodiscard]] virtual bool is_there(int /*function*/) const { return true; }
  /// Why a function can't serve after all, found out at its first call on all ranks; empty if it can. Collective then.
  virtual std::string refusal(int /*function*/) { return {}; }
  /// Whether a call begins in `begin` and ends later; else it ends there.
  [[nodiscard]] virtual bool splits(int function) const = 0;
  /// Begin a call, let it go on, end it. Return 0, or the number of an error: the program's own, or MPI's. `progress`
  /// tells whether it can end without waiting for others.
  virtual int begin(int function, Request& request) = 0;
  virtual int progress(int function, Request& request, bool& complete) = 0;
  virtual int finish(int function, Request& request) = 0;

  /// Seconds of the latest `begin` until all ranks had what the function needs and was not there. They are no part of
  /// the function's time; asked for once.
  virtual double take_setup() { return 0; }

  /// Frees what functions hold until they are used again; `kept` may keep it. Collective.
  virtual void release_others(int /*kept*/) {}
};

}  // namespace starling::patterns
