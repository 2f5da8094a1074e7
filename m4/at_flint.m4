dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl Finds FLINT with Arb and Calcium's exact algebraic numbers in either of their two worlds:
dnl FLINT >= 3 holds all three (headers flint/arb.h, flint/qqbar.h; flint.pc); with FLINT 2.9
dnl Arb and Calcium are libraries of their own (headers arb.h, qqbar.h; Debian calls Arb's
dnl library libflint-arb, others libarb, and puts Calcium's headers under calcium/).
dnl
dnl Sets FLINT_CFLAGS, FLINT_LIBS, at_flint, at_arb, at_qqbar; adds to at_missing what is not
dnl there.  theory/flint/compat.h makes the same choice of headers on its own, by __has_include.

# AT_FLINT
# --------
AC_DEFUN([AT_FLINT],
[AC_REQUIRE([PKG_PROG_PKG_CONFIG])
at_flint=no at_arb=no at_qqbar=no
PKG_CHECK_MODULES([FLINT], [flint >= 3.0],
  [dnl FLINT's inline functions are not written for -Wpedantic.
   FLINT_CFLAGS=$(AS_ECHO(["$FLINT_CFLAGS"]) | $SED 's/-I */-isystem /g')],
  [FLINT_CFLAGS= FLINT_LIBS=])
at_save_CPPFLAGS=$CPPFLAGS at_save_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $FLINT_CFLAGS"
AC_CHECK_HEADERS([flint/flint.h])
dnl flint/arb.h first: a machine may have both.
AC_CHECK_HEADERS([flint/arb.h arb.h], [break], [], [[#include <stdio.h>
#include <gmp.h>
#include <mpfr.h>]])
AC_CHECK_HEADERS([flint/qqbar.h calcium/qqbar.h qqbar.h], [break], [], [[#include <stdio.h>
#include <gmp.h>
#include <mpfr.h>]])
AS_IF([test -z "$FLINT_LIBS"],
  [AC_CACHE_CHECK([for the libraries of FLINT, Arb and Calcium], [at_cv_flint_libs],
    [at_cv_flint_libs=no
     for at_try in "-lflint -lmpfr -lgmp" "-lcalcium -lflint-arb -lflint -lmpfr -lgmp" \
                   "-lcalcium -larb -lflint -lmpfr -lgmp"; do
       LIBS="$at_try $at_save_LIBS"
       dnl Real functions of each: the init functions are inline in the headers.
       AC_LINK_IFELSE([AC_LANG_SOURCE([[
char fmpq_mat_rref (void); char arb_exp (void); char qqbar_cmp_re (void);
int main (void) { return fmpq_mat_rref () + arb_exp () + qqbar_cmp_re (); }]])],
         [at_cv_flint_libs=$at_try; break])
     done])
   AS_VAR_IF([at_cv_flint_libs], [no], [], [FLINT_LIBS=$at_cv_flint_libs])])
AT_HEADER_VERSION([at_flint], [[#include <stdio.h>
#include <gmp.h>
#include <mpfr.h>
#include <flint/flint.h>]], [__FLINT_VERSION])
AS_IF([test "$ac_cv_header_flint_arb_h" = yes], [at_arb="in FLINT"],
  [test "$ac_cv_header_arb_h" = yes], [AT_HEADER_VERSION([at_arb], [[#include <gmp.h>
#include <mpfr.h>
#include <arb.h>]], [__ARB_VERSION])])
AS_IF([test "$ac_cv_header_flint_qqbar_h" = yes], [at_qqbar="in FLINT"],
  [test "$ac_cv_header_calcium_qqbar_h" = yes || test "$ac_cv_header_qqbar_h" = yes],
  [at_qqbar="in Calcium"])
AS_VAR_IF([ac_cv_header_flint_flint_h], [yes],
  [], [AS_VAR_APPEND([at_missing], [" libflint-dev"])])
AS_VAR_IF([at_arb], [no], [AS_VAR_APPEND([at_missing], [" libflint-arb-dev(with-FLINT-2)"])])
AS_VAR_IF([at_qqbar], [no], [AS_VAR_APPEND([at_missing], [" libcalcium-dev(with-FLINT-2)"])])
AS_IF([test -z "$FLINT_LIBS" && test -z "$at_missing"],
  [AS_VAR_APPEND([at_missing], [" libflint(does-not-link)"])])
CPPFLAGS=$at_save_CPPFLAGS LIBS=$at_save_LIBS
AC_SUBST([FLINT_CFLAGS])
AC_SUBST([FLINT_LIBS])
])
