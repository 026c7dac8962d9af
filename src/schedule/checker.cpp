#include "schedule/checker.hpp"

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "schedule/ranks_at_work.hpp"

namespace starling {
namespace {

template <class Kind>
using RuleOf = typename Kind::Rule;

/// All ranks from the beginning to the end of their schedules.
class Run {
 public:
  Run(Collective collective, std::span<const Schedule> per_rank, int root, const CheckedCall& facts,
      HappensBefore* order)
      : collective_(collective), all_(collective, per_rank, root, facts, order), rules_(all_) {}

  /// Lets every rank go as far as it can, until all have finished.
  void play() {
    for (int rank = 0; rank < all_.ranks(); ++rank) go_on(rank);
    while (const auto rank = all_.next_ready()) {
      end_round(*rank);
      go_on(*rank);
    }
    for (int rank = 0; rank < all_.ranks(); ++rank)
      if (!all_.finished(rank)) throw Mistake{standstill()};
  }

  /// Compares what every rank has with what it should have.
  std::uint64_t verdict() {
    // Blocks that are added alike count once: into how many a vector is divided makes no difference.
    Symbols& symbols = all_.symbols();
    std::uint64_t order = 0;
    std::uint64_t last = 0;
    for (int rank = 0; rank < all_.ranks(); ++rank) {
      if (collective_ == Collective::barrier)
        if (const auto unheard = all_.order()->unheard(rank))
          throw Mistake{"rank " + std::to_string(rank) + " leaves the barrier without word from rank " +
                        std::to_string(*unheard)};
      const std::vector<Content>& wanted = all_.expected(rank).recv_after;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Symbol has = held(rank, i);
        if (!symbols.matches(has, wanted[i]))
          throw Mistake{"rank " + std::to_string(rank) + " should have " + describe(wanted[i]) + " in recv block " +
                        std::to_string(i) + " at the end, and has " + symbols.describe(has)};
        if (collective_ == Collective::allreduce && has != held(0, i))
          throw Mistake{"rank " + std::to_string(rank) + " combines recv block " + std::to_string(i) +
                        " in another order than rank 0, so that results may differ in their last bits"};
        if (!wanted[i].known() || symbols.fingerprint(has) == last) continue;
        last = symbols.fingerprint(has);
        order = (order * 31) + last;
      }
    }
    return order;
  }

 private:
  template <class Kind>
  RuleOf<Kind>& rule(const Kind& /*step*/) {
    return rules_;
  }
  Symbol held(int rank, std::size_t slot) { return all_.memory(rank).values(recvbuf(static_cast<int>(slot))).front(); }

  /// Enters rounds until one makes the rank wait.
  void go_on(int rank) {
    while (!all_.finished(rank)) {
      all_.begin_round(rank);
      const auto begin = [&](const auto& step) { return rule(step).begin(rank, step); };
      if (!std::visit(begin, all_.round(rank).meeting)) return;
      end_round(rank);
    }
  }

  void end_round(int rank) {
    rule(all_.round(rank).local).perform(rank, all_.round(rank).local);
    all_.end_round(rank);
  }

  Wait wait_of(int rank) {
    return std::visit([&](const auto& step) { return rule(step).wait_of(rank, step); }, all_.round(rank).meeting);
  }

  /// Why nobody can go on.
  std::string standstill() {
    std::vector<int> blocked;
    for (int rank = 0; rank < all_.ranks(); ++rank)
      if (!all_.finished(rank)) blocked.push_back(rank);
    for (const int rank : blocked)
      if (const Wait wait = wait_of(rank); all_.finished(wait.peer))
        return all_.place(rank) + " " + wait.what + ", but rank " + std::to_string(wait.peer) + " has finished" +
               all_.hint(wait.is_empty);
    // Everybody waits for somebody who waits: follow that until it comes round.
    std::vector<int> path{blocked.front()};
    std::vector<bool> seen(static_cast<std::size_t>(all_.ranks()));
    while (!seen[static_cast<std::size_t>(path.back())]) {
      seen[static_cast<std::size_t>(path.back())] = true;
      path.push_back(wait_of(path.back()).peer);
    }
    const auto start = std::find(path.begin(), path.end(), path.back());
    std::string text = all_.place(*start) + " " + wait_of(*start).what;
    int named = 1;
    for (auto rank = start + 1; rank + 1 != path.end() && named < 4; ++rank, ++named)
      text += ", rank " + std::to_string(*rank) + " in round " + std::to_string(all_.round_number(*rank)) + " " +
              wait_of(*rank).what;
    if (path.end() - start - 1 > named) text += ", and so on";
    return text + ": a deadlock" +
           all_.hint(std::any_of(start, path.end(), [&](int rank) { return wait_of(rank).is_empty; }));
  }

  Collective collective_;
  RanksAtWork all_;
  StepKinds::OneOfEach<RuleOf> rules_;
};

}  // namespace

CheckResult check(Collective collective, std::span<const Schedule> per_rank, int root, const CheckedCall& facts,
                  HappensBefore* order) {
  std::optional<HappensBefore> own;
  if (collective == Collective::barrier && order == nullptr)
    order = &own.emplace(static_cast<int>(per_rank.size()), HappensBefore::Counted::words);
  try {
    Run run(collective, per_rank, root, facts, order);
    run.play();
    return {{}, run.verdict()};
  } catch (const Mistake& mistake) {
    return {mistake.what, 0};
  }
}

}  // namespace starling
