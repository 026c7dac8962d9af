#pragma once

#include "knowledge/run_record.hpp"

namespace starling::testing {

/// A record with a value in every field; run-record.json beside this file is its JSON.
inline RunRecord sample_record() {
  CandidateRecord native{.name = "native", .samples = 10, .median_s = 15.5e-6, .min_s = 14e-6};
  CandidateRecord chain{.name = "chain",
                        .parameters = {{"segment", "8192"}},
                        .samples = 690,
                        .median_s = 12.5e-6,
                        .min_s = 11e-6,
                        .agreed_s = 13e-6,
                        .deviation_s = 2e-6};
  CandidateRecord composed{.name = "rab2",
                           .parameters = {{"alltoall", "ring"}, {"segment", "none"}},
                           .eligible = false,
                           .reason = "needs a power of two of ranks"};
  ContextRecord tuned{.collective = "bcast",
                      .bytes = 65536,
                      .bucket = true,
                      .ranks = 6,
                      .nodes = 2,
                      .ranks_per_node = 4,
                      .calls = 700,
                      .stage = "monitor_adapt",
                      .winner = "chain?segment=8192",
                      .candidates = {native, chain, composed},
                      .candidates_left_out = 4,
                      .seconds = 0.0125,
                      .tuning_seconds = 0.00003,
                      .slowest_seconds = 0.015,
                      .slowest_tuning_seconds = 0.00005,
                      .exploring = {.calls = 20, .seconds = 0.00034, .bookkeeping_seconds = 0.000001},
                      .settled = {.calls = 680, .seconds = 0.01216, .bookkeeping_seconds = 0.0000068},
                      .native_s = 15.5e-6,
                      .arrivals = ArrivalsRecord{.calls = 8,
                                                 .slowest_s = 0.0000625,
                                                 .mean_s = 0.0000546875,
                                                 .fastest_s = 0.000053125,
                                                 .last = {{4, 3}, {0, 1}}},
                      .decisions = {{20, -1, 0, "fastest of 2 candidates"}, {40, 0, 1, "native took \"long\""}},
                      .decisions_dropped = 3,
                      .profile = ContextProfile{.communicators = 2,
                                                .ranks = 6,
                                                .rank_seconds = 0.0625,
                                                .slowest_rank = 5,
                                                .slowest_rank_seconds = 0.015,
                                                .quickest_rank = 1,
                                                .quickest_rank_seconds = 0.005,
                                                .waiting_rank_seconds = 0.03125,
                                                .sampled_calls = 50,
                                                .last = {{1, 40}, {4, 10}},
                                                .mean_bytes = 70000}};
  ContextRecord own_operator{.collective = "allreduce",
                             .bytes = 8,
                             .ranks = 6,
                             .operator_class = "non-commutative",
                             .calls = 2,
                             .stage = "single",
                             .winner = "native",
                             .candidates = {{.name = "native"}}};
  ContextRecord untouched{.collective = "alltoallv",
                          .ranks = 4,
                          .in_place = true,
                          .calls = 1,
                          .stage = "single",
                          .winner = "native",
                          .candidates = {{.name = "native"}}};
  return {.run = {.program = "./app",
                  .machine = "node#",
                  .ranks = 6,
                  .nodes = 2,
                  .ranks_per_node = 4,
                  .mpi_flavour = "Open MPI",
                  .mpi_version = "4.1.4",
                  .strategy = "star-basic",
                  .settings = {{"iterations", "10"}, {"epsilon", "0.1"}},
                  .started = "2024-05-01T12:00:00Z",
                  .seconds = 1.5,
                  .probe_s = 0.25,
                  .unfinished = true},
          .contexts = {tuned, own_operator, untouched},
          .left_out = LeftOut{.contexts = 2, .calls = 40, .seconds = 0.0001, .tuning_seconds = 0.00001},
          .profile = RunProfile{.order = {{.from = {.collective = "bcast", .bytes = 65536, .bucket = true, .ranks = 6},
                                           .to = {.collective = "iallreduce", .ranks = 6},
                                           .calls = 12,
                                           .seconds_between = 0.5}},
                                .order_left_out = 3}};
}

}  // namespace starling::testing
