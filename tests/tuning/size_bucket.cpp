#include "tuning/size_bucket.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace starling {
namespace {

TEST(SizeBucket, GoesFromOnePowerOfTwoToTheNext) {
  EXPECT_EQ(bucket_of(0, {}), (SizeBucket{0, 1}));
  EXPECT_EQ(bucket_of(1, {}), (SizeBucket{1, 2}));
  EXPECT_EQ(bucket_of(1023, {}), (SizeBucket{512, 1024}));
  EXPECT_EQ(bucket_of(1024, {}), (SizeBucket{1024, 2048}));
  EXPECT_EQ(bucket_of((std::int64_t{1} << 40) + 1, {}), (SizeBucket{std::int64_t{1} << 40, std::int64_t{1} << 41}));
}

TEST(SizeBucket, IsCutAtEdges) {
  const std::vector<std::int64_t> edges{1500, 1800, 4096};
  EXPECT_EQ(bucket_of(1400, edges), (SizeBucket{1024, 1500}));
  EXPECT_EQ(bucket_of(1500, edges), (SizeBucket{1500, 1800}));
  EXPECT_EQ(bucket_of(1799, edges), (SizeBucket{1500, 1800}));
  EXPECT_EQ(bucket_of(2047, edges), (SizeBucket{1800, 2048}));
  EXPECT_EQ(bucket_of(4096, edges), (SizeBucket{4096, 8192}));
  EXPECT_EQ(bucket_of(100, edges), (SizeBucket{64, 128}));
}

/// Every size is in its own bucket, and all sizes of a bucket have the same.
TEST(SizeBucket, DividesAllSizes) {
  const std::vector<std::int64_t> edges{1, 3, 100, 128, 129, 1000};
  for (std::int64_t bytes = 0; bytes < 3000; ++bytes) {
    const SizeBucket bucket = bucket_of(bytes, edges);
    EXPECT_LE(bucket.from, bytes);
    EXPECT_GT(bucket.up_to, bytes);
    EXPECT_EQ(bucket_of(bucket.from, edges), bucket);
    EXPECT_EQ(bucket_of(bucket.up_to - 1, edges), bucket);
  }
}

}  // namespace
}  // namespace starling
