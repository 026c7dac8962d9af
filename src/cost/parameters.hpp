#pragma once

#include <cstdint>

namespace starling {

/// What a message and local work cost on a cluster: LogGP (Alexandrov, Ionescu, Schauser and Scheiman 1995), with G
/// taken from the rates of the links. Seconds and bytes. The defaults are those of MPI over TCP on Ethernet, as
/// `starling lab calibrate` finds them; docs/cost-model.md has the formulas.
struct CostParameters {
  double overhead = 10e-6;   ///< o: processor time to send a message, and once more to receive it
  double gap = 0;            ///< g: least time between two messages that one rank sends
  double latency = 30e-6;    ///< L: from one host to another, in addition to the latencies of links
  double rate_share = 0.94;  ///< what messages get of a link's rate: G = 8 / (rate_share x bit/s) seconds a byte
  /// From this size on a message waits until its receive is posted: the rendezvous protocol.
  std::int64_t rendezvous = 65536;
  /// Such messages of two ranks to each other do not flow at the same time (Open MPI over TCP: the answer to one's
  /// question stands behind the other's data).
  bool large_take_turns = false;
  double memory_latency = 1e-6;      ///< L between two ranks of one host
  double memory_per_byte = 0.2e-9;   ///< G between two ranks of one host
  double domain_latency = 0.3e-6;    ///< added to L between ranks of different domains of one host
  double domain_per_byte = 0.03e-9;  ///< G of the way into a domain, for what comes from others of its host
  double copy_per_byte = 0.1e-9;     ///< of local copies
  double combine_per_byte = 0.2e-9;  ///< of local reductions
};

}  // namespace starling
