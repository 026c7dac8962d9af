// A name or a list of names, as --strategy forced:..., --only and `starling algorithms` take them.

#include "knowledge/names.hpp"

#include "demands.hpp"
#include "ways/selected.hpp"
#include "ways/way.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starling;
  return fuzzing::read_bounded(data, size, [](const std::string& text) {
    const ForcedNames names = forced_names();
    const std::string refusal = forced_syntax_error(text);
    const std::string unknown = refusal.empty() ? forced_unknown_name(text, names) : "";
    for (const std::string& line : {refusal, unknown})
      if (!line.empty()) fuzzing::expect_line(line);
    for (int i = 0; i < collective_count; ++i) {
      const auto collective = static_cast<Collective>(i);
      const std::string wanted = forced_for(text, name_of(collective), names);
      // Which algorithms the MPI library has is known only where one is loaded.
      const bool is_of_library = wanted.starts_with(Selected::prefix);
      if (refusal.empty() && unknown.empty() && !wanted.empty() && wanted != "native" && !is_of_library)
        fuzzing::expect(way_named(collective, wanted).has_value(), "what a good list forces is there");
      if (!way_named(collective, text)) fuzzing::expect_line(why_unknown(collective, text));
    }
  });
}
