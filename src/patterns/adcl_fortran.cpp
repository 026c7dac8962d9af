// ADCL's interface in Fortran: the names and the order of the C one, integers for handles, and a last argument ierror.
// Texts have their lengths behind all other arguments, as compilers pass them.

#include <starling/ADCL.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/fortran.hpp"
#include "patterns/adcl.hpp"
#include "patterns/creation.hpp"
#include "runtime/mpi/pmpi.hpp"

#undef ADCL_Vector_register
#undef ADCL_Vector_allocate
#undef ADCL_Topology_create_generic
#undef ADCL_Request_progress

namespace starling::patterns::adcl {
namespace {

namespace from = from_fortran;

template <typename Pointer>
Pointer handle(const Fint* value) {
  return as_pointer<Pointer>(*value);
}

/// Lets a C function make a handle.
template <typename Pointer, typename Make>
void make(Fint* made, Fint* ierror, Make create) {
  Pointer pointer{};
  const int code = create(&pointer);
  if (code == ADCL_SUCCESS) *made = as_handle(pointer);
  from::finish(ierror, code);
}

/// Lets a C function free a handle.
template <typename Pointer, typename Free>
void free_by(Fint* freed, Fint* ierror, Free free_it) {
  auto pointer = handle<Pointer>(freed);
  const int code = free_it(&pointer);
  if (code == ADCL_SUCCESS) *freed = 0;
  from::finish(ierror, code);
}

constexpr std::size_t longest_text = 256;

/// A text without the blanks that it is padded with.
std::string text_of(const char* text, std::size_t length) {
  std::string_view view(text, std::min(length, longest_text));
  while (!view.empty() && (view.back() == ' ' || view.back() == '\0')) view.remove_suffix(1);
  return std::string(view);
}

void pad(char* into, std::size_t length, const std::string& text) {
  std::memset(into, ' ', length);
  std::memcpy(into, text.data(), std::min(length, text.size()));
}

using Subroutine = void(Fint* request);

template <int number>
int run(Handle request, const Function::Work& work) {
  Fint argument = request;
  reinterpret_cast<Subroutine*>(work.functions[number])(&argument);
  return 0;
}

/// Null where the program gives the integer ADCL_NULL_FNCT_PTR in place of a subroutine: no code begins with its bytes.
Subroutine* or_none(Subroutine* given) {
  constexpr Fint null_function = -9;
  Fint first = null_function;
  if (given != nullptr) std::memcpy(&first, reinterpret_cast<const void*>(given), sizeof first);
  return first == null_function ? nullptr : given;
}

Function::Work work_of(Subroutine* begin, Subroutine* finish) {
  begin = or_none(begin);
  finish = or_none(finish);
  Function::Work work;
  if (begin != nullptr) work.begin = run<0>;
  work.functions[0] = reinterpret_cast<void (*)()>(begin);
  work.functions[2] = reinterpret_cast<void (*)()>(finish);
  if (finish != nullptr) work.finish = run<2>;
  return work;
}

void make_function(const char* what, const Function::Work& work, const Fint* set, const Fint* values, const char* name,
                   Fint* made, Fint* ierror, std::size_t length) {
  from::finish(ierror, call(what, [&] {
                 Function function{.name = as_name(text_of(name, length), ""), .work = work};
                 if (*set != 0) {
                   function.attributes = owned<AttributeSet>(*set);
                   function.values.assign(values, values + function.attributes->attributes.size());
                 }
                 *made = Handles<const Function>::all().add(checked(std::move(function)));
               }));
}

void register_vector(const Fint* ndims, const Fint* dims, int nc, std::shared_ptr<const Map> map, const Fint* type,
                     void* data, Fint* made) {
  *made = Handles<Vector>::all().add(
      Vector::on(shape_of(*ndims, dims, nc, std::move(map), *type == 0 ? handles.datatype_null : pmpi.Type_f2c(*type),
                          Order::fortran),
                 from::address(data)));
}

std::shared_ptr<Request> request_of(const Fint* request) {
  return owned<Request>(*request);
}

}  // namespace
}  // namespace starling::patterns::adcl

