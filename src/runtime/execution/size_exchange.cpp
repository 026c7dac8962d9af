#include "runtime/execution/size_exchange.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/call/facts.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling {
namespace {

constexpr std::int64_t word = Bound::size_bytes;
static_assert(word == sizeof(std::int64_t));

/// Where sizes of pairs go the ways of blocks, a rank tells along with each whether it has more bytes than others pass
/// on.
std::int64_t as_word(std::int64_t size, bool has_too_much) {
  return (2 * size) + (has_too_much ? 1 : 0);
}

std::int64_t size_in(std::int64_t of_word) {
  return of_word / 2;
}

}  // namespace

SizeExchange::SizeExchange(const Bound& bound) : bound_(bound), telling_(bound.tells_sizes()), plans_(telling_) {}

void SizeExchange::set_up(const Team& team, const Layout& send, const Layout& recv, bool& built) {
  const Root root = traits_of(team.collective).root;
  const bool is_root = team.rank == team.root;
  const auto size = static_cast<std::size_t>(team.size);
  if (root != Root::none && team != team_) {
    likes_.clear();
    const Schedule schedule = bound_.schedule(team);
    for (const Scratch& one : schedule.scratch()) likes_.insert(likes_.end(), one.like.begin(), one.like.end());
  }
  team_ = team;
  mine_.clear();
  expected_.clear();
  told_.assign(size, 0);
  Team on = team;
  call_ = {.recvbuf = told_.data(), .root = team.root};
  switch (root) {
    case Root::takes:
      on = {.size = team.size, .rank = team.rank, .division = {team.size}, .collective = Collective::allgather};
      mine_.push_back(send.size(team.rank));
      for (int rank = 0; is_root && rank < team.size; ++rank) expected_.push_back({rank, recv.size(rank)});
      break;
    case Root::gives:
      on = {.size = team.size, .rank = team.rank, .root = team.root, .collective = Collective::bcast};
      for (int rank = 0; is_root && rank < team.size; ++rank) told_[static_cast<std::size_t>(rank)] = send.size(rank);
      if (!is_root) expected_.push_back({team.rank, recv.size(team.rank)});
      call_.sendcount = team.size * word;
      break;
    case Root::none:
      on.collective = Collective::alltoall;
      const bool has_too_much = send.total() > most_bytes || recv.total() > most_bytes;
      for (int rank = 0; rank < team.size; ++rank) {
        mine_.push_back(as_word(send.size(rank), has_too_much));
        expected_.push_back({rank, recv.size(rank)});
      }
      operation_.learn(learned_);
      break;
  }
  call_.collective = on.collective;
  call_.sendtype = call_.recvtype = handles.byte;
  if (root != Root::gives) {
    call_.sendbuf = mine_.data();
    call_.sendcount = call_.recvcount = word;
  }
  Facts facts{};
  facts.units = team.size * word;
  facts.situation.collective = call_.collective;
  facts.situation.ranks = team.size;
  Staging& staging = operation_.staging();
  staging.set_up(call_, facts, on.blocks(), on.rank, false);
  // The schedule of the call is that of its collective, though its data is of one of equal blocks.
  if (root == Root::none) on.collective = team.collective;
  operation_.set_plan(plans_.plan(on, staging.send_layout(), staging.recv_layout(), false, built));
}

bool SizeExchange::finish() {
  operation_.finish();
  if (traits_of(team_.collective).root == Root::none) {
    const bool fits = std::all_of(told_.begin(), told_.end(), [](std::int64_t one) { return one % 2 == 0; });
    for (auto* const words : {&told_, &learned_}) std::transform(words->begin(), words->end(), words->begin(), size_in);
    return fits;
  }
  learned_.clear();
  for (const int block : likes_) learned_.push_back(told_[static_cast<std::size_t>(block)]);
  return std::accumulate(told_.begin(), told_.end(), std::int64_t{0}) <= most_bytes;
}

int SizeExchange::error() const {
  if (operation_.error() != MPI_SUCCESS) return operation_.error();
  const auto is_longer = [&](const Expected& one) { return told_[static_cast<std::size_t>(one.rank)] > one.bytes; };
  return std::any_of(expected_.begin(), expected_.end(), is_longer) ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

}  // namespace starling
