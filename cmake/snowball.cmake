# Snowball's English stemmer from the pinned sources. Snowball programs are compiled to C by
# Snowball's own compiler, which is built for this machine first, also when cross-compiling to
# WebAssembly; both builds thus stem alike. Target: sheaf_snowball.
#
# Include names: "stem_UTF_8_english.h" (english_UTF_8_create_env, english_UTF_8_stem,
# english_UTF_8_close_env) and "api.h" (SN_env, SN_set_current; without include guard). Both declare
# extern "C" themselves.
include_guard()

set(SHEAF_SNOWBALL_SOURCE "${CMAKE_SOURCE_DIR}/build/third_party/snowball" CACHE PATH
    "Snowball source tree (the folder that holds compiler/, runtime/ and algorithms/)")
set(sheaf_english "${SHEAF_SNOWBALL_SOURCE}/algorithms/english.sbl")
if(NOT EXISTS "${sheaf_english}")
  message(FATAL_ERROR
    "Snowball's sources are missing: ${sheaf_english} does not exist. Run "
    "`node scripts/fetch_sources.mjs`, or pass -DSHEAF_SNOWBALL_SOURCE=<tree of Snowball 2.2.0>.")
endif()

# The compiler for this machine, never the cross compiler.
find_program(SHEAF_HOST_CC NAMES cc gcc clang REQUIRED NO_CMAKE_FIND_ROOT_PATH
             DOC "C compiler for tools that run while building")
file(GLOB sheaf_snowball_compiler_sources CONFIGURE_DEPENDS "${SHEAF_SNOWBALL_SOURCE}/compiler/*.c")
set(sheaf_snowball_dir "${CMAKE_BINARY_DIR}/snowball")
set(sheaf_snowball_tool "${sheaf_snowball_dir}/snowball-compiler")
file(MAKE_DIRECTORY "${sheaf_snowball_dir}")
add_custom_command(
  OUTPUT "${sheaf_snowball_tool}"
  COMMAND "${SHEAF_HOST_CC}" -O1 -w -o "${sheaf_snowball_tool}" ${sheaf_snowball_compiler_sources}
  DEPENDS ${sheaf_snowball_compiler_sources}
  COMMENT "Building Snowball's compiler for this machine"
  VERBATIM)

set(sheaf_stem "${sheaf_snowball_dir}/stem_UTF_8_english")
add_custom_command(
  OUTPUT "${sheaf_stem}.c" "${sheaf_stem}.h"
  COMMAND "${sheaf_snowball_tool}" "${sheaf_english}" -o "${sheaf_stem}" -eprefix english_UTF_8_
          -r "${SHEAF_SNOWBALL_SOURCE}/runtime" -u
  DEPENDS "${sheaf_snowball_tool}" "${sheaf_english}"
  COMMENT "Generating the English stemmer"
  VERBATIM)

add_library(sheaf_snowball STATIC
  "${sheaf_stem}.c" "${sheaf_stem}.h"
  "${SHEAF_SNOWBALL_SOURCE}/runtime/api.c" "${SHEAF_SNOWBALL_SOURCE}/runtime/utilities.c")
target_include_directories(sheaf_snowball SYSTEM PUBLIC
  "${sheaf_snowball_dir}" "${SHEAF_SNOWBALL_SOURCE}/runtime")
target_compile_options(sheaf_snowball PRIVATE -w)
if(sheaf_core_module)
  target_compile_options(sheaf_snowball PRIVATE -Oz -finline-functions)  # a query has a handful of words to stem
endif()
