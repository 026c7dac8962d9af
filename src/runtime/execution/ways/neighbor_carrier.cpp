#include "runtime/execution/ways/neighbor_carrier.hpp"

#include <vector>

#include "runtime/mpi/clock.hpp"
#include "runtime/mpi/datatype_shape.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling {
namespace {

using neighborhood::Piece;

/// One after the other, as MPI_Neighbor_alltoall has them; `step` is 0 where all links share one block.
void place_even(std::vector<Piece>& pieces, std::int64_t count, MPI_Datatype type, int step) {
  if (pieces.empty()) return;
  const MPI_Aint extent = shape_of(type).extent;
  const Piece first = neighborhood::piece_of(0, count, type);
  MPI_Aint start = 0;
  for (Piece& piece : pieces) {
    piece = first;
    piece.offset = piece.lines_at = start;
    start += step * count * extent;
  }
}

void place_uneven(std::vector<Piece>& pieces, const Counts& counts, const Displacements& displacements,
                  MPI_Datatype type) {
  if (pieces.empty()) return;
  const DatatypeShape shape = shape_of(type);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto block = static_cast<int>(i);
    pieces[i] = neighborhood::piece_of(displacements[block] * shape.extent, counts[block], type, shape);
  }
}

void place_mixed(std::vector<Piece>& pieces, const Counts& counts, const Displacements& displacements,
                 const MPI_Datatype* types) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto block = static_cast<int>(i);
    // Programs leave the datatypes of empty blocks null.
    pieces[i] = counts[block] == 0 ? neighborhood::piece_of(0, 0, handles.byte)
                                   : neighborhood::piece_of(displacements[block], counts[block], types[i]);
  }
}

}  // namespace

void NeighborCarrier::release(Resources& /*resources*/) {
  exchange_.reset();
  memory_.release();
  latest_.forget();
}

bool NeighborCarrier::make_ready(const Call& call, Resources& resources, double& seconds) {
  const double start = Clock::now();
  Channel& channel = *resources.channel();
  const neighborhood::Rounds* const rounds =
      resources.neighbours().rounds(call, resources.rank(), resources.size(), channel);
  if (rounds == nullptr) {
    refused_ = "the MPI library could not tell which rank has which neighbours";
  } else {
    degrees_ = degrees_of(call.comm);
    exchange_.emplace(*rounds, resources.rank(), way_.implementation);
    bind(call, resources);
    if (!channel.all(exchange_->prepare(memory_, nullptr, process().world) == MPI_SUCCESS)) {
      exchange_.reset();
      refused_ = "a rank had no memory left for it";
    }
  }
  seconds = Clock::now() - start;
  return exchange_.has_value();
}

/// Where the blocks of a call are. Read again only where anything but the buffers' addresses has changed.
void NeighborCarrier::bind(const Call& call, const Resources& resources) {
  memory_.send_base = static_cast<char*>(const_cast<void*>(call.sendbuf));  // only read
  memory_.receive_base = static_cast<char*>(call.recvbuf);
  if (latest_.matches(call)) return;
  memory_.sends.resize(static_cast<std::size_t>(degrees_.sends));
  memory_.receives.resize(static_cast<std::size_t>(degrees_.receives));
  switch (call.collective) {
    case Collective::neighbor_allgather:
      place_even(memory_.sends, call.sendcount, call.sendtype, 0);
      place_even(memory_.receives, call.recvcount, call.recvtype, 1);
      break;
    case Collective::neighbor_allgatherv:
      place_even(memory_.sends, call.sendcount, call.sendtype, 0);
      place_uneven(memory_.receives, call.recvcounts, call.rdispls, call.recvtype);
      break;
    case Collective::neighbor_alltoall:
      place_even(memory_.sends, call.sendcount, call.sendtype, 1);
      place_even(memory_.receives, call.recvcount, call.recvtype, 1);
      break;
    case Collective::neighbor_alltoallv:
      place_uneven(memory_.sends, call.sendcounts, call.sdispls, call.sendtype);
      place_uneven(memory_.receives, call.recvcounts, call.rdispls, call.recvtype);
      break;
    default:
      place_mixed(memory_.sends, call.sendcounts, call.sdispls, call.sendtypes);
      place_mixed(memory_.receives, call.recvcounts, call.rdispls, call.recvtypes);
      break;
  }
  latest_.keep(call, resources.rank());
}

Carrier::Outcome NeighborCarrier::carry_out(const Call& call, const Facts& /*facts*/, Resources& resources) {
  double seconds = 0;
  if (!exchange_) {
    if (!make_ready(call, resources, seconds)) return {MPI_SUCCESS, false, &refused_, seconds};
  } else {
    bind(call, resources);
    // The other ranks have already started the call: all can't change to another way any more.
    if (exchange_->prepare(memory_, nullptr, process().world) != MPI_SUCCESS)
      resources.abort_job("rank has no memory for " + way_.name());
  }
  Channel& channel = *resources.channel();
  exchange_->start(memory_, {process().world, channel.peers(), channel.next_tag()});
  const int error = exchange_->wait();
  if (error != MPI_SUCCESS) channel.retire_number();
  return {error, false, nullptr, seconds};
}

}  // namespace starling
