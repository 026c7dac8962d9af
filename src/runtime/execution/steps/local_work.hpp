#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>

#include "runtime/execution/running.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling {

/// The steps of local work, all of which is done, whatever fails.
template <>
class StepExecutor<LocalWork> {
 public:
  static int carry_out(const Running& run, const Step& step) {
    switch (step.form_of<LocalWork>()) {
      case Local::Kind::copy: return copy(run, step);
      case Local::Kind::combine: return combine(run, step);
    }
    return MPI_ERR_INTERN;
  }
  static int begin(const Running& run, const Step& step) { return carry_out(run, step); }
  static int requests(const Program& /*program*/, const Step& /*step*/) { return 0; }

 private:
  static int copy(const Running& run, const Step& step) {
    return each(run, step, [&](const Work& work) {
      return copy_elements(run.at(work.from), run.at(work.into), work.from.count, run.unit);
    });
  }
  static int combine(const Running& run, const Step& step) {
    return each(run, step, [&](const Work& work) {
      return work.from.count > INT_MAX ? combine_large(Running(run), work) : combine(run, work, 0, work.from.count);
    });
  }
  template <class Perform>
  static int each(const Running& run, const Step& step, Perform perform) {
    int failed = MPI_SUCCESS;
    const Work* work = run.program.works.data() + step.first;
    for (const Work* const end = work + step.count; work != end; ++work)
      if (const int error = perform(*work); failed == MPI_SUCCESS) failed = error;
    return failed;
  }
  /// `count` units from unit `first` on.
  static int combine(const Running& run, const Work& work, std::int64_t first, std::int64_t count) {
    const std::int64_t offset = first * run.unit.extent;
    return pmpi.Reduce_local(run.at(work.from) + offset, run.at(work.into) + offset, static_cast<int>(count),
                             run.unit.type, run.op);
  }
  static int combine_large(const Running& run, const Work& work) {
    int failed = MPI_SUCCESS;
    for (std::int64_t done = 0; done < work.from.count && failed == MPI_SUCCESS; done += INT_MAX)
      failed = combine(run, work, done, std::min<std::int64_t>(INT_MAX, work.from.count - done));
    return failed;
  }
};

}  // namespace starling
