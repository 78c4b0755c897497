# Precompiled headers for the sanitizer build, which compiles everything and compiles it often: reading the standard library and
# GoogleTest is a third of the work on a test, and a seventh on other files. They hold headers of others alone, so a change of ours never compiles them again. The release
# builds do without them, and so find an #include that a file forgot.
include_guard()

# sheaf_precompile(TARGET HEADER...): these headers, and those of the standard library that most files include.
function(sheaf_precompile target)
  if(SHEAF_SANITIZE)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <chrono> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
      <string_view> <unordered_map> <unordered_set> <utility> <vector> ${ARGN})
  endif()
endfunction()
