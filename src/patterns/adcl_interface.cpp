// The functions of include/starling/ADCL.h.

#include <starling/ADCL.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "patterns/adcl.hpp"
#include "patterns/creation.hpp"
#include "runtime/mpi/pmpi.hpp"

#undef ADCL_Vector_register
#undef ADCL_Vector_allocate
#undef ADCL_Topology_create_generic
#undef ADCL_Request_progress

namespace starling::patterns::adcl {
namespace {

template <typename Pointer, typename Object>
void give(Pointer* made, std::shared_ptr<Object> object) {
  at(made, "the new handle") = as_pointer<Pointer>(Handles<Object>::all().add(std::move(object)));
}

template <typename Object, typename Pointer>
std::shared_ptr<Object> given(Pointer handle) {
  return owned<Object>(as_handle(handle));
}

template <typename Object, typename Pointer>
std::shared_ptr<Object> given_or_none(Pointer handle) {
  return handle == nullptr ? nullptr : given<Object>(handle);
}

template <typename Object, typename Pointer>
int freed(const char* function, Pointer* handle) {
  return call(function, [&] {
    given<Object>(at(handle, "the handle"));
    if constexpr (std::is_same_v<Object, Topology>) require_mpi();  // its communicators are freed with it
    Handles<Object>::all().remove(as_handle(*handle));
    *handle = nullptr;
  });
}

template <int number>
int run(Handle request, const Function::Work& work) {
  reinterpret_cast<ADCL_work_fnct_ptr*>(work.functions[number])(as_pointer<ADCL_Request>(request));
  return 0;
}

Function::Work work_of(ADCL_work_fnct_ptr* begin, ADCL_work_fnct_ptr* finish) {
  Function::Work work;
  work.functions[0] = reinterpret_cast<void (*)()>(begin);
  work.functions[2] = reinterpret_cast<void (*)()>(finish);
  if (begin != nullptr) work.begin = run<0>;
  if (finish != nullptr) work.finish = run<2>;
  return work;
}

std::string named(const char* text, std::string_view otherwise) {
  return as_name(text == nullptr ? std::string_view() : std::string_view(text), otherwise);
}

int make_function(const char* what, const Function::Work& work, ADCL_Attrset set, const int* values, const char* name,
                  ADCL_Function* made) {
  return call(what, [&] {
    Function function{.name = named(name, ""), .work = work};
    if (set != ADCL_ATTRSET_NULL) {
      function.attributes = given<AttributeSet>(set);
      const auto count = function.attributes->attributes.size();
      if (values == nullptr) throw Fault(Error::argument, "the address of attribute values is null");
      function.values.assign(values, values + count);
    }
    give(made, checked(std::move(function)));
  });
}

int make_map(const char* what, Map map, ADCL_Vmap* made) {
  return call(what, [&] { give(made, std::make_shared<Map>(std::move(map))); });
}

/// The map of a vector of the years between the two generations.
std::shared_ptr<Map> map_of_kind(int kind, int width) {
  if (kind == ADCL_VECTOR_HALO) return halo_of(width);
  if (kind == ADCL_VECTOR_ALL) return std::make_shared<Map>();
  throw Fault(Error::map, "the kind of the vector is neither ADCL_VECTOR_HALO nor ADCL_VECTOR_ALL; others have vmaps");
}

template <typename MakeMap>
int register_vector(const char* what, int ndims, const int* dims, int nc, MakeMap map, MPI_Datatype type, void* data,
                    ADCL_Vector* made) {
  return call(what, [&] { give(made, Vector::on(shape_of(ndims, dims, nc, map(), type), data)); });
}

template <typename MakeMap>
int allocate_vector(const char* what, int ndims, const int* dims, int nc, MakeMap map, MPI_Datatype type, void* data,
                    ADCL_Vector* made) {
  return call(what, [&] {
    auto vector = Vector::allocated(shape_of(ndims, dims, nc, map(), type));
    if (!vector->is_in_place()) at(static_cast<void**>(data), "the data") = vector->levels_of_pointers();
    give(made, std::move(vector));
  });
}

/// Frees a vector whose memory is the library's, or the program's.
int free_vector(const char* what, ADCL_Vector* vec, bool own) {
  return call(what, [&] {
    const auto vector = given<Vector>(at(vec, "the handle"));
    if (!vector->is_in_place() && vector->is_own() != own)
      throw Fault(Error::vector, own ? "the vector was registered; ADCL_Vector_deregister is for it"
                                     : "the vector was allocated; ADCL_Vector_free is for it");
    Handles<Vector>::all().remove(as_handle(*vec));
    *vec = ADCL_VECTOR_NULL;
  });
}

int create_request(const char* what, ADCL_Vector send, ADCL_Vector receive, ADCL_Topology topo, ADCL_Fnctset fnctset,
                   int root, ADCL_Request* req) {
  return call(what, [&] {
    require_mpi();
    at(req, "the new handle");
    const auto on = topo == ADCL_TOPOLOGY_NULL ? Topology::plain(handles.comm_world) : given<Topology>(topo);
    *req = as_pointer<ADCL_Request>(keep_prepared(prepared_on_all(*on, [&] {
      return prepare(owned_set(as_handle(fnctset)), {.topology = on,
                                                     .send = given_or_none<Vector>(send),
                                                     .receive = given_or_none<Vector>(receive),
                                                     .root = root});
    })));
  });
}

/// Runs one of the calls that a program repeats.
template <typename Call>
int repeated(const char* function, ADCL_Request handle, Call one) {
  Request* const request = Handles<Request>::all().find(as_handle(handle));
  const Error error = request == nullptr ? Error::request : has_mpi() ? one(*request) : Error::inactive;
  if (error == Error::none) return ADCL_SUCCESS;
  return carried_out(function, error,
                     request == nullptr
                         ? std::string(handle == nullptr ? "the request is null" : "the request is freed")
                         : sentence_of(error, request));
}

template <typename Value>
Value* allocated(std::size_t count) {
  auto* const memory = static_cast<Value*>(std::malloc(std::max<std::size_t>(1, count) * sizeof(Value)));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// A copy that the program frees.
char* copied(const std::string& text) {
  char* const memory = allocated<char>(text.size() + 1);
  std::memcpy(memory, text.c_str(), text.size() + 1);
  return memory;
}

const std::vector<std::shared_ptr<const Attribute>>& attributes_of(const Request& request) {
  static const std::vector<std::shared_ptr<const Attribute>> none;
  const auto attributes = request.set().attributes();
  return attributes ? attributes->attributes : none;
}

void give_names(const Request& request, char*** names, int* count) {
  const auto& attributes = attributes_of(request);
  if (count != nullptr) *count = static_cast<int>(attributes.size());
  if (names == nullptr) return;
  *names = allocated<char*>(attributes.size());
  for (std::size_t i = 0; i < attributes.size(); ++i) (*names)[i] = copied(attributes[i]->name);
}

void give_values(const Request& request, int function, char*** value_names, int** values) {
  const auto& attributes = attributes_of(request);
  const std::vector<int> its = request.implementations().values(function);
  if (value_names != nullptr) *value_names = allocated<char*>(attributes.size());
  if (values != nullptr) *values = allocated<int>(attributes.size());
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (values != nullptr) (*values)[i] = its[i];
    if (value_names != nullptr)
      (*value_names)[i] = copied(attributes[i]->value_names[static_cast<std::size_t>(attributes[i]->place_of(its[i]))]);
  }
}

Call reduction(Collective collective, const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
               int root, MPI_Comm comm) {
  return {.collective = collective,
          .sendbuf = sendbuf,
          .recvbuf = recvbuf,
          .sendcount = count,
          .sendtype = type,
          .op = op,
          .root = root,
          .comm = comm};
}

/// A block for each rank.
Call exchange(Collective collective, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
              int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return {.collective = collective,
          .sendbuf = sendbuf,
          .recvbuf = recvbuf,
          .sendcount = sendcount,
          .recvcount = recvcount,
          .sendtype = sendtype,
          .recvtype = recvtype,
          .comm = comm};
}

int make_init(const char* function, const Call& call_of, bool nonblocking, ADCL_Request* req) {
  return call(function, [&] {
    at(req, "the new handle");
    *req = as_pointer<ADCL_Request>(make_collective(call_of, nonblocking));
  });
}

}  // namespace
}  // namespace starling::patterns::adcl

