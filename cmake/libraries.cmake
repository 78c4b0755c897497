# Where the packer's libraries come from: Debian's -dev packages, or sources compiled here.
#
# A target per library, whichever way it comes: sheaf_cmark, sheaf_yaml, sheaf_icu, sheaf_json, sheaf_hnswlib,
# sheaf_cli11. SHEAF_BUNDLED_LIBRARIES compiles the pinned sources that `node scripts/fetch_sources.mjs --bundled`
# unpacks: for WebAssembly, and for programs that must run on machines without these libraries. The versions are
# those of Debian 12's packages, so both ways pack the same bytes.
include_guard()

if(EMSCRIPTEN)
  set(sheaf_bundled_by_default ON)
else()
  set(sheaf_bundled_by_default OFF)
endif()
option(SHEAF_BUNDLED_LIBRARIES "Compile the packer's libraries from pinned sources" ${sheaf_bundled_by_default})

# sheaf_bundled_source(NAME VERSION PROOF): sets SHEAF_<NAME>_SOURCE to the tree of a library, and checks that the file
# PROOF is in it.
function(sheaf_bundled_source name version proof)
  string(TOUPPER "${name}" upper)
  set(SHEAF_${upper}_SOURCE "${CMAKE_SOURCE_DIR}/build/third_party/${name}" CACHE PATH
      "Source tree of ${name} (the folder that holds ${proof})")
  if(NOT EXISTS "${SHEAF_${upper}_SOURCE}/${proof}")
    message(FATAL_ERROR
      "The sources of ${name} are missing: ${SHEAF_${upper}_SOURCE}/${proof} does not exist. Run "
      "`node scripts/fetch_sources.mjs --bundled`, or pass -DSHEAF_${upper}_SOURCE=<tree of ${name} ${version}>.")
  endif()
endfunction()

if(NOT SHEAF_BUNDLED_LIBRARIES)
  find_package(PkgConfig REQUIRED)
endif()
foreach(library json hnswlib cli11 cmark yaml icu)
  include(cmake/${library}.cmake)
endforeach()
