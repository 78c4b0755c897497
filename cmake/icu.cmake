# ICU's converters, normalisation and character properties. Target: sheaf_icu. Include names: <unicode/ucnv.h> and others
# of ICU's library "common".
#
# The bundled one is the part of "common" that the packer calls, with data for just that: 1.4 MB instead of 31. The data
# are picked from ICU's own file and turned into C by Debian's package icu-devtools (icupkg, genccode).
include_guard()

if(NOT SHEAF_BUNDLED_LIBRARIES)
  pkg_check_modules(ICU REQUIRED IMPORTED_TARGET icu-uc)
  add_library(sheaf_icu INTERFACE)
  target_link_libraries(sheaf_icu INTERFACE PkgConfig::ICU)
  return()
endif()

sheaf_bundled_source(icu 72.1 source/common/unicode/ucnv.h)
find_program(SHEAF_ICUPKG NAMES icupkg PATHS /usr/sbin /sbin REQUIRED NO_CMAKE_FIND_ROOT_PATH
             DOC "ICU's tool that picks data (Debian: icu-devtools)")
find_program(SHEAF_GENCCODE NAMES genccode PATHS /usr/sbin /sbin REQUIRED NO_CMAKE_FIND_ROOT_PATH
             DOC "ICU's tool that turns data into C (Debian: icu-devtools)")

# ---- data -----------------------------------------------------------------------------------------
set(sheaf_icu_converters "${CMAKE_SOURCE_DIR}/packer/base/named_charset.inc")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${sheaf_icu_converters}")
file(STRINGS "${sheaf_icu_converters}" sheaf_icu_items REGEX "^\"")
list(TRANSFORM sheaf_icu_items REPLACE "^\"([^\"]+)\".*" "\\1.cnv")
list(APPEND sheaf_icu_items cnvalias.icu nfkc.nrm)  # the converters' other names; NFKD
list(SORT sheaf_icu_items)
list(JOIN sheaf_icu_items "\n" sheaf_icu_items)

set(sheaf_icu_made "${CMAKE_BINARY_DIR}/icu")
file(CONFIGURE OUTPUT "${sheaf_icu_made}/items.txt" CONTENT "${sheaf_icu_items}\n")
# The file's name is the name in it, icudt72l; genccode names the symbol after its own input, icudt72.
set(sheaf_icu_all "${SHEAF_ICU_SOURCE}/source/data/in/icudt72l.dat")
# The target's byte order: little or big.
if(CMAKE_CXX_BYTE_ORDER STREQUAL "BIG_ENDIAN")
  set(sheaf_icu_order b)
else()
  set(sheaf_icu_order l)
endif()
set(sheaf_icu_picked "${sheaf_icu_made}/icudt72${sheaf_icu_order}.dat")
add_custom_command(
  OUTPUT "${sheaf_icu_made}/icudt72_dat.c"
  COMMAND "${CMAKE_COMMAND}" -E rm -rf items "${sheaf_icu_picked}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory items
  COMMAND "${SHEAF_ICUPKG}" -x items.txt -d items "${sheaf_icu_all}"
  COMMAND "${SHEAF_ICUPKG}" -t${sheaf_icu_order} -a items.txt -s items new "${sheaf_icu_picked}"
  COMMAND "${CMAKE_COMMAND}" -E copy "${sheaf_icu_picked}" icudt72.dat
  COMMAND "${SHEAF_GENCCODE}" -q -d . icudt72.dat
  DEPENDS "${sheaf_icu_made}/items.txt" "${sheaf_icu_all}"
  WORKING_DIRECTORY "${sheaf_icu_made}"
  COMMENT "Picking ICU's data" VERBATIM)

# ---- code -----------------------------------------------------------------------------------------
# What these calls need: ucnv_*, unorm2_getNFKDInstance, unorm2_normalize, u_strFromUTF8, u_charType, u_isUAlphabetic,
# u_tolower. A file too few is an error of the linker.
set(sheaf_icu_files
  ucnv ucnv_bld ucnv_cb ucnv_cnv ucnv_err ucnv_ext ucnv_io ucnv_set ucnvlat1 ucnvmbcs ucnv_u16 ucnv_u32 ucnv_u8
  ucnv_u7 ucnv2022 ucnvhz ucnv_ct ucnv_lmb ucnvisci ucnvscsu ucnvbocu
  udata udatamem ucmndata umapfile uinit ucln_cmn umutex putil utrace umath
  cmemory cstring charstr stringpiece uhash uhash_us uenum ustrenum uarrsort uinvchar uvector uvectr32 uobject
  ustring ustrtrns ustr_cnv utf_impl unistr ucase uchar utrie2 utrie2_builder utrie utrie_swap ucptrie umutablecptrie patternprops
  normalizer2 normalizer2impl loadednormalizer2impl bytestream bytesinkutil edits appendable
  uniset unisetspan bmpset unifunct unifilt util parsepos usetiter uset ures_cnv)
list(TRANSFORM sheaf_icu_files REPLACE "^(.+)$" "${SHEAF_ICU_SOURCE}/source/common/\\1.cpp")
add_library(sheaf_icu_data OBJECT "${sheaf_icu_made}/icudt72_dat.c")  # C, which no header of C++ is precompiled for
# ICU expects the C library to have <uchar.h>, as not all have.
target_compile_definitions(sheaf_icu_data PRIVATE char16_t=uint16_t)
target_include_directories(sheaf_icu_data PRIVATE "${SHEAF_ICU_SOURCE}/source/common")
add_library(sheaf_icu STATIC ${sheaf_icu_files} $<TARGET_OBJECTS:sheaf_icu_data>)
target_include_directories(sheaf_icu SYSTEM PUBLIC "${SHEAF_ICU_SOURCE}/source/common")
target_compile_definitions(sheaf_icu
  PUBLIC U_STATIC_IMPLEMENTATION=1
  PRIVATE U_COMMON_IMPLEMENTATION=1 U_ENABLE_DYLOAD=0 UCONFIG_NO_FILE_IO=1 UCONFIG_NO_SERVICE=1
          UCONFIG_NO_BREAK_ITERATION=1 UCONFIG_NO_FORMATTING=1 U_ENABLE_TRACING=0)
target_link_libraries(sheaf_icu PRIVATE sheaf_hardened)
target_compile_options(sheaf_icu PRIVATE -w)
sheaf_precompile(sheaf_icu <atomic> <condition_variable> <mutex>)
