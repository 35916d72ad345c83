/*-------------------------------------------------------------------------
 *
 * wide.h
 *		Integers of 128 bits, in which 64-bit arithmetic cannot overflow.
 *
 * Processors of 32 bits have no __int128.  There the C23 types do, which gcc
 * has from version 14 on for some of them, and clang for all.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLAIN_WIDE_H
#define PLAIN_WIDE_H

#ifdef __SIZEOF_INT128__
#define WIDE	__int128
#else
#define WIDE	_BitInt(128)
#endif

typedef WIDE Wide;
typedef unsigned WIDE UWide;

#endif							/* PLAIN_WIDE_H */
