#include <gtest/gtest.h>

#include "halo_set.hpp"

namespace starling::testing {
namespace {

/// 2 x 3 x 4 candidates of numbers of segments, radix and order, with all combinations.
Brief full_grid() {
  Brief brief;
  for (const char* order : {"near", "far"})
    for (const char* radix : {"2", "4", "8"})
      for (const char* segment : {"8192", "1024", "65536", "16384"}) {
        Candidate& one = brief.candidates.own().emplace_back();
        one.name = std::string(order) + radix + "by" + segment;
        one.attributes = {{"order", order}, {"radix", radix}, {"segment", segment}};
      }
  return brief;
}

Case times_of(const Brief& brief, const std::function<double(const Candidate&)>& factor) {
  Case one;
  for (const Candidate& candidate : brief.candidates) one.seconds.push_back(1e-3 * factor(candidate));
  return one;
}

TEST(Factorial, MeasuresTheCornersThenOnlyAttributesThatMatter) {
  const Brief brief = full_grid();
  // Only the segment matters; the order hardly does. The best segment is not an extreme one.
  Case one = times_of(brief, [](const Candidate& candidate) {
    const double segment = std::stod(value_of(candidate, "segment"));
    return (1 + (0.3 * std::abs(std::log2(segment / 16384)))) * (value_of(candidate, "order") == "far" ? 0.999 : 1);
  });
  Lockstep ranks("factorial", brief, 2, one.timing());
  ranks.call(400);
  EXPECT_FALSE(ranks.strategy().exploring());
  EXPECT_EQ(tried_of(ranks, 24), 8 + 2) << "2^3 corners, then the two other segments at fixed order and radix";
  EXPECT_EQ(ranks.proposed(), candidate_named(brief, "far2by16384"));
  EXPECT_NE(ranks.strategy().decisions()[0].why.find(
                "effects: order 0.1 % (fixed: order=far), radix 0 % (fixed: radix=2), segment "),
            std::string::npos)
      << ranks.strategy().decisions()[0].why;
}

TEST(Factorial, ExtremesOfNumbersAreTheLeastAndTheGreatest) {
  const Brief brief = full_grid();
  Lockstep ranks("factorial", brief, 2, times_of(brief, [](const Candidate&) { return 1; }).timing());
  ranks.call(300);
  for (std::size_t i = 0; i < brief.candidates.size(); ++i) {
    const std::string segment = value_of(brief.candidates[i], "segment");
    const std::string radix = value_of(brief.candidates[i], "radix");
    const bool corner = (segment == "1024" || segment == "65536") && (radix == "2" || radix == "8");
    EXPECT_EQ(tries_of(ranks, static_cast<int>(i)) > 0, corner) << brief.candidates[i].name;
  }
}

TEST(Factorial, SearchesBothOfTwoAttributesThatOnlyMatterTogether) {
  const Brief brief = full_grid();
  Case one = times_of(brief, [](const Candidate& candidate) {
    const bool far = value_of(candidate, "order") == "far";
    const bool wide = value_of(candidate, "radix") != "2";
    return value_of(candidate, "radix") == "4" ? (far ? 0.8 : 1.4) : far == wide ? 1.0 : 1.3;
  });
  Lockstep ranks("factorial", brief, 2, one.timing());
  ranks.call(400);
  EXPECT_NEAR(one.ratio(ranks.proposed()), 1, 1e-9) << "order and radix have no effect by themselves";
  EXPECT_LT(tried_of(ranks, 24), 14);
}

TEST(Factorial, ThresholdIsASetting) {
  Brief brief = full_grid();
  Case one = times_of(brief, [](const Candidate& candidate) {
    return value_of(candidate, "radix") == "4" ? 0.9 : value_of(candidate, "radix") == "8" ? 1.08 : 1;
  });
  brief.settings.factorial_threshold = 0.05;
  Lockstep searched("factorial", brief, 2, one.timing());
  brief.settings.factorial_threshold = 0.10;
  Lockstep fixed("factorial", brief, 2, one.timing());
  for (Lockstep* ranks : {&searched, &fixed}) ranks->call(400);
  EXPECT_NEAR(one.ratio(searched.proposed()), 1, 1e-9);
  EXPECT_GT(one.ratio(fixed.proposed()), 1.1) << "an effect of 8 % is below 10 %: the middle value is not tried";
}

TEST(Factorial, FindsEffectsWithoutCornersThatCannotBe) {
  // The halo exchange has no one-sided transfer of packed data: two corners are missing.
  const Brief brief = halo_set();
  Case one = times_of(brief, [](const Candidate& candidate) {
    return (value_of(candidate, "partners") == "aao" ? 1.4 : 1) *
           (value_of(candidate, "transfer") == "PostStartGet" ? 1.5 : 1) *
           (candidate.name == "Sendrecv_pair" ? 0.9 : 1);
  });
  Lockstep ranks("factorial", brief, 2, one.timing());
  ranks.call(400);
  EXPECT_EQ(ranks.proposed(), candidate_named(brief, "Sendrecv_pair"));
  EXPECT_NE(ranks.strategy().decisions()[0].why.find("data 0 % (fixed: data=ddt)"), std::string::npos)
      << ranks.strategy().decisions()[0].why;
}

TEST(Factorial, RepresentsACombinationThatIsNotThereAtTheFixedValues) {
  // Packing is a little better, so it is fixed; one-sided transfers exist with derived types only, and are the best.
  Brief brief = halo_set();
  brief.settings.factorial_threshold = 0.05;
  Case one = times_of(brief, [](const Candidate& candidate) {
    const bool windows = value_of(candidate, "transfer").find('t') != std::string::npos &&
                         value_of(candidate, "transfer").find("end") == std::string::npos;
    return (value_of(candidate, "data") == "pack" ? 0.99 : 1) * (windows ? 0.8 : 1);
  });
  Lockstep ranks("factorial", brief, 2, one.timing());
  ranks.call(400);
  EXPECT_NEAR(one.ratio(ranks.proposed()), 1, 1e-9);
}

}  // namespace
}  // namespace starling::testing