#pragma GCC visibility push(default)
extern "C" {

using namespace starling::patterns;
using namespace starling::patterns::adcl;
using starling::Collective;

int ADCL_Init() {
  return call(__func__, [] { initialise(); });
}

int ADCL_Finalize() {
  return ADCL_SUCCESS;
}

int ADCL_Vmap_halo_allocate(int hwidth, ADCL_Vmap* vmap) {
  return call(__func__, [&] { give(vmap, halo_of(hwidth)); });
}

int ADCL_Vmap_list_allocate(int size, const int* rcnts, const int* displ, ADCL_Vmap* vmap) {
  return call(__func__, [&] {
    if (size < 1 || rcnts == nullptr || displ == nullptr)
      throw Fault(Error::argument, "the size is less than 1, or the address of counts or displacements is null");
    give(vmap, std::make_shared<Map>(Map{.kind = Map::Kind::list,
                                         .counts = std::vector<int>(rcnts, rcnts + size),
                                         .displacements = std::vector<int>(displ, displ + size)}));
  });
}

int ADCL_Vmap_allreduce_allocate(MPI_Op op, ADCL_Vmap* vmap) {
  return call(__func__, [&] { give(vmap, std::make_shared<Map>(reduced_by(op))); });
}

int ADCL_Vmap_reduce_allocate(MPI_Op op, ADCL_Vmap* vmap) {
  return call(__func__, [&] { give(vmap, std::make_shared<Map>(reduced_by(op))); });
}

int ADCL_Vmap_alltoall_allocate(int scnt, int rcnt, ADCL_Vmap* vmap) {
  return call(__func__, [&] {
    if (scnt < 0 || rcnt < 0) throw Fault(Error::argument, "a number of elements is negative");
    give(vmap, std::make_shared<Map>(Map{.kind = Map::Kind::counts, .send = scnt, .receive = rcnt}));
  });
}

int ADCL_Vmap_all_allocate(ADCL_Vmap* vmap) {
  return make_map(__func__, {.kind = Map::Kind::all}, vmap);
}

int ADCL_Vmap_inplace_allocate(ADCL_Vmap* vmap) {
  return make_map(__func__, {.kind = Map::Kind::in_place}, vmap);
}

int ADCL_Vmap_free(ADCL_Vmap* vmap) {
  return freed<Map>(__func__, vmap);
}

int ADCL_Vector_allocate_generic(int ndims, const int* dims, int nc, ADCL_Vmap vmap, MPI_Datatype dat, void* data,
                                 ADCL_Vector* vec) {
  return allocate_vector(
      __func__, ndims, dims, nc, [&] { return given<Map>(vmap); }, dat, data, vec);
}

int ADCL_Vector_register_generic(int ndims, const int* dims, int nc, ADCL_Vmap vmap, MPI_Datatype dat, void* data,
                                 ADCL_Vector* vec) {
  return register_vector(
      __func__, ndims, dims, nc, [&] { return given<Map>(vmap); }, dat, data, vec);
}

int ADCL_Vector_register(int ndims, const int* dims, int hwidth, MPI_Datatype dat, void* data, ADCL_Vector* vec) {
  return register_vector(
      __func__, ndims, dims, 0, [&] { return halo_of(hwidth); }, dat, data, vec);
}

int ADCL_Vector_allocate(int ndims, const int* dims, int hwidth, MPI_Datatype dat, void* data, ADCL_Vector* vec) {
  return allocate_vector(
      __func__, ndims, dims, 0, [&] { return halo_of(hwidth); }, dat, data, vec);
}

int ADCL_Vector_register_nc(int ndims, const int* dims, int nc, int hwidth, MPI_Datatype dat, void* data,
                            ADCL_Vector* vec) {
  return register_vector(
      __func__, ndims, dims, nc, [&] { return halo_of(hwidth); }, dat, data, vec);
}

int ADCL_Vector_allocate_nc(int ndims, const int* dims, int nc, int hwidth, MPI_Datatype dat, void* data,
                            ADCL_Vector* vec) {
  return allocate_vector(
      __func__, ndims, dims, nc, [&] { return halo_of(hwidth); }, dat, data, vec);
}

int ADCL_Vector_register_kind(int ndims, const int* dims, int nc, int vectype, int hwidth, MPI_Datatype dat, void* data,
                              ADCL_Vector* vec) {
  return register_vector(
      __func__, ndims, dims, nc, [&] { return map_of_kind(vectype, hwidth); }, dat, data, vec);
}

int ADCL_Vector_allocate_kind(int ndims, const int* dims, int nc, int vectype, int hwidth, MPI_Datatype dat, void* data,
                              ADCL_Vector* vec) {
  return allocate_vector(
      __func__, ndims, dims, nc, [&] { return map_of_kind(vectype, hwidth); }, dat, data, vec);
}

int ADCL_Vector_free(ADCL_Vector* vec) {
  return free_vector(__func__, vec, true);
}

int ADCL_Vector_deregister(ADCL_Vector* vec) {
  return free_vector(__func__, vec, false);
}

int ADCL_Topology_create(MPI_Comm cart_comm, ADCL_Topology* topo) {
  return call(__func__, [&] {
    require_mpi();
    give(topo, Topology::cartesian(cart_comm, false));
  });
}

int ADCL_Topology_create_extended(MPI_Comm cart_comm, ADCL_Topology* topo) {
  return call(__func__, [&] {
    require_mpi();
    give(topo, Topology::cartesian(cart_comm, true));
  });
}

int ADCL_Topology_create_generic(int ndims, int nneigh, const int* lneighbors, const int* flip, const int* rneighbors,
                                 const int* coords, int direction, MPI_Comm comm, ADCL_Topology* topo) {
  return call(__func__, [&] {
    give(topo, grid_with_flips(ndims, nneigh, lneighbors, flip, rneighbors, coords, direction, comm));
  });
}

int ADCL_Topology_create_sides(int ndims, const int* lneighbors, const int* rneighbors, const int* coords,
                               int direction, MPI_Comm comm, ADCL_Topology* topo) {
  return call(__func__, [&] { give(topo, grid_of_sides(ndims, lneighbors, rneighbors, coords, direction, comm)); });
}

int ADCL_Topology_get_cart_number_neighbors(int ndims, int extended, int* nneigh) {
  return call(__func__, [&] {
    if (ndims < 1) throw Fault(Error::dimensions, "the number of dimensions is less than 1");
    if (extended != 0 && extended != 1) throw Fault(Error::argument, "`extended` is neither 0 nor 1");
    at(nneigh, "the number") = cartesian_pairs(ndims, extended == 1);
  });
}

int ADCL_Topology_get_cart_neighbors(int nneigh, int* lneighbors, int* rneighbors, int* flip, MPI_Comm cart_comm) {
  return call(__func__, [&] {
    require_mpi();
    if (lneighbors == nullptr || rneighbors == nullptr || flip == nullptr)
      throw Fault(Error::argument, "the address of neighbours or flips is null");
    const auto grid = Topology::cartesian(cart_comm, false);
    const bool corners = nneigh != grid->dimensions();
    const std::vector<Sides> sides = cartesian_sides(cart_comm, corners);
    if (std::ssize(sides) != nneigh)
      throw Fault(Error::argument, "the number of pairs of neighbours is " + std::to_string(nneigh) + "; there are " +
                                       std::to_string(grid->dimensions()) + ", or " +
                                       std::to_string(cartesian_pairs(grid->dimensions(), true)) + " with corners");
    for (std::size_t i = 0; i < sides.size(); ++i) {
      lneighbors[i] = sides[i].left;
      rneighbors[i] = sides[i].right;
      // Of a diagonal pair, that of a dimension in which both sides differ.
      const std::size_t dimensions = grid->coordinates().size();
      const std::size_t dimension = i < dimensions ? i : dimensions == 2 ? 0 : i < 5 ? 1 : 2;
      flip[i] = grid->coordinates()[dimension] % 2;
    }
  });
}

int ADCL_Topology_free(ADCL_Topology* topo) {
  return freed<Topology>(__func__, topo);
}

int ADCL_Topology_dump(ADCL_Topology topo) {
  return call(__func__, [&] { std::fputs(given<Topology>(topo)->described().c_str(), stderr); });
}

int ADCL_Attribute_create(int maxnvalues, const int* array_of_values, char** values_names, const char* attr_name,
                          ADCL_Attribute* attr) {
  return call(__func__, [&] {
    if (maxnvalues < 1 || array_of_values == nullptr)
      throw Fault(Error::argument, "the number of values is less than 1, or their address is null");
    std::vector<std::string> names;
    for (int i = 0; values_names != nullptr && i < maxnvalues; ++i)
      names.emplace_back(values_names[i] == nullptr ? std::to_string(array_of_values[i]) : values_names[i]);
    give(attr, std::make_shared<Attribute>(attr_name == nullptr ? "" : attr_name,
                                           std::vector<int>(array_of_values, array_of_values + maxnvalues),
                                           std::move(names)));
  });
}

int ADCL_Attribute_free(ADCL_Attribute* attr) {
  return freed<Attribute>(__func__, attr);
}

int ADCL_Attrset_create(int maxnum, const ADCL_Attribute* array_of_attributes, ADCL_Attrset* attrset) {
  return call(__func__, [&] {
    if (maxnum < 1 || array_of_attributes == nullptr)
      throw Fault(Error::argument, "the number of attributes is less than 1, or their address is null");
    auto set = std::make_shared<AttributeSet>();
    for (int i = 0; i < maxnum; ++i) set->attributes.push_back(given<Attribute>(array_of_attributes[i]));
    give(attrset, std::move(set));
  });
}

int ADCL_Attrset_free(ADCL_Attrset* attrset) {
  return freed<AttributeSet>(__func__, attrset);
}

int ADCL_Function_create(ADCL_work_fnct_ptr* fnctp, ADCL_Attrset attrset, const int* array_of_attrvalues,
                         const char* name, ADCL_Function* fnct) {
  return make_function(__func__, work_of(fnctp, nullptr), attrset, array_of_attrvalues, name, fnct);
}

int ADCL_Function_create_async(ADCL_work_fnct_ptr* init_fnct, ADCL_work_fnct_ptr* wait_fnct, ADCL_Attrset attrset,
                               const int* array_of_attrvalues, const char* name, ADCL_Function* fnct) {
  return make_function(__func__, work_of(init_fnct, wait_fnct), attrset, array_of_attrvalues, name, fnct);
}

int ADCL_Function_free(ADCL_Function* fnct) {
  return freed<const Function>(__func__, fnct);
}

int ADCL_Fnctset_create(int maxnum, const ADCL_Function* fncts, const char* name, ADCL_Fnctset* fnctset) {
  return call(__func__, [&] {
    if (maxnum < 1 || fncts == nullptr)
      throw Fault(Error::argument, "the number of functions is less than 1, or their address is null");
    std::vector<std::shared_ptr<const Function>> functions;
    for (int i = 0; i < maxnum; ++i) functions.push_back(given<const Function>(fncts[i]));
    give(fnctset, set_of(named(name, "pattern"), std::move(functions)));
  });
}

int ADCL_Fnctset_create_single(ADCL_work_fnct_ptr* init_fnct, ADCL_work_fnct_ptr* wait_fnct, ADCL_Attrset attrset,
                               const char* name, int** without_attribute_combinations,
                               int num_without_attribute_combinations, ADCL_Fnctset* fnctset) {
  return call(__func__, [&] {
    std::vector<const int*> without;
    for (int i = 0; i < num_without_attribute_combinations; ++i)
      without.push_back(at(without_attribute_combinations, "the combinations to leave out") == nullptr
                            ? nullptr
                            : without_attribute_combinations[i]);
    give(fnctset, set_of_combinations(named(name, "pattern"), work_of(init_fnct, wait_fnct),
                                      given<AttributeSet>(attrset), without));
  });
}

int ADCL_Fnctset_free(ADCL_Fnctset* fnctset) {
  return call(__func__, [&] {
    at(fnctset, "the handle");
    if (owned_set(as_handle(*fnctset))->is_predefined())
      throw Fault(Error::function_set, "the function set is one of the library's, which is not freed");
    Handles<FunctionSet>::all().remove(as_handle(*fnctset));
    *fnctset = ADCL_FNCTSET_NULL;
  });
}

int ADCL_Request_create(ADCL_Vector vec, ADCL_Topology topo, ADCL_Fnctset fnctset, ADCL_Request* req) {
  return create_request(__func__, vec, vec, topo, fnctset, 0, req);
}

int ADCL_Request_create_generic(ADCL_Vector svec, ADCL_Vector rvec, ADCL_Topology topo, ADCL_Fnctset fnctset,
                                ADCL_Request* req) {
  return create_request(__func__, svec, rvec, topo, fnctset, 0, req);
}

int ADCL_Request_create_generic_rooted(ADCL_Vector svec, ADCL_Vector rvec, ADCL_Topology topo, ADCL_Fnctset fnctset,
                                       int root, ADCL_Request* req) {
  return create_request(__func__, svec, rvec, topo, fnctset, root, req);
}

int ADCL_Request_free(ADCL_Request* req) {
  return call(__func__, [&] {
    const auto request = given<Request>(at(req, "the handle"));
    if (!request->is_idle()) throw Fault(Error::request, "the request is in flight; wait for it, then free it");
    require_mpi();
    Handles<Request>::all().remove(as_handle(*req));
    *req = ADCL_REQUEST_NULL;
  });
}

int ADCL_Request_start(ADCL_Request req) {
  return repeated(__func__, req, [](Request& one) { return one.start(); });
}

int ADCL_Request_init(ADCL_Request req) {
  return repeated(__func__, req, [](Request& one) { return one.init(); });
}

int ADCL_Request_wait(ADCL_Request req) {
  return repeated(__func__, req, [](Request& one) { return one.wait(); });
}

int ADCL_Request_progress(ADCL_Request req, int depth) {
  return repeated(__func__, req, [&](Request& one) {
    bool complete = false;
    Error error = one.progress(complete);
    for (int i = 1; i < depth && !complete && error == Error::none; ++i) error = one.progress(complete);
    return error;
  });
}

int ADCL_Request_start_overlap(ADCL_Request req, ADCL_work_fnct_ptr* midfctn, ADCL_work_fnct_ptr* endfcnt,
                               ADCL_work_fnct_ptr* totalfcnt) {
  const auto calling = [req](ADCL_work_fnct_ptr* function) {
    return [req, function] {
      if (function != ADCL_NULL_FNCT_PTR) function(req);
    };
  };
  return repeated(__func__, req, [&](Request& one) {
    return one.start_overlapped(std::function<void()>(calling(midfctn)), std::function<void()>(calling(endfcnt)),
                                std::function<void()>(calling(totalfcnt)));
  });
}

int ADCL_Request_update(ADCL_Request req, TIME_TYPE time) {
  return repeated(__func__, req, [&](Request& one) { return one.update(time); });
}

int ADCL_Request_get_comm(ADCL_Request req, MPI_Comm* comm, int* rank, int* size) {
  return call(__func__, [&] {
    const auto request = given<Request>(req);
    const Topology& topology = *request->data().topology;
    if (comm != nullptr) *comm = topology.comm();
    if (rank != nullptr) *rank = topology.rank();
    if (size != nullptr) *size = topology.ranks();
  });
}

int ADCL_Request_get_curr_function(ADCL_Request req, char** function_name, char*** attrs_names, int* attrs_num,
                                   char*** attrs_values_names, int** attrs_values_num) {
  return call(__func__, [&] {
    const auto request = given<Request>(req);
    if (function_name != nullptr) *function_name = copied(request->name_of(request->function()));
    give_names(*request, attrs_names, attrs_num);
    give_values(*request, request->function(), attrs_values_names, attrs_values_num);
  });
}

int ADCL_Request_get_winner_stat(ADCL_Request req, double* filtered_avg, double* unfiltered_avg, double* outliers_num) {
  return call(__func__, [&] {
    const auto request = given<Request>(req);
    const auto winner = request->decider().winner();
    if (!winner) throw Fault(Error::undecided, "functions are still tried; ask again after more starts");
    const auto& figures = request->decider().figures(*winner);
    if (!figures) throw Fault(Error::undecided, "the winner was not tried in this run");
    if (filtered_avg != nullptr) *filtered_avg = figures->filtered;
    if (unfiltered_avg != nullptr) *unfiltered_avg = figures->mean;
    if (outliers_num != nullptr) *outliers_num = figures->outliers;
  });
}

int ADCL_Request_get_functions_with_average(ADCL_Request req, double filtered_avg, int* num_functions,
                                            char*** function_name, char*** attrs_names, int* attrs_num,
                                            char**** attrs_values_names, int*** attrs_values_num) {
  return call(__func__, [&] {
    constexpr double tolerance = 1e-3;  // of the mean
    const auto request = given<Request>(req);
    std::vector<int> found;
    for (int i = 0; i < static_cast<int>(request->decider().functions().size()); ++i) {
      const auto& figures = request->decider().figures(i);
      if (figures && std::abs(figures->filtered - filtered_avg) <= tolerance * std::abs(filtered_avg))
        found.push_back(i);
    }
    at(num_functions, "the number of functions") = static_cast<int>(found.size());
    give_names(*request, attrs_names, attrs_num);
    if (function_name != nullptr) *function_name = allocated<char*>(found.size());
    if (attrs_values_names != nullptr) *attrs_values_names = allocated<char**>(found.size());
    if (attrs_values_num != nullptr) *attrs_values_num = allocated<int*>(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (function_name != nullptr) (*function_name)[i] = copied(request->name_of(found[i]));
      give_values(*request, found[i], attrs_values_names == nullptr ? nullptr : *attrs_values_names + i,
                  attrs_values_num == nullptr ? nullptr : *attrs_values_num + i);
    }
  });
}

int ADCL_Request_save_status(ADCL_Request req, int* tested_num, double** unfiltered_avg, double** filtered_avg,
                             double** outliers, int* winner_so_far) {
  return call(__func__, [&] {
    const auto request = given<Request>(req);
    Decider& decider = request->decider();
    int tested = 0;
    while (tested < static_cast<int>(decider.functions().size()) && decider.figures(tested)) ++tested;
    const auto count = static_cast<std::size_t>(tested);
    at(tested_num, "the number of tested functions") = tested;
    const auto column = [&](double** column_of, double Figures::*figure) {
      if (column_of == nullptr) return;
      *column_of = allocated<double>(count);
      for (int i = 0; i < tested; ++i) (*column_of)[i] = *decider.figures(i).*figure;
    };
    column(unfiltered_avg, &Figures::mean);
    column(filtered_avg, &Figures::filtered);
    column(outliers, &Figures::outliers);
    if (winner_so_far != nullptr) *winner_so_far = decider.best();
  });
}

int ADCL_Request_restore_status(ADCL_Request req, int tested_num, double* unfiltered_avg, double* filtered_avg,
                                double* outliers) {
  return call(__func__, [&] {
    const auto request = given<Request>(req);
    if (!request->is_idle()) throw Fault(Error::request, "the request is in flight; wait for it first");
    const auto functions = request->decider().functions().size();
    if (tested_num < 0 || static_cast<std::size_t>(tested_num) > functions)
      throw Fault(Error::argument, "the number of tested functions is " + std::to_string(tested_num) +
                                       ", and the set has " + std::to_string(functions));
    std::vector<Figures> known;
    for (int i = 0; i < tested_num; ++i)
      known.push_back({(&at(unfiltered_avg, "means"))[i], (&at(filtered_avg, "filtered means"))[i],
                       (&at(outliers, "numbers of outliers"))[i]});
    request->decider().restore(known);
  });
}

int ADCL_Request_get_fsname(ADCL_Request req, char** fsname) {
  return call(__func__, [&] { at(fsname, "the name") = copied(given<Request>(req)->set().name()); });
}

int ADCL_Request_get_tndims(ADCL_Request req, int* tndims) {
  return call(__func__, [&] { at(tndims, "the number") = given<Request>(req)->data().topology->dimensions(); });
}

int ADCL_Request_get_state(ADCL_Request req, int* state) {
  return call(__func__, [&] { at(state, "the state") = given<Request>(req)->decider().exploring() ? 1 : 0; });
}

int ADCL_Timer_create(int nreq, const ADCL_Request* reqs, ADCL_Timer* timer) {
  return call(__func__, [&] {
    if (nreq < 0 || (nreq > 0 && reqs == nullptr))
      throw Fault(Error::argument, "the number of requests is negative, or their address is null");
    auto made = std::make_shared<Timer>();
    for (int i = 0; i < nreq; ++i) made->add(given<Request>(reqs[i]));
    give(timer, std::move(made));
  });
}

int ADCL_Timer_add_request(ADCL_Timer timer, ADCL_Request req) {
  return call(__func__, [&] { given<Timer>(timer)->add(given<Request>(req)); });
}

int ADCL_Timer_remove_request(ADCL_Timer timer, ADCL_Request req) {
  return call(__func__, [&] {
    const auto request = given<Request>(req);
    const auto its = given<Timer>(timer);
    if (its->is_running()) throw Fault(Error::timer, "the timer runs; remove requests after its stop");
    if (request->timer() != its.get()) throw Fault(Error::request, "the request is not one of the timer's");
    its->remove(*request);
  });
}

int ADCL_Timer_commit(ADCL_Timer timer) {
  return call(__func__, [&] { given<Timer>(timer); });
}

int ADCL_Timer_start(ADCL_Timer timer) {
  return call(__func__, [&] {
    const Error error = given<Timer>(timer)->start();
    if (error != Error::none) throw Fault(error, sentence_of(error, nullptr));
  });
}

int ADCL_Timer_stop(ADCL_Timer timer) {
  return call(__func__, [&] {
    const Error error = given<Timer>(timer)->stop();
    if (error != Error::none) throw Fault(error, sentence_of(error, nullptr));
  });
}

int ADCL_Timer_free(ADCL_Timer* timer) {
  return freed<Timer>(__func__, timer);
}

int ADCL_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                        ADCL_Request* req) {
  return make_init(__func__, reduction(Collective::allreduce, sendbuf, recvbuf, count, datatype, op, 0, comm), false,
                   req);
}

