#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/mpi/control_variables.hpp"
#include "ways/selected.hpp"

namespace starling {

/// Before MPI_Init: asks the MPI library to let its algorithms be selected later, where it has to know so early.
void prepare_library_selection();

/// The algorithms of the MPI library that this process can select, found by its control variables. `is_serialized`:
/// one thread at a time calls MPI, on every rank.
LibraryAlgorithms find_library_algorithms(bool is_serialized);

/// Values for control variables. They are set while a Switch lives.
class Selection {
 public:
  /// Nothing if the library lacks a variable.
  static std::optional<Selection> of(const std::vector<ControlSetting>& settings);

  /// Sets the values, and the former ones at its end. Only one thread may call MPI meanwhile.
  class Switch {
   public:
    explicit Switch(Selection& selection) : selection_(selection) {
      for (Value& one : selection.values_) {
        one.usual = one.variable->read();
        static_cast<void>(one.variable->write(one.wanted));
      }
    }
    ~Switch() {
      for (const Value& one : selection_.values_) static_cast<void>(one.variable->write(one.usual));
    }
    Switch(const Switch&) = delete;
    Switch& operator=(const Switch&) = delete;
    Switch(Switch&&) = delete;
    Switch& operator=(Switch&&) = delete;

   private:
    Selection& selection_;
  };

 private:
  struct Value {
    std::shared_ptr<const ControlVariable> variable;
    int wanted;
    int usual = 0;  ///< what the user or the library had set when it was switched
  };

  std::vector<Value> values_;
};

/// The settings of all algorithms that share a communicator, and the component that it prefers.
struct SelectionOfCommunicator {
  std::vector<ControlSetting> settings;
  std::string component;
};
SelectionOfCommunicator selection_of_communicator(int communicator);

}  // namespace starling
