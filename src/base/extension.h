/*-------------------------------------------------------------------------
 *
 * base/extension.h
 *		The schema "gid", in which the extension keeps its relations.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BASE_EXTENSION_H
#define GID_BASE_EXTENSION_H

extern Oid	gid_extension_schema(void);
extern Oid	gid_extension_relation(const char *name);
extern Oid	gid_extension_member(const char *name);

#endif							/* GID_BASE_EXTENSION_H */
