#include "selection/candidates.hpp"

#include <algorithm>
#include <limits>

#include "messages/shared.hpp"

namespace starling {

GroupNumbers::GroupNumbers(std::span<const Interned> names) {
  constexpr std::ptrdiff_t last = std::numeric_limits<std::uint8_t>::max();
  std::vector<Interned> different;
  of.reserve(names.size());
  std::ptrdiff_t place = 0;
  for (const Interned& name : names) {
    // Mostly that of the one before.
    if (different.empty() || different[static_cast<std::size_t>(place)] != name)
      place = std::find(different.begin(), different.end(), name) - different.begin();
    if (place == std::ssize(different)) different.push_back(name);
    of.push_back(static_cast<std::uint8_t>(std::min(place, last)));
  }
  number = std::min<std::size_t>(different.size(), last + 1);
}

Candidates::Summary::Summary(std::span<const Candidate> all) {
  std::vector<Interned> every_name;
  std::vector<Interned> every_refusal;
  std::vector<Interned> every_group;
  for (const Candidate& one : all) {
    every_name.push_back(one.name);
    every_refusal.push_back(one.refusal);
    every_group.push_back(one.group);
    any_other = any_other || (!eligible.empty() && one.eligible());
    any_earlier = any_earlier || one.earlier.has_value();
    eligible.push_back(one.eligible());
  }
  names = shared(std::move(every_name));
  refusals = shared(std::move(every_refusal));
  groups = shared(GroupNumbers(every_group));
}

std::vector<Candidate>& Candidates::own() {
  if (all_.use_count() > 1) all_ = std::make_shared<std::vector<Candidate>>(*all_);
  summary_.reset();
  return *all_;
}

/// All else that a summary says stays as it is.
void Candidates::tell_of_earlier_runs(std::span<const std::optional<Earlier>> earlier,
                                      const std::function<double(std::size_t)>& setup_seconds) {
  Summary changed = summary();
  std::vector<Candidate>& all = own();
  changed.any_earlier = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].earlier = earlier[i];
    if (!all[i].earlier) continue;
    all[i].setup_seconds = setup_seconds(i);
    changed.any_earlier = true;
  }
  summary_ = std::make_shared<const Summary>(std::move(changed));
}

}  // namespace starling
