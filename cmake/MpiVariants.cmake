# The library, one for each ABI of MPI whose header is found: libstarling-openmpi.so, libstarling-mpich.so,
# libstarling-abi.so (the standard ABI of MPI 5). Headers only: nothing here links to an MPI library. For SimGrid's SMPI,
# where ranks share a process and each has its own copy of the program's variables, the same as an archive that is linked
# into the program: libstarling-smpi.a.
#
# Preloaded is libstarling.so, which needs no MPI's header: at the first call of MPI it opens the one beside it that the
# program's MPI needs.
#
#   starling_mpi_variants()             makes the targets starling, starling-openmpi, starling-mpich, starling-abi and
#                                       starling-smpi
#   starling_install_variants(FOLDER)   installs those that were made; starling_variants has their names

enable_language(ASM)
set(starling_bindings ${CMAKE_CURRENT_SOURCE_DIR}/src/bindings)

# Compiler wrappers, best first: STARLING_MPICC, or what PATH, the Python environment and the usual places have.
function(starling_find_wrappers out)
  if(STARLING_MPICC)
    set(${out} ${STARLING_MPICC} PARENT_SCOPE)
    return()
  endif()
  get_filename_component(python_folder ${Python3_EXECUTABLE} DIRECTORY)
  set(folders ${python_folder} $ENV{VIRTUAL_ENV}/bin $ENV{MPI_HOME}/bin $ENV{I_MPI_ROOT}/bin)
  string(REPLACE ":" ";" path "$ENV{PATH}")
  list(APPEND folders ${path} /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/bin /usr/lib64/openmpi/bin
       /usr/lib64/mpich/bin)
  list(TRANSFORM folders REPLACE "^/bin$" "/usr/bin")
  list(REMOVE_DUPLICATES folders)
  set(wrappers "")
  set(names mpicc mpicc.openmpi mpicc.mpich mpicc_abi)
  if(STARLING_SIMULATOR)
    list(APPEND names smpicc)
  endif()
  foreach(folder IN LISTS folders)
    foreach(name IN LISTS names)
      if(EXISTS ${folder}/${name} AND NOT IS_DIRECTORY ${folder}/${name})
        list(APPEND wrappers ${folder}/${name})
      endif()
    endforeach()
  endforeach()
  set(${out} ${wrappers} PARENT_SCOPE)
endfunction()

# Where a wrapper finds mpi.h: its include folders, or the one beside its own folder if those do not exist.
function(starling_wrapper_includes wrapper out)
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE line ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(line "")
  endif()
  separate_arguments(words UNIX_COMMAND "${line}")
  set(includes "")
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      if(IS_DIRECTORY "${CMAKE_MATCH_1}")
        list(APPEND includes ${CMAKE_MATCH_1})
      endif()
    endif()
  endforeach()
  if(NOT includes)
    get_filename_component(folder ${wrapper} DIRECTORY)
    get_filename_component(folder ${folder} DIRECTORY)
    if(EXISTS ${folder}/include/mpi.h)
      set(includes ${folder}/include)
    endif()
  endif()
  set(${out} "${includes}" PARENT_SCOPE)
endfunction()

# What an mpi.h says of itself: its ABI, and its version (of the standard, then of the library); empty if there is none.
function(starling_probe_header includes definition abi version)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/probe_mpi.cpp [[
#include <mpi.h>
#if defined(OPEN_MPI)
starling_probe openmpi MPI_VERSION.MPI_SUBVERSION OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION
#elif defined(MPI_ABI_VERSION)
starling_probe abi MPI_VERSION.MPI_SUBVERSION MPI_ABI_VERSION.MPI_ABI_SUBVERSION
#elif defined(MPICH_NUMVERSION)
starling_probe mpich MPI_VERSION.MPI_SUBVERSION MPICH_NUMVERSION
#elif defined(SMPI_H)
starling_probe smpi MPI_VERSION.MPI_SUBVERSION
#endif
]])
  list(TRANSFORM includes PREPEND -I OUTPUT_VARIABLE flags)
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -E -P ${definition} ${flags} ${starling_no_cxx_bindings}
            ${CMAKE_CURRENT_BINARY_DIR}/probe_mpi.cpp
    OUTPUT_VARIABLE text ERROR_QUIET)
  set(${abi} "" PARENT_SCOPE)
  if(text MATCHES "starling_probe ([a-z]+) ([0-9 .]+)")
    set(${abi} ${CMAKE_MATCH_1} PARENT_SCOPE)
    string(REGEX REPLACE "[ .]+" "." numbers "${CMAKE_MATCH_2}")
    set(${version} ${numbers} PARENT_SCOPE)
  endif()
endfunction()

# Writes the entry points of a build into a folder of its target's.
function(starling_entry_points target abi)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${target}/generated)
  list(TRANSFORM ARGN PREPEND ${generated}/ OUTPUT_VARIABLE files)
  add_custom_command(
    OUTPUT ${files}
    COMMAND ${Python3_EXECUTABLE} ${starling_bindings}/generate.py --abi ${abi} ${generated}
    DEPENDS ${starling_bindings}/generate.py ${starling_bindings}/templates.toml
            ${starling_bindings}/prototypes.toml
    COMMENT "Generating the MPI entry points of ${target}"
    VERBATIM)
  set(starling_generated ${files} PARENT_SCOPE)
