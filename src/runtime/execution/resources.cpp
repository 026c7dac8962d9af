#include "runtime/execution/resources.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "messages/told.hpp"
#include "runtime/execution/ways/schedule_carrier.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling {
namespace {

/// Bytes of plans that are kept for one communicator.
constexpr std::size_t most_kept_bytes = std::size_t{16} << 20U;

}  // namespace

Channel* Resources::channel() {
  if (!channel_) channel_ = Channel::open(comm_, ranks_in_world(comm_, size_), rank_);
  return channel_.get();
}

void Resources::keeps(ScheduleCarrier& holder) {
  keeps_no_more(holder);
  keepers_.push_back(&holder);
  std::size_t bytes = 0;
  for (const ScheduleCarrier* one : keepers_) bytes += one->kept_bytes();
  while (bytes > most_kept_bytes && keepers_.size() > 1) {
    ScheduleCarrier* const oldest = keepers_.front();
    bytes -= oldest->kept_bytes();
    oldest->drop_plans();
    keepers_.erase(keepers_.begin());
  }
}

void Resources::keeps_no_more(const ScheduleCarrier& holder) {
  std::erase(keepers_, &holder);
}

void Resources::give_up(const std::string& why) const {
  std::fprintf(stderr, "starling: rank %d of %d: %s; the job ends here\n", rank_, size_, in_one_line(why).c_str());
  pmpi.Abort(process().world, 1);
  std::abort();
}

}  // namespace starling
