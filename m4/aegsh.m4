dnl SPDX-License-Identifier: ISC
dnl AEGSH_CFLAG(FLAG, VAR): add FLAG to VAR when the compiler takes it.
AC_DEFUN([AEGSH_CFLAG], [
  AS_VAR_PUSHDEF([cache], [aegsh_cv_cflag_$1])
  AC_CACHE_CHECK([whether $CC takes $1], [cache], [
    aegsh_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $1"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
      [AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
    CFLAGS=$aegsh_save_CFLAGS])
  AS_VAR_IF([cache], [yes], [$2="$$2 $1"])
  AS_VAR_POPDEF([cache])
])

dnl AEGSH_LDFLAG(FLAG, VAR): the same for the linker.
AC_DEFUN([AEGSH_LDFLAG], [
  AS_VAR_PUSHDEF([cache], [aegsh_cv_ldflag_$1])
  AC_CACHE_CHECK([whether the linker takes $1], [cache], [
    aegsh_save_LDFLAGS=$LDFLAGS
    aegsh_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -fPIE"
    LDFLAGS="$LDFLAGS $1"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
      [AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
    CFLAGS=$aegsh_save_CFLAGS
    LDFLAGS=$aegsh_save_LDFLAGS])
  AS_VAR_IF([cache], [yes], [$2="$$2 $1"])
  AS_VAR_POPDEF([cache])
])

dnl Relative relocations in a packed form, a twentieth of the size: only
dnl where the C library says by a symbol version that it can read them, as
dnl a linker that takes the option alone does not tell.
AC_DEFUN([AEGSH_RELR], [
  AC_CACHE_CHECK([for packed relative relocations], [aegsh_cv_relr], [
    aegsh_cv_relr=no
    aegsh_save_LDFLAGS=$LDFLAGS
    aegsh_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -fPIE"
    LDFLAGS="$LDFLAGS -pie -Wl,-z,pack-relative-relocs"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>
        static const char *const text[] = { "a", "b" };]],
        [[return puts(text[getchar() & 1]);]])],
      [AS_IF([grep GLIBC_ABI_DT_RELR conftest$EXEEXT >/dev/null 2>&1],
        [aegsh_cv_relr=yes])])
    CFLAGS=$aegsh_save_CFLAGS
    LDFLAGS=$aegsh_save_LDFLAGS])
  AS_IF([test "x$aegsh_cv_relr" = xyes],
    [HARDEN_LDFLAGS="$HARDEN_LDFLAGS -Wl,-z,pack-relative-relocs"])
])

dnl _FORTIFY_SOURCE=3 (or 2), which needs an optimising compilation.
AC_DEFUN([AEGSH_CPPFLAG_FORTIFY], [
  AC_CACHE_CHECK([for _FORTIFY_SOURCE], [aegsh_cv_fortify], [
    aegsh_cv_fortify=no
    for level in 3 2; do
      aegsh_save_CFLAGS=$CFLAGS
      CFLAGS="$CFLAGS -O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$level"
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <string.h>]], [])],
        [aegsh_cv_fortify=$level])
      CFLAGS=$aegsh_save_CFLAGS
      test "x$aegsh_cv_fortify" = xno || break
    done])
  AS_IF([test "x$aegsh_cv_fortify" != xno],
    [HARDEN_CFLAGS="$HARDEN_CFLAGS -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$aegsh_cv_fortify"])
])

dnl AEGSH_LIBRARY(VAR, MODULE, FUNCTION, HEADER, STATIC, DEBIAN, FEDORA, EXTRA)
dnl VAR_CFLAGS and VAR_LIBS from pkg-config; the static archives instead of
dnl the shared library where they are there and wanted.
AC_DEFUN([AEGSH_LIBRARY], [
  PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([the library $2 is missing. Debian: apt-get install $6. Fedora: dnf install $7.])])
  AS_IF([test "x$with_static_libs" != xno && test -n "$5"], [
    AC_MSG_CHECKING([for static archives of $2])
    aegsh_save_LIBS=$LIBS
    dnl By name: -Bstatic and -Bdynamic would also say how libc is linked.
    aegsh_archives=`AS_ECHO(["$5"]) | sed 's/-l\(@<:@^ @:>@*\)/-l:lib\1.a/g'`
    LIBS="$aegsh_archives $8 $LIBS"
    AC_LINK_IFELSE([AC_LANG_CALL([], [$3])],
      [AC_MSG_RESULT([yes])
       $1_LIBS="$aegsh_archives $8"],
      [AC_MSG_RESULT([no])
       AS_IF([test "x$with_static_libs" = xyes],
         [AC_MSG_ERROR([--with-static-libs: no static archive of $2])])])
    LIBS=$aegsh_save_LIBS])
])

