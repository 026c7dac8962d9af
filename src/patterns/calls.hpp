#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "patterns/fault.hpp"
#include "patterns/handles.hpp"
#include "patterns/request.hpp"

/// What the C interfaces share: handles as addresses, and faults as codes.
namespace starling::patterns {

template <typename Pointer>
Pointer as_pointer(Handle handle) {
  return reinterpret_cast<Pointer>(static_cast<std::intptr_t>(handle));
}

/// The handle that an address stands for; 0 for any other address.
template <typename Pointer>
Handle as_handle(Pointer pointer) {
  const auto number = reinterpret_cast<std::uintptr_t>(pointer);
  return number <= static_cast<std::uintptr_t>(INT32_MAX) ? static_cast<Handle>(number) : 0;
}

/// Whether MPI may be called: not before MPI_Init, and not after MPI_Finalize, which ends a program where a call
/// follows.
bool has_mpi();

/// Throws a Fault where MPI is not there: handles and functions of it are needed.
void require_mpi();

template <typename Value>
Value& at(Value* address, const char* what) {
  if (address == nullptr) throw Fault(Error::argument, std::string("the address of ") + what + " is null");
  return *address;
}

/// Runs a call of the program's. Returns the fault that ended it, with its sentence in `sentence`.
template <typename Body>
Error attempt(Body&& body, std::string& sentence) {
  try {
    if constexpr (std::is_same_v<std::invoke_result_t<Body>, Error>) {
      return body();
    } else {
      body();
      return Error::none;
    }
  } catch (const Fault& fault) {
    sentence = fault.what();
    return fault.error;
  } catch (const std::bad_alloc&) {
    sentence = "there is no memory left";
    return Error::memory;
  } catch (const std::exception& error) {
    sentence = error.what();
    return Error::mpi;
  }
}

/// What is wrong where a call only returns an Error.
std::string sentence_of(Error error, const Request* request);

}  // namespace starling::patterns
