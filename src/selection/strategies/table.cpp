// table: what a tuning table has for the context. Which entry that is, and the candidates of entries further off, which
// count where the nearest cannot serve, come with the brief.

#include <algorithm>

#include "selection/strategy.hpp"

namespace starling::strategies {
namespace {

class Table final : public Strategy {
 public:
  explicit Table(const Brief& brief) {
    std::string refused;
    for (const Advice& advice : brief.advice) {
      const auto& all = brief.candidates;
      const auto found =
          std::find_if(all.begin(), all.end(), [&](const Candidate& one) { return one.name == advice.candidate; });
      if (found != all.end() && found->eligible()) {
        follows_ = true;
        propose(static_cast<int>(found - all.begin()));
        decide({0, -1, proposed(), advice.why + refused});
        return;
      }
      refused += "; " + advice.candidate.text() + " of a nearer entry cannot serve here" +
                 (found == all.end() ? std::string() : ": " + found->refusal.text());
    }
    const char* const why = brief.advice.empty() ? "native: the table has nothing for this context"
                                                 : "native: nothing that the table has can serve here";
    decide({0, -1, 0, why + refused});
  }

  std::span<const double> observe(double /*seconds*/, double /*work*/) override { return {}; }
  void verdict(std::span<const double> /*agreed*/) override {}
  [[nodiscard]] std::string_view stage() const override { return follows_ ? "table" : "native"; }
  [[nodiscard]] bool exploring() const override { return false; }

 private:
  bool follows_ = false;
};

}  // namespace

StrategyKind table() {
  return {
      .name = "table",
      .says = "uses what a tuning table has for each context, and native where it has nothing",
      .source = "Hartmann, Kühnemann, Rauber and Rünger, section 3",
      .takes_advice = true,
      .stages = {{"table"}, {"native"}},
      .make = [](const Brief& brief) -> std::unique_ptr<Strategy> { return std::make_unique<Table>(brief); },
  };
}

}  // namespace starling::strategies