int ADCL_Reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                     MPI_Comm comm, ADCL_Request* req) {
  return make_init(__func__, reduction(Collective::reduce, sendbuf, recvbuf, count, datatype, op, root, comm), false,
                   req);
}

int ADCL_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm, ADCL_Request* req) {
  return make_init(__func__,
                   exchange(Collective::alltoall, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
                   false, req);
}

int ADCL_Alltoallv_init(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
                        void* recvbuf, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm,
                        ADCL_Request* req) {
  return make_init(__func__,
                   {.collective = Collective::alltoallv,
                    .sendbuf = sendbuf,
                    .recvbuf = recvbuf,
                    .sendcounts = {sendcounts},
                    .recvcounts = {recvcounts},
                    .sdispls = {sdispls},
                    .rdispls = {rdispls},
                    .sendtype = sendtype,
                    .recvtype = recvtype,
                    .comm = comm},
                   false, req);
}

int ADCL_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const int* recvcounts, const int* displs, MPI_Datatype recvtype, MPI_Comm comm,
                         ADCL_Request* req) {
  return make_init(__func__,
                   {.collective = Collective::allgatherv,
                    .sendbuf = sendbuf,
                    .recvbuf = recvbuf,
                    .sendcount = sendcount,
                    .recvcounts = {recvcounts},
                    .rdispls = {displs},
                    .sendtype = sendtype,
                    .recvtype = recvtype,
                    .comm = comm},
                   false, req);
}

int ADCL_Ibcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, ADCL_Request* req) {
  return make_init(__func__,
                   {.collective = Collective::bcast,
                    .recvbuf = buffer,
                    .sendcount = count,
                    .sendtype = datatype,
                    .root = root,
                    .comm = comm},
                   true, req);
}

int ADCL_Ialltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm comm, ADCL_Request* req) {
  return make_init(__func__,
                   exchange(Collective::alltoall, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
                   true, req);
}

int ADCL_Iallgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm comm, ADCL_Request* req) {
  return make_init(__func__,
                   exchange(Collective::allgather, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),
                   true, req);
}

int ADCL_Ireduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                      MPI_Comm comm, ADCL_Request* req) {
  return make_init(__func__, reduction(Collective::reduce, sendbuf, recvbuf, count, datatype, op, root, comm), true,
                   req);
}
}
#pragma GCC visibility pop
