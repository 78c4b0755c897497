# JSON for Modern C++, headers alone. Target: sheaf_json. Include name: <nlohmann/json.hpp>.
include_guard()

add_library(sheaf_json INTERFACE)
if(SHEAF_BUNDLED_LIBRARIES)
  sheaf_bundled_source(json 3.11.2 include/nlohmann/json.hpp)
  target_include_directories(sheaf_json SYSTEM INTERFACE "${SHEAF_JSON_SOURCE}/include")
else()
  find_package(nlohmann_json 3.10 REQUIRED)
  target_link_libraries(sheaf_json INTERFACE nlohmann_json::nlohmann_json)
endif()
