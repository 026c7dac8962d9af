#include "runtime/execution/steps/local_work.hpp"

#include <algorithm>
#include <climits>

#include "runtime/mpi/pmpi.hpp"

namespace starling {
namespace {

int combine_one(const Running& run, const Work& work) {
  for (std::int64_t done = 0; done < work.from.count; done += INT_MAX) {
    const auto now = static_cast<int>(std::min<std::int64_t>(INT_MAX, work.from.count - done));
    const int error = pmpi.Reduce_local(run.at(work.from) + (done * run.unit.extent),
                                        run.at(work.into) + (done * run.unit.extent), now, run.unit.type, run.op);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int copy_one(const Running& run, const Work& work) {
  return copy_elements(run.at(work.from), run.at(work.into), work.from.count, run.unit);
}

template <class Perform>
int each(const Running& run, const Step& step, Perform perform) {
  int failed = MPI_SUCCESS;
  const Work* work = run.program.works.data() + step.first;
  for (const Work* const end = work + step.count; work != end; ++work)
    if (const int error = perform(run, *work); failed == MPI_SUCCESS) failed = error;
  return failed;
}

}  // namespace

int copy(const Running& run, const Step& step) {
  return each(run, step, copy_one);
}

int combine(const Running& run, const Step& step) {
  return each(run, step, combine_one);
}

}  // namespace starling