dnl Functions of a start side by side: where the linker takes a script beside
dnl its own.
AC_DEFUN([AEGSH_SHELL_ORDER], [
  AC_CACHE_CHECK([whether the linker takes an order of functions],
    [aegsh_cv_order], [
    aegsh_cv_order=no
    aegsh_save_LDFLAGS=$LDFLAGS
    LDFLAGS="$LDFLAGS $SHELL_LDFLAGS -Wl,-T,$srcdir/src/shell/order.ld"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [aegsh_cv_order=yes])
    LDFLAGS=$aegsh_save_LDFLAGS])
  AS_IF([test "x$aegsh_cv_order" = xyes],
    [SHELL_LDFLAGS="$SHELL_LDFLAGS -Wl,-T,\$(top_srcdir)/src/shell/order.ld"])
])

dnl AEGSH_STATIC_SHELL: the shell alone is also linked with libc statically,
dnl position-independent as ever: to find and bind a libc costs each start as
dnl much as a tenth of bash.  What needs the modules of the name service asks
dnl getent(1).
AC_DEFUN([AEGSH_STATIC_SHELL], [
  AC_ARG_ENABLE([static-shell],
    [AS_HELP_STRING([--disable-static-shell],
      [link aegsh with libc dynamically (it starts slower)])],
    [], [enable_static_shell=auto])
  AS_IF([test "x$enable_static_shell" = xyes],
    [AS_IF([test "x$enable_sanitize" != xno],
        [AC_MSG_ERROR([--enable-static-shell: there is no static runtime for --enable-sanitize; leave one of them out.])],
      [test "x$with_fuzzer" != xno],
        [AC_MSG_ERROR([--enable-static-shell: there is no static runtime for --with-fuzzer; leave one of them out.])],
      [test "x$with_static_libs" = xno],
        [AC_MSG_ERROR([--enable-static-shell contradicts --without-static-libs; leave one of them out.])])])
  SHELL_LDFLAGS=$HARDEN_LDFLAGS
  aegsh_static=no
  AS_IF([test "x$enable_sanitize" = xno && test "x$with_fuzzer" = xno &&
      test "x$with_static_libs" != xno && test "x$enable_static_shell" != xno],
    [AC_MSG_CHECKING([whether the shell can be linked statically])
    aegsh_save_LIBS=$LIBS aegsh_save_LDFLAGS=$LDFLAGS
    aegsh_harden=`AS_ECHO([" $HARDEN_LDFLAGS "]) | sed 's/ -pie / -static-pie /'`
    LDFLAGS="$LDFLAGS $aegsh_harden"
    LIBS="$SQLITE_LIBS $EDIT_LIBS $PCRE2_LIBS $LIBS"
    AS_CASE([$aegsh_harden], [*-static-pie*],
      [AC_LINK_IFELSE([AC_LANG_PROGRAM(
        [[#include <math.h>
          #include <sqlite3.h>
          #include <histedit.h>]],
        [[return sqlite3_libversion_number() + (int)fmod(sqlite3_libversion_number(), 2) +
          (history_init() != 0);]])], [aegsh_static=yes])])
    LIBS=$aegsh_save_LIBS LDFLAGS=$aegsh_save_LDFLAGS
    AC_MSG_RESULT([$aegsh_static])
    AS_IF([test $aegsh_static = yes],
      [SHELL_LDFLAGS=$aegsh_harden
       AEGSH_SHELL_ORDER],
      [test "x$enable_static_shell" = xyes],
      [AC_MSG_ERROR([--enable-static-shell: no static libc, or a library without an archive. Debian: apt-get install libc6-dev. Fedora: dnf install glibc-static.])])])
  AC_SUBST([SHELL_LDFLAGS])
  AM_CONDITIONAL([STATIC_SHELL], [test $aegsh_static = yes])
])

dnl AEGSH_SHEBANG: how auto-shebang is linked.  It stands between a script
dnl and its interpreter each time and needs nothing dynamic of a libc, so
dnl static starts sooner; and against musl, when its compiler is there,
dnl sooner by half again: glibc asks the processor for its features some
dnl forty times at each start, and in a virtual machine each is a trap.
AC_DEFUN([AEGSH_SHEBANG], [
  AC_ARG_ENABLE([static-auto-shebang],
    [AS_HELP_STRING([--disable-static-auto-shebang],
      [link auto-shebang dynamically (it starts slower)])],
    [], [enable_static_auto_shebang=auto])
  AC_ARG_WITH([musl-gcc],
    [AS_HELP_STRING([--with-musl-gcc=CC],
      [compile auto-shebang with this (musl-gcc, when it is there)])],
    [], [with_musl_gcc=auto])
  AS_IF([test "x$enable_sanitize" != xno || test "x$with_fuzzer" != xno],
    [shebang_static=no], [shebang_static=$enable_static_auto_shebang])

  SHEBANG_CC=
  AS_IF([test "x$shebang_static" != xno && test "x$with_musl_gcc" != xno],
    [AS_CASE([$with_musl_gcc], [auto|yes],
      [AC_PATH_PROG([SHEBANG_CC], [musl-gcc], [])],
      [SHEBANG_CC=$with_musl_gcc])])
  SHEBANG_CC_FLAGS=
  AS_IF([test -n "$SHEBANG_CC"], [AEGSH_SHEBANG_MUSL])
  AS_IF([test -z "$SHEBANG_CC" && test "x$with_musl_gcc" != xauto &&
      test "x$with_musl_gcc" != xno],
    [AC_MSG_ERROR([--with-musl-gcc: it does not work, or auto-shebang is not static. Debian: apt-get install musl-tools. Fedora: dnf install musl-gcc musl-libc-static.])])
  AC_SUBST([SHEBANG_CC])
  AC_SUBST([SHEBANG_CC_FLAGS])
  AM_CONDITIONAL([MUSL_SHEBANG], [test -n "$SHEBANG_CC"])

  STATIC_LDFLAGS=
  AS_IF([test -z "$SHEBANG_CC" && test "x$shebang_static" != xno],
    [AEGSH_LDFLAG([-static-pie], [STATIC_LDFLAGS])])
  AS_IF([test "x$enable_static_auto_shebang" = xyes && test -z "$SHEBANG_CC" &&
      test -z "$STATIC_LDFLAGS"],
    [AC_MSG_ERROR([--enable-static-auto-shebang: no static libc, or sanitizers are on. Debian: apt-get install libc6-dev. Fedora: dnf install glibc-static.])])
  SHEBANG_LDFLAGS=$HARDEN_LDFLAGS
  AS_IF([test -n "$STATIC_LDFLAGS"],
    [SHEBANG_LDFLAGS="`AS_ECHO(["$HARDEN_LDFLAGS"]) | sed 's/ -pie / /'`$STATIC_LDFLAGS"])
  AC_SUBST([SHEBANG_LDFLAGS])
])

dnl Flags with which $SHEBANG_CC makes a static program, at a random place
dnl where it can; or SHEBANG_CC empty.  The kernel's headers come last, so
dnl that the C library's own are never shadowed.
AC_DEFUN([AEGSH_SHEBANG_MUSL], [
  AC_MSG_CHECKING([how $SHEBANG_CC links a static program])
  aegsh_save_CC=$CC aegsh_save_CFLAGS=$CFLAGS aegsh_save_LDFLAGS=$LDFLAGS
  aegsh_save_LIBS=$LIBS aegsh_save_CPPFLAGS=$CPPFLAGS
  aegsh_kernel="-idirafter /usr/include"
  aegsh_arch=`$CC -print-multiarch 2>/dev/null`
  test -z "$aegsh_arch" || aegsh_kernel="$aegsh_kernel -idirafter /usr/include/$aegsh_arch"
  aegsh_plain="-static -Wl,-z,relro,-z,now,-z,noexecstack"
  # Where its start files are; its driver knows no -static-pie.
  echo 'int main(void) { return 0; }' >conftest.c
  aegsh_crt=`$SHEBANG_CC -### -static conftest.c 2>&1 | tr ' "' '\n\n' | sed -n 's,/crti\.o$,,p'`
  aegsh_pie="-fPIE $aegsh_plain -nostartfiles -Wl,-pie,--no-dynamic-linker $aegsh_crt/rcrt1.o $aegsh_crt/crti.o $aegsh_crt/crtn.o"
  CC=$SHEBANG_CC CFLAGS="-O2 $aegsh_kernel" CPPFLAGS= LDFLAGS= LIBS=
  for aegsh_flags in "$aegsh_pie" "$aegsh_plain"; do
    LIBS=$aegsh_flags
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <linux/stat.h>
#include <stdio.h>]], [[struct statx sx; return printf("%zu\n", sizeof sx) < 1;]])],
      [AS_IF([test "x$cross_compiling" = xyes || ./conftest$ac_exeext >/dev/null 2>&1],
        [SHEBANG_CC_FLAGS="$aegsh_kernel $aegsh_flags"])])
    test -z "$SHEBANG_CC_FLAGS" || break
  done
  CC=$aegsh_save_CC CFLAGS=$aegsh_save_CFLAGS LDFLAGS=$aegsh_save_LDFLAGS
  LIBS=$aegsh_save_LIBS CPPFLAGS=$aegsh_save_CPPFLAGS
  AS_IF([test -n "$SHEBANG_CC_FLAGS"], [AC_MSG_RESULT([$SHEBANG_CC_FLAGS])],
    [AC_MSG_RESULT([not at all])
     SHEBANG_CC=])
])
