# Precompiled headers. Reading the standard library is a third of the work on a file, two thirds with Emscripten. None of
# our own headers is in them, so our changes never trigger a rebuild of them.
#
# They hide a missing #include of these headers. The presets and scripts that other compilers build with (fuzz; natives)
# leave them out, and so find it.
include_guard()

option(SHEAF_PRECOMPILE "Precompile the headers of libraries, and compile neighbours together (unity.cmake)" ON)

# sheaf_precompile(TARGET HEADER...): these headers, and those of the standard library that most files include.
function(sheaf_precompile target)
  if(SHEAF_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <chrono> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
      <string_view> <unordered_map> <unordered_set> <utility> <vector> ${ARGN})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")  # so that ccache may keep it
    endif()
  endif()
endfunction()
