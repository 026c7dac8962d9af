#include "knowledge/kept_network.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "cost/parameters_file.hpp"
#include "knowledge/run_record.hpp"
#include "temporary_folder.hpp"

namespace starling {
namespace {

const ProbeSubject subject{"node#", "Open MPI", "4.1.4", 2, true};

MeasuredNetwork a_network() {
  MeasuredNetwork network;
  network.parameters.overhead = 5.25e-6;
  network.parameters.memory_per_byte = 0.1 / 3e9;
  network.parameters.large_take_turns = true;
  network.rate = 96'450'163;
  return network;
}

/// What is wrong with a text; empty if nothing is.
std::string network_fault(const std::string& text, const ProbeSubject& wanted = subject) {
  try {
    static_cast<void>(kept_network_from_json(text, wanted));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

std::string with(const std::string& from, const std::string& into) {
  std::string text = as_json(a_network(), subject);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), into);
}

TEST(KeptNetwork, IsReadAsItWasWritten) {
  const MeasuredNetwork read = kept_network_from_json(as_json(a_network(), subject), subject);
  EXPECT_EQ(read.rate, a_network().rate);
  EXPECT_EQ(as_json(read.parameters), as_json(a_network().parameters));
}

TEST(KeptNetwork, IsRefusedWhereItIsDamagedOrOfAnotherVersion) {
  const std::string text = as_json(a_network(), subject);
  EXPECT_EQ(network_fault(text), "");
  EXPECT_TRUE(network_fault(text.substr(0, text.size() / 2)).starts_with("it is no kept network: "));
  EXPECT_TRUE(network_fault("[]").starts_with("it is no kept network: "));
  EXPECT_EQ(network_fault(with(R"("schema": 1)", R"("schema": 2)")),
            "it is of schema 2, and this version reads schema 1");
  EXPECT_EQ(network_fault(with(R"("rate": 96450163)", R"("rate": 0)")), "its rate is not from 1 to 10^15 bit/s");
  EXPECT_EQ(network_fault(with(R"("gap_s": 0.0)", R"("gap_s": -1)")), "gap_s: -1 is not from 0 to 1.0");
}

TEST(KeptNetwork, IsOfOneSubjectOnly) {
  const std::string text = as_json(a_network(), subject);
  for (auto change :
       {+[](ProbeSubject& one) { one.machine = "leaf#"; }, +[](ProbeSubject& one) { one.pairs = 0; },
        +[](ProbeSubject& one) { one.mpi_flavour = "mpich"; }, +[](ProbeSubject& one) { one.mpi_version = "5"; },
        +[](ProbeSubject& one) { one.memory = false; }}) {
    ProbeSubject other = subject;
    change(other);
    EXPECT_EQ(network_fault(text, other), "it tells of another machine, MPI library or placement");
    EXPECT_NE(kept_network_name(other), kept_network_name(subject));
  }
}

TEST(KeptNetwork, HasANameThatNoReaderOfRecordsTakesForOne) {
  EXPECT_EQ(kept_network_name(subject), "node_-Open_MPI-4.1.4-2-pairs-memory.network");
  EXPECT_FALSE(is_record_name(kept_network_name(subject)));
  EXPECT_LT(kept_network_name({std::string(1000, 'x'), "", "", 0, false}).size(), 255U);
}

TEST(KeptNetwork, IsKeptInADirectoryThatIsMadeForIt) {
  const TemporaryFolder parent;
  const std::filesystem::path folder = parent.path("history");
  EXPECT_FALSE(read_kept_network(folder, subject));
  ASSERT_EQ(keep_network(folder, subject, a_network()), "");
  ASSERT_EQ(keep_network(folder, subject, a_network()), "") << "replaces what is there";
  EXPECT_EQ(read_kept_network(folder, subject).value().rate, a_network().rate);
  std::ofstream(folder / kept_network_name(subject)) << "{";
  EXPECT_THROW(read_kept_network(folder, subject), std::runtime_error);
}

}  // namespace
}  // namespace starling
