# hnswlib, headers alone. Target: sheaf_hnswlib. Include name: <hnswlib/hnswlib.h>.
include_guard()

add_library(sheaf_hnswlib INTERFACE)
if(SHEAF_BUNDLED_LIBRARIES)
  sheaf_bundled_source(hnswlib 0.6.2 include/hnswlib/hnswlib.h)
  set(SHEAF_HNSWLIB_INCLUDE "${SHEAF_HNSWLIB_SOURCE}/include")
else()
  find_path(SHEAF_HNSWLIB_INCLUDE NAMES hnswlib/hnswlib.h REQUIRED DOC "Folder that holds hnswlib/hnswlib.h")
endif()
target_include_directories(sheaf_hnswlib SYSTEM INTERFACE "${SHEAF_HNSWLIB_INCLUDE}")
