/* What mandoc's configure would find in Emscripten's C library. */
#ifndef SHEAF_WASM_MANDOC_CONFIG_H_
#define SHEAF_WASM_MANDOC_CONFIG_H_

#define _GNU_SOURCE
#include <stddef.h>
#include <sys/types.h>

#define MAN_CONF_FILE "/etc/man.conf"
#define MANPATH_BASE "/usr/share/man"
#define MANPATH_DEFAULT "/usr/share/man"
#define OSENUM MANDOC_OS_OTHER
#define UTF8_LOCALE "C.UTF-8"
#define EFTYPE EINVAL

#define HAVE_DIRENT_NAMLEN 0
#define HAVE_ENDIAN 1
#define HAVE_ERR 1
#define HAVE_FTS 0
#define HAVE_GETLINE 1
#define HAVE_GETSUBOPT 1
#define HAVE_ISBLANK 1
#define HAVE_LESS_T 0
#define HAVE_MKDTEMP 1
#define HAVE_MKSTEMPS 1
#define HAVE_NTOHL 1
#define HAVE_OHASH 0
#define HAVE_PLEDGE 0
#define HAVE_PROGNAME 0
#define HAVE_REALLOCARRAY 0
#define HAVE_RECALLOCARRAY 0
#define HAVE_REWB_BSD 0
#define HAVE_REWB_SYSV 0
#define HAVE_SANDBOX_INIT 0
#define HAVE_STRCASESTR 1
#define HAVE_STRINGLIST 0
#define HAVE_STRLCAT 1
#define HAVE_STRLCPY 1
#define HAVE_STRNDUP 1
#define HAVE_STRPTIME 1
#define HAVE_STRSEP 1
#define HAVE_STRTONUM 0
#define HAVE_SYS_ENDIAN 0
#define HAVE_VASPRINTF 1
#define HAVE_WCHAR 1

#define BINM_APROPOS "apropos"
#define BINM_CATMAN "catman"
#define BINM_MAKEWHATIS "makewhatis"
#define BINM_MAN "man"
#define BINM_SOELIM "soelim"
#define BINM_WHATIS "whatis"
#define BINM_PAGER "more"

extern const char* getprogname(void);
extern void setprogname(const char*);
extern void* reallocarray(void*, size_t, size_t);
extern void* recallocarray(void*, size_t, size_t, size_t);
extern long long strtonum(const char*, long long, long long, const char**);

#endif  // SHEAF_WASM_MANDOC_CONFIG_H_
