# CLI11, headers alone. Target: sheaf_cli11. Include name: <CLI/CLI.hpp>.
include_guard()

add_library(sheaf_cli11 INTERFACE)
if(SHEAF_BUNDLED_LIBRARIES)
  sheaf_bundled_source(cli11 2.1.2 include/CLI/CLI.hpp)
  target_include_directories(sheaf_cli11 SYSTEM INTERFACE "${SHEAF_CLI11_SOURCE}/include")
else()
  find_package(CLI11 2.1 REQUIRED)
  target_link_libraries(sheaf_cli11 INTERFACE CLI11::CLI11)
endif()
