# How the packer becomes WebAssembly (preset wasm-packer). Every flag has its reason beside it.
#
# Written for Debian's Emscripten 3.1.6; settings that were renamed or dropped later are chosen by version.
include_guard()

execute_process(COMMAND "${CMAKE_CXX_COMPILER}" --version OUTPUT_VARIABLE sheaf_emcc_says)
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" sheaf_emscripten_version "${sheaf_emcc_says}")
message(STATUS "Emscripten ${sheaf_emscripten_version}")
set(SHEAF_EMSCRIPTEN "${EMSCRIPTEN_ROOT_PATH}" CACHE INTERNAL "Its folder, where scripts/third_party.mjs finds licences")

# Each file gets exactly one -O flag, CMake's own: of several this emcc heeds none.
set(SHEAF_PACKER_OPTIMISE "-O2" CACHE STRING "Optimisation of the packer in WebAssembly")
foreach(language C CXX)
  string(REGEX REPLACE "-O[0-3sz]" "${SHEAF_PACKER_OPTIMISE}" CMAKE_${language}_FLAGS_RELEASE
         "${CMAKE_${language}_FLAGS_RELEASE}")
endforeach()

set(SHEAF_PACKER_EXCEPTIONS "-fwasm-exceptions;-sSUPPORT_LONGJMP=wasm" CACHE STRING "How the module unwinds")
set(sheaf_packer_compile
  -msimd128                     # vectors; as in the core
  ${SHEAF_PACKER_EXCEPTIONS})   # libraries throw, and gumbo's arena leaves by longjmp
add_compile_options(${sheaf_packer_compile})

set(sheaf_packer_link
  ${sheaf_packer_compile}
  -sALLOW_MEMORY_GROWTH=1       # sites differ in size by a factor of a thousand
  -sINITIAL_MEMORY=64MB         # what a small site takes
  -sMAXIMUM_MEMORY=4GB
  # Parsers recurse. JavaScript runtimes have a stack of their own beside this one, of about 1 MB, which ends first.
  $<IF:$<VERSION_LESS:${sheaf_emscripten_version},3.1.27>,-sTOTAL_STACK=16MB,-sSTACK_SIZE=16MB>
  -sERROR_ON_UNDEFINED_SYMBOLS=0  # the rules of languages, which the host has (wasm/language_host.cc)
  -sASSERTIONS=0)               # the unit tests run the same code natively under sanitizers

# Debian's emcc does not find its own parser (acorn) without help; other installations carry theirs.
set(sheaf_node_path /usr/share/nodejs)
if(EXISTS "${EMSCRIPTEN_ROOT_PATH}/../nodejs/acorn")
  cmake_path(SET sheaf_node_path NORMALIZE "${EMSCRIPTEN_ROOT_PATH}/../nodejs")
endif()

# sheaf_packer_linked(TARGET): links a target as a module, ECMAScript glue and .wasm beside it.
function(sheaf_packer_linked target)
  set_target_properties(${target} PROPERTIES SUFFIX ".mjs")
  target_link_options(${target} PRIVATE ${sheaf_packer_link} -sEXPORT_ES6=1 -sMODULARIZE=1)
  if(EXISTS "${sheaf_node_path}/acorn" AND NOT EXISTS "${EMSCRIPTEN_ROOT_PATH}/node_modules/acorn")
    set_property(TARGET ${target} PROPERTY RULE_LAUNCH_LINK "${CMAKE_COMMAND} -E env NODE_PATH=${sheaf_node_path}")
  endif()
endfunction()

# sheaf_packer_program(TARGET): the command line as a program for Node, which proves that all of it works.
function(sheaf_packer_program target)
  sheaf_packer_linked(${target})
  target_link_options(${target} PRIVATE -sENVIRONMENT=node -sNODERAWFS=1 -sEXIT_RUNTIME=1
                      -sEXPORTED_RUNTIME_METHODS=ENV,callMain)
endfunction()