endfunction()

# What a library that is loaded into any program exports and brings along.
function(starling_shared target)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,-z,defs -Wl,-z,now -Wl,--gc-sections
                      -Wl,--exclude-libs,ALL -Wl,--version-script=${starling_bindings}/exports.map)
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${starling_bindings}/exports.map)
  target_link_libraries(${target} PRIVATE starling_warnings ${CMAKE_DL_LIBS} Threads::Threads)
endfunction()

# The library that chooses among the variants.
function(starling_chooser)
  starling_entry_points(starling any names.cpp symbols.inc)
  file(GLOB sources CONFIGURE_DEPENDS src/chooser/*.cpp)
  add_library(starling SHARED ${sources} src/runtime/mpi/loaded.cpp src/bindings/notices.cpp src/messages/told.cpp
              src/messages/utf8.cpp src/knowledge/explained.cpp ${starling_bindings}/trampolines.S ${starling_generated})
  target_include_directories(starling PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/starling)
  target_link_libraries(starling PRIVATE starling_usage)
  # Most processes that it is loaded into call no MPI.
  target_compile_options(starling PRIVATE -ffunction-sections -fdata-sections)
  starling_shared(starling)
endfunction()

# One variant, from the headers in `includes`.
function(starling_variant abi includes definition)
  set(target starling-${abi})
  starling_entry_points(${target} ${abi} operations.hpp entries.cpp symbols.inc)
  file(GLOB sources CONFIGURE_DEPENDS src/runtime/*/*.cpp src/runtime/*/*/*.cpp src/bindings/*.cpp src/patterns/*.cpp)
  # Each of these has the same helpers for handles of its own language.
  set_source_files_properties(src/patterns/adcl_fortran.cpp src/patterns/adcl_interface.cpp src/patterns/c_interface.cpp
                              src/patterns/fortran_interface.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(objects ${sources} ${starling_bindings}/trampolines.S ${starling_generated})
  if(abi STREQUAL "smpi")
    # With the core in it: one file to link.
    add_library(${target} STATIC ${objects} $<TARGET_OBJECTS:starling_core> ${schedule_objects})
  else()
    add_library(${target} SHARED ${objects})
    target_compile_options(${target} PRIVATE -ftls-model=initial-exec)
    starling_shared(${target})
  endif()
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${target})
  target_include_directories(${target} SYSTEM PRIVATE ${includes})
  string(REPLACE "abi" "standard" enumerator ${abi})
  target_compile_definitions(${target} PRIVATE STARLING_ABI=${enumerator})
  target_compile_options(${target} PRIVATE ${definition} ${starling_no_cxx_bindings})
  target_link_libraries(${target} PRIVATE starling_core starling_warnings ${CMAKE_DL_LIBS} Threads::Threads)
  starling_unity(${target})
endfunction()

function(starling_mpi_variants)
  find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter)
  find_package(Threads REQUIRED)
  set(starling_no_cxx_bindings -DOMPI_SKIP_MPICXX=1 -DMPICH_SKIP_MPICXX=1)
  starling_find_wrappers(wrappers)
  foreach(wrapper IN LISTS wrappers)
    starling_wrapper_includes(${wrapper} includes)
    # The mpi.h of MPICH 5 and Intel serves two ABIs.
    foreach(definition "" -DMPI_ABI)
      starling_probe_header("${includes}" "${definition}" abi version)
      if(abi AND (NOT DEFINED best_${abi} OR version VERSION_GREATER best_${abi}))
        set(best_${abi} ${version})
        set(includes_${abi} "${includes}")
        set(definition_${abi} "${definition}")
        set(wrapper_${abi} ${wrapper})
      endif()
    endforeach()
  endforeach()
  set(variants "")
  foreach(abi openmpi mpich abi smpi)
    set(file libstarling-${abi}.so)
    if(abi STREQUAL "smpi")
      set(file libstarling-smpi.a)
    endif()
    if(DEFINED best_${abi})
      list(GET includes_${abi} -1 folder)
      message(STATUS "${file}: ${folder}/mpi.h (${best_${abi}}), from ${wrapper_${abi}}")
      starling_variant(${abi} "${includes_${abi}}" "${definition_${abi}}")
      list(APPEND variants starling-${abi})
    elseif(abi STREQUAL "smpi" AND NOT STARLING_SIMULATOR)
      message(STATUS "${file}: not built, STARLING_SIMULATOR is off")
    else()
      message(STATUS "${file}: not built, no compiler wrapper of such an MPI found")
    endif()
  endforeach()
  starling_chooser()
  set(starling_variants "${variants}" PARENT_SCOPE)
endfunction()

function(starling_install_variants destination)
  if(NOT TARGET starling)
    return()
  endif()
  starling_needs_built(command starling)
  install(TARGETS starling LIBRARY DESTINATION ${destination})
  foreach(variant IN LISTS starling_variants)
    starling_needs_built(${variant} ${variant})
    install(TARGETS ${variant} LIBRARY DESTINATION ${destination} COMPONENT ${variant}
                               ARCHIVE DESTINATION ${destination} COMPONENT ${variant})
  endforeach()
endfunction()
