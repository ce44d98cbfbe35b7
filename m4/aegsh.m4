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
    LIBS="-Wl,-Bstatic $5 -Wl,-Bdynamic $8 $LIBS"
    AC_LINK_IFELSE([AC_LANG_CALL([], [$3])],
      [AC_MSG_RESULT([yes])
       $1_LIBS="-Wl,-Bstatic $5 -Wl,-Bdynamic $8"],
      [AC_MSG_RESULT([no])
       AS_IF([test "x$with_static_libs" = xyes],
         [AC_MSG_ERROR([--with-static-libs: no static archive of $2])])])
    LIBS=$aegsh_save_LIBS])
])
