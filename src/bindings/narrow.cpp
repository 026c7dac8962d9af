#include "bindings/narrow.hpp"

#include <limits>
#include <mutex>
#include <set>

#include "runtime/call/degrees.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling {

Narrow::Narrow(MPI_Comm comm, Peers peers, Lifetime lifetime) : comm_(comm), lifetime_(lifetime) {
  if (peers != neighbours) {
    int inter = 0;
    pmpi.Comm_test_inter(comm, &inter);
    is_inter_ = inter != 0;
    (is_inter_ && peers == others ? pmpi.Comm_remote_size : pmpi.Comm_size)(comm, &sends_);
    receives_ = sends_;
    return;
  }
  const Degrees degrees = degrees_of(comm);
  sends_ = degrees.sends;
  receives_ = degrees.receives;
}

int Narrow::count(MPI_Count value, bool significant) {
  if (!significant) return 0;
  const bool fits = value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
  fits_ = fits_ && fits;
  return fits ? static_cast<int>(value) : 0;
}

const int* Narrow::store(std::vector<int> values) {
  if (lifetime_ == until_return) return arrays_.emplace_back(std::move(values)).data();
  static std::mutex mutex;
  static auto* const kept = new std::set<std::vector<int>>;  // outlives every operation
  const std::scoped_lock lock(mutex);
  return kept->insert(std::move(values)).first->data();
}

bool Narrow::is_root(int root) const {
  // Between two groups, `root` is a rank of the other group, or MPI_ROOT at the root itself.
  if (is_inter_) return root == MPI_ROOT;
  int rank = 0;
  pmpi.Comm_rank(comm_, &rank);
  return root == rank;
}

int Narrow::refuse() const {
  pmpi.Comm_call_errhandler(comm_, MPI_ERR_COUNT);
  return MPI_ERR_COUNT;
}

}  // namespace starling
