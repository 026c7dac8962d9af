// The functions of include/starling/patterns.h.

#include <starling/patterns.h>

#include <string>
#include <vector>

#include "patterns/calls.hpp"
#include "patterns/creation.hpp"
#include "runtime/mpi/features.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling::patterns {
namespace {

std::string& detail() {
  STARLING_OF_THREAD std::string of_thread;
  return of_thread;
}

/// Carries out a call, and returns its code.
template <typename Body>
int native(Body&& body) {
  const Error error = attempt(std::forward<Body>(body), detail());
  return error == Error::none ? STARLING_SUCCESS : native_code(error);
}

/// A handle's fault has one code here, whatever the noun.
template <typename Object, typename Pointer>
std::shared_ptr<Object> given(Pointer handle) {
  try {
    if constexpr (std::is_same_v<Object, FunctionSet>) return owned_set(as_handle(handle));
    return owned<Object>(as_handle(handle));
  } catch (const Fault& fault) {
    throw Fault(Error::handle, fault.what());
  }
}

template <typename Object, typename Pointer>
std::shared_ptr<Object> given_or_none(Pointer handle) {
  return handle == nullptr ? nullptr : given<Object>(handle);
}

template <typename Object, typename Pointer>
int freed(Pointer* handle) {
  return native([&] {
    given<Object>(at(handle, "the handle"));
    if constexpr (std::is_same_v<Object, Topology>) require_mpi();  // its communicators are freed with it
    Handles<Object>::all().remove(as_handle(*handle));
    *handle = nullptr;
  });
}

template <typename Pointer, typename Object>
void give(Pointer* made, std::shared_ptr<Object> object) {
  at(made, "the new handle") = as_pointer<Pointer>(Handles<Object>::all().add(std::move(object)));
}

template <typename Value>
std::vector<Value> list(int count, const Value* values, const char* what) {
  if (count < 0) throw Fault(Error::argument, std::string("the number of ") + what + " is negative");
  if (count > 0 && values == nullptr) throw Fault(Error::argument, std::string("the address of ") + what + " is null");
  return count == 0 ? std::vector<Value>() : std::vector<Value>(values, values + count);
}

std::string text_or(const char* text, std::string_view otherwise) {
  return as_name(text == nullptr ? std::string_view() : std::string_view(text), otherwise);
}

template <int number>
int run(Handle request, const Function::Work& work) {
  return reinterpret_cast<starling_work*>(work.functions[number])(as_pointer<starling_request>(request), work.context);
}

Function::Work work_of(starling_work* begin, starling_work* progress, starling_work* finish, void* context) {
  Function::Work work{.context = context};
  work.functions[0] = reinterpret_cast<void (*)()>(begin);
  work.functions[1] = reinterpret_cast<void (*)()>(progress);
  work.functions[2] = reinterpret_cast<void (*)()>(finish);
  if (begin != nullptr) work.begin = run<0>;
  if (progress != nullptr) work.progress = run<1>;
  if (finish != nullptr) work.finish = run<2>;
  return work;
}

int make_function(const char* name, const Function::Work& work, starling_attribute_set set, const int* values,
                  starling_function* made) {
  return native([&] {
    Function function{.name = text_or(name, ""), .work = work};
    if (set != nullptr) {
      function.attributes = given<AttributeSet>(set);
      function.values = list(static_cast<int>(function.attributes->attributes.size()), values, "attribute values");
    }
    give(made, checked(std::move(function)));
  });
}

Vector::Shape shape_of(int dimensions, const int* extents, int values, starling_map map, MPI_Datatype type, int order) {
  require_mpi();
  if (order != STARLING_ORDER_C && order != STARLING_ORDER_FORTRAN)
    throw Fault(Error::argument, "the order is neither STARLING_ORDER_C nor STARLING_ORDER_FORTRAN");
  Vector::Shape shape{.values = values,
                      .map = given<Map>(map),
                      .type = type,
                      .order = order == STARLING_ORDER_C ? Order::c : Order::fortran};
  if (shape.map->kind != Map::Kind::in_place) shape.extents = checked_extents(dimensions, extents);
  return shape;
}

int make_map(Map map, starling_map* made) {
  return native([&] { give(made, std::make_shared<Map>(std::move(map))); });
}

/// Runs one of the calls that a program repeats.
template <typename Call>
int repeated(starling_request handle, Call call) {
  Request* const request = Handles<Request>::all().find(as_handle(handle));
  const Error error = request == nullptr ? Error::handle : has_mpi() ? call(*request) : Error::inactive;
  if (error == Error::none) return STARLING_SUCCESS;
  detail() = request == nullptr ? std::string(handle == nullptr ? "the request is null" : "the request is freed")
                                : sentence_of(error, request);
  return native_code(error);
}

}  // namespace
}  // namespace starling::patterns

