#include "knowledge/json_writer.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace starling::testing {
namespace {

using Json = nlohmann::json;

void write_sample(JsonWriter& writer) {
  writer.object();
  writer.key("none");
  writer.array();
  writer.close();
  writer.key("some");
  writer.array();
  writer.count(1);
  writer.object();
  writer.key("yes");
  writer.boolean(true);
  writer.key("no");
  writer.null();
  writer.close();
  writer.close();
  writer.close();
}

TEST(JsonWriter, GivesALineToWhatIsNotNestedDeeply) {
  JsonWriter lines(2);
  write_sample(lines);
  EXPECT_EQ(lines.written(), "{\n  \"none\": [],\n  \"some\": [\n    1,\n    {\"yes\": true, \"no\": null}\n  ]\n}");
  JsonWriter line(0);
  write_sample(line);
  EXPECT_EQ(line.written(), R"({"none":[],"some":[1,{"yes":true,"no":null}]})");
}

TEST(JsonWriter, WritesTextThatAnyReaderTakes) {
  std::string every;
  for (char c = 1; c < 127; ++c) every.push_back(c);
  every += "caf\xc3\xa9 \xff" + std::string(1, '\0');
  JsonWriter writer(0);
  writer.text(every);
  std::string expected = every;
  expected.replace(expected.find('\xff'), 1, "\xef\xbf\xbd");
  EXPECT_EQ(Json::parse(writer.written()).get<std::string>(), expected);
}

TEST(JsonWriter, WritesNumbersSoThatTheyComeBack) {
  for (const double value : {0.1, 1e-300, 5e-324, 1.7976931348623157e308, 123456789.123, -2.5, 100000.0})
    EXPECT_EQ(Json::parse(json_number(value)).get<double>(), value);
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(json_number(-std::numeric_limits<double>::infinity()), "null");
}

}  // namespace
}  // namespace starling::testing
