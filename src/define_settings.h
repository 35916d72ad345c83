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

extern void gid_define_settings(void);

#endif							/* GID_DEFINE_SETTINGS_H */
