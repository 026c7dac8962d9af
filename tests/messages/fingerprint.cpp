#include "messages/fingerprint.hpp"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(Fingerprint, OfATextIsThePublishedOneOfItsBytes) {
  EXPECT_EQ(Fingerprint().value(), 0xcbf29ce484222325U);
  EXPECT_EQ(Fingerprint().add("a").value(), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(Fingerprint().add("foo").add("bar").value(), 0x85944171f73967e8U);
  EXPECT_EQ(Fingerprint().add("\xe4").value(), Fingerprint().add(0xe4U).value()) << "bytes have no sign";
}

TEST(Fingerprint, DependsOnTheOrder) {
  EXPECT_NE(Fingerprint().add(1U).add(2U).value(), Fingerprint().add(2U).add(1U).value());
}

}  // namespace
}  // namespace starling
