#pragma once

#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "calls.hpp"
#include "communicators.hpp"
#include "images.hpp"
#include "operators.hpp"
#include "truth.hpp"

/// One call of a collective whose result is known beforehand. All ranks of the communicator draw it from one seed; each
/// rank chooses its own buffer layout.
class Soaked {
 public:
  Soaked(Operation operation, int items, bool in_place, Form form, const Team& team, const Operators& operators,
         std::uint64_t seed)
      : operation_(operation),
        form_(form),
        in_place_(in_place),
        team_(team),
        seed_(seed),
        own_{seed, own_seed(team)},
        items_(items) {
    Dice dice{seed};
    root_ = dice.below(team.size);
    // On one rank Open MPI 4.1 takes the displacements of alltoallw for multiples of the extent, and MPICH 4.0 ignores
    // that of allgatherv.
    if (team.size == 1 && operation == Operation::alltoallw) operation_ = Operation::alltoallv;
    if (team.size == 1 && operation == Operation::allgatherv) operation_ = Operation::allgather;
    // In Open MPI 4.1 a rank with nothing to do leaves MPI_Ialltoallv in place early, and MPICH 4.0 refuses some
    // persistent calls in place.
    if (in_place_ && (any_counts() || form_ == Form::persistent)) form_ = Form::blocking;
#ifdef MPICH_VERSION
    // MPICH 4.0 uses MPI_IN_PLACE as an address where the root of a long vector's MPI_Reduce is not rank 0.
    if (in_place_ && operation_ == Operation::reduce) root_ = 0;
#endif
    draw_item(operators, dice);
    prepare();
  }
  Soaked(const Soaked&) = delete;
  Soaked& operator=(const Soaked&) = delete;

  [[nodiscard]] MPI_Comm comm() const {
    return team_.comm;
  }

  [[nodiscard]] std::string name() const {
    return std::string(operation_names[static_cast<std::size_t>(operation_)]) + " (" +
           std::string(form_names[static_cast<std::size_t>(form_)]) + (in_place_ ? ", in place" : "") + ") on " +
           team_.name + ", rank " + std::to_string(team_.rank) + " of " + std::to_string(team_.size) + ", root " +
           std::to_string(root_) + ", " + std::to_string(items_) + " x " + item_.name +
           (op_.name.empty() ? "" : ", " + op_.name);
  }

  /// Makes the call. A nonblocking one stays in flight until `finish`.
  void start() {
    with_.in_flight = form_ == Form::nonblocking ? &request_ : nullptr;
    error_ = call<Names::mpi>(operation_, form_, with_);
  }

  /// The error on this rank, or empty.
  std::optional<std::string> finish() {
    if (error_ == MPI_SUCCESS && request_ != MPI_REQUEST_NULL) error_ = MPI_Wait(&request_, MPI_STATUS_IGNORE);
    if (error_ != MPI_SUCCESS) return "MPI returned error " + std::to_string(error_);
    if (send_.made && !send_.image.untouched()) return "the send buffer was written";
    return receive_.made ? receive_.image.fault(truth_, op_.rounds ? team_.size : 0, results_) : std::nullopt;
  }

 private:
  /// Blocks in a buffer of this rank.
  struct Buffer {
    bool made = false;
    Image image{};
    Part part{};
    std::vector<std::size_t> starts{};  ///< where the values of each block begin
  };

  static std::uint64_t own_seed(const Team& team) {
    return static_cast<std::uint64_t>(team.world_rank) + 1;
  }

  [[nodiscard]] bool any_counts() const {
    return operation_ == Operation::alltoallv || operation_ == Operation::alltoallw;
  }

  void draw_item(const Operators& operators, Dice& dice) {
    if (!reduces(operation_)) {
      item_ = Types::basic(dice.pick(all_kinds()));
      return;
    }
    Reduction drawn_one = operators.draw(types_, false, dice);
    // Open MPI 4.1 adds types of one byte wrongly at some lengths.
    while (drawn_one.item.pieces.front().kind->size == 1) drawn_one = operators.draw(types_, false, dice);
    op_ = drawn_one.op;
    item_ = drawn_one.item;
  }

