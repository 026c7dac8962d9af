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
#include "tuning/context_index.hpp"
#include "ways/way.hpp"

namespace starling {

/// Starling's state for one communicator: an attribute, created at its first collective. MPI allows only one thread at
/// a time to carry out collectives on a communicator, so nothing here needs a lock.
class Communicator {
 public:
  /// The state of `comm`, created if there is none yet; nullptr for MPI_COMM_NULL, for a communicator that is being
  /// freed, and for a handle that MPI refuses. Then MPI has called the error handler, and `refused` is what it
  /// returned.
  static Communicator* of(MPI_Comm comm, std::optional<int>& refused);
  /// Called before the program frees `comm`: deletes its state on all ranks at the same point. If MPI_Comm_free deleted
  /// it, the program's delete functions, which may still use the communicator, could run before that on some ranks and
  /// after it on others. Returns what MPI returned if it refuses the handle.
  static std::optional<int> before_free(MPI_Comm comm);
  /// Called when MPI has freed `comm`, whose handle the program no longer has, or when that failed: the communicator is
  /// then as it was.
  static void after_free(MPI_Comm comm, bool failed);

  /// A count that grows with each communicator with a state here that is freed.
  static std::uint64_t freed();
  /// Whether `communicator` still exists. `freed` is what `freed()` returned while it did.
  static bool lives_since(const Communicator* communicator, std::uint64_t freed);

  ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  Communicator(Communicator&&) = delete;
  Communicator& operator=(Communicator&&) = delete;

  [[nodiscard]] int rank() const { return resources_.rank(); }
  [[nodiscard]] int size() const { return resources_.size(); }
  [[nodiscard]] Resources& resources() { return resources_; }
  [[nodiscard]] Spread spread() { return places() != nullptr ? places_->spread() : Spread{}; }
  /// The network between its ranks; nullptr if it is unknown.
  [[nodiscard]] const SwitchTree* tree() const { return tree_ ? &*tree_ : nullptr; }
  /// The nodes of its ranks; nullptr where they are not known.
  [[nodiscard]] const Places* places();
  /// Whether all ranks are on one node and ranks share its processors.
  [[nodiscard]] bool shares_processors() { return places() != nullptr && shares_processors_; }

  /// The facts of a call, and its context.
  struct FoundCall {
    Facts facts;
    Context* context;
  };
  /// Creates the context if there is none yet. Null for a call that only the MPI library can carry out. Valid until the
  /// next call of this collective. Fills `whole` if that is the call to carry out instead: see emptiness.hpp.
  const FoundCall* look_up(const Call& call, std::optional<Call>& whole);
  /// From the next call of the collective on, calls go by `way`; without one, by the run's strategy. Frees what the way
  /// that was chosen before holds. Collective.
  void choose(Collective collective, const std::optional<Way>& way);
  /// Why the latest call of the collective did not go by the way that was chosen; empty if it did.
  [[nodiscard]] Interned refusal_of_chosen(Collective collective) const;
  /// Count a call that passes through: an operation that is not tuned, or a blocking collective that can't be tuned
  /// here.
  void count_pass_through(int operation);
  void count_pass_through(Collective collective) { count_pass_through(static_cast<int>(collective)); }

  /// Seconds that a call in `situation` takes by `way` on these ranks, as the cost model has it. Nothing for native,
  /// for what the way refuses, without a model of the network, and where predicting it would take too long
  /// (cost/predictor.hpp). Local: any rank may ask, at any time.
  [[nodiscard]] std::optional<double> predicted(const Way& way, const Situation& situation);

  /// Seconds that its first call costs besides, for communicators of groups.
  [[nodiscard]] double predicted_to_begin(const Way& way, const Situation& situation) const;

  /// Seconds that the first call by a way probably costs besides, as long as nothing here has what it needs: ranks
  /// agree often while communicators, or memory that they share, are made. By what this process made before. Zero on
  /// all ranks or on none.
  [[nodiscard]] double setup_seconds(const Way& way);
  /// Takes the seconds in which that was made for a way.
  void learn_setup(const Way& way, double seconds);

