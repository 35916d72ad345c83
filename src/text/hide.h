/*-------------------------------------------------------------------------
 *
 * text/hide.h
 *		Hides names in lines that other programs wrote.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_HIDE_H
#define GID_TEXT_HIDE_H

extern void gid_hide_name(char *line, const char *name);

#endif							/* GID_TEXT_HIDE_H */
