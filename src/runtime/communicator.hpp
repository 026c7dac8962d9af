#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/context.hpp"
#include "runtime/facts.hpp"
#include "schedule/schedule.hpp"

namespace starling {

/// What Starling keeps for one communicator: an attribute of it, made on its first collective. MPI lets one thread at a
/// time carry out collectives on a communicator, so nothing here needs a lock.
class Communicator {
 public:
  /// The state of `comm`, made if there is none yet; nullptr for MPI_COMM_NULL.
  static Communicator* of(MPI_Comm comm);

  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  Communicator(Communicator&&) = delete;
  Communicator& operator=(Communicator&&) = delete;

  [[nodiscard]] MPI_Comm handle() const { return handle_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] Spread spread() const { return spread_; }
  /// The network between its ranks; nullptr where it is not described.
  [[nodiscard]] const SwitchTree* tree() const { return tree_ ? &*tree_ : nullptr; }

  /// What is known of a call, and its context, made if there is none yet.
  struct Known {
    Facts facts;
    Context* context;
  };
  /// Nothing for a call that only the MPI library can carry out. Good until the next call of this collective.
  const Known* know(const Call& call);
  /// Counts a call that passes through: an operation that is not tuned, or a blocking collective that can't be here.
  void count(int operation) { ++counted_[static_cast<std::size_t>(operation)]; }
  void pass(Collective collective) { ++passed_[static_cast<std::size_t>(collective)]; }

  /// The private communicator that algorithms send on. Collective where it does not exist yet. Nothing when MPI has no
  /// communicator left for it; all ranks then get nothing.
  std::optional<MPI_Comm> work();
  /// A private communicator of a group of this one's ranks, of which this rank is one; collective over the group where
  /// nobody asked for it yet. Nothing when MPI has none left; ranks of other groups may still get one.
  std::optional<MPI_Comm> of_group(const Group& group);
  /// Groups that were asked for, those in vain too.
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  /// Frees the communicators of groups from the `first` on: some groups of one candidate have one, others not. Nobody
  /// gets them again.
  void give_back_groups(std::size_t first);

  /// Whether `ok` holds on all ranks. Collective.
  [[nodiscard]] bool all(bool ok) const;
  /// Reduces over ranks, element by element, as the settings say. Collective.
  void reduce(std::span<const double> local, std::vector<double>& agreed) const;
  /// The same to rank 0 only; elsewhere `agreed` gets the right size. Collective.
  void reduce_to_first(std::span<const double> local, std::vector<double>& agreed) const;
  /// Gives rank 0's numbers to all. Collective.
  void broadcast(std::vector<double>& numbers) const;

  /// Ends the job: for what one rank alone can't do any more.
  [[noreturn]] void give_up(const std::string& why) const;

  /// Adds what happened here to `records`, one a call key, if this is the communicator's rank 0.
  void add_records(std::vector<ContextRecord>& records) const;

  /// MPI calls this when a communicator is freed: the attribute's delete function.
  static int forget(MPI_Comm comm, int keyval, void* attribute, void* extra);

 private:
  void free_private();
  void finish_reduction(int error, std::vector<double>& agreed) const;
  explicit Communicator(MPI_Comm comm);
  Context& context(const Facts& facts);

  /// Contexts of one collective. Few: looked through from the one used last.
  struct Table {
    std::vector<std::unique_ptr<Context>> contexts;
    int exact_sizes = 0;
    LatestCall latest;
    Known known{{}, nullptr};  ///< of the latest call
  };

  MPI_Comm handle_;
  MPI_Comm work_;
  bool has_work_ = false;
  bool inter_ = false;
  bool foreign_ = false;  ///< has ranks of another MPI_COMM_WORLD, whose settings may be others
  int rank_ = 0;
  int size_ = 0;
  Spread spread_;
  std::optional<SwitchTree> tree_;
  std::array<Table, collective_count> tables_;
  std::vector<std::pair<Group, MPI_Comm>> groups_;
  std::vector<std::int64_t> counted_;  ///< by operation
  std::array<std::int64_t, collective_count> passed_{};
};

}  // namespace starling
