// printf for tests that run under Wine on ARM.
//
// Wine that was itself compiled for Linux (Debian's is) reads the arguments of printf as Linux
// passes them, not as Windows does, and crashes. The printf of MinGW is in the program.
// `cross_compile.py` links this file into the tests for Windows on ARM, and into nothing else.
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

// Named as in Windows' C library, so that nothing is imported from there.
int write_file(unsigned long long options, FILE* file, const char* format, void* locale,
               va_list arguments) __asm__("__stdio_common_vfprintf");
int write_text(unsigned long long options, char* text, size_t size, const char* format,
               void* locale, va_list arguments) __asm__("__stdio_common_vsprintf");

int write_file(unsigned long long options, FILE* file, const char* format, void* locale,
               va_list arguments) {
    (void)options, (void)locale;
    return __mingw_vfprintf(file, format, arguments);
}

int write_text(unsigned long long options, char* text, size_t size, const char* format,
               void* locale, va_list arguments) {
    (void)options, (void)locale;
    return __mingw_vsnprintf(text, size, format, arguments);
}

int (*__imp___stdio_common_vfprintf)(unsigned long long, FILE*, const char*, void*,
                                     va_list) = write_file;
int (*__imp___stdio_common_vsprintf)(unsigned long long, char*, size_t, const char*, void*,
                                     va_list) = write_text;
