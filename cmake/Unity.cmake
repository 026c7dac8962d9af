# starling_unity(TARGET [APART REGEX])
#
# With STARLING_UNITY, a folder's sources are compiled as one unit: a whole build takes half the time. Names in unnamed
# namespaces are therefore unique in their folder. APART: of folders that match, the sources stay apart, and share a unit
# with those of other such folders: each algorithm has a function build. A source with the property
# SKIP_UNITY_BUILD_INCLUSION stays alone.
function(starling_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "APART" "")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${STARLING_UNITY} UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    cmake_path(ABSOLUTE_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "in_${folder}" unit)
    if(arg_APART AND folder MATCHES "${arg_APART}")
      list(APPEND ${unit} ${source})
      list(LENGTH ${unit} unit)
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
endfunction()