#pragma GCC visibility push(default)
extern "C" {

using namespace starling::patterns;

const char* starling_error_text(int code) {
  return text_of_code(code);
}

const char* starling_error_detail() {
  return detail().c_str();
}

int starling_topology_cartesian(MPI_Comm cartesian, int corners, starling_topology* made) {
  return native([&] {
    require_mpi();
    give(made, Topology::cartesian(cartesian, corners != 0));
  });
}

int starling_topology_grid(int dimensions, const int* left, const int* right, const int* coordinates, MPI_Comm comm,
                           starling_topology* made) {
  return native([&] {
    require_mpi();
    if (dimensions < 0) throw Fault(Error::dimensions, "the number of dimensions is negative");
    const std::vector<int> lefts = list(dimensions, left, "left neighbours");
    const std::vector<int> rights = list(dimensions, right, "right neighbours");
    std::vector<Sides> sides;
    for (std::size_t i = 0; i < lefts.size(); ++i) sides.push_back({lefts[i], rights[i]});
    std::vector<int> place;
    if (coordinates != nullptr) place.assign(coordinates, coordinates + dimensions);
    give(made, Topology::grid(std::move(sides), std::move(place), Direction::both, false, comm));
  });
}

int starling_topology_graph(MPI_Comm graph, starling_topology* made) {
  return native([&] {
    require_mpi();
    give(made, Topology::graph(graph));
  });
}

int starling_topology_neighbours(starling_topology topology, int* sources, const int** source, int* targets,
                                 const int** target) {
  return native([&] {
    const auto known = given<Topology>(topology);
    if (sources != nullptr) *sources = static_cast<int>(known->sources().size());
    if (source != nullptr) *source = known->sources().data();
    if (targets != nullptr) *targets = static_cast<int>(known->targets().size());
    if (target != nullptr) *target = known->targets().data();
  });
}

int starling_topology_free(starling_topology* topology) {
  return freed<Topology>(topology);
}

int starling_map_halo(int width, starling_map* made) {
  if (width < 0) return native([] { throw Fault(Error::halo, "the width of the halo is negative"); });
  return make_map({.kind = Map::Kind::halo, .halo = width}, made);
}

int starling_map_all(starling_map* made) {
  return make_map({.kind = Map::Kind::all}, made);
}

int starling_map_list(int ranks, const int* counts, const int* displacements, starling_map* made) {
  return native([&] {
    give(made, std::make_shared<Map>(Map{.kind = Map::Kind::list,
                                         .counts = list(ranks, counts, "counts"),
                                         .displacements = list(ranks, displacements, "displacements")}));
  });
}

int starling_map_counts(int send, int receive, starling_map* made) {
  if (send < 0 || receive < 0) return native([] { throw Fault(Error::argument, "a number of elements is negative"); });
  return make_map({.kind = Map::Kind::counts, .send = send, .receive = receive}, made);
}

int starling_map_operator(MPI_Op op, starling_map* made) {
  if (starling::pmpi.Comm_rank != nullptr && op == starling::handles.op_null)
    return native([] { throw Fault(Error::op, "the operator is MPI_OP_NULL"); });
  return make_map({.kind = Map::Kind::reduced, .op = op}, made);
}

int starling_map_in_place(starling_map* made) {
  return make_map({.kind = Map::Kind::in_place}, made);
}

int starling_map_free(starling_map* map) {
  return freed<Map>(map);
}

int starling_vector_register(int dimensions, const int* extents, int values, starling_map map, MPI_Datatype type,
                             int order, void* data, starling_vector* made) {
  return native([&] { give(made, Vector::on(shape_of(dimensions, extents, values, map, type, order), data)); });
}

int starling_vector_allocate(int dimensions, const int* extents, int values, starling_map map, MPI_Datatype type,
                             int order, void** data, starling_vector* made) {
  return native([&] {
    auto vector = Vector::allocated(shape_of(dimensions, extents, values, map, type, order));
    at(data, "the data's address") = vector->data();
    give(made, std::move(vector));
  });
}

int starling_vector_free(starling_vector* vector) {
  return freed<Vector>(vector);
}

int starling_attribute_create(const char* name, int count, const int* values, const char* const* value_names,
                              starling_attribute* made) {
  return native([&] {
    std::vector<std::string> names;
    if (value_names != nullptr) names.assign(value_names, value_names + std::max(count, 0));
    give(made,
         std::make_shared<Attribute>(name == nullptr ? "" : name, list(count, values, "values"), std::move(names)));
  });
}

int starling_attribute_free(starling_attribute* attribute) {
  return freed<Attribute>(attribute);
}

int starling_attribute_set_create(int count, const starling_attribute* attributes, starling_attribute_set* made) {
  return native([&] {
    auto set = std::make_shared<AttributeSet>();
    for (const starling_attribute one : list(count, attributes, "attributes"))
      set->attributes.push_back(given<Attribute>(one));
    if (set->attributes.empty()) throw Fault(Error::argument, "an attribute set has at least one attribute");
    give(made, std::move(set));
  });
}

int starling_attribute_set_free(starling_attribute_set* set) {
  return freed<AttributeSet>(set);
}

int starling_function_create(const char* name, starling_work* work, void* context, starling_attribute_set set,
                             const int* values, starling_function* made) {
  return make_function(name, work_of(work, nullptr, nullptr, context), set, values, made);
}

int starling_function_split(const char* name, starling_work* begin, starling_work* progress, starling_work* finish,
                            void* context, starling_attribute_set set, const int* values, starling_function* made) {
  return make_function(name, work_of(begin, progress, finish, context), set, values, made);
}

int starling_function_free(starling_function* function) {
  return freed<const Function>(function);
}

int starling_function_set_create(const char* name, int count, const starling_function* functions,
                                 starling_function_set* made) {
  return native([&] {
    std::vector<std::shared_ptr<const Function>> all;
    for (const starling_function one : list(count, functions, "functions")) all.push_back(given<const Function>(one));
    give(made, set_of(text_or(name, "pattern"), std::move(all)));
  });
}

int starling_function_set_combinations(const char* name, starling_work* begin, starling_work* finish, void* context,
                                       starling_attribute_set set, int excluded_count, const int* const* excluded,
                                       starling_function_set* made) {
  return native([&] {
    give(made, set_of_combinations(text_or(name, "pattern"), work_of(begin, nullptr, finish, context),
                                   given<AttributeSet>(set), list(excluded_count, excluded, "excluded combinations")));
  });
}

int starling_function_set_predefined(const char* name, starling_function_set* made) {
  return native([&] {
    const int number = number_of_predefined(at(name, "the name") == '\0' ? std::string_view() : std::string_view(name));
    if (number < 0)
      throw Fault(Error::argument,
                  "there is no function set '" + std::string(name) +
                      "'; there are neighborhood, shift_ltor, shift_rtol, and collectives like allreduce");
    at(made, "the new handle") = as_pointer<starling_function_set>(predefined_set(number));
  });
}

int starling_function_set_free(starling_function_set* set) {
  return native([&] {
    at(set, "the handle");
    if (given<FunctionSet>(*set)->is_predefined())
      throw Fault(Error::handle, "the function set is one of the library's, which is not freed");
    Handles<FunctionSet>::all().remove(as_handle(*set));
    *set = nullptr;
  });
}

int starling_request_create(starling_function_set set, starling_topology topology, starling_vector send,
                            starling_vector receive, int root, const char* strategy, starling_request* made) {
  return native([&] {
    require_mpi();
    at(made, "the new handle");
    const auto on = topology == nullptr ? Topology::plain(starling::handles.comm_world) : given<Topology>(topology);
    *made = as_pointer<starling_request>(keep(make_request(prepared_on_all(*on, [&] {
      return prepare(given<FunctionSet>(set),
                     {.topology = on,
                      .send = given_or_none<Vector>(send),
                      .receive = given_or_none<Vector>(receive),
                      .root = root},
                     strategy == nullptr ? "" : strategy);
    }))));
  });
}

int starling_request_start(starling_request request) {
  return repeated(request, [](Request& one) { return one.start(); });
}

int starling_request_init(starling_request request) {
  return repeated(request, [](Request& one) { return one.init(); });
}

int starling_request_wait(starling_request request) {
  return repeated(request, [](Request& one) { return one.wait(); });
}

int starling_request_progress(starling_request request, int* complete) {
  return repeated(request, [&](Request& one) {
    bool ended = true;
    const Error error = one.progress(ended);
    if (complete != nullptr) *complete = ended ? 1 : 0;
    return error;
  });
}

int starling_request_free(starling_request* request) {
  return native([&] {
    const auto one = given<Request>(at(request, "the handle"));
    if (!one->is_idle()) throw Fault(Error::state, "the request is in flight; wait for it, then free it");
    require_mpi();
    Handles<Request>::all().remove(as_handle(*request));
    *request = nullptr;
  });
}

int starling_request_function(starling_request request, const char** name) {
  return native([&] {
    const auto one = given<Request>(request);
    at(name, "the name") = one->name_of(one->function()).c_str();
  });
}

int starling_request_attribute(starling_request request, const char* attribute, int* value) {
  return native([&] {
    const auto one = given<Request>(request);
    at(attribute, "the attribute");
    const auto attributes = one->set().attributes();
    const int place = attributes ? attributes->place_of(attribute) : -1;
    if (place < 0)
      throw Fault(Error::attribute, "the functions of " + one->set().name() + " have no attribute '" + attribute + "'");
    at(value, "the value") = one->implementations().values(one->function())[static_cast<std::size_t>(place)];
  });
}

int starling_request_communicator(starling_request request, MPI_Comm* comm, int* rank, int* ranks) {
  return native([&] {
    const auto one = given<Request>(request);
    const Topology& topology = *one->data().topology;
    if (comm != nullptr) *comm = topology.comm();
    if (rank != nullptr) *rank = topology.rank();
    if (ranks != nullptr) *ranks = topology.ranks();
  });
}

int starling_request_data(starling_request request, void** send, void** receive) {
  return native([&] {
    const auto one = given<Request>(request);
    const Data& data = one->data();
    if (send != nullptr) *send = data.send ? data.send->data() : nullptr;
    if (receive != nullptr) *receive = data.receive ? data.receive->data() : nullptr;
  });
}

int starling_request_exploring(starling_request request, int* exploring) {
  return native([&] { at(exploring, "the answer") = given<Request>(request)->decider().exploring() ? 1 : 0; });
}

int starling_request_winner(starling_request request, const char** name) {
  return native([&] {
    const auto one = given<Request>(request);
    const auto winner = one->decider().winner();
    if (!winner) throw Fault(Error::undecided, "functions are still tried; ask again after more starts");
    at(name, "the name") = one->name_of(*winner).c_str();
  });
}

int starling_request_figures(starling_request request, const char* function, double* mean, double* filtered,
                             int* outliers) {
  return native([&] {
    const auto one = given<Request>(request);
    const auto& functions = one->decider().functions();
    at(function, "the function's name");
    const auto found =
        std::find_if(functions.begin(), functions.end(), [&](const auto& it) { return it.name == function; });
    if (found == functions.end())
      throw Fault(Error::function, one->set().name() + " has no function '" + function + "'");
    const auto& figures = one->decider().figures(static_cast<int>(found - functions.begin()));
    if (!figures) throw Fault(Error::undecided, "the ranks have not agreed on the function's time yet");
    if (mean != nullptr) *mean = figures->mean;
    if (filtered != nullptr) *filtered = figures->filtered;
    if (outliers != nullptr) *outliers = static_cast<int>(figures->outliers);
  });
}

int starling_request_update(starling_request request, double seconds) {
  return repeated(request, [&](Request& one) { return one.update(seconds); });
}

int starling_timer_create(int count, const starling_request* requests, starling_timer* made) {
  return native([&] {
    auto timer = std::make_shared<Timer>();
    for (const starling_request one : list(count, requests, "requests")) timer->add(given<Request>(one));
    give(made, std::move(timer));
  });
}

int starling_timer_add(starling_timer timer, starling_request request) {
  return native([&] { given<Timer>(timer)->add(given<Request>(request)); });
}

int starling_timer_remove(starling_timer timer, starling_request request) {
  return native([&] {
    const auto one = given<Timer>(timer);
    const auto its = given<Request>(request);
    if (one->is_running()) throw Fault(Error::timer, "the timer runs; remove requests after its stop");
    if (its->timer() != one.get()) throw Fault(Error::request, "the request is not one of the timer's");
    one->remove(*its);
  });
}

int starling_timer_start(starling_timer timer) {
  return native([&] {
    const Error error = given<Timer>(timer)->start();
    if (error != Error::none) throw Fault(error, sentence_of(error, nullptr));
  });
}

int starling_timer_stop(starling_timer timer) {
  return native([&] {
    const Error error = given<Timer>(timer)->stop();
    if (error != Error::none) throw Fault(error, sentence_of(error, nullptr));
  });
}

int starling_timer_free(starling_timer* timer) {
  return freed<Timer>(timer);
}
}
#pragma GCC visibility pop
