# Precompiled headers for the sanitizer build, which compiles everything often. Reading the standard library and
# GoogleTest is a third of the work on a test, and a seventh on other files. None of our own headers is in them, so our
# changes never trigger a rebuild of them. Release builds do not use them, and so detect missing #includes.
include_guard()

# sheaf_precompile(TARGET HEADER...): these headers, and those of the standard library that most files include.
function(sheaf_precompile target)
  if(SHEAF_SANITIZE)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <chrono> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
      <string_view> <unordered_map> <unordered_set> <utility> <vector> ${ARGN})
  endif()
endfunction()
