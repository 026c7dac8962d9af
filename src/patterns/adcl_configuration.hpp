#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace starling::patterns {

/// What a file config.adcl says: lines of `KEYWORD: value`.
struct AdclConfiguration {
  int search = 0;            ///< 0 brute force, 1 attributes, 2 factorial
  std::optional<int> tests;  ///< of each function
  std::optional<double> outlier_factor;
  std::optional<double> outlier_fraction;  ///< 0 to 1
  std::optional<double> factorial_threshold;
  bool merges_requests = false;  ///< those of one shape are tuned as one
  bool learns_from_history = false;
  std::map<std::string, std::string> selections;  ///< function by function set, as this library names the set

  /// Reads a text. `tell` gets what is wrong with a line, or unknown, in a sentence with its number.
  static AdclConfiguration read(std::string_view text, const std::function<void(int line, std::string)>& tell);
};

/// The name of a strategy for a number of ADCL_EMETHOD_SEARCH_ALGO.
std::string_view strategy_of_search(int search);

/// The text of the file in the working folder, else in .adcl below `home`, and its path; nothing where there is none.
struct AdclFile {
  std::string path;
  std::string text;
};
std::optional<AdclFile> find_adcl_file(const char* home);

}  // namespace starling::patterns
