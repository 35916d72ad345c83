/*-------------------------------------------------------------------------
 *
 * auto_conf.h
 *		Warns of numbers of this server in a file that is copied to others.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_AUTO_CONF_H
#define GID_AUTO_CONF_H

#include "attach/attach.h"

extern const GidPart gid_auto_conf_part;

extern void gid_auto_conf_look_again(void);

#endif							/* GID_AUTO_CONF_H */
