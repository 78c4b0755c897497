# Compiles neighbours as one file. Most of the work on a file is the templates of the standard library that it uses; files
# compiled together share them.
#
# Files of a folder alone go together, so no two of them may have helpers of one name (tests/node/house_rules.test.mjs).
# Where headers are not precompiled, files stay apart too, so that a missing #include is found. So they do in WebAssembly,
# whose size it would change: the packer's module would be 5 kB (brotli) larger.
include_guard()

set(sheaf_together 6)  # more saves little, and a change recompiles them all

function(sheaf_unity target)
  if(NOT SHEAF_PRECOMPILE OR EMSCRIPTEN)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  list(SORT sources)
  set(folder "")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH parent)
    if(NOT parent STREQUAL folder OR count EQUAL sheaf_together)
      set(folder "${parent}")
      set(count 0)
      cmake_path(GET source STEM first)
    endif()
    math(EXPR count "${count} + 1")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${first}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
