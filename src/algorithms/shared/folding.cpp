#include "algorithms/shared/folding.hpp"

namespace starling {

bool stands_aside(Schedule& todo, const Team& team, const Folding& folding, int holder) {
  if (team.size == 1) {
    todo.copy(sendbuf(0), recvbuf(0));
    return true;
  }
  if (!folding.rests(team.rank)) return false;
  todo.round().send(sendbuf(0, team.size), team.rank + 1);
  todo.round().receive(recvbuf(0), holder);
  return true;
}

}  // namespace starling
