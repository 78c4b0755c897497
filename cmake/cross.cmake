# For another machine by Debian's cross compiler, run by qemu-user where this machine cannot: scripts/machines.mjs.
# SHEAF_TRIPLE names the compiler (s390x-linux-gnu), SHEAF_MACHINE qemu's name of the machine; '' runs without it.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SHEAF_TRIPLE SHEAF_MACHINE)
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR "${SHEAF_TRIPLE}")
set(CMAKE_C_COMPILER "${SHEAF_TRIPLE}-gcc")
set(CMAKE_CXX_COMPILER "${SHEAF_TRIPLE}-g++")
if(SHEAF_MACHINE)
  set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-${SHEAF_MACHINE}")
endif()
# Nothing of this machine is linked.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
