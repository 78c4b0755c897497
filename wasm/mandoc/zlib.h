/* mandoc reads compressed pages by zlib. Here pages arrive unpacked, so no file is ever compressed. */
#ifndef SHEAF_WASM_MANDOC_ZLIB_H_
#define SHEAF_WASM_MANDOC_ZLIB_H_

typedef void* gzFile;
#define Z_OK 0
#define Z_ERRNO (-1)
#define gzdopen(fd, mode) ((gzFile)0)
#define gzread(file, buffer, size) (-1)
#define gzerror(file, number) (*(number) = Z_ERRNO, "compressed")
#define gzclose(file) Z_OK
#define zError(number) "compressed"

#endif  // SHEAF_WASM_MANDOC_ZLIB_H_
