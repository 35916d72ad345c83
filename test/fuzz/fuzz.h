/*-------------------------------------------------------------------------
 *
 * fuzz.h
 *		What the harnesses of this directory share: the parts of an input, the
 *		outcomes that were seen, the end of a run that found something.
 *
 * A harness is a file fuzz_<name>.c with LLVMFuzzerTestOneInput(), so that
 * libFuzzer runs it and driver.c does.  It takes its input apart, calls the
 * function under test and a plain second implementation, and ends the program
 * when they differ.  Results are noted as outcomes:
 *
 *		const char *const fuzz_outcomes[] = {"sound", "empty", NULL};
 *		...
 *		fuzz_note(error.fault);
 *
 * At exit a line says how often each was seen; one that never was is marked
 * "not seen", and run.sh takes that for a failure: then the harness does not
 * test what it says.
 *
 * State: the counters.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef FUZZ_H
#define FUZZ_H

#define FUZZ_MAX_OUTCOMES	32

extern int	LLVMFuzzerTestOneInput(const uint8 *data, size_t size);

/* The names of a harness's outcomes, ended by NULL. */
extern const char *const fuzz_outcomes[];

static uint64 fuzz_seen[FUZZ_MAX_OUTCOMES];

/* A line on standard error, to be read by run.sh. */
static void
fuzz_report(void)
{
	fprintf(stderr, "outcomes:");
	for (int i = 0; fuzz_outcomes[i] != NULL; i++)
	{
		if (fuzz_seen[i] > 0)
			fprintf(stderr, " %s %llu,", fuzz_outcomes[i],
					(unsigned long long) fuzz_seen[i]);
		else
			fprintf(stderr, " %s not seen,", fuzz_outcomes[i]);
	}
	fprintf(stderr, "\n");
}

static inline void
fuzz_note(int outcome)
{
	static bool registered = false;

	if (!registered)
		atexit(fuzz_report);
	registered = true;
	fuzz_seen[outcome]++;
}

/* Something is wrong: say what, and end as by a signal. */
#define fuzz_check(condition, ...) \
	do { \
		if (!(condition)) \
		{ \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			fprintf(stderr, __VA_ARGS__); \
			fprintf(stderr, "\n"); \
			fflush(stderr); \
			abort(); \
		} \
	} while (0)

/* What is left of an input; behind its end everything is 0. */
typedef struct FuzzInput
{
	const uint8 *at;
	size_t		left;
} FuzzInput;

static inline uint8
fuzz_byte(FuzzInput *in)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->at++;
}

static inline uint64
fuzz_word(FuzzInput *in, int bytes)
{
	uint64		word = 0;

	for (int i = 0; i < bytes; i++)
		word = word * 256 + fuzz_byte(in);
	return word;
}

/*
 * Any number of 64 bits, more often than by chance near 0, near the ends of
 * the signed numbers, near a power of two or a multiple of 2^60 or of 10^5.
 */
static inline uint64
fuzz_number(FuzzInput *in)
{
	uint8		kind = fuzz_byte(in);
	uint64		near = (uint64) (int64) (int8) fuzz_byte(in);

	switch (kind % 8)
	{
		case 0:
			return near;
		case 1:
			return (UINT64CONST(1) << 63) + near;
		case 2:
			return (UINT64CONST(1) << kind / 8 * 2) + near;
		case 3:
			return ((uint64) (kind / 8) << 60) + near;
		case 4:
			return (uint64) (kind / 8) * 100000 + near;
		case 5:
			return fuzz_word(in, 2);
		case 6:
			return fuzz_word(in, 5);
		default:
			return fuzz_word(in, 8);
	}
}

/*
 * The same bytes in memory of just their length, so that the sanitizer sees a
 * read beyond it; to be given to free().
 */
static inline void *
fuzz_exactly(const void *bytes, size_t length)
{
	/* calloc() so that no compiler warns of memory without a value */
	void	   *copy = calloc(length, 1);

	if (copy == NULL)
		exit(2);
	if (length > 0)
		memcpy(copy, bytes, length);
	return copy;
}

#endif							/* FUZZ_H */
