#include "patterns/collective_call.hpp"

#include <cstdint>
#include <string>

#include "patterns/native_calls.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling::patterns {
namespace {

[[noreturn]] void refuse_map(Collective collective, const char* which, const char* wanted) {
  throw Fault(Error::map, std::string(name_of(collective)) + " needs a " + which + " vector with " + wanted);
}

}  // namespace

OwnCall::OwnCall(const Call& of, int ranks) : call(of) {
  const auto own = [&](const void*& values, std::vector<int>& array) {
    if (values == nullptr) return;
    array.assign(static_cast<const int*>(values), static_cast<const int*>(values) + ranks);
    values = array.data();
  };
  own(call.sendcounts.values, arrays[0]);
  own(call.recvcounts.values, arrays[1]);
  own(call.sdispls.values, arrays[2]);
  own(call.rdispls.values, arrays[3]);
  call.native = call_natively;
}

Call call_of(Collective collective, const Data& data) {
  const Traits& has = traits_of(collective);
  const Topology& topology = *data.topology;
  const bool is_root = topology.rank() == data.root;
  if (has.root != Root::none && (data.root < 0 || data.root >= topology.ranks()))
    throw Fault(Error::argument, "the root is rank " + std::to_string(data.root) + ", and there are " +
                                     std::to_string(topology.ranks()) + " ranks");
  Call call{.collective = collective, .op = handles.op_null, .root = data.root, .comm = topology.comm()};
  if (collective == Collective::barrier) return call;
  if (collective == Collective::alltoallw || collective == Collective::reduce_scatter)
    throw Fault(Error::function_set,
                std::string(name_of(collective)) + " cannot be made of vectors; call MPI's function");
  if (!data.send || !data.receive)
    throw Fault(Error::vector, std::string(name_of(collective)) + " needs a send and a receive vector");
  const Vector& send = *data.send;
  const Vector& receive = *data.receive;
  const Vector& typed = send.is_in_place() ? receive : send;
  if (receive.is_in_place()) refuse_map(collective, "receive", "data; only the send vector may be in place");
  call.sendbuf = send.data();
  call.recvbuf = receive.data();
  call.sendtype = typed.shape().type;
  call.recvtype = receive.shape().type;
  const auto ranks = topology.ranks();
  if (has.reduces) {
    for (const Vector* one : {&receive, &send})
      if (one->map().kind == Map::Kind::reduced) call.op = one->map().op;
    if (call.op == handles.op_null) refuse_map(collective, "send or receive", "a map of an operator");
    if (collective == Collective::reduce_scatter_block) {
      call.recvcount = receive.elements();
      if (typed.elements() != receive.elements() * ranks)
        throw Fault(Error::extents, "the send vector needs as many elements for each rank as the receive vector has");
      return call;
    }
    call.sendcount = typed.elements();
    // In the root's place only: elsewhere the vector is what is sent.
    if (collective == Collective::reduce && send.is_in_place() && !is_root) call.sendbuf = receive.data();
    if ((has.root == Root::none || is_root) && receive.elements() < typed.elements())
      throw Fault(Error::extents, "the receive vector is smaller than the send vector");
    return call;
  }
  if (has.send == Holds::vector) {  // bcast
    call.recvbuf = typed.data();
    call.sendcount = typed.elements();
    return call;
  }
  const auto list_of = [&](const Vector& vector, const char* which) -> const Map& {
    if (vector.map().kind != Map::Kind::list || std::ssize(vector.map().counts) != ranks)
      refuse_map(collective, which, "a list of counts and displacements, one for each rank");
    for (std::size_t i = 0; i < vector.map().counts.size(); ++i) {
      const std::int64_t end = std::int64_t{vector.map().displacements[i]} + vector.map().counts[i];
      if (vector.map().counts[i] < 0 || vector.map().displacements[i] < 0 || end > vector.elements())
        throw Fault(Error::extents,
                    std::string("the list of the ") + which + " vector reaches beyond it at rank " + std::to_string(i));
    }
    return vector.map();
  };
  /// Elements for each rank.
  const auto share_of = [&](const Vector& vector, int Map::*count, const char* which) -> std::int64_t {
    const std::int64_t share = vector.map().kind == Map::Kind::counts ? vector.map().*count : vector.elements() / ranks;
    if (share * ranks > vector.elements())
      throw Fault(Error::extents, std::string("the ") + which + " vector has " + std::to_string(vector.elements()) +
                                      " elements, and " + std::to_string(share) + " for each of " +
                                      std::to_string(ranks) + " ranks are more");
    return share;
  };
  const bool lists = has.sizes != Sizes::alike;
  if (has.send == Holds::block) {
    call.sendcount = send.is_in_place() ? 0 : send.elements();
  } else if (!send.is_in_place() && (has.root != Root::gives || is_root)) {
    if (lists) {
      const Map& map = list_of(send, "send");
      call.sendcounts.values = map.counts.data();
      call.sdispls.values = map.displacements.data();
    } else {
      call.sendcount = share_of(send, &Map::send, "send");
    }
  }
  if (has.recv == Holds::block) {
    call.recvcount = receive.elements();
  } else if (has.root != Root::takes || is_root) {
    if (lists) {
      const Map& map = list_of(receive, "receive");
      call.recvcounts.values = map.counts.data();
      call.rdispls.values = map.displacements.data();
    } else {
      call.recvcount = share_of(receive, &Map::receive, "receive");
    }
  }
  return call;
}

Facts facts_on(const Call& call, Topology& topology) {
  Facts facts{};
  if (!facts_of(call, topology.ranks(), topology.rank(), facts)) {
    const std::string start =
        "the MPI library would refuse such a call of MPI_" + std::string(name_of(call.collective));
    if (reduces(call.collective) && call.op == handles.op_null)
      throw Fault(Error::op, start + ": the operator is MPI_OP_NULL");
    if (call.sendtype == handles.datatype_null || call.recvtype == handles.datatype_null)
      throw Fault(Error::datatype, start + ": a datatype is MPI_DATATYPE_NULL");
    throw Fault(Error::argument, start + ": a count, datatype, operator or buffer is wrong");
  }
  facts.situation.places = topology.places();
  facts.situation.tree = topology.tree();
  return facts;
}

}  // namespace starling::patterns