  static constexpr int everyone = 1 << 20;  // used as a rank for values that are the same for all

  /// Items that rank `from` has for rank `to`: any number in the v-collectives.
  [[nodiscard]] int items(int from, int to) const {
    switch (operation_) {
      case Operation::allgatherv:
      case Operation::gatherv:
      case Operation::scatterv:
      case Operation::alltoallv:
      case Operation::alltoallw:
      case Operation::reduce_scatter: break;
      default: return items_;
    }
    if (in_place_ && from > to) std::swap(from, to);
    Dice dice{seed_ + 1, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)};
    return dice.one_in(4) ? 0 : dice.below(items_ + 1);
  }

  [[nodiscard]] Data data(int from, int to) const {
    return drawn(item_, items(from, to), seed_, from, to);
  }

  /// A buffer of blocks with a type of this rank's choice; with `scattered` in random order and with gaps.
  void lay(Buffer& buffer, const std::vector<int>& blocks, bool scattered) {
    Type type = item_;
    if (!reduces(operation_) && own_.one_in(3)) type = types_.contiguous(item_, 1);
#ifndef MPICH_VERSION
    // MPICH 4.0 truncates where a collective moves a type with padding.
    if (!reduces(operation_) && own_.one_in(4)) type = types_.resized(item_, 0, 2 * item_.extent);
#endif
    const auto count = blocks.size();
    buffer.made = true;
    buffer.part.type = type.handle;
    buffer.part.count = blocks.front();
    buffer.part.counts = blocks;
    buffer.part.displacements.resize(count);
    buffer.part.types.assign(count, type.handle);
    std::vector<int> places(count);
    int place = 0;
    for (const int block : scattered ? own_.permutation(static_cast<int>(count)) : in_order(count)) {
      places[static_cast<std::size_t>(block)] = place;
      place += blocks[static_cast<std::size_t>(block)] + (scattered ? own_.below(3) : 0);
    }
    for (std::size_t block = 0; block < count; ++block) {
      buffer.starts.push_back(buffer.image.values());
      const auto at = places[block] * type.extent;
      buffer.part.displacements[block] = operation_ == Operation::alltoallw ? static_cast<int>(at) : places[block];
      buffer.image.cover(at, type, blocks[block]);
    }
    buffer.image.fill(Dice{own_.next()});
    buffer.part.buffer = buffer.image.address();
  }

  static std::vector<int> in_order(std::size_t count) {
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  void prepare() {
    const int p = team_.size;
    const int me = team_.rank;
    const bool root = me == root_;
    if (reduces(operation_)) {
      prepare_reduction();
    } else if (operation_ == Operation::bcast) {
      lay(receive_, {items_}, false);
      if (root) receive_.image.put(0, data(root_, everyone), item_);
      truth_ = receive_.image;
      truth_.put(0, data(root_, everyone), item_);
      results_ = receive_.image.values();
    } else if (operation_ != Operation::barrier) {
      const bool to_root = operation_ == Operation::gather || operation_ == Operation::gatherv;
      const bool from_root = operation_ == Operation::scatter || operation_ == Operation::scatterv;
      const bool one_block = to_root || operation_ == Operation::allgather || operation_ == Operation::allgatherv;
      const bool here = in_place_ && (root || !(to_root || from_root));
      // In place the root of a scatter keeps its block; any other call has its input in the receive buffer.
      if ((!here || from_root) && (!from_root || root)) send_blocks(one_block ? std::vector{everyone} : in_order_of(p));
      if (!(here && from_root) && (!to_root || root)) {
        std::vector<int> blocks;
        for (int i = 0; i < p; ++i)
          blocks.push_back(from_root ? items(root_, me) : items(i, one_block ? everyone : me));
        if (from_root) blocks.resize(1);
        lay(receive_, blocks, scattered());
        for (int i = 0; i < static_cast<int>(blocks.size()) && here; ++i)
          if (!one_block || i == me)
            receive_.image.put(receive_.starts[static_cast<std::size_t>(i)], data(me, one_block ? everyone : i), item_);
        truth_ = receive_.image;
        for (int i = 0; i < static_cast<int>(blocks.size()); ++i)
          truth_.put(receive_.starts[static_cast<std::size_t>(i)],
                     from_root ? data(root_, me) : data(i, one_block ? everyone : me), item_);
        results_ = receive_.image.values();
      }
    }
    with_.send = send_.part;
    with_.receive = receive_.part;
    if (!send_.made) with_.send.buffer = MPI_IN_PLACE;
    if (!receive_.made && (operation_ == Operation::scatter || operation_ == Operation::scatterv))
      with_.receive.buffer = MPI_IN_PLACE;
    with_.op = op_.handle;
    with_.root = root_;
    with_.comm = team_.comm;
  }

  static std::vector<int> in_order_of(int p) {
    return in_order(static_cast<std::size_t>(p));
  }

  [[nodiscard]] bool scattered() const {
    switch (operation_) {
      case Operation::allgatherv:
      case Operation::gatherv:
      case Operation::scatterv:
      case Operation::alltoallv:
      case Operation::alltoallw: return true;
      default: return false;
    }
  }

  /// One block for each of `to`.
  void send_blocks(const std::vector<int>& to) {
    std::vector<int> blocks;
    for (const int other : to) blocks.push_back(items(team_.rank, other));
    lay(send_, blocks, scattered() && to.size() > 1);
    for (std::size_t i = 0; i < to.size(); ++i) send_.image.put(send_.starts[i], data(team_.rank, to[i]), item_);
  }

  void prepare_reduction() {
    const int p = team_.size;
    const int me = team_.rank;
    const bool scatters = operation_ == Operation::reduce_scatter || operation_ == Operation::reduce_scatter_block;
    std::vector<int> shares;
    for (int i = 0; i < p; ++i) shares.push_back(items(i, everyone));
    const int all = scatters ? std::accumulate(shares.begin(), shares.end(), 0) : items_;
    const int before = scatters ? std::accumulate(shares.begin(), shares.begin() + me, 0) : 0;
    const int mine = scatters ? shares[static_cast<std::size_t>(me)] : all;
    const auto of = [&](int rank) { return drawn(item_, all, seed_, rank, everyone); };
    const bool receives = operation_ != Operation::reduce || me == root_;
    const bool here = in_place_ && receives;
    if (!here) {
      lay(send_, {all}, false);
      send_.image.put(0, of(me), item_);
    }
    if (!receives) {
      receive_.part = send_.part;  // its count and type are significant
      receive_.part.buffer = nullptr;
      return;
    }
    lay(receive_, {here ? all : mine}, false);
    receive_.part.count = scatters ? items_ : all;
    receive_.part.counts = shares;
    if (here) receive_.image.put(0, of(me), item_);
    const int last = operation_ == Operation::scan ? me : operation_ == Operation::exscan ? me - 1 : p - 1;
    truth_ = receive_.image;
    if (last < 0) return;
    Data sum = of(0);
    for (int rank = 1; rank <= last; ++rank) combine(sum, of(rank), item_, op_.handle);
    truth_.put(0, part_of(sum, item_, before, mine), item_);
    results_ = static_cast<std::size_t>(mine) * item_.pieces.size();
  }

  Operation operation_;
  Form form_;
  bool in_place_;
  Team team_;
  std::uint64_t seed_;
  Dice own_;
  int items_;  ///< of a block; at most, where blocks differ
  int root_ = 0;
  Types types_;
  Type item_{};
  Operator op_{"", MPI_OP_NULL};
  Buffer send_;
  Buffer receive_;
  Image truth_;
  std::size_t results_ = 0;
  Arguments with_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int error_ = MPI_SUCCESS;
};
