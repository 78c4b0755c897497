# Keeps every compilation by the hash of its sources and flags, with ccache where it is installed: a second build, a change
# of branch and another preset with the same flags find it, and removing build/ leaves it (~/.cache/ccache).
#
# CMAKE_<LANG>_COMPILER_LAUNCHER, as variable or in the environment, takes precedence; an empty one means no cache.
include_guard()

find_program(SHEAF_CCACHE NAMES ccache NO_CMAKE_FIND_ROOT_PATH DOC "ccache, which keeps what is compiled")
mark_as_advanced(SHEAF_CCACHE)
if(NOT SHEAF_CCACHE OR DEFINED SHEAF_ZIG)  # Zig's compiler is a script, the same for all versions
  return()
endif()

# In depend mode dependencies come from the compiler, so a miss costs no second preprocessing. No base_dir: shorter paths
# would stand in assertions, and so in the packer's module. The rest is for precompiled headers.
set(sheaf_launcher "#!/bin/sh
export CCACHE_DEPEND=true CCACHE_BASEDIR= CCACHE_INODECACHE=true
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
")
set(sheaf_compiler "\"$@\"")
if(EMSCRIPTEN)
  # emcc is a script, which says nothing of the compiler behind it.
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" --version OUTPUT_VARIABLE sheaf_emcc_says ERROR_QUIET)
  string(MD5 sheaf_emcc_id "${sheaf_emcc_says} ${CMAKE_CXX_COMPILER_VERSION}")
  string(APPEND sheaf_launcher "export CCACHE_COMPILERTYPE=clang CCACHE_COMPILERCHECK=string:${sheaf_emcc_id}\n")
  if(sheaf_emcc_says MATCHES " 3\\.1\\.6[^0-9.]")  # others are not tried
    # emcc takes longer to start than clang to compile a small file.
    foreach(name emcc em++)
      configure_file("${CMAKE_CURRENT_LIST_DIR}/emcc_direct.sh" "${CMAKE_BINARY_DIR}/direct/${name}" COPYONLY USE_SOURCE_PERMISSIONS)
    endforeach()
    string(APPEND sheaf_launcher "export SHEAF_EMCC=\"$1\"\nshift\n")
    set(sheaf_compiler "'${CMAKE_BINARY_DIR}/direct/'\"\${SHEAF_EMCC##*/}\" \"$@\"")
  endif()
endif()
string(APPEND sheaf_launcher "exec '${SHEAF_CCACHE}' ${sheaf_compiler}\n")
# Of this name, clang-tidy and editors know to look behind it.
file(WRITE "${CMAKE_BINARY_DIR}/ccache" "${sheaf_launcher}")
file(CHMOD "${CMAKE_BINARY_DIR}/ccache" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
foreach(language C CXX)
  if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${CMAKE_BINARY_DIR}/ccache")
  endif()
endforeach()
