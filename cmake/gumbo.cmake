# gumbo, the HTML5 parser, from the pinned sources that scripts/fetch_sources.mjs unpacks. Native only.
# Target: sheaf_gumbo. Include name: <gumbo.h>.
#
# Its parser and tokenizer are compiled through wrapper files of ours, which enforce a budget
# (packer/parse/html/gumbo_budget.h). Code that links sheaf_gumbo must define the two functions declared there.
include_guard()

set(SHEAF_GUMBO_SOURCE "${CMAKE_SOURCE_DIR}/build/third_party/gumbo" CACHE PATH
    "gumbo source tree (the folder that holds src/gumbo.h)")
if(NOT EXISTS "${SHEAF_GUMBO_SOURCE}/src/gumbo.h")
  message(FATAL_ERROR
    "gumbo's sources are missing: ${SHEAF_GUMBO_SOURCE}/src/gumbo.h does not exist. Run "
    "`node scripts/fetch_sources.mjs`, or pass -DSHEAF_GUMBO_SOURCE=<tree of gumbo 0.13.0>.")
endif()

file(GLOB sheaf_gumbo_sources CONFIGURE_DEPENDS "${SHEAF_GUMBO_SOURCE}/src/*.c")
list(FILTER sheaf_gumbo_sources EXCLUDE REGEX "/(parser|tokenizer)\\.c$")
add_library(sheaf_gumbo STATIC ${sheaf_gumbo_sources}
  "${CMAKE_SOURCE_DIR}/packer/parse/html/gumbo_parser.c"
  "${CMAKE_SOURCE_DIR}/packer/parse/html/gumbo_tokenizer.c")
target_include_directories(sheaf_gumbo SYSTEM PUBLIC "${SHEAF_GUMBO_SOURCE}/src")
target_include_directories(sheaf_gumbo PRIVATE "${CMAKE_SOURCE_DIR}")
# As distributions build it: it reads untrusted pages, so its assertions also hold in release builds.
target_link_libraries(sheaf_gumbo PRIVATE sheaf_hardened)
# They name files: from the top of the tree, so that what is built says nothing of where, and is the same from any folder.
target_compile_options(sheaf_gumbo PRIVATE -w -UNDEBUG
  "-ffile-prefix-map=${SHEAF_GUMBO_SOURCE}=gumbo" "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.")
if(SHEAF_SANITIZE)
  # A switch of 20,000 cases: clang takes a minute to optimise it under sanitizers, and two seconds without.
  set_source_files_properties("${SHEAF_GUMBO_SOURCE}/src/char_ref.c" PROPERTIES COMPILE_OPTIONS -O0)
endif()
