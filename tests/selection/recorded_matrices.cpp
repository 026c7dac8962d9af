// Files of recorded times for replay (bench/replay): a mistake is told with its place, and with what is allowed there.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "matrix.hpp"

namespace starling::testing {
namespace {

std::string matrices_file(const std::string& matrices) {
  return R"({"schema": 1, "matrices": [)" + matrices + "]}";
}

/// A file whose second matrix has this in place of its other keys.
std::string with_second(const std::string& matrix) {
  return matrices_file(R"({"what": "scan", "candidates": [{"name": "native", "seconds": [1]}]}, {"what": "bcast", )" +
                       matrix + "}");
}

std::string with_second_candidate(const std::string& keys) {
  return with_second(R"("candidates": [{"name": "native", "seconds": [1]}, {"name": "chain", )" + keys + "}]");
}

/// Why a file is refused; empty if it is not.
std::string why_refused(const std::string& text) {
  try {
    replay::matrices_from_json(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(RecordedMatrices, OfARightFileAreRead) {
  const auto all = replay::matrices_from_json(with_second_candidate(R"("group": "chains", "seconds": [2, 3])"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].what, "bcast");
  EXPECT_EQ(all[1].candidates[1].group, "chains");
  EXPECT_EQ(all[1].candidates[1].seconds, (std::vector<double>{2, 3}));
}

TEST(RecordedMatrices, AMistakeIsToldWithMatrixCandidateAndKey) {
  EXPECT_EQ(why_refused(with_second(R"("bytes": "64K", "candidates": [])")),
            R"(matrix 2: 'bytes' is "64K"; it must be a number of at least 0)");
  EXPECT_EQ(why_refused(with_second(R"("ranks": 0, "candidates": [])")),
            "matrix 2: 'ranks' is 0; it must be a number of at least 1");
  EXPECT_EQ(why_refused(with_second(R"("bytes": 1)")), "matrix 2: 'candidates' is missing");
  EXPECT_EQ(why_refused(with_second(R"("candidates": [{"name": "chain", "seconds": [1]}])")),
            "matrix 2: its first candidate is 'chain'; it must be native, or a function of the program that has "
            "attributes");
  EXPECT_EQ(why_refused(with_second_candidate(R"("seconds": [1, 0])")),
            "matrix 2, candidate 2: 'seconds' is [1,0]; it must be a list of at least one time, each a number of "
            "seconds above 0");
  EXPECT_EQ(why_refused(with_second_candidate(R"("seconds": [1], "predicted_s": "1")")),
            R"(matrix 2, candidate 2: 'predicted_s' is "1"; it must be a number of seconds above 0)");
  EXPECT_EQ(why_refused(with_second_candidate(R"("seconds": [1], "seconds_to_begin": 0)")),
            R"(matrix 2, candidate 2: 'seconds_to_begin' is 0; it must be a number of seconds above 0)");
  EXPECT_EQ(why_refused(with_second_candidate(R"("seconds": [1], "attributes": {"a": 1})")),
            R"(matrix 2, candidate 2: 'attributes' is {"a":1}; it must be an object whose values are texts)");
  EXPECT_EQ(why_refused(matrices_file("3")), "matrix 1: it is 3; it must be an object");
}

TEST(RecordedMatrices, AFileWithoutMatricesIsRefused) {
  EXPECT_EQ(why_refused(matrices_file("")), "'matrices' is []; it must be a list of at least one matrix");
  EXPECT_EQ(why_refused("[]"), "it must be an object with 'schema' and 'matrices'");
  EXPECT_EQ(why_refused(R"({"schema": 2})"), "'schema' is 2; it must be 1");
  EXPECT_EQ(why_refused("{").rfind("it is no JSON: ", 0), 0U);
  EXPECT_EQ(why_refused(R"({"schema": 1e400})").rfind("it is no JSON: ", 0), 0U);
}

}  // namespace
}  // namespace starling::testing
