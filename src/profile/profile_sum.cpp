#include "profile/profile_sum.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <type_traits>

#include "schedule/collective.hpp"

namespace starling {
namespace {

template <typename Value>
void append(std::string& text, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// The next value of a text, from which it is taken; nothing where the text is too short.
template <typename Value>
std::optional<Value> taken(std::string_view& text) {
  if (text.size() < sizeof(Value)) return std::nullopt;
  Value value{};
  text.copy(reinterpret_cast<char*>(&value), sizeof value);
  text.remove_prefix(sizeof value);
  return value;
}

}  // namespace

ProfileSum::Key ProfileSum::key_of(const ContextRecord& record) {
  const auto collective = collective_named(record.collective);
  const int operator_class = !record.operator_class || *record.operator_class == "built-in" ? 0
                             : *record.operator_class == "commutative"                      ? 1
                                                                                            : 2;
  return {.bytes = record.bytes.value_or(-1),
          .up_to = record.up_to.value_or(0),
          .collective = collective ? static_cast<std::int32_t>(*collective) : -1,
          .variant = (record.bucket ? 1 : 0) + (record.in_place ? 2 : 0) + (4 * operator_class),
          .ranks = record.ranks,
          .nodes = record.nodes,
          .ranks_per_node = record.ranks_per_node,
          .layout = record.layout};
}

template <typename Change>
void ProfileSum::change_total(const Key& key, Change change) {
  const std::optional<Key> gone = totals_.change(key, change);
  if (!gone) return;
  std::vector<Place> of_it;
  for (auto one = groups_.all().lower_bound({*gone, 0}); one != groups_.all().end() && one->first.first == *gone; ++one)
    of_it.push_back(one->first);
  for (const Place& one : of_it) groups_.erase(one);
}

void ProfileSum::add(const ContextRecord& key, const CallsOfRank& calls) {
  const Place place{key_of(key), calls.group};
  const bool opens_group = calls.is_first && !calls.sampled.empty() && !groups_.all().contains(place);
  change_total(place.first, [&](Total& total) {
    total.key = place.first;
    total.communicators += calls.is_first ? 1 : 0;
    total.calls += calls.is_first ? calls.calls : 0;
    ++total.members;
    total.ranks = 1;
    total.seconds += calls.seconds;
    total.slowest = total.quickest = total.seconds;
    total.slowest_rank = total.quickest_rank = calls.rank;
    total.moved += calls.moved;
    total.groups += opens_group ? 1 : 0;
  });
  if (calls.sampled.empty()) return;
  groups_.change(place, [&](Group& group) {
    group.key = place.first;
    group.group = calls.group;
    group.ranks = 1;
    group.calls += calls.calls;
    group.seconds += calls.seconds;
    if (calls.calls <= group.most_calls) return;
    group.most_calls = calls.calls;
    group.sampled = static_cast<std::uint32_t>(calls.sampled.size());
    for (std::size_t i = 0; i < calls.sampled.size(); ++i) {
      group.number[i] = calls.sampled[i].number;
      group.least[i] = group.all[i] = calls.sampled[i].seconds;
      group.most_work[i] = group.all_work[i] = calls.sampled[i].before;
      group.last[i] = calls.rank;
    }
  });
}

void ProfileSum::merge(Total& into, const Total& other) {
  into.communicators += other.communicators;
  into.calls += other.calls;
  into.members += other.members;
  into.ranks += other.ranks;
  into.seconds += other.seconds;
  into.moved += other.moved;
  into.waiting += other.waiting;
  into.unequal_work += other.unequal_work;
  into.sampled += other.sampled;
  into.groups += other.groups;
  into.compared += other.compared;
  into.explained += other.explained;
  if (other.slowest > into.slowest) {
    into.slowest = other.slowest;
    into.slowest_rank = other.slowest_rank;
  }
  if (other.quickest < into.quickest) {
    into.quickest = other.quickest;
    into.quickest_rank = other.quickest_rank;
  }
  name_last(into, other.last);
}

void ProfileSum::merge(Group& into, const Group& other) {
  into.ranks += other.ranks;
  into.seconds += other.seconds;
  if (into.calls != other.calls || into.sampled != other.sampled || into.number != other.number) {
    into.sampled = 0;
    return;
  }
  for (std::size_t i = 0; i < into.sampled; ++i) {
    into.all[i] += other.all[i];
    const bool known = into.all_work[i] >= 0 && other.all_work[i] >= 0;
    into.all_work[i] = known ? into.all_work[i] + other.all_work[i] : static_cast<float>(SampledCalls::unknown);
    into.most_work[i] = std::max(into.most_work[i], other.most_work[i]);
    if (other.least[i] >= into.least[i]) continue;
    into.least[i] = other.least[i];
    into.last[i] = other.last[i];
  }
}

void ProfileSum::name_last(Total& into, std::span<const LastRank> more) {
  std::vector<LastRank> all;
  add_last(all, into.last, most_last);
  add_last(all, more, most_last);
  into.last = {};
  std::copy(all.begin(), all.end(), into.last.begin());
}

std::optional<double> ProfileSum::share_of_work(const Group& group) {
  double waiting = 0;
  double unequal_work = 0;
  // What came before a context's first call is the program's start, for many.
  for (std::size_t i = group.sampled > 1 ? 1 : 0; i < group.sampled; ++i) {
    if (group.all_work[i] < 0) return std::nullopt;
    const auto ranks = static_cast<float>(group.ranks);
    const float here = std::max(0.0F, group.all[i] - (ranks * group.least[i]));
    waiting += here;
    unequal_work += std::clamp((ranks * group.most_work[i]) - group.all_work[i], 0.0F, here);
  }
  return waiting > 0 ? unequal_work / waiting : 0;
}

void ProfileSum::conclude(Total& into, const Group& group) {
  if (group.sampled == 0) return;
  // The first call makes connections, and stands for itself only.
  const double first = group.least[0];
  const double others = std::accumulate(group.least.begin() + 1, group.least.begin() + group.sampled, 0.0);
  const double usual = group.sampled > 1 ? others / (group.sampled - 1) : first;
  const double transfer = first + (static_cast<double>(group.calls - 1) * usual);
  const double waiting = std::max(0.0, group.seconds - (static_cast<double>(group.ranks) * transfer));
  into.waiting += waiting;
  if (const auto share = share_of_work(group)) {
    into.unequal_work += *share * waiting;
    ++into.explained;
  }
  into.sampled += group.sampled;
  ++into.compared;
  std::map<int, std::int64_t> times_last;
  for (std::uint32_t i = 0; i < group.sampled; ++i) ++times_last[group.last[i]];
  std::vector<LastRank> last;
  for (const auto& [rank, calls] : times_last) last.push_back({rank, calls});
  name_last(into, last);
}

std::string ProfileSum::text() const {
  std::string text;
  append(text, totals_.all().size());
  append(text, groups_.all().size());
  for (const auto& [key, total] : totals_.all()) append(text, total);
  for (const auto& [key, group] : groups_.all()) append(text, group);
  return text;
}

void ProfileSum::add(const std::string& text) {
  std::string_view rest = text;
  const std::size_t totals = taken<std::size_t>(rest).value_or(0);
  const std::size_t groups = taken<std::size_t>(rest).value_or(0);
  for (std::size_t i = 0; i < totals; ++i) {
    const auto other = taken<Total>(rest);
    if (!other) return;
    const bool is_known = totals_.all().contains(other->key);
    change_total(other->key, [&](Total& total) { is_known ? merge(total, *other) : void(total = *other); });
  }
  for (std::size_t i = 0; i < groups; ++i) {
    const auto other = taken<Group>(rest);
    if (!other) return;
    if (!totals_.all().contains(other->key)) continue;
    const Place place{other->key, other->group};
    const bool is_known = groups_.all().contains(place);
    groups_.change(place, [&](Group& group) { is_known ? merge(group, *other) : void(group = *other); });
    const Group& sum = groups_.all().at(place);
    if (sum.ranks < other->key.ranks) continue;
    change_total(other->key, [&](Total& total) { conclude(total, sum); });
    groups_.erase(place);
  }
}

void ProfileSum::tell(std::vector<ContextRecord>& contexts) const {
  for (ContextRecord& context : contexts) {
    const auto found = totals_.all().find(key_of(context));
    if (found == totals_.all().end() || found->first.collective < 0) continue;
    const Total& total = found->second;
    const bool is_whole = total.calls == context.calls && total.members == total.communicators * context.ranks;
    if (!is_whole) continue;
    ContextProfile& profile = context.profile.emplace();
    profile.communicators = total.communicators;
    profile.ranks = total.ranks;
    profile.rank_seconds = total.seconds;
    profile.slowest_rank = total.slowest_rank;
    profile.slowest_rank_seconds = total.slowest;
    profile.quickest_rank = total.quickest_rank;
    profile.quickest_rank_seconds = total.quickest;
    if (total.groups > 0 && total.groups == total.compared) profile.waiting_rank_seconds = total.waiting;
    if (profile.waiting_rank_seconds && total.groups == total.explained)
      profile.unequal_work_rank_seconds = total.unequal_work;
    profile.sampled_calls = total.sampled;
    for (const LastRank& one : total.last)
      if (one.calls > 0) profile.last.push_back(one);
    if (context.bytes || context.calls == 0) continue;
    // Each block is sent once and received once.
    const auto collective = static_cast<Collective>(found->first.collective);
    const double blocks =
        static_cast<double>(context.calls) * context.ranks * (has_sizes_of_pairs(collective) ? context.ranks : 1);
    profile.mean_bytes = static_cast<std::int64_t>(total.moved / 2 / blocks);
  }
}

}  // namespace starling
