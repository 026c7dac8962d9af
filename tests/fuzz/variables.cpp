// An environment, a variable in each line: its settings, its errors, and the text that rank 0 broadcasts.

#include "knowledge/variables.hpp"

#include <map>

#include "demands.hpp"
#include "knowledge/names.hpp"
#include "knowledge/settings.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starling;
  return fuzzing::read_bounded(data, size, [](std::string text) {
    std::map<std::string, std::string> environment;
    std::vector<std::string> entries;
    for (char& c : text) c = c == '\0' ? '\n' : c;
    while (!text.empty()) {
      const std::string entry = text.substr(0, text.find('\n'));
      text.erase(0, entry.size() + 1);
      const std::size_t equals = entry.find('=');
      if (equals == std::string::npos) continue;
      const std::string name = entry.substr(0, equals);
      // No file of this machine is opened.
      if (name == "STARLING_PLATFORM" && !entry.substr(equals + 1).starts_with('{')) continue;
      environment.emplace(name, entry.substr(equals + 1));
      entries.push_back(entry);
    }
    std::vector<const char*> list;
    for (const std::string& entry : entries) list.push_back(entry.c_str());
    list.push_back(nullptr);
    for (const std::string& sentence : unknown_variables(list.data())) fuzzing::expect_line(sentence);
    std::vector<Complaint> complaints;
    const Settings settings = settings_from(
        [&](const char* name) -> const char* {
          const auto found = environment.find(name);
          return found == environment.end() ? nullptr : found->second.c_str();
        },
        complaints);
    check_names(settings, complaints);
    for (const Complaint& complaint : complaints) fuzzing::expect_line(complaint.text());
    const std::string told_to_ranks = to_text(settings);
    fuzzing::expect(to_text(settings_from_text(told_to_ranks)) == told_to_ranks, "ranks hear what rank 0 says");
  });
}
