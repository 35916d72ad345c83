/*-------------------------------------------------------------------------
 *
 * text/id_text.h
 *		The id that a text stands for, with what people send along.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_ID_TEXT_H
#define GID_TEXT_ID_TEXT_H

#include "text/id_form.h"

extern bool gid_id_text_parse(const char *given, int length, GidIdText *id,
							  GidFault *fault);

#endif							/* GID_TEXT_ID_TEXT_H */
