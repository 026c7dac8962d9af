// forced: one candidate, named by the user, for every call. The argument in a context's brief is not the user's whole
// list but the result of forced_for: the name of this context's candidate, or nothing.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "selection/forced_list.hpp"
#include "selection/strategy.hpp"

namespace starling::strategies {
namespace {

class Forced final : public Strategy {
 public:
  explicit Forced(const Brief& brief) {
    if (brief.argument.empty()) return;
    const auto& all = brief.candidates;
    const auto wanted =
        std::find_if(all.begin(), all.end(), [&](const Candidate& one) { return one.name == brief.argument; });
    if (wanted == all.end()) {
      decide({0, -1, 0, "'" + brief.argument + "' was asked for and is not a candidate here"});
    } else if (!wanted->eligible()) {
      decide({0, -1, 0, "'" + brief.argument + "' was asked for and cannot serve here: " + wanted->refusal});
    } else {
      forced_ = true;
      propose(static_cast<int>(wanted - all.begin()));
      decide({0, -1, proposed(), "'" + brief.argument + "' was asked for"});
    }
  }

  std::span<const double> observe(double /*seconds*/, double /*work*/) override { return {}; }
  [[nodiscard]] std::int64_t calls_without_time() const override { return std::numeric_limits<std::int64_t>::max(); }
  void verdict(std::span<const double> /*agreed*/) override {}
  [[nodiscard]] std::string_view stage() const override { return forced_ ? "forced" : "native"; }
  [[nodiscard]] bool exploring() const override { return false; }

 private:
  bool forced_ = false;
};

}  // namespace

StrategyKind forced() {
  return {
      .name = "forced",
      .says =
          "uses the algorithms that are named, [collective:]name[?parameter=value,...] with commas between, and native "
          "where none is named or the one that is cannot serve",
      .source = "the user",
      .argument = "NAME",
      .forces = true,
      .stages = {{"forced"}, {"native"}},
      .rejects = forced_syntax_error,
      .make = [](const Brief& brief) -> std::unique_ptr<Strategy> { return std::make_unique<Forced>(brief); },
  };
}

}  // namespace starling::strategies
