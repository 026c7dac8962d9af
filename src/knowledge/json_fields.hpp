#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knowledge/json_reader.hpp"
#include "knowledge/json_writer.hpp"
#include "knowledge/run_record.hpp"

/// Structs as JSON objects: one list of a struct's fields, used to write and to read it.
namespace starling {

/// Whether a field is required.
enum class Presence : std::uint8_t {
  always,
  since_later,  ///< older versions did not write it
  where_known,  ///< written if it is not its type's default
};

template <typename Struct>
struct Field {
  std::string_view name;
  void (*read)(JsonReader& reader, std::string_view name, Struct& into);
  void (*write)(JsonWriter& writer, const Struct& from);
  bool (*is_known)(const Struct& from);
  Presence presence = Presence::always;
  bool is_learnt_from = true;  ///< by later runs; else it only tells people
};

/// The same field, which later runs do not learn from.
template <typename Struct>
constexpr Field<Struct> told_only(Field<Struct> field) {
  field.is_learnt_from = false;
  return field;
}

/// Reads a count, up to the largest that fits.
template <typename Whole>
void read_count(JsonReader& reader, std::string_view name, Whole& into) {
  constexpr std::int64_t most = std::min<std::int64_t>(std::numeric_limits<Whole>::max(), most_counted);
  const auto found = reader.count(most);
  if (!found) throw JsonError("its '" + std::string(name) + "' is no count");
  into = static_cast<Whole>(*found);
}

inline void read_value(JsonReader& reader, std::string_view /*name*/, std::string& into) {
  reader.text(into);
}
inline void read_value(JsonReader& reader, std::string_view /*name*/, bool& into) {
  into = reader.boolean();
}
inline void read_value(JsonReader& reader, std::string_view name, int& into) {
  read_count(reader, name, into);
}
inline void read_value(JsonReader& reader, std::string_view name, std::int64_t& into) {
  read_count(reader, name, into);
}
/// A number that is not finite is written as null.
inline void read_value(JsonReader& reader, std::string_view /*name*/, double& into) {
  into = reader.null() ? std::numeric_limits<double>::quiet_NaN() : reader.number();
}
template <typename Value>
void read_value(JsonReader& reader, std::string_view name, std::optional<Value>& into) {
  if (reader.null()) {
    into.reset();
  } else {
    read_value(reader, name, into.emplace());
  }
}

inline void write_value(JsonWriter& writer, const std::string& value) {
  writer.text(value);
}
inline void write_value(JsonWriter& writer, bool value) {
  writer.boolean(value);
}
inline void write_value(JsonWriter& writer, int value) {
  writer.count(value);
}
inline void write_value(JsonWriter& writer, std::int64_t value) {
  writer.count(value);
}
inline void write_value(JsonWriter& writer, double value) {
  writer.number(value);
}
template <typename Value>
void write_value(JsonWriter& writer, const std::optional<Value>& value) {
  if (value) {
    write_value(writer, *value);
  } else {
    writer.null();
  }
}

template <typename Struct, typename Value>
Struct struct_of(Value Struct::*member);
template <typename Struct, typename Value>
Value value_of(Value Struct::*member);

/// A field that is a member of its struct.
template <auto member>
constexpr auto field(std::string_view name, Presence presence = Presence::always) {
  using Struct = decltype(struct_of(member));
  using Value = decltype(value_of(member));
  return Field<Struct>{
      name, [](JsonReader& reader, std::string_view its, Struct& into) { read_value(reader, its, into.*member); },
      [](JsonWriter& writer, const Struct& from) { write_value(writer, from.*member); },
      [](const Struct& from) { return !(from.*member == Value{}); }, presence};
}

/// Reads an object with these fields. For another key, `other(key)` returns whether it has read the value; else the
/// value is skipped.
template <typename Struct, std::size_t count, typename Other>
void read_fields(JsonReader& reader, Struct& into, const std::array<Field<Struct>, count>& fields, Other other) {
  std::uint64_t seen = 0;
  static_assert(count <= std::numeric_limits<decltype(seen)>::digits);
  std::size_t expected = 0;  // the fields are mostly in the order of writing
  const auto member = [&](std::string_view key) {
    for (std::size_t tried = 0; tried < count; ++tried) {
      const std::size_t which = (expected + tried) % count;
      const std::string_view name = fields[which].name;
      if (key.data() != name.data() && key != name) continue;
      if ((seen >> which & 1U) != 0) throw JsonError("it has '" + std::string(key) + "' twice in one place");
      seen |= std::uint64_t{1} << which;
      expected = which + 1;
      fields[which].read(reader, fields[which].name, into);
      return;
    }
    if (!other(key)) reader.skip();
  };
  if (!reader.object(member, [&] { return fields[expected % count].name; })) return;
  for (std::size_t which = 0; which < count; ++which)
    if ((seen >> which & 1U) == 0 && fields[which].presence == Presence::always) reader.missing(fields[which].name);
}

template <typename Struct, std::size_t count>
void read_fields(JsonReader& reader, Struct& into, const std::array<Field<Struct>, count>& fields) {
  read_fields(reader, into, fields, [](std::string_view) { return false; });
}

/// Writes these fields as members of an open object.
template <typename Struct, std::size_t count>
void write_fields(JsonWriter& writer, const Struct& from, const std::array<Field<Struct>, count>& fields) {
  for (const Field<Struct>& one : fields) {
    if (one.presence == Presence::where_known && !one.is_known(from)) continue;
    writer.key(one.name);
    one.write(writer, from);
  }
}

/// The memory that one more element of a vector takes while the vector grows.
template <typename Element>
constexpr std::size_t room_of = 3 * sizeof(Element);

}  // namespace starling
