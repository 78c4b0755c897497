# A program that needs nothing of the machine it runs on, small, and the same bytes wherever it is built
# (SHEAF_STATIC; scripts/natives.mjs).
include_guard()

# -O3 would make the program larger.
foreach(language C CXX)
  string(REGEX REPLACE "-O[0-3sz]" "-O2" CMAKE_${language}_FLAGS_RELEASE "${CMAKE_${language}_FLAGS_RELEASE}")
endforeach()

# sheaf_smaller(TARGET...): these are not what packing waits for: the command line, front matter, old encodings.
function(sheaf_smaller)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE -Os)
  endforeach()
endfunction()

add_compile_options(
  "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=."     # assertions name files
  "-ffile-prefix-map=${CMAKE_BINARY_DIR}=build"
  -g0
  -ffunction-sections -fdata-sections)
if(CMAKE_SYSTEM_NAME STREQUAL "Darwin")
  add_link_options(-Wl,-dead_strip -s)  # the system's library is always a shared one there
else()
  add_link_options(-static -Wl,--gc-sections -s)
endif()
