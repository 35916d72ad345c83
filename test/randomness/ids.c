/*-------------------------------------------------------------------------
 *
 * ids.c
 *		Permuted consecutive ids as a stream of bits, for run.sh.
 *
 *		ids BITS KEY BYTES
 *
 * writes that many bytes to standard output: the ids 1, 2, 3, ... permuted
 * with that many bits and the key (bytes in hexadecimal), each as BITS bits,
 * the highest first, one right behind the other.  So no bit of an id is left
 * out, and none that is always 0 comes in.  It ends early, with status 0, when
 * nobody reads any more.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include <signal.h>

#include "layout/permutation.h"
#include "../plain/wide.h"

int
main(int argc, char **argv)
{
	int			bits = argc == 4 ? atoi(argv[1]) : 0;
	int			key_length = argc == 4 ? (int) strlen(argv[2]) / 2 : 0;
	uint64		left = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
	uint8		key[GID_PERMUTE_MAX_KEY];
	GidPermutation p;
	UWide		waiting = 0;	/* bits that are no whole byte yet, the lowest */
	int			nwaiting = 0;

	if (bits < GID_PERMUTE_MIN_BITS || bits > GID_PERMUTE_MAX_BITS ||
		key_length < GID_PERMUTE_MIN_KEY || key_length > GID_PERMUTE_MAX_KEY)
	{
		fprintf(stderr, "usage: ids BITS KEY BYTES\n");
		return 2;
	}
	for (int i = 0; i < key_length; i++)
	{
		unsigned int byte;

		if (sscanf(argv[2] + 2 * i, "%2x", &byte) != 1)
			return 2;
		key[i] = (uint8) byte;
	}

	/* whoever reads may have read enough */
	signal(SIGPIPE, SIG_IGN);
	gid_permute_setup(&p, key, key_length, bits);
	for (uint64 id = 1; left > 0 && id <= p.max; id++)
	{
		waiting = waiting << bits | gid_permute_forward(&p, id);
		for (nwaiting += bits; nwaiting >= 8 && left > 0; nwaiting -= 8, left--)
		{
			if (putchar_unlocked((int) (waiting >> (nwaiting - 8)) & 0xff) == EOF)
				return 0;
		}
	}
	/* too few ids for so many bytes */
	return left > 0;
}
