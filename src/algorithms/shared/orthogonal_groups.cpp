#include "algorithms/shared/orthogonal_groups.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>

#include "algorithms/part.hpp"
#include "algorithms/shared/mesh.hpp"
#include "messages/number.hpp"
#include "schedule/expectation.hpp"

namespace starling {
namespace {

constexpr std::string_view square = "square";
constexpr std::string_view cube = "cube";

/// The sides of "4x24" or "2x4x12", each at least 2; empty for a text that is no mesh.
std::vector<int> sides_in(std::string_view text) {
  std::vector<int> sides;
  while (true) {
    const std::string_view digits = text.substr(0, text.find('x'));
    const auto side = number_in<int>(digits);
    if (!side || digits.front() == '0' || *side < 2) return {};
    sides.push_back(*side);
    if (digits.size() == text.size()) break;
    text.remove_prefix(digits.size() + 1);
  }
  return sides.size() == 2 || sides.size() == 3 ? sides : std::vector<int>();
}

/// Whether all rows but the last are full, and that has a rank.
bool fills(const std::vector<int>& sides, int ranks) {
  if (sides.size() != 2) return false;
  const std::int64_t rows = sides.front();
  const std::int64_t columns = sides.back();
  return (rows - 1) * columns < ranks && ranks <= rows * columns;
}

/// As many columns as there are ranks in a row of the most regular uneven mesh of two dimensions.
std::vector<int> uneven_square(int ranks) {
  constexpr int fewest = 3;  // two rows of two
  int columns = 2;
  while (columns * columns < ranks) ++columns;
  return ranks < fewest ? std::vector<int>() : std::vector<int>{(ranks + columns - 1) / columns, columns};
}

/// The sides of the mesh that a value of the parameter means on so many ranks; empty where there is none.
std::vector<int> sides_of(std::string_view mesh, int ranks, Rows rows) {
  if (mesh == square || mesh == cube) {
    std::vector<int> sides = mesh_shape(ranks, mesh == square ? 2 : 3);
    std::reverse(sides.begin(), sides.end());
    return sides.empty() && rows == Rows::last_may_be_short && mesh == square ? uneven_square(ranks) : sides;
  }
  std::vector<int> sides = sides_in(mesh);
  std::int64_t product = 1;
  for (const int side : sides) product = product > ranks ? product : product * side;
  const bool is_uneven = rows == Rows::last_may_be_short && fills(sides, ranks);
  return product == ranks || is_uneven ? sides : std::vector<int>();
}

/// Whether `text` is a mesh of so many ranks, or for 0 of any number.
template <Rows rows>
bool is_mesh(std::string_view text, int ranks) {
  const std::vector<int> sides = sides_in(text);
  return !sides.empty() && (ranks == 0 || !sides_of(text, ranks, rows).empty());
}

std::vector<int> divisors(int number) {
  std::vector<int> all;
  for (int low = 2; low <= number / low; ++low) {
    if (number % low != 0) continue;
    all.push_back(low);
    if (low != number / low) all.push_back(number / low);
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// All meshes of two and of three dimensions, those with the shortest longest side first. Of prime numbers of ranks, if
/// the last row may be short: the most regular mesh, and those of two rows and of two columns.
template <Rows rows_are>
std::vector<std::string> meshes(int ranks) {
  std::vector<std::vector<int>> all;
  if (const std::vector<int> most_regular = uneven_square(ranks);
      rows_are == Rows::last_may_be_short && divisors(ranks).empty() && !most_regular.empty()) {
    const int half = (ranks + 1) / 2;
    all.push_back(most_regular);
    for (const std::vector<int>& other : {std::vector<int>{2, half}, std::vector<int>{half, 2}})
      if (std::find(all.begin(), all.end(), other) == all.end()) all.push_back(other);
  }
  for (const int rows : divisors(ranks)) {
    const int columns = ranks / rows;
    all.push_back({rows, columns});
    for (const int middle : divisors(columns)) all.push_back({rows, middle, columns / middle});
  }
  const auto key = [](const std::vector<int>& sides) {
    return std::tuple(sides.size(), *std::max_element(sides.begin(), sides.end()));
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& one, const auto& other) { return key(one) < key(other); });
  std::vector<std::string> names;
  for (const std::vector<int>& sides : all) {
    std::string& name = names.emplace_back();
    for (const int side : sides) name.append(name.empty() ? "" : "x").append(std::to_string(side));
  }
  return names;
}

/// A message with `mine` from one rank to `mine` of another, if they are two.
void pass_on(Schedule& todo, const OrthogonalGroups& mesh, int from, int to, Blocks mine) {
  if (from == to) return;
  if (mesh.rank() == from) todo.round().send(mine, to);
  if (mesh.rank() == to) todo.round().receive(mine, from);
}

}  // namespace

Parameter mesh_parameter(Rows rows) {
  const bool is_even = rows == Rows::full;
  return {
      .name = "mesh",
      .values = {square, cube},
      .says = is_even
                  ? "rows x columns, or planes x rows x columns, of a mesh of all ranks: as many as the ranks have "
                    "factorisations into sides of at least 2; square and cube name the most regular ones"
                  : "rows x columns, or planes x rows x columns, of a mesh of all ranks: as many as the ranks have "
                    "factorisations into sides of at least 2; square and cube name the most regular ones; of rows x "
                    "columns the last row may have fewer ranks",
      .reorders = true,
      .values_on = is_even ? meshes<Rows::full> : meshes<Rows::last_may_be_short>,
      .accepts = is_even ? is_mesh<Rows::full> : is_mesh<Rows::last_may_be_short>};
}

int sides_of_mesh(const Parameters& with) {
  const std::string_view mesh = with.text("mesh");
  if (mesh == square || mesh == cube) return mesh == square ? 2 : 3;
  return static_cast<int>(sides_in(mesh).size());
}

std::string any_mesh_refusal(const Situation& situation, const Parameters& with) {
  const std::string_view mesh = with.text("mesh");
  if (!sides_of(mesh, situation.ranks, Rows::last_may_be_short).empty()) return {};
  const std::vector<int> sides = sides_in(mesh);
  if (sides.size() != 2) return mesh_parameter_refusal(situation, with);
  const std::int64_t columns = sides.back();
  const std::int64_t most = sides.front() * columns;
  return "needs " + std::to_string(most - columns + 1) + " to " + std::to_string(most) + " ranks for a mesh of " +
         std::string(mesh);
}

std::string mesh_parameter_refusal(const Situation& situation, const Parameters& with) {
  const std::string_view mesh = with.text("mesh");
  if (!sides_of(mesh, situation.ranks, Rows::full).empty()) return {};
  if (mesh == square || mesh == cube) return mesh_refusal(situation, mesh == square ? 2 : 3);
  std::int64_t ranks = 1;
  for (const int side : sides_in(mesh)) ranks = ranks > std::numeric_limits<int>::max() ? ranks : ranks * side;
  return "needs " + (ranks > std::numeric_limits<int>::max() ? "more" : std::to_string(ranks)) +
         " ranks for a mesh of " + std::string(mesh);
}

std::string mesh_of_blocks_refusal(const Situation& situation, const Parameters& with) {
  std::string why = native_part_refusal(situation, !has_uniform_blocks(situation.collective));
  return why.empty() ? mesh_parameter_refusal(situation, with) : why;
}

std::string any_mesh_of_blocks_refusal(const Situation& situation, const Parameters& with) {
  const bool has_short_row = !mesh_parameter_refusal(situation, with).empty();
  std::string why = native_part_refusal(situation, has_short_row || !has_uniform_blocks(situation.collective));
  return why.empty() ? any_mesh_refusal(situation, with) : why;
}

OrthogonalGroups::OrthogonalGroups(const Team& team, const Parameters& with)
    : sides_(sides_of(with.text("mesh"), team.size, Rows::last_may_be_short)),
      ranks_(team.size),
      rank_(team.rank),
      root_(team.root),
      leader_(team.root),
      reach_(dimensions()) {
  const int columns = part(last());
  const int in_last_row = ranks_ - ((ranks_ - 1) / columns * columns);
  if (root_ % columns >= in_last_row) leader_ = root_ / columns * columns;
  while (reach_ > 0 && place(reach_ - 1) == leader_place(reach_ - 1)) --reach_;
}

int OrthogonalGroups::part(int dimension) const {
  int ranks = 1;
  for (int later = dimension; later < dimensions(); ++later) ranks *= side(later);
  return ranks;
}

RankSet OrthogonalGroups::line(int dimension) const {
  const int step = part(dimension + 1);
  const int start = rank_ - (place(dimension) * step);
  const int ranks = dimension == last() ? std::min(side(dimension), ranks_ - start) : side(dimension);
  return RankSet::every(step, start, ranks);
}

void bcast_down(Schedule& todo, const OrthogonalGroups& mesh, int from, Blocks vector) {
  const bool has_it = mesh.is_led_by_another() && mesh.is_in_roots_row();
  if (has_it) todo.round().join({Collective::bcast, mesh.line(mesh.last()), mesh.roots_place(), 1, nothing(), vector});
  for (int dimension = from; dimension < mesh.dimensions(); ++dimension) {
    const RankSet line = mesh.line(dimension);
    if (line.size() == 1 || !mesh.leads(dimension) || (has_it && dimension == mesh.last())) continue;
    todo.round().join({Collective::bcast, line, mesh.leader_place(dimension), 1, nothing(), vector});
  }
}

void reduce_up(Schedule& todo, const OrthogonalGroups& mesh, int until, Blocks own, Blocks sum) {
  for (int dimension = mesh.last(); dimension >= until && mesh.leads(dimension); --dimension) {
    const RankSet line = mesh.line(dimension);
    if (line.size() == 1) {
      // Without the library: it would need a communicator for nothing.
      todo.copy(own, sum);
    } else {
      const Blocks into = mesh.heads(dimension) ? sum : nothing();
      todo.round().join({Collective::reduce, line, mesh.leader_place(dimension), 1, own, into});
    }
    own = sum;
  }
  pass_on(todo, mesh, mesh.leader(), mesh.root(), sum);
}

void gather_up(Schedule& todo, const OrthogonalGroups& mesh, int until, Blocks own, const BlocksOfRanks& all) {
  for (int dimension = mesh.last(); dimension >= until && mesh.leads(dimension); --dimension) {
    const RankSet line = mesh.line(dimension);
    const int scale = all.scale * mesh.part(dimension + 1);
    const int short_by = all.scale * mesh.missing(dimension);
    const Blocks into = mesh.heads(dimension) ? all.of_part(mesh, dimension) : nothing();
    if (line.size() == 1) {
      todo.copy(own, into);
    } else {
      todo.round().join({Collective::gather, line, mesh.leader_place(dimension), scale, own, into, short_by});
    }
    own = into;
  }
  pass_on(todo, mesh, mesh.leader(), mesh.root(), all.of(0, mesh.ranks()));
}

void scatter_down(Schedule& todo, const OrthogonalGroups& mesh, int from, const BlocksOfRanks& all, Blocks own) {
  pass_on(todo, mesh, mesh.root(), mesh.leader(), all.of(0, mesh.ranks()));
  for (int dimension = from; dimension < mesh.dimensions(); ++dimension) {
    if (!mesh.leads(dimension)) continue;
    const RankSet line = mesh.line(dimension);
    const int scale = all.scale * mesh.part(dimension + 1);
    const int short_by = all.scale * mesh.missing(dimension);
    const Blocks gives = mesh.heads(dimension) ? all.of_part(mesh, dimension) : nothing();
    const Blocks gets = dimension == mesh.last() ? own : all.of_part(mesh, dimension + 1);
    if (line.size() == 1) {
      todo.copy(gives, gets);
    } else {
      todo.round().join({Collective::scatter, line, mesh.leader_place(dimension), scale, gives, gets, short_by});
    }
  }
}

}  // namespace starling