// Compilers spell names of Fortran in one of four ways.
#define STARLING_FORTRAN(lower, upper, parameters)                                     \
  void lower##_ parameters;                                                            \
  void lower parameters __attribute__((alias(#lower "_"), visibility("default")));     \
  void lower##__ parameters __attribute__((alias(#lower "_"), visibility("default"))); \
  void upper parameters __attribute__((alias(#lower "_"), visibility("default")));     \
  void lower##_ parameters

#pragma GCC visibility push(default)
extern "C" {

using namespace starling::patterns;
using namespace starling::patterns::adcl;
using starling::Fint;

STARLING_FORTRAN(adcl_init, ADCL_INIT, (Fint * ierror)) {
  from::finish(ierror, ADCL_Init());
}
STARLING_FORTRAN(adcl_finalize, ADCL_FINALIZE, (Fint * ierror)) {
  from::finish(ierror, ADCL_Finalize());
}

STARLING_FORTRAN(adcl_vmap_halo_allocate, ADCL_VMAP_HALO_ALLOCATE, (Fint * hwidth, Fint* vmap, Fint* ierror)) {
  make<ADCL_Vmap>(vmap, ierror, [&](ADCL_Vmap* made) { return ADCL_Vmap_halo_allocate(*hwidth, made); });
}
STARLING_FORTRAN(adcl_vmap_list_allocate, ADCL_VMAP_LIST_ALLOCATE,
                 (Fint * size, Fint* rcnts, Fint* displ, Fint* vmap, Fint* ierror)) {
  make<ADCL_Vmap>(vmap, ierror, [&](ADCL_Vmap* made) { return ADCL_Vmap_list_allocate(*size, rcnts, displ, made); });
}
STARLING_FORTRAN(adcl_vmap_allreduce_allocate, ADCL_VMAP_ALLREDUCE_ALLOCATE, (Fint * op, Fint* vmap, Fint* ierror)) {
  make<ADCL_Vmap>(vmap, ierror,
                  [&](ADCL_Vmap* made) { return ADCL_Vmap_allreduce_allocate(from::operation(op), made); });
}
STARLING_FORTRAN(adcl_vmap_reduce_allocate, ADCL_VMAP_REDUCE_ALLOCATE, (Fint * op, Fint* vmap, Fint* ierror)) {
  make<ADCL_Vmap>(vmap, ierror, [&](ADCL_Vmap* made) { return ADCL_Vmap_reduce_allocate(from::operation(op), made); });
}
STARLING_FORTRAN(adcl_vmap_alltoall_allocate, ADCL_VMAP_ALLTOALL_ALLOCATE,
                 (Fint * scnt, Fint* rcnt, Fint* vmap, Fint* ierror)) {
  make<ADCL_Vmap>(vmap, ierror, [&](ADCL_Vmap* made) { return ADCL_Vmap_alltoall_allocate(*scnt, *rcnt, made); });
}
STARLING_FORTRAN(adcl_vmap_all_allocate, ADCL_VMAP_ALL_ALLOCATE, (Fint * vmap, Fint* ierror)) {
  make<ADCL_Vmap>(vmap, ierror, ADCL_Vmap_all_allocate);
}
STARLING_FORTRAN(adcl_vmap_inplace_allocate, ADCL_VMAP_INPLACE_ALLOCATE, (Fint * vmap, Fint* ierror)) {
  make<ADCL_Vmap>(vmap, ierror, ADCL_Vmap_inplace_allocate);
}
STARLING_FORTRAN(adcl_vmap_free, ADCL_VMAP_FREE, (Fint * vmap, Fint* ierror)) {
  free_by<ADCL_Vmap>(vmap, ierror, ADCL_Vmap_free);
}

STARLING_FORTRAN(adcl_vector_register_generic, ADCL_VECTOR_REGISTER_GENERIC,
                 (Fint * ndims, Fint* dims, Fint* nc, Fint* vmap, Fint* dat, void* data, Fint* vec, Fint* ierror)) {
  from::finish(ierror, call("ADCL_Vector_register_generic",
                            [&] { register_vector(ndims, dims, *nc, owned<Map>(*vmap), dat, data, vec); }));
}
STARLING_FORTRAN(adcl_vector_register, ADCL_VECTOR_REGISTER,
                 (Fint * ndims, Fint* dims, Fint* hwidth, Fint* dat, void* data, Fint* vec, Fint* ierror)) {
  from::finish(
      ierror, call("ADCL_Vector_register", [&] { register_vector(ndims, dims, 0, halo_of(*hwidth), dat, data, vec); }));
}
STARLING_FORTRAN(adcl_vector_deregister, ADCL_VECTOR_DEREGISTER, (Fint * vec, Fint* ierror)) {
  free_by<ADCL_Vector>(vec, ierror, ADCL_Vector_deregister);
}

STARLING_FORTRAN(adcl_topology_create, ADCL_TOPOLOGY_CREATE, (Fint * comm, Fint* topo, Fint* ierror)) {
  make<ADCL_Topology>(topo, ierror,
                      [&](ADCL_Topology* made) { return ADCL_Topology_create(from::communicator(comm), made); });
}
STARLING_FORTRAN(adcl_topology_create_extended, ADCL_TOPOLOGY_CREATE_EXTENDED,
                 (Fint * comm, Fint* topo, Fint* ierror)) {
  make<ADCL_Topology>(
      topo, ierror, [&](ADCL_Topology* made) { return ADCL_Topology_create_extended(from::communicator(comm), made); });
}
STARLING_FORTRAN(adcl_topology_create_generic, ADCL_TOPOLOGY_CREATE_GENERIC,
                 (Fint * ndims, Fint* nneigh, Fint* lneighbors, Fint* flip, Fint* rneighbors, Fint* coords,
                  Fint* direction, Fint* comm, Fint* topo, Fint* ierror)) {
  make<ADCL_Topology>(topo, ierror, [&](ADCL_Topology* made) {
    return ADCL_Topology_create_generic(*ndims, *nneigh, lneighbors, flip, rneighbors, coords, *direction,
                                        from::communicator(comm), made);
  });
}
STARLING_FORTRAN(adcl_topology_get_cart_number_neighbors, ADCL_TOPOLOGY_GET_CART_NUMBER_NEIGHBORS,
                 (Fint * ndims, Fint* extended, Fint* nneigh, Fint* ierror)) {
  from::finish(ierror, ADCL_Topology_get_cart_number_neighbors(*ndims, *extended, nneigh));
}
STARLING_FORTRAN(adcl_topology_get_cart_neighbors, ADCL_TOPOLOGY_GET_CART_NEIGHBORS,
                 (Fint * nneigh, Fint* lneighbors, Fint* rneighbors, Fint* flip, Fint* comm, Fint* ierror)) {
  from::finish(ierror,
               ADCL_Topology_get_cart_neighbors(*nneigh, lneighbors, rneighbors, flip, from::communicator(comm)));
}
STARLING_FORTRAN(adcl_topology_free, ADCL_TOPOLOGY_FREE, (Fint * topo, Fint* ierror)) {
  free_by<ADCL_Topology>(topo, ierror, ADCL_Topology_free);
}
STARLING_FORTRAN(adcl_topology_dump, ADCL_TOPOLOGY_DUMP, (Fint * topo, Fint* ierror)) {
  from::finish(ierror, ADCL_Topology_dump(handle<ADCL_Topology>(topo)));
}

STARLING_FORTRAN(adcl_attribute_create, ADCL_ATTRIBUTE_CREATE,
                 (Fint * maxnvalues, Fint* values, char* value_names, char* name, Fint* attr, Fint* ierror,
                  std::size_t length_of_value_names, std::size_t length)) {
  from::finish(ierror, call("ADCL_Attribute_create", [&] {
                 if (*maxnvalues < 1) throw Fault(Error::argument, "the number of values is less than 1");
                 std::vector<std::string> names;
                 for (int i = 0; i < *maxnvalues; ++i)
                   names.push_back(text_of(value_names + (static_cast<std::size_t>(i) * length_of_value_names),
                                           length_of_value_names));
                 *attr = Handles<Attribute>::all().add(std::make_shared<Attribute>(
                     text_of(name, length), std::vector<int>(values, values + *maxnvalues), std::move(names)));
               }));
}
STARLING_FORTRAN(adcl_attribute_free, ADCL_ATTRIBUTE_FREE, (Fint * attr, Fint* ierror)) {
  free_by<ADCL_Attribute>(attr, ierror, ADCL_Attribute_free);
}
STARLING_FORTRAN(adcl_attrset_create, ADCL_ATTRSET_CREATE, (Fint * maxnum, Fint* attrs, Fint* attrset, Fint* ierror)) {
  make<ADCL_Attrset>(attrset, ierror, [&](ADCL_Attrset* made) {
    std::vector<ADCL_Attribute> all;
    for (int i = 0; i < *maxnum; ++i) all.push_back(handle<ADCL_Attribute>(attrs + i));
    return ADCL_Attrset_create(*maxnum, all.data(), made);
  });
}
STARLING_FORTRAN(adcl_attrset_free, ADCL_ATTRSET_FREE, (Fint * attrset, Fint* ierror)) {
  free_by<ADCL_Attrset>(attrset, ierror, ADCL_Attrset_free);
}

STARLING_FORTRAN(adcl_function_create, ADCL_FUNCTION_CREATE,
                 (Subroutine * work, Fint* attrset, Fint* values, char* name, Fint* fnct, Fint* ierror,
                  std::size_t length)) {
  make_function("ADCL_Function_create", work_of(work, nullptr), attrset, values, name, fnct, ierror, length);
}
STARLING_FORTRAN(adcl_function_create_async, ADCL_FUNCTION_CREATE_ASYNC,
                 (Subroutine * init, Subroutine* wait, Fint* attrset, Fint* values, char* name, Fint* fnct,
                  Fint* ierror, std::size_t length)) {
  make_function("ADCL_Function_create_async", work_of(init, wait), attrset, values, name, fnct, ierror, length);
}
STARLING_FORTRAN(adcl_function_free, ADCL_FUNCTION_FREE, (Fint * fnct, Fint* ierror)) {
  free_by<ADCL_Function>(fnct, ierror, ADCL_Function_free);
}
STARLING_FORTRAN(adcl_fnctset_create, ADCL_FNCTSET_CREATE,
                 (Fint * maxnum, Fint* fncts, char* name, Fint* fnctset, Fint* ierror, std::size_t length)) {
  make<ADCL_Fnctset>(fnctset, ierror, [&](ADCL_Fnctset* made) {
    std::vector<ADCL_Function> all;
    for (int i = 0; i < *maxnum; ++i) all.push_back(handle<ADCL_Function>(fncts + i));
    std::string text = text_of(name, length);
    return ADCL_Fnctset_create(*maxnum, all.data(), text.data(), made);
  });
}
STARLING_FORTRAN(adcl_fnctset_create_single, ADCL_FNCTSET_CREATE_SINGLE,
                 (Subroutine * init, Subroutine* wait, Fint* attrset, char* name, Fint* without, Fint* count,
                  Fint* fnctset, Fint* ierror, std::size_t length)) {
  from::finish(ierror, call("ADCL_Fnctset_create_single", [&] {
                 const auto attributes = owned<AttributeSet>(*attrset);
                 std::vector<const int*> excluded;  // a column of values for each combination
                 for (int i = 0; i < *count; ++i)
                   excluded.push_back(without + (static_cast<std::size_t>(i) * attributes->attributes.size()));
                 *fnctset = Handles<FunctionSet>::all().add(set_of_combinations(
                     as_name(text_of(name, length), "pattern"), work_of(init, wait), attributes, excluded));
               }));
}
STARLING_FORTRAN(adcl_fnctset_free, ADCL_FNCTSET_FREE, (Fint * fnctset, Fint* ierror)) {
  free_by<ADCL_Fnctset>(fnctset, ierror, ADCL_Fnctset_free);
}

STARLING_FORTRAN(adcl_request_create, ADCL_REQUEST_CREATE,
                 (Fint * vec, Fint* topo, Fint* fnctset, Fint* req, Fint* ierror)) {
  make<ADCL_Request>(req, ierror, [&](ADCL_Request* made) {
    return ADCL_Request_create(handle<ADCL_Vector>(vec), handle<ADCL_Topology>(topo), handle<ADCL_Fnctset>(fnctset),
                               made);
  });
}
STARLING_FORTRAN(adcl_request_create_generic, ADCL_REQUEST_CREATE_GENERIC,
                 (Fint * svec, Fint* rvec, Fint* topo, Fint* fnctset, Fint* req, Fint* ierror)) {
  make<ADCL_Request>(req, ierror, [&](ADCL_Request* made) {
    return ADCL_Request_create_generic(handle<ADCL_Vector>(svec), handle<ADCL_Vector>(rvec),
                                       handle<ADCL_Topology>(topo), handle<ADCL_Fnctset>(fnctset), made);
  });
}
STARLING_FORTRAN(adcl_request_create_generic_rooted, ADCL_REQUEST_CREATE_GENERIC_ROOTED,
                 (Fint * svec, Fint* rvec, Fint* topo, Fint* fnctset, Fint* root, Fint* req, Fint* ierror)) {
  make<ADCL_Request>(req, ierror, [&](ADCL_Request* made) {
    return ADCL_Request_create_generic_rooted(handle<ADCL_Vector>(svec), handle<ADCL_Vector>(rvec),
                                              handle<ADCL_Topology>(topo), handle<ADCL_Fnctset>(fnctset), *root, made);
  });
}
STARLING_FORTRAN(adcl_request_free, ADCL_REQUEST_FREE, (Fint * req, Fint* ierror)) {
  free_by<ADCL_Request>(req, ierror, ADCL_Request_free);
}
STARLING_FORTRAN(adcl_request_start, ADCL_REQUEST_START, (Fint * req, Fint* ierror)) {
  from::finish(ierror, ADCL_Request_start(handle<ADCL_Request>(req)));
}
STARLING_FORTRAN(adcl_request_init, ADCL_REQUEST_INIT, (Fint * req, Fint* ierror)) {
  from::finish(ierror, ADCL_Request_init(handle<ADCL_Request>(req)));
}
STARLING_FORTRAN(adcl_request_wait, ADCL_REQUEST_WAIT, (Fint * req, Fint* ierror)) {
  from::finish(ierror, ADCL_Request_wait(handle<ADCL_Request>(req)));
}
STARLING_FORTRAN(adcl_request_progress, ADCL_REQUEST_PROGRESS, (Fint * req, Fint* depth, Fint* ierror)) {
  from::finish(ierror, ADCL_Request_progress(handle<ADCL_Request>(req), *depth));
}
STARLING_FORTRAN(adcl_request_start_overlap, ADCL_REQUEST_START_OVERLAP,
                 (Fint * req, Subroutine* mid, Subroutine* end, Subroutine* total, Fint* ierror)) {
  from::finish(ierror, call("ADCL_Request_start_overlap", [&] {
                 require_mpi();
                 const auto request = request_of(req);
                 const auto calling = [&](Subroutine* one) {
                   return [one = or_none(one), req] {
                     if (one != nullptr) one(req);
                   };
                 };
                 const Error error = request->start_overlapped(calling(mid), calling(end), calling(total));
                 if (error != Error::none) throw Fault(error, sentence_of(error, request.get()));
               }));
}
STARLING_FORTRAN(adcl_request_update, ADCL_REQUEST_UPDATE, (Fint * req, double* time, Fint* ierror)) {
  from::finish(ierror, ADCL_Request_update(handle<ADCL_Request>(req), *time));
}
STARLING_FORTRAN(adcl_request_get_comm, ADCL_REQUEST_GET_COMM,
                 (Fint * req, Fint* comm, Fint* rank, Fint* size, Fint* ierror)) {
  MPI_Comm its = starling::handles.comm_null;
  const int code = ADCL_Request_get_comm(handle<ADCL_Request>(req), &its, rank, size);
  if (code == ADCL_SUCCESS) *comm = starling::pmpi.Comm_c2f(its);
  from::finish(ierror, code);
}
STARLING_FORTRAN(adcl_request_get_curr_function, ADCL_REQUEST_GET_CURR_FUNCTION,
                 (Fint * req, char* name, char* attrs_names, Fint* attrs_num, char* value_names, Fint* values,
                  Fint* ierror, std::size_t length, std::size_t length_of_names, std::size_t length_of_value_names)) {
  from::finish(ierror, call("ADCL_Request_get_curr_function", [&] {
                 const auto request = request_of(req);
                 pad(name, length, request->name_of(request->function()));
                 const auto set = request->set().attributes();
                 *attrs_num = set ? static_cast<Fint>(set->attributes.size()) : 0;
                 const std::vector<int> its = request->implementations().values(request->function());
                 for (std::size_t i = 0; i < static_cast<std::size_t>(*attrs_num); ++i) {
                   const Attribute& one = *set->attributes[i];
                   pad(attrs_names + (i * length_of_names), length_of_names, one.name);
                   pad(value_names + (i * length_of_value_names), length_of_value_names,
                       one.value_names[static_cast<std::size_t>(one.place_of(its[i]))]);
                   values[i] = its[i];
                 }
               }));
}
STARLING_FORTRAN(adcl_request_get_winner_stat, ADCL_REQUEST_GET_WINNER_STAT,
                 (Fint * req, double* filtered, double* unfiltered, double* outliers, Fint* ierror)) {
  from::finish(ierror, ADCL_Request_get_winner_stat(handle<ADCL_Request>(req), filtered, unfiltered, outliers));
}
STARLING_FORTRAN(adcl_request_save_status, ADCL_REQUEST_SAVE_STATUS,
                 (Fint * req, Fint* tested, double* unfiltered, double* filtered, double* outliers, Fint* winner,
                  Fint* ierror)) {
  double* columns[3] = {};
  const int code =
      ADCL_Request_save_status(handle<ADCL_Request>(req), tested, &columns[0], &columns[1], &columns[2], winner);
  if (code == ADCL_SUCCESS) {
    double* const into[3] = {unfiltered, filtered, outliers};
    for (std::size_t i = 0; i < 3; ++i) std::copy_n(columns[i], *tested, into[i]);
  }
  for (double* one : columns) std::free(one);
  from::finish(ierror, code);
}
STARLING_FORTRAN(adcl_request_restore_status, ADCL_REQUEST_RESTORE_STATUS,
                 (Fint * req, Fint* tested, double* unfiltered, double* filtered, double* outliers, Fint* ierror)) {
  from::finish(ierror, ADCL_Request_restore_status(handle<ADCL_Request>(req), *tested, unfiltered, filtered, outliers));
}
STARLING_FORTRAN(adcl_request_get_fsname, ADCL_REQUEST_GET_FSNAME,
                 (Fint * req, char* name, Fint* ierror, std::size_t length)) {
  from::finish(ierror, call("ADCL_Request_get_fsname", [&] { pad(name, length, request_of(req)->set().name()); }));
}
STARLING_FORTRAN(adcl_request_get_tndims, ADCL_REQUEST_GET_TNDIMS, (Fint * req, Fint* tndims, Fint* ierror)) {
  from::finish(ierror, ADCL_Request_get_tndims(handle<ADCL_Request>(req), tndims));
}
STARLING_FORTRAN(adcl_request_get_state, ADCL_REQUEST_GET_STATE, (Fint * req, Fint* state, Fint* ierror)) {
  from::finish(ierror, ADCL_Request_get_state(handle<ADCL_Request>(req), state));
}

STARLING_FORTRAN(adcl_timer_create, ADCL_TIMER_CREATE, (Fint * nreq, Fint* reqs, Fint* timer, Fint* ierror)) {
  make<ADCL_Timer>(timer, ierror, [&](ADCL_Timer* made) {
    std::vector<ADCL_Request> all;
    for (int i = 0; i < *nreq; ++i) all.push_back(handle<ADCL_Request>(reqs + i));
    return ADCL_Timer_create(*nreq, all.data(), made);
  });
}
STARLING_FORTRAN(adcl_timer_add_request, ADCL_TIMER_ADD_REQUEST, (Fint * timer, Fint* req, Fint* ierror)) {
  from::finish(ierror, ADCL_Timer_add_request(handle<ADCL_Timer>(timer), handle<ADCL_Request>(req)));
}
STARLING_FORTRAN(adcl_timer_remove_request, ADCL_TIMER_REMOVE_REQUEST, (Fint * timer, Fint* req, Fint* ierror)) {
  from::finish(ierror, ADCL_Timer_remove_request(handle<ADCL_Timer>(timer), handle<ADCL_Request>(req)));
}
STARLING_FORTRAN(adcl_timer_commit, ADCL_TIMER_COMMIT, (Fint * timer, Fint* ierror)) {
  from::finish(ierror, ADCL_Timer_commit(handle<ADCL_Timer>(timer)));
}
STARLING_FORTRAN(adcl_timer_start, ADCL_TIMER_START, (Fint * timer, Fint* ierror)) {
  from::finish(ierror, ADCL_Timer_start(handle<ADCL_Timer>(timer)));
}
STARLING_FORTRAN(adcl_timer_stop, ADCL_TIMER_STOP, (Fint * timer, Fint* ierror)) {
  from::finish(ierror, ADCL_Timer_stop(handle<ADCL_Timer>(timer)));
}
STARLING_FORTRAN(adcl_timer_free, ADCL_TIMER_FREE, (Fint * timer, Fint* ierror)) {
  free_by<ADCL_Timer>(timer, ierror, ADCL_Timer_free);
}

STARLING_FORTRAN(adcl_allreduce_init, ADCL_ALLREDUCE_INIT,
                 (void* sendbuf, void* recvbuf, Fint* count, Fint* type, Fint* op, Fint* comm, Fint* req,
                  Fint* ierror)) {
  make<ADCL_Request>(req, ierror, [&](ADCL_Request* made) {
    return ADCL_Allreduce_init(from::address(sendbuf), from::address(recvbuf), *count, from::datatype(type),
                               from::operation(op), from::communicator(comm), made);
  });
}
STARLING_FORTRAN(adcl_reduce_init, ADCL_REDUCE_INIT,
                 (void* sendbuf, void* recvbuf, Fint* count, Fint* type, Fint* op, Fint* root, Fint* comm, Fint* req,
                  Fint* ierror)) {
  make<ADCL_Request>(req, ierror, [&](ADCL_Request* made) {
    return ADCL_Reduce_init(from::address(sendbuf), from::address(recvbuf), *count, from::datatype(type),
                            from::operation(op), *root, from::communicator(comm), made);
  });
}
STARLING_FORTRAN(adcl_ireduce_init, ADCL_IREDUCE_INIT,
                 (void* sendbuf, void* recvbuf, Fint* count, Fint* type, Fint* op, Fint* root, Fint* comm, Fint* req,
                  Fint* ierror)) {
  make<ADCL_Request>(req, ierror, [&](ADCL_Request* made) {
    return ADCL_Ireduce_init(from::address(sendbuf), from::address(recvbuf), *count, from::datatype(type),
                             from::operation(op), *root, from::communicator(comm), made);
  });
}
STARLING_FORTRAN(adcl_alltoall_init, ADCL_ALLTOALL_INIT,
                 (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcount, Fint* recvtype,
                  Fint* comm, Fint* req, Fint* ierror)) {
  make<ADCL_Request>(req, ierror, [&](ADCL_Request* made) {
    return ADCL_Alltoall_init(from::address(sendbuf), *sendcount, from::datatype(sendtype), from::address(recvbuf),
                              *recvcount, from::datatype(recvtype), from::communicator(comm), made);
  });
}
STARLING_FORTRAN(adcl_ialltoall_init, ADCL_IALLTOALL_INIT,
                 (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcount, Fint* recvtype,
                  Fint* comm, Fint* req, Fint* ierror)) {
  make<ADCL_Request>(req, ierror, [&](ADCL_Request* made) {
    return ADCL_Ialltoall_init(from::address(sendbuf), *sendcount, from::datatype(sendtype), from::address(recvbuf),
                               *recvcount, from::datatype(recvtype), from::communicator(comm), made);
  });
}
STARLING_FORTRAN(adcl_iallgather_init, ADCL_IALLGATHER_INIT,
                 (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcount, Fint* recvtype,
                  Fint* comm, Fint* req, Fint* ierror)) {
  make<ADCL_Request>(req, ierror, [&](ADCL_Request* made) {
    return ADCL_Iallgather_init(from::address(sendbuf), *sendcount, from::datatype(sendtype), from::address(recvbuf),
                                *recvcount, from::datatype(recvtype), from::communicator(comm), made);
  });
}
STARLING_FORTRAN(adcl_alltoallv_init, ADCL_ALLTOALLV_INIT,
                 (void* sendbuf, Fint* sendcounts, Fint* sdispls, Fint* sendtype, void* recvbuf, Fint* recvcounts,
                  Fint* rdispls, Fint* recvtype, Fint* comm, Fint* req, Fint* ierror)) {
  make<ADCL_Request>(req, ierror, [&](ADCL_Request* made) {
    return ADCL_Alltoallv_init(from::address(sendbuf), sendcounts, sdispls, from::datatype(sendtype),
                               from::address(recvbuf), recvcounts, rdispls, from::datatype(recvtype),
                               from::communicator(comm), made);
  });
}
STARLING_FORTRAN(adcl_allgatherv_init, ADCL_ALLGATHERV_INIT,
                 (void* sendbuf, Fint* sendcount, Fint* sendtype, void* recvbuf, Fint* recvcounts, Fint* displs,
                  Fint* recvtype, Fint* comm, Fint* req, Fint* ierror)) {
  make<ADCL_Request>(req, ierror, [&](ADCL_Request* made) {
    return ADCL_Allgatherv_init(from::address(sendbuf), *sendcount, from::datatype(sendtype), from::address(recvbuf),
                                recvcounts, displs, from::datatype(recvtype), from::communicator(comm), made);
  });
}
STARLING_FORTRAN(adcl_ibcast_init, ADCL_IBCAST_INIT,
                 (void* buffer, Fint* count, Fint* type, Fint* root, Fint* comm, Fint* req, Fint* ierror)) {
  make<ADCL_Request>(req, ierror, [&](ADCL_Request* made) {
    return ADCL_Ibcast_init(from::address(buffer), *count, from::datatype(type), *root, from::communicator(comm), made);
  });
}
}
#pragma GCC visibility pop
