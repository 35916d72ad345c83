/*-------------------------------------------------------------------------
 *
 * vectors.h
 *		Reads the reference values in doc/vectors.
 *
 * Each vector is one line of a JSON array, and its keys' names do not come
 * twice; so a key is found by its name, and no JSON parser is needed.  The
 * programs run in the tree's top directory.
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef VECTORS_H
#define VECTORS_H

#define VECTOR_LINE		8192

/* A file of doc/vectors; the caller tests for NULL and closes it. */
static inline FILE *
vectors_open(const char *name)
{
	char		path[256];

	snprintf(path, sizeof(path), "doc/vectors/%s", name);
	return fopen(path, "r");
}

/* The next vector of an operation; false at the end. */
static inline bool
vectors_next(FILE *file, const char *op, char line[VECTOR_LINE])
{
	char		wanted[64];

	snprintf(wanted, sizeof(wanted), "\"op\": \"%s\",", op);
	while (fgets(line, VECTOR_LINE, file) != NULL)
	{
		if (strstr(line, wanted) != NULL)
			return true;
	}
	return false;
}

/* What follows a key, or NULL. */
static inline const char *
vector_find(const char *line, const char *key)
{
	char		wanted[64];
	const char *found;

	snprintf(wanted, sizeof(wanted), "\"%s\": ", key);
	found = strstr(line, wanted);
	return found == NULL ? NULL : found + strlen(wanted);
}

/* A number; false if the key is missing or holds something else. */
static inline bool
vector_number(const char *line, const char *key, int64 *number)
{
	const char *p = vector_find(line, key);
	char	   *end;

	if (p == NULL)
		return false;
	*number = strtoll(p, &end, 10);
	return end != p;
}

/* A list of numbers; how many, at most "max". */
static inline int
vector_numbers(const char *line, const char *key, int64 *numbers, int max)
{
	const char *p = vector_find(line, key);
	int			n = 0;

	if (p == NULL || *p != '[')
		return 0;
	while (n < max && *p != ']' && *p != '\0')
	{
		char	   *end;

		numbers[n] = strtoll(p + 1, &end, 10);
		if (end == p + 1)
			return 0;
		n++;
		p = end;
	}
	return n;
}

/* Bytes in hexadecimal, hyphens or not; false if their number is another. */
static inline bool
vector_bytes(const char *line, const char *key, uint8 *bytes, int nbytes)
{
	const char *p = vector_find(line, key);
	char		string[64];
	size_t		length;

	if (p == NULL || *p != '"')
		return false;
	length = strcspn(++p, "\"");
	if (length >= sizeof(string))
		return false;
	memcpy(string, p, length);
	string[length] = '\0';

	return ruler_from_hex(string, bytes, nbytes);
}

#endif							/* VECTORS_H */
