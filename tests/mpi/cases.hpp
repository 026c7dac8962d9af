#pragma once

#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "calls.hpp"
#include "communicators.hpp"
#include "operators.hpp"
#include "sides.hpp"

/// What a call key may depend on: the same on all ranks.
struct Shape {
  Operation operation;
  int quanta;   ///< of a block, at most, where blocks differ
  int quantum;  ///< items that a rank may describe together
  bool in_place;
  std::uint64_t seed;  ///< decides item, operator, and the counts of v-collectives
};

inline Shape draw_shape(Operation operation, int ranks, Dice& dice) {
  const std::vector<int> sizes{0,     1,         1,         2,  3,   5,    ranks - 1,
                               ranks, ranks + 1, 3 * ranks, 41, 129, 1000, dice.one_in(4) ? 9000 : 64};
  return {operation, dice.pick(sizes), dice.between(1, 3), dice.one_in(3), dice.next()};
}

/// One call of a collective on one communicator, made with MPI and with PMPI.
class Case {
 public:
  /// `seed` decides all that may differ between calls of one shape: root, entry point, data, descriptions.
  Case(const Shape& shape, const Team& team, const Operators& operators, std::uint64_t seed)
      : shape_(shape), team_(team), common_{shape.seed, seed}, own_{seed, static_cast<std::uint64_t>(team.world_rank)} {
    Dice of_shape{shape.seed};
#ifdef OPEN_MPI
    // Beyond 12 ranks Open MPI 4.1 takes Bruck's algorithm for small blocks, which crashes where ranks describe them
    // with different datatypes.
    if (shape.operation == Operation::alltoall && team.size > 12) shape_.operation = Operation::alltoallv;
#endif
    if (reduces(shape.operation)) {
      // MPICH 4.0 reads outside its temporary buffer in a reduce_scatter of a type with gaps.
      const bool scatters =
          shape.operation == Operation::reduce_scatter || shape.operation == Operation::reduce_scatter_block;
      const auto [op, item] = operators.draw(types_, !scatters, of_shape);
      op_ = op;
      item_ = item;
    } else {
      item_ = of_shape.one_in(5) ? types_.record() : Types::basic(of_shape.pick(all_kinds()));
#ifdef MPICH_VERSION
      // MPICH 4.0 truncates messages of some kilobytes, or crashes, where a collective moves a type with padding.
      if (padded(item_)) item_ = Types::basic(kind_of(MPI_DOUBLE));
#endif
    }
    const int limit = 150000 / static_cast<int>(item_.extent) / shape.quantum /
                      (shape.operation == Operation::allreduce ? 1 : team.everyone());
    shape_.quanta = std::min(shape.quanta, std::max(1, limit));
    form_ = static_cast<Form>(common_.one_in(2) ? 0 : common_.below(forms));
    // call() makes a barrier in these two forms.
    if (shape_.operation == Operation::barrier && form_ != Form::nonblocking) form_ = Form::blocking;
    root_ = common_.below(team.inter ? team.other_size : team.size);
    if (team.inter) shape_.in_place = false;
    // In Open MPI 4.1 a rank with nothing to do leaves MPI_Ialltoallv and MPI_Ialltoallw in place early, and the next
    // nonblocking collective hangs; MPICH 4.0 refuses MPI_Alltoallw_init and MPI_Scatter_init in place.
    const bool any_counts = shape_.operation == Operation::alltoallv || shape_.operation == Operation::alltoallw;
    if (shape_.in_place && (any_counts || form_ == Form::persistent)) form_ = Form::blocking;
    // MPICH 4.0 copies from address -1 in reduce in place beyond 2 KiB, unless the ranks are a power of two.
    if (shape_.in_place && shape_.operation == Operation::reduce) shape_.quanta = std::min(shape_.quanta, 40);
    // On one rank Open MPI 4.1 takes the displacements of alltoallw for multiples of the extent.
    if (shape_.operation == Operation::alltoallw && team.size == 1) shape_.operation = Operation::alltoallv;
    // On one rank MPICH 4.0 ignores the displacement of allgatherv.
    if (shape_.operation == Operation::allgatherv && team.size == 1) shape_.operation = Operation::allgather;
    // Open MPI 4.1 chooses its allgatherv by the size of the local datatype, and hangs where ranks describe blocks
    // differently.
    if (shape_.operation == Operation::allgatherv) shape_.quantum = 1;
  }

