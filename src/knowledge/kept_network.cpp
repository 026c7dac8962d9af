#include "knowledge/kept_network.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <stdexcept>

#include "cost/parameters_file.hpp"
#include "knowledge/history.hpp"
#include "knowledge/whole_file.hpp"
#include "messages/json_text.hpp"
#include "messages/told.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

constexpr int network_schema = 1;
constexpr std::int64_t longest_file = 65536;
constexpr double highest_rate = 1e15;

ProbeSubject subject_in(const Json& json) {
  return {json.at("machine").get<std::string>(), json.at("mpi_flavour").get<std::string>(),
          json.at("mpi_version").get<std::string>(), json.at("pairs").get<int>(), json.at("memory").get<bool>()};
}

}  // namespace

std::string kept_network_name(const ProbeSubject& subject) {
  constexpr std::size_t longest = 100;  // a file's name has at most 255 bytes; the file itself has the whole
  return in_file_name(subject.machine.substr(0, longest) + "-" + subject.mpi_flavour.substr(0, longest / 2) + "-" +
                      subject.mpi_version.substr(0, longest / 2) + "-" + std::to_string(subject.pairs) + "-pairs" +
                      (subject.memory ? "-memory" : "")) +
         ".network";
}

std::string as_json(const MeasuredNetwork& network, const ProbeSubject& subject) {
  const Json json{{"schema", network_schema},
                  {"machine", subject.machine},
                  {"mpi_flavour", subject.mpi_flavour},
                  {"mpi_version", subject.mpi_version},
                  {"pairs", subject.pairs},
                  {"memory", subject.memory},
                  {"rate", network.rate},
                  {"parameters", Json::parse(as_json(network.parameters))}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

MeasuredNetwork kept_network_from_json(const std::string& text, const ProbeSubject& subject) try {
  const auto json = parsed_json<Json>(text);
  if (const auto& found = json.at("schema"); found != network_schema)
    throw std::runtime_error("it is of schema " + told(found.dump()) + ", and this version reads schema 1");
  if (subject_in(json) != subject) throw std::runtime_error("it tells of another machine, MPI library or placement");
  MeasuredNetwork network;
  const auto rate = json.at("rate").get<double>();
  if (!(rate >= 1 && rate <= highest_rate)) throw std::runtime_error("its rate is not from 1 to 10^15 bit/s");
  network.rate = static_cast<std::int64_t>(rate);
  network.parameters = parameters_from_json(json.at("parameters").dump());
  return network;
} catch (const Json::exception& error) {
  throw std::runtime_error("it is no kept network: " + told(error.what()));
}

std::optional<MeasuredNetwork> read_kept_network(const std::string& history, const ProbeSubject& subject) {
  std::string text;
  if (!read_whole(history + "/" + kept_network_name(subject), longest_file, text)) return std::nullopt;
  return kept_network_from_json(text, subject);
}

std::string keep_network(const std::string& history, const ProbeSubject& subject, const MeasuredNetwork& network) {
  if (std::string trouble = make_directory(history); !trouble.empty()) return trouble;
  return write_whole(history + "/" + kept_network_name(subject), as_json(network, subject));
}

}  // namespace starling
