/*-------------------------------------------------------------------------
 *
 * pairs.h
 *		Collects ids of a simulation and counts the pairs of equal ones.
 *
 * State: the ids that were added since the last count.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef PAIRS_H
#define PAIRS_H

#define MAX_IDS		200000

/* Ids of all kinds, shorter ones with 0 behind them. */
typedef struct Id
{
	uint8		bytes[16];
} Id;

static Id	ids[MAX_IDS];
static int	nids;

static inline int
compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(Id));
}

static inline void
add_id(const void *bytes, size_t size)
{
	if (nids == MAX_IDS || size > sizeof(Id))
		abort();
	memset(&ids[nids], 0, sizeof(Id));
	memcpy(&ids[nids++], bytes, size);
}

static inline void
add_number(int64 number)
{
	add_id(&number, sizeof(number));
}

/* How many pairs of the added ids are equal; then none is there. */
static inline double
equal_pairs(void)
{
	double		pairs = 0;
	int			same = 0;

	qsort(ids, nids, sizeof(Id), compare_ids);
	for (int i = 1; i < nids; i++)
	{
		same = compare_ids(&ids[i], &ids[i - 1]) == 0 ? same + 1 : 0;
		pairs += same;
	}
	nids = 0;
	return pairs;
}

#endif							/* PAIRS_H */
