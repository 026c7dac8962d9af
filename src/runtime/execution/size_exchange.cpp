#include "runtime/execution/size_exchange.hpp"

#include "runtime/call/facts.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling {
namespace {

/// The collective that moves blocks of one size as `collective` moves its blocks.
Collective of_even_blocks(Collective collective) {
  switch (collective) {
    case Collective::gatherv: return Collective::gather;
    case Collective::scatterv: return Collective::scatter;
    default: return Collective::alltoall;
  }
}

/// The sizes of a rank's blocks: its own, or one for each rank.
void list(const Layout& layout, Holds holds, const Team& team, std::vector<std::int64_t>& sizes) {
  sizes.clear();
  if (holds == Holds::block) {
    sizes.push_back(layout.size(team.rank));
  } else {
    for (int rank = 0; rank < team.size; ++rank) sizes.push_back(layout.size(rank));
  }
}

}  // namespace

void SizeExchange::set_up(const Team& team, const Layout& send, const Layout& recv, bool& built) {
  constexpr std::int64_t bytes = sizeof(std::int64_t);
  team_ = team;
  const Traits& has = traits_of(team.collective);
  list(send, has.send, team, gives_);
  list(recv, has.recv, team, expects_);
  told_.assign(expects_.size(), 0);
  call_ = {.collective = of_even_blocks(team.collective),
           .sendbuf = gives_.data(),
           .recvbuf = told_.data(),
           .sendcount = bytes,
           .recvcount = bytes,
           .sendtype = handles.byte,
           .recvtype = handles.byte,
           .root = team.root};
  Facts facts{};
  facts.units = team.size * bytes;
  facts.situation.collective = call_.collective;
  facts.situation.ranks = team.size;
  Staging& staging = operation_.staging();
  staging.set_up(call_, facts, team.blocks(), team.rank, false);
  operation_.set_plan(plans_.plan(team, staging.send_layout(), staging.recv_layout(), false, built));
  operation_.learn(learned_);
}

int SizeExchange::error() const {
  if (operation_.error() != MPI_SUCCESS) return operation_.error();
  for (std::size_t i = 0; i < told_.size(); ++i)
    if (told_[i] > expects_[i]) return MPI_ERR_TRUNCATE;
  return MPI_SUCCESS;
}

}  // namespace starling
