# Compiler settings shared by all of our targets. They are interface targets, so that a target
# selects them by name:
#   sheaf_hardened  run-time checks against untrusted input; third-party code that reads such input takes them too
#   sheaf_options   language level, warnings, sanitizers
#   sheaf_pure      no exceptions, no RTTI: the core, which also becomes WebAssembly
include_guard()

add_library(sheaf_options INTERFACE)
target_compile_features(sheaf_options INTERFACE cxx_std_20)
target_compile_options(sheaf_options INTERFACE
  -Wall -Wextra -Wnon-virtual-dtor -Wimplicit-fallthrough
  # These warnings are never a matter of taste. The rest stay warnings, so that a newer compiler
  # cannot break the build of an older release.
  -Werror=return-type -Werror=switch -Werror=unused-result -Werror=uninitialized
  -Werror=format -Werror=vla -Werror=non-virtual-dtor
  # a*b+c must not become one fused step on machines that have it: scores would then differ
  # between native and WebAssembly, and tests/parity compares them for equality.
  -ffp-contract=off)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^i[3-6]86$")
  # The older unit for floating point rounds to 80 bits, and scores would differ.
  target_compile_options(sheaf_options INTERFACE -msse2 -mfpmath=sse)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(sheaf_options INTERFACE -Wno-restrict)  # false alarms in std::string
endif()

add_library(sheaf_hardened INTERFACE)
target_link_libraries(sheaf_options INTERFACE sheaf_hardened)
if(NOT EMSCRIPTEN)
  # The packer reads untrusted files.
  target_compile_options(sheaf_hardened INTERFACE -fstack-protector-strong)
  target_compile_definitions(sheaf_hardened INTERFACE
    $<$<CONFIG:Release>:_FORTIFY_SOURCE=2>
    $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
endif()

if(SHEAF_SANITIZE)
  set(CMAKE_C_FLAGS_DEBUG "")  # -g1 comes with the sanitizers; without them, flags are those of the native build
  # Sanitizer reports need line numbers only; debug info for variables would cost a quarter of the compile time.
  set(sheaf_sanitize_flags -fsanitize=address,undefined -fno-sanitize-recover=all
      -fno-omit-frame-pointer -g1)
  # -Og would compile the code under test in two thirds of the time, but it would run 1.8 times as long.
  set(SHEAF_SANITIZE_OPTIMISE "-O1" CACHE STRING "Optimisation of what is tested under sanitizers")
  # Third-party sources built here are instrumented too: their bugs would be ours.
  add_compile_options(${sheaf_sanitize_flags} ${SHEAF_SANITIZE_OPTIMISE})
  add_link_options(${sheaf_sanitize_flags})
endif()

if(SHEAF_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "The fuzzers need clang: cmake --preset fuzz, with -DCMAKE_CXX_COMPILER=clang++-19 where clang++ is missing.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

add_library(sheaf_pure INTERFACE)
target_compile_options(sheaf_pure INTERFACE
  -fno-exceptions -fno-rtti
  # UBSan's check of dynamic types needs RTTI.
  $<$<BOOL:${SHEAF_SANITIZE}>:-fno-sanitize=vptr>)