  /// Seconds that `measure_network` may take; nothing where the network is known already on this rank, or may not or
  /// cannot be measured by these ranks.
  [[nodiscard]] std::optional<double> seconds_to_measure();
  /// Measures the network between its ranks, which then know it in all their communicators. Collective.
  void measure_network();

  /// The channel, which every one of Starling's algorithms needs. When it is opened, all learn whether rank 0 knows
  /// anything of communicators of this size (Channel::fact_of_first). Null, on all ranks, if no tag is free.
  /// Collective.
  [[nodiscard]] Channel* channel();
  /// Why none of Starling's algorithms can serve with the buffers of a collective; empty if they can. The same on all
  /// ranks, which have a channel. Collective.
  [[nodiscard]] std::string refusal_of_buffers(Collective collective);

  /// Adds what happened here to `happened`, on the communicator's rank 0 only.
  void add_to(Happened& happened) const;
  /// The same, of a communicator that is being freed: takes its contexts.
  void leave(Happened& happened, Remains& remains);
  /// Adds what this rank did here to the profile of a run.
  void add_to(ProfileSum& profile) const;
  /// Ascends in the order in which this process made the states of its communicators.
  [[nodiscard]] std::uint64_t number() const { return number_; }

  /// The attribute's delete function: MPI calls it when a communicator is freed.
  static int forget(MPI_Comm comm, int keyval, void* attribute, void* extra);

 private:
  [[nodiscard]] CallsOfRank as_profiled() const;
  void add_passed_through(Happened& happened) const;
  explicit Communicator(MPI_Comm comm);
  struct Table;
  Context& context(const Facts& facts);
  [[nodiscard]] bool is_alone(const Table& table) const;

  /// How many calls passed through.
  struct PassedThrough {
    std::array<std::int64_t, static_cast<std::size_t>(operation_count)> by_operation{};
    std::array<std::int16_t, static_cast<std::size_t>(operation_count)> in_order{};  ///< CallOrder's numbers, plus 1
  };
  [[nodiscard]] PassedThrough& passed_through() {
    if (!passed_through_) passed_through_ = std::make_unique<PassedThrough>();
    return *passed_through_;
  }

  /// The contexts of one collective.
  struct Table {
    std::vector<std::unique_ptr<Context>> contexts;
    ContextIndex<Context> by_key;
    std::uint32_t unmatched = 0;            ///< calls that were not like the one before, since one was
    std::vector<std::int64_t> exact_sizes;  ///< those of contexts that are no buckets, in ascending order
    LatestCall latest;
    std::uint64_t kinds_of_calls = 0;  ///< unlike the one before
    FoundCall known{{}, nullptr};      ///< of the latest call
    std::optional<Way> chosen{};       ///< the way of all contexts; none where the run's strategy chooses
    std::unique_ptr<Table> set_aside;  ///< the contexts of the strategy, while a way is chosen
  };
  MPI_Comm handle_;
  std::uint64_t made_at_;  ///< freed() at its creation: a later state may have the same address
  std::uint64_t number_;
  std::uint64_t group_ = 0;  ///< CallsOfRank::group
  bool inter_ = false;
  bool foreign_ = false;  ///< has ranks of another MPI_COMM_WORLD, which may have other settings
  bool has_looked_for_places_ = false;
  bool shares_processors_ = false;
  std::vector<int> in_world_;  ///< ranks of MPI_COMM_WORLD; empty until a prediction asks for them
  std::optional<Places> places_;
  std::optional<SwitchTree> tree_;
  Resources resources_;                                          ///< outlives the contexts
  std::array<std::unique_ptr<Table>, collective_count> tables_;  ///< null for collectives that were never called
  std::unique_ptr<PassedThrough> passed_through_;                ///< null while there are none
};

/// The value in `all` of each rank; nothing if one has none: its value is negative, or it is in another MPI_COMM_WORLD.
std::optional<std::vector<int>> values_of_ranks(std::span<const int> in_world, std::span<const int> all);

/// Where ranks run; nothing if one is in another MPI_COMM_WORLD.
std::optional<Places> places_of_ranks(std::span<const int> in_world);

}  // namespace starling
