/*-------------------------------------------------------------------------
 *
 * define_settings.h
 *		Defines the settings and checks their values.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_DEFINE_SETTINGS_H
#define GID_DEFINE_SETTINGS_H

#include "attach/attach.h"

extern const GidPart gid_settings_part;

extern void gid_settings_define(void);

#endif							/* GID_DEFINE_SETTINGS_H */