  /// May differ from the shape's where an MPI library has a defect.
  [[nodiscard]] Operation operation() const {
    return shape_.operation;
  }
  /// Returns when the call is done, in one entry point.
  [[nodiscard]] bool blocks() const {
    return form_ == Form::blocking || form_ == Form::large;
  }

  [[nodiscard]] std::string name() const {
    return std::string(operation_names[static_cast<std::size_t>(shape_.operation)]) + " (" +
           std::string(form_names[static_cast<std::size_t>(form_)]) + (shape_.in_place ? ", in place" : "") + ") on " +
           team_.name + ", rank " + std::to_string(team_.rank) + " of " + std::to_string(team_.size) + ", root " +
           std::to_string(root_) + ", " + std::to_string(shape_.quanta) + " x " + std::to_string(shape_.quantum) +
           " x " + item_.name + (op_.name.empty() ? "" : ", " + op_.name);
  }

  /// The error on this rank, or empty. Calls `before` between the calls of PMPI and MPI.
  template <class Before>
  std::optional<std::string> run(Before before) {
    prepare();
    const int expected = call<Names::pmpi>(shape_.operation, form_, arguments(false));
    before();
    const int error = call<Names::mpi>(shape_.operation, form_, arguments(true));
    if (expected != MPI_SUCCESS || error != MPI_SUCCESS)
      return "MPI returned: " + words(error) + "; PMPI: " + words(expected);
    if (send_ && !send_->tested.untouched()) return "the send buffer was written";
    if (receive_) {
      if (auto fault = receive_->tested.fault(receive_->reference, op_.rounds ? team_.size : 0, results()))
        return fault;
    }
    if (shape_.operation == Operation::allreduce && !team_.inter && !same_bits_everywhere())
      return "the ranks' results differ in their bits";
    return std::nullopt;
  }

 private:
  using Blocks = std::vector<int>;

  static std::string words(int error) {
    std::string text(MPI_MAX_ERROR_STRING, ' ');
    int length;
    PMPI_Error_string(error, text.data(), &length);
    text.resize(static_cast<std::size_t>(length));
    return text;
  }

  /// How many of the receive buffer's values are results; the values behind them are undefined afterwards.
  [[nodiscard]] std::size_t results() const {
    if (shape_.operation == Operation::exscan && team_.rank == 0) return 0;
    const auto of_items = [&](int items) { return static_cast<std::size_t>(items) * item_.pieces.size(); };
    if (shape_.operation == Operation::reduce_scatter_block) return of_items(receive_->part.count);
    if (shape_.operation == Operation::reduce_scatter)
      return of_items(receive_->part.counts[static_cast<std::size_t>(team_.rank)]);
    return receive_->tested.values();
  }

