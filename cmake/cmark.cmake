# cmark-gfm with its extensions (tables, strikethrough, autolinks). Target: sheaf_cmark. Include names: <cmark-gfm.h>,
# <cmark-gfm-extension_api.h>, <cmark-gfm-core-extensions.h>.
include_guard()

if(NOT SHEAF_BUNDLED_LIBRARIES)
  pkg_check_modules(CMARK REQUIRED IMPORTED_TARGET libcmark-gfm)
  # The extensions come without a pkg-config file.
  find_library(SHEAF_CMARK_EXTENSIONS NAMES cmark-gfm-extensions REQUIRED)
  find_path(SHEAF_CMARK_EXTENSIONS_INCLUDE NAMES cmark-gfm-core-extensions.h REQUIRED)
  add_library(sheaf_cmark INTERFACE)
  target_include_directories(sheaf_cmark SYSTEM INTERFACE "${SHEAF_CMARK_EXTENSIONS_INCLUDE}")
  target_link_libraries(sheaf_cmark INTERFACE "${SHEAF_CMARK_EXTENSIONS}" PkgConfig::CMARK)
  return()
endif()

sheaf_bundled_source(cmark 0.29.0.gfm.6 src/cmark-gfm.h)
file(GLOB sheaf_cmark_sources CONFIGURE_DEPENDS "${SHEAF_CMARK_SOURCE}/src/*.c" "${SHEAF_CMARK_SOURCE}/extensions/*.c")
list(FILTER sheaf_cmark_sources EXCLUDE REGEX "/src/main\\.c$")

# The headers that its own build makes.
set(sheaf_cmark_made "${CMAKE_BINARY_DIR}/cmark")
set(PROJECT_VERSION_MAJOR 0)
set(PROJECT_VERSION_MINOR 29)
set(PROJECT_VERSION_PATCH 0)
set(PROJECT_VERSION_GFM 6)
set(HAVE_STDBOOL_H 1)
set(HAVE___BUILTIN_EXPECT 1)
set(HAVE___ATTRIBUTE__ 1)
configure_file("${SHEAF_CMARK_SOURCE}/src/config.h.in" "${sheaf_cmark_made}/config.h")
configure_file("${SHEAF_CMARK_SOURCE}/src/cmark-gfm_version.h.in" "${sheaf_cmark_made}/cmark-gfm_version.h" @ONLY)
foreach(part cmark-gfm cmark-gfm-extensions)
  string(MAKE_C_IDENTIFIER "${part}" macro)
  string(TOUPPER "${macro}" macro)
  file(CONFIGURE OUTPUT "${sheaf_cmark_made}/${part}_export.h"
       CONTENT "#define ${macro}_EXPORT\n#define ${macro}_NO_EXPORT\n")
endforeach()

add_library(sheaf_cmark STATIC ${sheaf_cmark_sources})
target_include_directories(sheaf_cmark SYSTEM PUBLIC
  "${sheaf_cmark_made}" "${SHEAF_CMARK_SOURCE}/src" "${SHEAF_CMARK_SOURCE}/extensions")
target_link_libraries(sheaf_cmark PRIVATE sheaf_hardened)
target_compile_options(sheaf_cmark PRIVATE -w)
