#include "knowledge/variables.hpp"

#include <gtest/gtest.h>

namespace starling {
namespace {

std::vector<std::string> said_of(std::vector<const char*> entries) {
  entries.push_back(nullptr);
  return unknown_variables(entries.data());
}

TEST(Variables, ThatNothingReadsAreToldWithTheOneThatWasMeant) {
  EXPECT_EQ(said_of({"PATH=/bin", "STARLING_ITERATIONS=5"}),
            std::vector<std::string>{"STARLING_ITERATIONS is unknown and ignored; did you mean STARLING_ITER?"});
  EXPECT_EQ(said_of({"STARLING_HISTROY=off"}),
            std::vector<std::string>{"STARLING_HISTROY is unknown and ignored; did you mean STARLING_HISTORY?"});
  EXPECT_EQ(said_of({"STARLING_WEATHER=1"}), std::vector<std::string>{"STARLING_WEATHER is unknown and ignored"});
}

TEST(Variables, OfTheLibraryTheLabAndTheTestsAreKnown) {
  EXPECT_TRUE(said_of({"STARLING_STRATEGY=native", "STARLING_DELTA_LIMIT=4", "STARLING_LAB=a", "STARLING_LAB_PREFIX=a",
                       "STARLING_IDLE_US=1", "STARLING_VARIANTS=/x", "STARLING_TEST_ENVIRONMENTS=/x", "STARLINGS=1"})
                  .empty());
}

}  // namespace
}  // namespace starling
