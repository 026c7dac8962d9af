#include "messages/json_text.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>

namespace starling {
namespace {

TEST(JsonText, IsNestedAsDeeplyAsItsObjectsAndArrays) {
  EXPECT_EQ(nesting_of("7"), 0);
  EXPECT_EQ(nesting_of(R"([[], {"a": [1]}, []])"), 3);
}

TEST(JsonText, HasNoNestingInItsStrings) {
  EXPECT_EQ(nesting_of(R"(["[[{{"])"), 1);
  EXPECT_EQ(nesting_of(R"({"a\"[[[": "\\", "b": [1]})"), 2);
}

TEST(JsonText, IsTakenUpToADepthThatRecursionBears) {
  const std::string deepest = std::string(16, '[') + std::string(16, ']');
  EXPECT_EQ(parsed_json<nlohmann::json>(deepest).size(), 1U);
  EXPECT_THROW(parsed_json<nlohmann::json>("[" + deepest + "]"), std::runtime_error);
  EXPECT_THROW(parsed_json<nlohmann::json>(std::string(100000, '[')), std::runtime_error);
}

}  // namespace
}  // namespace starling
