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

extern void gid_hide_text(char *line, const char *text);
extern void gid_hide_word(char *line, const char *word);

#endif							/* GID_TEXT_HIDE_H */
