#include "knowledge/bounded_contexts.hpp"

#include <utility>

#include "knowledge/shorten.hpp"

namespace starling {

void BoundedContexts::add(ContextRecord context) {
  contexts_.add(std::move(context));
  if (++added_ >= most_added) bound();
}

RunRecord BoundedContexts::take() {
  RunRecord all;
  all.contexts = contexts_.take();
  all.left_out = std::exchange(left_out_, {});
  added_ = 0;
  return all;
}

void BoundedContexts::bound() {
  RunRecord all = take();
  shorten(all);
  for (ContextRecord& one : all.contexts) contexts_.add(std::move(one));
  left_out_ = all.left_out;
}

}  // namespace starling
