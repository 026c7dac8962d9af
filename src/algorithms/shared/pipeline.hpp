#pragma once

#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/trees.hpp"

namespace starling {

/// Sends the blocks of recv down a tree, one after the other: a rank passes on block i while it receives block i + 1.
/// A single block goes to one child after the other, in the order of the tree.
Schedule pipelined_down(const Team& team, const TreePlace& place);

/// The parameter `segment` with few values, for algorithms that have other parameters too.
Parameter coarse_segment_parameter();

/// The parameter `segment`: none, or bytes from 1 KiB to 16 MiB by factors of two, of which 4 KiB is tried first.
Parameter segment_parameter();

/// The `divide` of an algorithm with the parameter `segment`: a vector, or each rank's block, is cut where it is longer
/// than a segment; of shorter ones as many go in one message as fit.
Division segments(const Situation& situation, const Parameters& with);

/// Why a vector can't be divided into segments of that size; empty if it can.
std::string segment_refusal(const Situation& situation, const Parameters& with);

/// The same for the sequential tree, whose root has a message for every rank and segment.
std::string sequential_refusal(const Situation& situation, const Parameters& with);

/// The same for a tree whose radix is the parameter `k`, which there must be too.
std::string radix_or_segment_refusal(const Situation& situation, const Parameters& with);

/// The parameter `segment` of algorithms that cut each rank's block only for its messages to be short. MPI libraries
/// hold longer ones back until the receiver has answered, Open MPI's TCP from 64 KiB on.
Parameter short_message_parameter();

/// Why each rank's block can't be cut into such messages; empty if it can. As nobody waits for a receiver, all blocks
/// may have to wait in the memory of the MPI library of one that is late.
std::string short_message_refusal(const Situation& situation, const Parameters& with);

}  // namespace starling
