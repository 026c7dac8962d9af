#pragma once

#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace starling {

/// The lengths of a mesh of `ranks` ranks, row after row: the innermost dimension, along which ranks are neighbours,
/// stands first. Lengths are as close to each other as they can be, each at least 2; empty where there is no such mesh.
std::vector<int> mesh_shape(int ranks, int dimensions);

/// Why there is no mesh of that many dimensions; empty if there is one.
std::string mesh_refusal(const Situation& situation, int dimensions);

/// An allgather of everything that a rank has, along one dimension of the mesh after the other.
Schedule mesh_allgather(const Team& team, int dimensions);

}  // namespace starling
