# zstd from the pinned sources that scripts/fetch_sources.mjs unpacks, for native and WebAssembly
# alike, so that both read and write the same bytes. Target: sheaf_zstd.
#
# Include names: <zstd.h>, <zdict.h> (native), "common/xxhash.h" (ZSTD_XXH64 and friends).
include_guard()

set(SHEAF_ZSTD_SOURCE "${CMAKE_SOURCE_DIR}/build/third_party/zstd" CACHE PATH
    "zstd source tree (the folder that holds lib/zstd.h)")
if(NOT EXISTS "${SHEAF_ZSTD_SOURCE}/lib/zstd.h")
  message(FATAL_ERROR
    "zstd's sources are missing: ${SHEAF_ZSTD_SOURCE}/lib/zstd.h does not exist. Run "
    "`node scripts/fetch_sources.mjs`, or pass -DSHEAF_ZSTD_SOURCE=<tree of zstd 1.5.4>.")
endif()

file(GLOB sheaf_zstd_common CONFIGURE_DEPENDS "${SHEAF_ZSTD_SOURCE}/lib/common/*.c")
file(GLOB sheaf_zstd_decompress CONFIGURE_DEPENDS "${SHEAF_ZSTD_SOURCE}/lib/decompress/*.c")
file(GLOB sheaf_zstd_compress CONFIGURE_DEPENDS
     "${SHEAF_ZSTD_SOURCE}/lib/compress/*.c" "${SHEAF_ZSTD_SOURCE}/lib/dictBuilder/*.c")
# No thread pools or their wrappers: we compress many small blocks, each on one of our own threads.
list(FILTER sheaf_zstd_common EXCLUDE REGEX "/(pool|threading)\\.c$")
list(FILTER sheaf_zstd_compress EXCLUDE REGEX "/zstdmt_compress\\.c$")

add_library(sheaf_zstd STATIC ${sheaf_zstd_common} ${sheaf_zstd_decompress})
target_include_directories(sheaf_zstd SYSTEM PUBLIC "${SHEAF_ZSTD_SOURCE}/lib")
target_compile_definitions(sheaf_zstd PRIVATE
  ZSTD_LEGACY_SUPPORT=0  # frames older than 0.8 never occur
  ZSTD_DISABLE_ASM=1)    # one source for all machines
if(sheaf_core_module)
  target_compile_definitions(sheaf_zstd PRIVATE
    DYNAMIC_BMI2=0                          # no such instructions in WebAssembly
    HUF_FORCE_DECOMPRESS_X1=1               # one Huffman decoder of the two: quicker to set up, and
                                            # blocks are small
    ZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT=1 # one sequence decoder of the two, for the same reason
    ZSTD_NO_INLINE=1                        # no copies per dictionary mode: 0.9 kB less, no slower
    ZSTD_STRIP_ERROR_STRINGS=1              # our own messages name the block
    ZSTD_TRACE=0)
  # 4.2 kB (brotli) less than -O2, and decoding is no slower. emcc turns off -finline-functions at -Oz;
  # without it, decoding would take twice the time.
  target_compile_options(sheaf_zstd PRIVATE -Oz -finline-functions -msimd128)
else()
  # pool.c holds the (empty) single-threaded stand-ins that the dictionary builder links against.
  add_library(sheaf_zstd_compress STATIC ${sheaf_zstd_compress}
    "${SHEAF_ZSTD_SOURCE}/lib/common/pool.c" "${SHEAF_ZSTD_SOURCE}/lib/common/threading.c")
  target_include_directories(sheaf_zstd_compress SYSTEM PRIVATE "${SHEAF_ZSTD_SOURCE}/lib")
  target_compile_definitions(sheaf_zstd_compress PRIVATE ZSTD_LEGACY_SUPPORT=0 ZSTD_DISABLE_ASM=1)
  target_link_libraries(sheaf_zstd_compress PRIVATE sheaf_zstd)
  target_link_libraries(sheaf_zstd PRIVATE sheaf_zstd_compress)
  if(SHEAF_SANITIZE AND NOT SHEAF_FUZZ)
    # Only our own bytes are compressed. Compiled as in the native build, which has it in the cache; the fuzzers check it.
    set_property(TARGET sheaf_zstd_compress PROPERTY COMPILE_OPTIONS -O3 -DNDEBUG)
  endif()
endif()
