#include "thread_mpi.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/mpi/pmpi.hpp"

namespace starling {
namespace {

/// Messages from one rank to another, in their order. Each has a lock of its own: one for all would put ranks in an
/// order that nothing else does.
class Mailbox {
 public:
  void put(std::vector<char> message) {
    const std::scoped_lock lock(guard_);
    messages_.push_back(std::move(message));
    arrived_.notify_one();
  }
  std::vector<char> take() {
    std::unique_lock lock(guard_);
    arrived_.wait(lock, [&] { return !messages_.empty(); });
    std::vector<char> first = std::move(messages_.front());
    messages_.pop_front();
    return first;
  }

 private:
  std::mutex guard_;
  std::condition_variable arrived_;
  std::deque<std::vector<char>> messages_;
};

/// A receive that was posted.
struct Receive {
  char* into;
  std::size_t bytes;
  int from;
  bool is_over;
};

constexpr MPI_Request over_at_once = 1;
constexpr MPI_Request first_receive = 2;

std::vector<std::deque<Mailbox>> mailboxes;  // by sender, then by receiver
thread_local int this_rank = 0;
thread_local std::vector<Receive> posted;

Mailbox& mailbox(int from, int to) {
  return mailboxes[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

void put(const void* data, int count, int to) {
  const char* const first = static_cast<const char*>(data);
  mailbox(this_rank, to).put({first, first + (static_cast<std::size_t>(count) * ThreadMpi::number_bytes)});
}

void end(Receive& receive) {
  const std::vector<char> message = mailbox(receive.from, this_rank).take();
  if (message.size() != receive.bytes) std::abort();  // the checker has proven that they match
  if (!message.empty()) std::memcpy(receive.into, message.data(), message.size());
  receive.is_over = true;
}

int send(const void* data, int count, MPI_Datatype /*type*/, int to, int /*tag*/, MPI_Comm /*comm*/) {
  put(data, count, to);
  return MPI_SUCCESS;
}

int isend(const void* data, int count, MPI_Datatype /*type*/, int to, int /*tag*/, MPI_Comm /*comm*/,
          MPI_Request* request) {
  put(data, count, to);
  *request = over_at_once;
  return MPI_SUCCESS;
}

int irecv(void* into, int count, MPI_Datatype /*type*/, int from, int /*tag*/, MPI_Comm /*comm*/,
          MPI_Request* request) {
  *request = first_receive + static_cast<MPI_Request>(posted.size());
  posted.push_back({static_cast<char*>(into), static_cast<std::size_t>(count) * ThreadMpi::number_bytes, from, false});
  return MPI_SUCCESS;
}

int wait(MPI_Request* request, MPI_Status* /*status*/) {
  if (*request == over_at_once) return MPI_SUCCESS;
  const auto wanted = static_cast<std::size_t>(*request - first_receive);
  for (std::size_t i = 0; i <= wanted; ++i)
    if (!posted[i].is_over && posted[i].from == posted[wanted].from) end(posted[i]);
  while (!posted.empty() && posted.back().is_over) posted.pop_back();
  return MPI_SUCCESS;
}

int recv(void* into, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Request request{};
  irecv(into, count, type, from, tag, comm, &request);
  return wait(&request, status);
}

int sendrecv(const void* data, int sent, MPI_Datatype type, int to, int tag, void* into, int received,
             MPI_Datatype /*type_received*/, int from, int /*tag_received*/, MPI_Comm comm, MPI_Status* status) {
  put(data, sent, to);
  return recv(into, received, type, from, tag, comm, status);
}

int iprobe(int /*from*/, int /*tag*/, MPI_Comm /*comm*/, int* is_there, MPI_Status* /*status*/) {
  *is_there = 0;
  return MPI_SUCCESS;
}

int reduce_local(const void* left, void* into, int count, MPI_Datatype /*type*/, MPI_Op op) {
  const std::span mine(static_cast<std::uint64_t*>(into), static_cast<std::size_t>(count));
  const auto* other = static_cast<const std::uint64_t*>(left);
  for (std::uint64_t& number : mine) {
    number = op == handles.sum ? *other + number : ThreadMpi::compose(*other, number);
    ++other;
  }
  return MPI_SUCCESS;
}

int abort(MPI_Comm /*comm*/, int /*code*/) {
  std::abort();
}

}  // namespace

void ThreadMpi::stand_in(int most_ranks) {
  mailboxes.clear();
  for (int i = 0; i < most_ranks; ++i) mailboxes.emplace_back(static_cast<std::size_t>(most_ranks));
  handles.comm_world = MPI_COMM_WORLD;
  handles.int64 = MPI_INT64_T;
  handles.double_ = MPI_DOUBLE;
  handles.float_ = MPI_FLOAT;
  handles.int_ = MPI_INT;
  handles.sum = MPI_SUM;
  handles.request_null = MPI_REQUEST_NULL;
  pmpi.Send = send;
  pmpi.Isend = isend;
  pmpi.Recv = recv;
  pmpi.Irecv = irecv;
  pmpi.Sendrecv = sendrecv;
  pmpi.Wait = wait;
  pmpi.Iprobe = iprobe;
  pmpi.Reduce_local = reduce_local;
  pmpi.Abort = abort;
}

void ThreadMpi::be(int rank) {
  this_rank = rank;
}

MPI_Op ThreadMpi::composition() {
  return MPI_PROD;
}

}  // namespace starling
