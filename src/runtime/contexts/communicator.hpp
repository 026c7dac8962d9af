#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "generated/operations.hpp"
#include "runtime/call/facts.hpp"
#include "runtime/contexts/context.hpp"
#include "runtime/contexts/happened.hpp"
#include "runtime/execution/resources.hpp"
#include "topology/places.hpp"

namespace starling {

/// What Starling keeps for one communicator: an attribute of it, made on its first collective. MPI lets one thread at a
/// time carry out collectives on a communicator, so nothing here needs a lock.
class Communicator {
 public:
  /// The state of `comm`, made if there is none yet; nullptr for MPI_COMM_NULL, and for a communicator that is being
  /// freed: nothing is kept for it any more.
  static Communicator* of(MPI_Comm comm);
  /// Called when the program is about to free `comm`: forgets its state. While MPI then deletes attributes, the
  /// program's delete functions may still use the communicator, on some ranks before and on others after ours would
  /// have gone.
  static void before_free(MPI_Comm comm);

  /// How many communicators the application has freed that were known here.
  static std::uint64_t freed();
  /// Whether the application has not freed it since so many communicators were freed.
  static bool lives_since(const Communicator* communicator, std::uint64_t freed);

  ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  Communicator(Communicator&&) = delete;
  Communicator& operator=(Communicator&&) = delete;

  [[nodiscard]] int rank() const { return resources_.rank(); }
  [[nodiscard]] int size() const { return resources_.size(); }
  [[nodiscard]] Resources& resources() { return resources_; }
  [[nodiscard]] Spread spread() const { return places_ ? places_->spread() : Spread{}; }
  /// The network between its ranks; nullptr where it is not described.
  [[nodiscard]] const SwitchTree* tree() const { return tree_ ? &*tree_ : nullptr; }
  /// The nodes of its ranks; nullptr where they are not known.
  [[nodiscard]] const Places* places() const { return places_ ? &*places_ : nullptr; }

  /// What is known of a call, and its context, made if there is none yet.
  struct Known {
    Facts facts;
    Context* context;
  };
  /// Nothing for a call that only the MPI library can carry out. Good until the next call of this collective.
  const Known* know(const Call& call);
  /// Counts a call that passes through: an operation that is not tuned, or a blocking collective that can't be here.
  void count(int operation) { ++passed_through().by_operation[static_cast<std::size_t>(operation)]; }
  void pass(Collective collective) { ++passed_through().by_collective[static_cast<std::size_t>(collective)]; }

  /// Why algorithms of Starling's own can't serve here, whichever; empty if they can. The same on all ranks.
  /// Collective.
  [[nodiscard]] std::string refusal(Collective collective);

  /// Tells `happened` what happened here, if this is the communicator's rank 0.
  void tell(Happened& happened) const;

  /// MPI calls this when a communicator is freed: the attribute's delete function.
  static int forget(MPI_Comm comm, int keyval, void* attribute, void* extra);

 private:
  explicit Communicator(MPI_Comm comm);
  Context& context(const Facts& facts);
  [[nodiscard]] bool is_alone() const;

  /// Calls that passed through.
  struct PassedThrough {
    std::array<std::int64_t, static_cast<std::size_t>(operation_count)> by_operation{};
    std::array<std::int64_t, collective_count> by_collective{};
  };
  [[nodiscard]] PassedThrough& passed_through() {
    if (!passed_through_) passed_through_ = std::make_unique<PassedThrough>();
    return *passed_through_;
  }

  /// Contexts of one collective. Few: looked through from the one used last.
  struct Table {
    std::vector<std::unique_ptr<Context>> contexts;
    int exact_sizes = 0;
    LatestCall latest;
    Known known{{}, nullptr};  ///< of the latest call
  };
  std::uint64_t made_at_;  ///< freed() then: another one may lie at the same address later
  bool inter_ = false;
  bool foreign_ = false;  ///< has ranks of another MPI_COMM_WORLD, whose settings may be others
  std::optional<Places> places_;
  std::optional<SwitchTree> tree_;
  Resources resources_;                                          ///< outlives the contexts
  std::array<std::unique_ptr<Table>, collective_count> tables_;  ///< null for collectives that were never called
  std::unique_ptr<PassedThrough> passed_through_;                ///< null while there are none
};

}  // namespace starling
