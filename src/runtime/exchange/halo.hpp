#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "neighborhood/box.hpp"
#include "neighborhood/implementation.hpp"
#include "runtime/exchange/exchange.hpp"

namespace starling::neighborhood {

/// A rank's array in memory: cells of `values` consecutive elements of `type`.
struct HaloData {
  void* data = nullptr;
  HaloArray array;  ///< of a width of 0 where only the boxes of the pattern tell what is exchanged
  int values = 1;
  MPI_Datatype type{};
  Order order = Order::c;
};

/// What a rank exchanges: the rounds, and the boxes of the blocks, by their numbers.
struct HaloPattern {
  Rounds rounds;
  std::vector<Box> sends;
  std::vector<Box> receives;
};

/// The pattern of `rank` on a grid. For patterns of one direction only, leave out rounds on all ranks alike.
HaloPattern halo_pattern(const Grid& grid, int rank, Corners corners, const HaloArray& send, const HaloArray& receive);

/// Exchange of halos between the ranks of a communicator, in any implementation. On a private duplicate of the
/// communicator.
class HaloExchange {
 public:
  /// Collective over `comm`, whose ranks are those of the pattern. `send` and `receive` may be the same array. Null on
  /// all ranks, with the same sentence in `mistake` or one that says that another rank has found one, if arrays do not
  /// fit together or MPI has no communicator left.
  static std::unique_ptr<HaloExchange> make(MPI_Comm comm, const HaloPattern& pattern, const HaloData& send,
                                            const HaloData& receive, std::string& mistake);
  ~HaloExchange();
  HaloExchange(const HaloExchange&) = delete;
  HaloExchange& operator=(const HaloExchange&) = delete;
  HaloExchange(HaloExchange&&) = delete;
  HaloExchange& operator=(HaloExchange&&) = delete;

  /// Why an implementation can't serve here, a sentence without a full stop; empty if it can. At the first call for
  /// each implementation collective: ranks prepare it and agree on it. `number` is its place in implementations().
  const std::string& refusal(std::size_t number);
  /// Whether it is prepared, or refused: `refusal` only answers then.
  [[nodiscard]] bool is_prepared(std::size_t number) const { return prepared_[number].refusal.has_value(); }

  /// An exchange in an implementation that is not refused; see Exchange. One may be in flight at a time.
  void start(std::size_t number) {
    current_ = prepared_[number].exchange.get();
    current_->start(memory_, {comm_, nullptr, 0});
  }
  bool progress() { return current_->progress(); }
  int wait() { return current_->wait(); }

  /// The private communicator; its errors are returned.
  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  /// Frees windows and memory for packing, on all ranks at the same point; implementations are prepared again when they
  /// are asked for. Collective.
  void release();

 private:
  HaloExchange(MPI_Comm comm, int rank, Rounds rounds);
  std::string describe_blocks(const HaloPattern& pattern, const HaloData& send, const HaloData& receive);
  std::string learn_from_neighbours(const HaloPattern& pattern, const HaloData& send, const HaloData& receive);
  [[nodiscard]] bool all(bool ok) const;
  Piece piece_of_box(const Box& box, const HaloData& data);
  MPI_Datatype keep(MPI_Datatype type);

  struct Prepared {
    std::unique_ptr<Exchange> exchange;
    std::optional<std::string> refusal;
  };

  MPI_Comm comm_;
  int rank_;
  Rounds rounds_;
  std::vector<MPI_Datatype> types_;  ///< made here
  BlockMemory memory_;
  bool one_buffer_ = false;  ///< on all ranks
  Windows windows_;
  std::vector<Prepared> prepared_;  ///< by place in implementations()
  Exchange* current_ = nullptr;
};

}  // namespace starling::neighborhood
