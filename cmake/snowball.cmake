# Snowball's stemmers from the pinned sources. Snowball programs are compiled to C by
# Snowball's own compiler, which is built for this machine first, also when cross-compiling to
# WebAssembly; both builds thus stem alike. Targets: sheaf_snowball, the runtime and English; sheaf_stemmers, all others.
# The core's WebAssembly build has the others as sources alone, sheaf_stemmer_sources: wasm/CMakeLists.txt makes a module
# of each.
#
# Include names: "stem_UTF_8_english.h" (english_UTF_8_create_env, english_UTF_8_stem,
# english_UTF_8_close_env) and "api.h" (SN_env, SN_set_current; without include guard). Both declare
# extern "C" themselves. Other languages have the same names.
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
  COMMAND "${SHEAF_HOST_CC}" -O0 -w -o "${sheaf_snowball_tool}" ${sheaf_snowball_compiler_sources}
  DEPENDS ${sheaf_snowball_compiler_sources}
  COMMENT "Building Snowball's compiler for this machine"
  VERBATIM)

# The languages of src/text/languages.inc, each with its algorithm.
set(sheaf_languages
  ar:arabic ca:catalan da:danish de:german el:greek es:spanish eu:basque fi:finnish fr:french ga:irish hi:hindi
  hu:hungarian hy:armenian id:indonesian it:italian lt:lithuanian ne:nepali nl:dutch no:norwegian pt:portuguese
  ro:romanian ru:russian sr:serbian sv:swedish ta:tamil tr:turkish yi:yiddish)

# sheaf_stemmer(NAME): generates the stemmer of an algorithm, as stem_UTF_8_NAME.c and .h.
function(sheaf_stemmer name)
  set(stem "${sheaf_snowball_dir}/stem_UTF_8_${name}")
  add_custom_command(
    OUTPUT "${stem}.c" "${stem}.h"
    COMMAND "${sheaf_snowball_tool}" "${SHEAF_SNOWBALL_SOURCE}/algorithms/${name}.sbl" -o "${stem}"
            -eprefix ${name}_UTF_8_ -r "${SHEAF_SNOWBALL_SOURCE}/runtime" -u
    DEPENDS "${sheaf_snowball_tool}" "${SHEAF_SNOWBALL_SOURCE}/algorithms/${name}.sbl"
    COMMENT "Generating the ${name} stemmer"
    VERBATIM)
endfunction()

# sheaf_stemmer_library(TARGET SOURCES...)
function(sheaf_stemmer_library target)
  add_library(${target} STATIC ${ARGN})
  target_include_directories(${target} SYSTEM PUBLIC "${sheaf_snowball_dir}" "${SHEAF_SNOWBALL_SOURCE}/runtime")
  target_compile_options(${target} PRIVATE -w)
  if(sheaf_core_module)
    target_compile_options(${target} PRIVATE -Oz -finline-functions)  # a query has a handful of words to stem
  endif()
endfunction()

sheaf_stemmer(english)
sheaf_stemmer_library(sheaf_snowball
  "${sheaf_snowball_dir}/stem_UTF_8_english.c" "${sheaf_snowball_dir}/stem_UTF_8_english.h"
  "${SHEAF_SNOWBALL_SOURCE}/runtime/api.c" "${SHEAF_SNOWBALL_SOURCE}/runtime/utilities.c")

# What clang-tidy needs built before it can read the core.
add_custom_target(sheaf_snowball_headers DEPENDS "${sheaf_snowball_dir}/stem_UTF_8_english.h")

foreach(sheaf_language IN LISTS sheaf_languages)
  string(REPLACE ":" ";" sheaf_language "${sheaf_language}")
  list(GET sheaf_language 0 sheaf_tag)
  list(GET sheaf_language 1 sheaf_name)
  sheaf_stemmer(${sheaf_name})
  list(APPEND sheaf_stemmer_sources "${sheaf_snowball_dir}/stem_UTF_8_${sheaf_name}.c")
endforeach()
if(sheaf_core_module)
  add_custom_target(sheaf_stemmer_sources DEPENDS ${sheaf_stemmer_sources})
else()
  sheaf_stemmer_library(sheaf_stemmers ${sheaf_stemmer_sources})
  target_link_libraries(sheaf_stemmers PUBLIC sheaf_snowball)
endif()
