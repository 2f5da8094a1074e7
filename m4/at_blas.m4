dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl GSL, and the CBLAS that both we and GSL are to call.  gsl.pc names gslcblas, which would win
dnl for every call if it came first on the link line, so GSL's own flags are taken without it and
dnl the better library put after -lgsl.

# AT_GSL
# ------
AC_DEFUN([AT_GSL],
[PKG_CHECK_MODULES([GSL], [gsl >= 2.7],
  [at_gsl=$($PKG_CONFIG --modversion gsl)
   GSL_LIBS=$($PKG_CONFIG --define-variable=GSL_CBLAS_LIB= --libs gsl | $SED 's/-lgslcblas//g')],
  [at_gsl=no; AS_VAR_APPEND([at_missing], [" libgsl-dev"])])
AC_SUBST([GSL_CFLAGS])
AC_SUBST([GSL_LIBS])
])

# AT_BLAS
# -------
# Sets BLAS_CFLAGS, BLAS_LIBS, at_blas; defines HAVE_OPENBLAS where openblas_get_config is there.
# An ILP64 build answers with another sum than the test's, or crashes, and is passed over.
AC_DEFUN([AT_BLAS],
[AC_REQUIRE([AT_GSL])
AC_ARG_WITH([blas],
  [AS_HELP_STRING([--with-blas=LIBS], [the CBLAS to link, such as -lblis @<:@OpenBLAS@:>@])],
  [], [with_blas=auto])
at_blas=no BLAS_LIBS= BLAS_CFLAGS=
at_save_CPPFLAGS=$CPPFLAGS at_save_LIBS=$LIBS
AS_CASE([$with_blas],
  [auto|yes],
   [PKG_CHECK_EXISTS([openblas],
      [at_try_blas=$($PKG_CONFIG --libs openblas)
       BLAS_CFLAGS=$($PKG_CONFIG --cflags openblas)],
      [at_try_blas=-lopenblas])],
  [at_try_blas=$with_blas])
CPPFLAGS="$CPPFLAGS $BLAS_CFLAGS"
for at_try in "$at_try_blas" "-lblas" "-lcblas -lblas" "-lgslcblas"; do
  AC_MSG_CHECKING([for CBLAS in $at_try])
  LIBS="$at_try $at_save_LIBS -lm"
  at_blas_header=cblas.h
  AS_CASE([$at_try], [-lgslcblas], [at_blas_header=gsl/gsl_cblas.h])
  AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <$at_blas_header>]],
      [[double x[3] = {1, 2, 3}, y[3] = {4, 5, 6};
        float a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 0, 1}, c[4] = {0, 0, 0, 0};
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1.0f, a, 2, b, 2, 0.0f, c, 2);
        return !(cblas_ddot(3, x, 1, y, 1) == 32.0 && c[1] == 2.0f);]])],
    [at_blas=$at_try], [],
    [AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$at_blas_header>]],
       [[double x[1] = {1}; return cblas_ddot(1, x, 1, x, 1) != 1.0;]])], [at_blas=$at_try])])
  AS_VAR_IF([at_blas], [no], [AC_MSG_RESULT([no])], [AC_MSG_RESULT([yes]); break])
done
AS_VAR_IF([at_blas], [no], [AS_VAR_APPEND([at_missing], [" libopenblas-dev"])],
  [BLAS_LIBS=$at_blas
   AS_CASE([$at_blas_header], [gsl/*],
     [AC_DEFINE([AT_GSL_CBLAS], [1], [Define to 1 if CBLAS is GSL's reference one.])])
   AC_CHECK_FUNCS([openblas_get_config],
     [AC_DEFINE([HAVE_OPENBLAS], [1], [Define to 1 if CBLAS is OpenBLAS.])
      PKG_CHECK_EXISTS([openblas],
        [at_blas="OpenBLAS $($PKG_CONFIG --modversion openblas) ($BLAS_LIBS)"],
        [at_blas="OpenBLAS ($BLAS_LIBS)"])])])
CPPFLAGS=$at_save_CPPFLAGS LIBS=$at_save_LIBS
AC_SUBST([BLAS_CFLAGS])
AC_SUBST([BLAS_LIBS])
])