  /// Quanta that rank `from` has for rank `to` in a v-collective; the same in both directions for exchanges in place.
  [[nodiscard]] int quanta(int from, int to) const {
    if (shape_.in_place && from > to) std::swap(from, to);
    Dice dice{shape_.seed, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)};
    return dice.one_in(4) ? 0 : dice.below(shape_.quanta + 1);
  }

  [[nodiscard]] Blocks of_each(int from) const {
    Blocks blocks;
    for (int j = 0; j < team_.size; ++j) blocks.push_back(quanta(from, j));
    return blocks;
  }

  [[nodiscard]] Side side(const Blocks& blocks, Placement placement = Placement::equal) {
    Side made = make_side(types_, item_, blocks, shape_.quantum, placement, reduces(shape_.operation), own_);
    made.fill(Dice{own_.next()});
    return made;
  }

  /// Makes the sides that matter on this rank.
  void prepare() {
    const int p = team_.size;
    const int me = team_.rank;
    const bool root = me == root_;
    const Blocks one{shape_.quanta};
    const Blocks all(static_cast<std::size_t>(p), shape_.quanta);
    constexpr int shared = 1 << 20;  // used as sender for counts that all ranks know
    switch (shape_.operation) {
      case Operation::barrier: break;
      case Operation::bcast: receive_ = side(one); break;
      case Operation::allgather: exchange(side(one), side(all)); break;
      case Operation::alltoall: exchange(side(all), side(all)); break;
      case Operation::allgatherv:
        exchange(side({quanta(shared, me)}, Placement::one_by_one), side(shared_blocks(shared), Placement::varying));
        break;
      case Operation::alltoallv:
        exchange(side(of_each(me), Placement::varying), side(to_me(), Placement::varying));
        break;
      case Operation::alltoallw:
        exchange(side(of_each(me), Placement::each_its_type), side(to_me(), Placement::each_its_type));
        break;
      case Operation::gather: gathers(side(one), root, [&] { return side(all); }); break;
      case Operation::gatherv:
        gathers(side({quanta(shared, me)}), root, [&] { return side(shared_blocks(shared), Placement::varying); });
        break;
      case Operation::scatter: scatters(side(one), root, [&] { return side(all); }); break;
      case Operation::scatterv:
        scatters(side({quanta(shared, me)}), root, [&] { return side(shared_blocks(shared), Placement::varying); });
        break;
      case Operation::allreduce:
      case Operation::scan:
      case Operation::exscan: exchange(side(one), side(one)); break;
      case Operation::reduce: gathers(side(one), true, [&] { return side(one); }); break;
      case Operation::reduce_scatter_block: {
        exchange(side(all), side(shape_.in_place ? all : one));
        receive_->part.count = shape_.quanta * shape_.quantum;
        break;
      }
      case Operation::reduce_scatter: {
        const Blocks blocks = shared_blocks(shared);
        const Blocks sum{std::accumulate(blocks.begin(), blocks.end(), 0)};
        exchange(side(sum), side(shape_.in_place ? sum : Blocks{quanta(shared, me)}));
        for (const int block : blocks) receive_->part.counts.push_back(block * shape_.quantum);
        break;
      }
      case Operation::neighbor_allgather:
      case Operation::neighbor_allgatherv:
      case Operation::neighbor_alltoall:
      case Operation::neighbor_alltoallv:
      case Operation::neighbor_alltoallw: break;  // in neighbours.cpp
    }
  }

  [[nodiscard]] Blocks shared_blocks(int shared) const {
    Blocks blocks;
    for (int j = 0; j < team_.size; ++j) blocks.push_back(quanta(shared, j));
    return blocks;
  }

  [[nodiscard]] Blocks to_me() const {
    Blocks blocks;
    for (int j = 0; j < team_.size; ++j) blocks.push_back(quanta(j, team_.rank));
    return blocks;
  }

  void exchange(Side send, Side receive) {
    if (!shape_.in_place) send_ = std::move(send);
    receive_ = std::move(receive);
  }

  /// In place affects only the root, whose own block is then in its receive buffer.
  template <class Make>
  void gathers(Side send, bool receives, const Make& make) {
    if (!(shape_.in_place && team_.rank == root_)) send_ = std::move(send);
    if (receives) receive_ = make();
  }

  template <class Make>
  void scatters(Side receive, bool sends, const Make& make) {
    if (!(shape_.in_place && team_.rank == root_)) receive_ = std::move(receive);
    if (sends) send_ = make();
  }

  Arguments arguments(bool tested) {
    Arguments with{.op = op_.handle, .root = root_, .comm = team_.comm};
    if (team_.inter) with.root = !team_.first_group ? root_ : team_.rank == root_ ? MPI_ROOT : MPI_PROC_NULL;
    if (send_)
      with.send = send_->given(types_, tested ? send_->tested : send_->reference);
    else
      with.send.buffer = MPI_IN_PLACE;
    if (receive_)
      with.receive = receive_->given(types_, tested ? receive_->tested : receive_->reference);
    else if (shape_.in_place && (shape_.operation == Operation::scatter || shape_.operation == Operation::scatterv))
      with.receive.buffer = MPI_IN_PLACE;
    return with;
  }

  [[nodiscard]] bool same_bits_everywhere() const {
    const std::uint64_t mine = receive_->tested.fingerprint();
    std::uint64_t least;
    std::uint64_t most;
    PMPI_Allreduce(&mine, &least, 1, MPI_UINT64_T, MPI_MIN, team_.comm);
    PMPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, team_.comm);
    return least == most;
  }

  Shape shape_;
  const Team& team_;
  Dice common_;
  Dice own_;
  Types types_;
  Type item_{};
  Operator op_{"", MPI_OP_NULL};
  Form form_{};
  int root_ = 0;
  std::optional<Side> send_;
  std::optional<Side> receive_;
};
