dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl Libraries whose pkg-config files are missing or tell only half.

# AT_HEADER_VERSION(VARIABLE, INCLUDES, MACRO, [MINOR = MACRO_MINOR], [PATCHLEVEL = MACRO_PATCHLEVEL])
# ----------------------------------------------------------------------------------------------
# VARIABLE becomes "1.2.3" from three numeric macros of a header; "yes" where they are not there.
AC_DEFUN([AT_HEADER_VERSION],
[AC_COMPUTE_INT([at_major], [$3], [$2], [at_major=])
AC_COMPUTE_INT([at_minor], [m4_default([$4], [$3_MINOR])], [$2], [at_minor=])
AC_COMPUTE_INT([at_patch], [m4_default([$5], [$3_PATCHLEVEL])], [$2], [at_patch=])
AS_IF([test -n "$at_major"], [$1=$at_major.$at_minor.$at_patch], [$1=yes])
])

# AT_CMARK
# --------
# cmark-gfm with its extensions (tables), which renders the report.  Sets CMARK_CFLAGS, CMARK_LIBS.
AC_DEFUN([AT_CMARK],
[PKG_CHECK_MODULES([CMARK], [libcmark-gfm],
  [at_cmark=$($PKG_CONFIG --modversion libcmark-gfm)],
  [at_cmark=unknown CMARK_CFLAGS= CMARK_LIBS=-lcmark-gfm])
at_save_CPPFLAGS=$CPPFLAGS at_save_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $CMARK_CFLAGS" CMARK_LIBS="-lcmark-gfm-extensions $CMARK_LIBS"
LIBS="$CMARK_LIBS $LIBS"
AC_CHECK_HEADERS([cmark-gfm.h], [], [at_cmark=no])
AC_CHECK_FUNC([cmark_gfm_core_extensions_ensure_registered], [], [at_cmark=no])
AS_VAR_IF([at_cmark], [no],
  [AS_VAR_APPEND([at_missing], [" libcmark-gfm-dev libcmark-gfm-extensions-dev"])])
CPPFLAGS=$at_save_CPPFLAGS LIBS=$at_save_LIBS
AC_SUBST([CMARK_CFLAGS])
AC_SUBST([CMARK_LIBS])
])

# AT_RANDOM123
# ------------
# Counter-based random streams: headers only.
AC_DEFUN([AT_RANDOM123],
[at_random123=no
AC_CHECK_HEADERS([Random123/philox.h], [at_random123=yes],
  [AS_VAR_APPEND([at_missing], [" librandom123-dev"])])
])

# AT_SLEEF
# --------
# Vector exp and friends for the kernels; without it they call libm.
AC_DEFUN([AT_SLEEF],
[AC_ARG_WITH([sleef],
  [AS_HELP_STRING([--without-sleef], [do not use SLEEF's vector functions])], [], [with_sleef=auto])
at_sleef=no SLEEF_LIBS=
AS_VAR_IF([with_sleef], [no], [at_sleef="no (--without-sleef)"],
  [at_save_LIBS=$LIBS
   AC_CHECK_HEADER([sleef.h],
     [LIBS="-lsleef $LIBS"
      AC_CHECK_FUNC([Sleef_exp_u10], [at_sleef=yes])])
   LIBS=$at_save_LIBS
   AS_VAR_IF([at_sleef], [yes],
     [SLEEF_LIBS=-lsleef
      AT_HEADER_VERSION([at_sleef], [[#include <sleef.h>]],
        [SLEEF_VERSION_MAJOR], [SLEEF_VERSION_MINOR], [SLEEF_VERSION_PATCHLEVEL])
      AC_DEFINE([HAVE_SLEEF], [1], [Define to 1 if SLEEF is there.])],
     [at_sleef="no (kernels use libm)"; AS_VAR_APPEND([at_absent], [" libsleef-dev"])])])
AC_SUBST([SLEEF_LIBS])
])
