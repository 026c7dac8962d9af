#include "patterns/fault.hpp"

#include <starling/ADCL.h>
#include <starling/patterns.h>

#include <algorithm>
#include <array>

namespace starling::patterns {
namespace {

struct Row {
  Error error;
  int native;
  int adcl;
};

constexpr auto rows = std::to_array<Row>({
    {Error::none, STARLING_SUCCESS, ADCL_SUCCESS},
    {Error::argument, STARLING_ERROR_ARGUMENT, ADCL_INVALID_ARG},
    {Error::handle, STARLING_ERROR_HANDLE, ADCL_INVALID_ARG},
    {Error::dimensions, STARLING_ERROR_DIMENSIONS, ADCL_INVALID_NDIMS},
    {Error::extents, STARLING_ERROR_DIMENSIONS, ADCL_INVALID_DIMS},
    {Error::halo, STARLING_ERROR_HALO, ADCL_INVALID_HWIDTH},
    {Error::values, STARLING_ERROR_DIMENSIONS, ADCL_INVALID_NC},
    {Error::datatype, STARLING_ERROR_DATATYPE, ADCL_INVALID_DAT},
    {Error::data, STARLING_ERROR_ARGUMENT, ADCL_INVALID_DATA},
    {Error::communicator, STARLING_ERROR_COMMUNICATOR, ADCL_INVALID_COMM},
    {Error::topology, STARLING_ERROR_TOPOLOGY, ADCL_INVALID_TOPOLOGY},
    {Error::attribute, STARLING_ERROR_ATTRIBUTE, ADCL_INVALID_ATTRIBUTE},
    {Error::attribute_set, STARLING_ERROR_ATTRIBUTE, ADCL_INVALID_ATTRSET},
    {Error::function, STARLING_ERROR_FUNCTION, ADCL_INVALID_FUNCTION},
    {Error::work, STARLING_ERROR_FUNCTION, ADCL_INVALID_WORK_FUNCTION_PTR},
    {Error::function_set, STARLING_ERROR_FUNCTION, ADCL_INVALID_FNCTSET},
    {Error::vector, STARLING_ERROR_VECTOR, ADCL_INVALID_VECTOR},
    {Error::direction, STARLING_ERROR_ARGUMENT, ADCL_INVALID_DIRECTION},
    {Error::map, STARLING_ERROR_VECTOR, ADCL_INVALID_VMAP},
    {Error::op, STARLING_ERROR_ARGUMENT, ADCL_INVALID_OP},
    {Error::request, STARLING_ERROR_STATE, ADCL_INVALID_REQUEST},
    {Error::timer, STARLING_ERROR_STATE, ADCL_INVALID_TIMER},
    {Error::state, STARLING_ERROR_STATE, ADCL_INVALID_REQUEST},
    {Error::strategy, STARLING_ERROR_STRATEGY, ADCL_INVALID_EMETHOD},
    {Error::failed, STARLING_ERROR_FAILED, ADCL_USER_ERROR},
    {Error::mpi, STARLING_ERROR_MPI, ADCL_ERROR_INTERNAL},
    {Error::memory, STARLING_ERROR_MEMORY, ADCL_NO_MEMORY},
    {Error::undecided, STARLING_ERROR_UNDECIDED, ADCL_UNDEFINED},
    {Error::inactive, STARLING_ERROR_INACTIVE, ADCL_ERROR_INTERNAL},
});

constexpr bool is_complete() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].error != static_cast<Error>(i)) return false;
  return rows.back().error == Error::inactive;
}
static_assert(is_complete());

constexpr std::array<const char*, STARLING_ERROR_INACTIVE + 1> texts{
    "success",
    "an argument is null or out of range",
    "a handle is freed, null or of another kind",
    "a number of dimensions or an extent cannot be, or does not fit",
    "a halo is negative, or wider than the block that it surrounds",
    "a datatype is null or not predefined",
    "a communicator is null, or has not the topology that is asked for",
    "a topology does not fit",
    "an attribute does not have such a value, or functions of one set have equal values or different attribute sets",
    "a function is missing",
    "a vector does not fit the function set",
    "the call is out of order",
    "there is no such strategy",
    "the function of the set failed on this rank",
    "the MPI library returned an error",
    "there is no memory left",
    "the request has no winner yet",
    "Starling is not active: it is before MPI_Init or after MPI_Finalize, or the MPI library is another one",
};

}  // namespace

int native_code(Error error) {
  return rows[static_cast<std::size_t>(error)].native;
}

int adcl_code(Error error) {
  return rows[static_cast<std::size_t>(error)].adcl;
}

const char* text_of_code(int code) {
  return code >= 0 && code < static_cast<int>(texts.size()) ? texts[static_cast<std::size_t>(code)]
                                                            : "there is no such code";
}

}  // namespace starling::patterns
