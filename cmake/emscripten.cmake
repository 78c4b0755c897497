# Finds Emscripten and hands over to its own toolchain file.
#
# Looked for in this order: EMSCRIPTEN_ROOT (variable or environment), an activated emsdk ($EMSDK),
# `emcc` on the path, Debian's package, and the unpacked copy that scripts/bootstrap.mjs makes where
# Debian's package cannot be installed.
if(NOT EMSCRIPTEN_ROOT)
  set(EMSCRIPTEN_ROOT "$ENV{EMSCRIPTEN_ROOT}")
endif()
if(NOT EMSCRIPTEN_ROOT AND DEFINED ENV{EMSDK})
  set(EMSCRIPTEN_ROOT "$ENV{EMSDK}/upstream/emscripten")
endif()
if(NOT EMSCRIPTEN_ROOT)
  find_program(sheaf_emcc NAMES emcc)
  if(sheaf_emcc)
    file(REAL_PATH "${sheaf_emcc}" sheaf_emcc_real)
    cmake_path(GET sheaf_emcc_real PARENT_PATH EMSCRIPTEN_ROOT)
  endif()
  unset(sheaf_emcc CACHE)
endif()
set(sheaf_platform "cmake/Modules/Platform/Emscripten.cmake")
if(NOT EXISTS "${EMSCRIPTEN_ROOT}/${sheaf_platform}")
  foreach(candidate "/usr/share/emscripten"
                    "${CMAKE_CURRENT_LIST_DIR}/../build/third_party/emscripten/usr/share/emscripten")
    if(EXISTS "${candidate}/${sheaf_platform}")
      file(REAL_PATH "${candidate}" EMSCRIPTEN_ROOT)
      break()
    endif()
  endforeach()
endif()
if(NOT EXISTS "${EMSCRIPTEN_ROOT}/${sheaf_platform}")
  message(FATAL_ERROR
    "Emscripten not found. Install Debian's `emscripten` package, activate an emsdk, or pass "
    "-DEMSCRIPTEN_ROOT=<folder that holds emcc>. docs/building.md has the details.")
endif()
if(EXISTS "${EMSCRIPTEN_ROOT}/emcc")
  # The root may not be on the path. (Debian's launchers are on the path, but not in the root.)
  # Emscripten's own file looks for em-config on the path.
  set(ENV{PATH} "${EMSCRIPTEN_ROOT}:$ENV{PATH}")
  set(CMAKE_C_COMPILER "${EMSCRIPTEN_ROOT}/emcc" CACHE FILEPATH "Emscripten's C compiler")
  set(CMAKE_CXX_COMPILER "${EMSCRIPTEN_ROOT}/em++" CACHE FILEPATH "Emscripten's C++ compiler")
  set(CMAKE_AR "${EMSCRIPTEN_ROOT}/emar" CACHE FILEPATH "Emscripten's ar")
  set(CMAKE_RANLIB "${EMSCRIPTEN_ROOT}/emranlib" CACHE FILEPATH "Emscripten's ranlib")
endif()
include("${EMSCRIPTEN_ROOT}/${sheaf_platform}")
