#pragma once

#include <vector>

#include "topology/phases.hpp"
#include "topology/switch_tree.hpp"

namespace starling {

/// A phase in which a rank has something to do, and the words around it: messages of nothing that keep messages of
/// different phases apart.
struct OrderedPhase {
  Phase messages;
  std::vector<int> hears;  ///< ranks whose word it waits for before it sends and receives
  std::vector<int> tells;  ///< ranks that wait for its word that all of its earlier phases are over
};

/// The phases of `rank` in which it has something to do. Of two messages that use a link in the same direction the
/// earlier one is received before the later one is sent; those of one sender are only sent in their order, since they
/// leave one after the other over its own link. That takes about one word for each message: the receiver of a message
/// tells who sends over one of its links next, unless another link, another word or message between the two ranks says
/// so already (Faraj and Yuan 2005, "Message scheduling for all-to-all personalized communication on Ethernet switched
/// clusters", section 5).
std::vector<OrderedPhase> ordered_phases(const SwitchTree& tree, int rank);

}  // namespace starling
