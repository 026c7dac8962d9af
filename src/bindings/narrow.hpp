#pragma once

#include <mpi.h>

#include <list>
#include <vector>

namespace starling {

/// A large-count call on an MPI library without large counts: its counts and displacements as int, if they fit.
///
/// A program may hold a weak reference to a large-count function and call it if it exists (mpi4py does). Because this
/// library exports the name, the function always seems to exist, so the call must work.
class Narrow {
 public:
  /// For whom arrays have values: between two groups the ranks of the other one, or of this rank's own.
  enum Peers { others, own, neighbours };
  /// How long the arrays live. A nonblocking call may need them until its operation ends, which is not known here:
  /// these are kept for good, equal ones once.
  enum Lifetime { until_return, for_good };

  Narrow(MPI_Comm comm, Peers peers, Lifetime lifetime);

  /// 0 if it is not significant.
  int count(MPI_Count value, bool significant);

  /// An array with one element for each rank to send to, or to receive from; null if it is not significant.
  template <class Integer>
  const int* sends(const Integer* values, bool significant) {
    return significant ? array(values, sends_) : nullptr;
  }
  template <class Integer>
  const int* receives(const Integer* values, bool significant) {
    return significant ? array(values, receives_) : nullptr;
  }

  [[nodiscard]] bool is_root(int root) const;
  [[nodiscard]] bool fits() const { return fits_; }
  /// Raises MPI_ERR_COUNT on the communicator, and returns it.
  [[nodiscard]] int refuse() const;

 private:
  template <class Integer>
  const int* array(const Integer* values, int length) {
    std::vector<int> narrow;
    for (int i = 0; i < length; ++i) narrow.push_back(count(static_cast<MPI_Count>(values[i]), true));
    return store(std::move(narrow));
  }
  const int* store(std::vector<int> values);

  MPI_Comm comm_;
  Lifetime lifetime_;
  int sends_ = 0;
  int receives_ = 0;
  bool is_inter_ = false;
  bool fits_ = true;
  std::list<std::vector<int>> arrays_;
};

}  // namespace starling
