# Builds static programs for other machines with Zig's C++ compiler, which carries the libraries of each target.
#
#   -DSHEAF_ZIG=<zig> -DSHEAF_ZIG_TARGET=x86_64-linux-musl
#
# scripts/natives.mjs installs Zig and passes both.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SHEAF_ZIG SHEAF_ZIG_TARGET)
if(NOT SHEAF_ZIG OR NOT SHEAF_ZIG_TARGET)
  message(FATAL_ERROR "Pass -DSHEAF_ZIG=<zig> and -DSHEAF_ZIG_TARGET=<target>, or run scripts/natives.mjs.")
endif()

string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${SHEAF_ZIG_TARGET}")
if(SHEAF_ZIG_TARGET MATCHES "-macos")
  set(CMAKE_SYSTEM_NAME Darwin)
  set(CMAKE_OSX_SYSROOT "" CACHE PATH "None: Zig has its own headers")
  set(CMAKE_OSX_DEPLOYMENT_TARGET "" CACHE STRING "Said by the target")
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()

# CMake wants each tool as one file.
set(sheaf_zig_tools "${CMAKE_CURRENT_LIST_DIR}/../build/natives/tools/${SHEAF_ZIG_TARGET}")
foreach(tool cc c++ ar ranlib)
  set(flags "")
  if(tool MATCHES "^c")
    set(flags "-target ${SHEAF_ZIG_TARGET}")
  endif()
  set(script "#!/bin/sh\nexec '${SHEAF_ZIG}' ${tool} ${flags} \"$@\"\n")
  set(file "${sheaf_zig_tools}/${tool}")
  set(known "")
  if(EXISTS "${file}")
    file(READ "${file}" known)
  endif()
  if(NOT known STREQUAL script)
    file(WRITE "${file}" "${script}")
    file(CHMOD "${file}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endif()
endforeach()
file(REAL_PATH "${sheaf_zig_tools}" sheaf_zig_tools)
set(CMAKE_C_COMPILER "${sheaf_zig_tools}/cc")
set(CMAKE_CXX_COMPILER "${sheaf_zig_tools}/c++")
set(CMAKE_AR "${sheaf_zig_tools}/ar" CACHE FILEPATH "Zig's ar")
set(CMAKE_RANLIB "${sheaf_zig_tools}/ranlib" CACHE FILEPATH "Zig's ranlib")

# Nothing of this machine's own libraries.
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(CMAKE_FIND_ROOT_PATH "${sheaf_zig_tools}")
