/*-------------------------------------------------------------------------
 *
 * driver.c
 *		Runs a harness without libFuzzer: the seeds, then changed ones.
 *
 *		driver RUNS SEED [FILE...]
 *
 * Every run begins with one of the files, or with an input that an earlier run
 * made of them, and changes, puts in, takes out, repeats and crosses some of
 * its bytes.  There is no feedback from coverage: some inputs of the past are
 * kept by chance alone.  Equal arguments make equal runs.  With 0 runs only
 * the files are run.
 *
 * An input that ends the program is written to the file that FUZZ_CRASH in the
 * environment names.
 *
 * State: the inputs; the random generator; the input that is being run.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#define MAX_LENGTH		256
#define MAX_INPUTS		1024

extern int	LLVMFuzzerTestOneInput(const uint8 *data, size_t size);
extern void __sanitizer_set_death_callback(void (*callback) (void));

typedef struct Input
{
	uint8		bytes[MAX_LENGTH];
	size_t		length;
} Input;

static Input inputs[MAX_INPUTS];
static int	ninputs;
static int	nfiles;
static uint64 state;
static Input current;

/* splitmix64 (Steele, Lea, Flood 2014), below "limit" */
static size_t
some(size_t limit)
{
	uint64		z = (state += UINT64CONST(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64CONST(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64CONST(0x94d049bb133111eb);
	return (size_t) ((z ^ z >> 31) % limit);
}

static void
save(void)
{
	const char *name = getenv("FUZZ_CRASH");
	int			fd;

	if (name == NULL)
		return;
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, current.bytes, current.length) < 0)
		return;
	close(fd);
}

static void
save_at_abort(int number)
{
	save();
	signal(number, SIG_DFL);
	raise(number);
}

static void
add_file(const char *name)
{
	FILE	   *file = fopen(name, "rb");
	Input	   *input = &inputs[ninputs];

	if (file == NULL || ninputs == MAX_INPUTS)
	{
		fprintf(stderr, "could not take \"%s\"\n", name);
		exit(2);
	}
	input->length = fread(input->bytes, 1, MAX_LENGTH, file);
	fclose(file);
	ninputs++;
}

static void
run(void)
{
	/* memory of its exact length */
	uint8	   *copy = malloc(current.length);

	if (current.length > 0)
		memcpy(copy, current.bytes, current.length);
	(void) LLVMFuzzerTestOneInput(copy, current.length);
	free(copy);
}

/* A part of another input over or into this one. */
static void
cross(Input *input)
{
	const Input *other = &inputs[some(ninputs)];
	size_t		from = some(other->length + 1);
	size_t		to = some(input->length + 1);
	size_t		n = some(other->length - from + 1);

	n = Min(n, MAX_LENGTH - to);
	memcpy(input->bytes + to, other->bytes + from, n);
	input->length = Max(input->length, to + n);
}

/* One byte more, new or that which stands there. */
static void
put_in(Input *input, size_t at)
{
	if (input->length == MAX_LENGTH)
		return;
	memmove(input->bytes + at + 1, input->bytes + at, input->length - at);
	input->length++;
	if (at == input->length - 1 || some(2) == 0)
		input->bytes[at] = (uint8) some(256);
}

/* Some bytes less. */
static void
take_out(Input *input, size_t at)
{
	size_t		n = 1 + some(4);

	if (n > input->length - at || some(8) == 0)
		n = input->length - at;
	memmove(input->bytes + at, input->bytes + at + n, input->length - at - n);
	input->length -= n;
}

static void
change(Input *input)
{
	static const uint8 chosen[] = "09:aAfFzZxX +-\t\0\x01\x7f\x80\xff";
	size_t		at = some(input->length + 1);

	switch (some(at < input->length ? 8 : 2))
	{
		case 0:
			put_in(input, at);
			break;
		case 1:
			cross(input);
			break;
		case 2:
			take_out(input, at);
			break;
		case 3:
			input->bytes[at] ^= (uint8) (1 << some(8));
			break;
		case 4:
			input->bytes[at] = (uint8) some(256);
			break;
		case 5:
			input->bytes[at] = chosen[some(sizeof(chosen) - 1)];
			break;
		case 6:
			input->bytes[at] += (uint8) (some(2) == 0 ? 1 : -1);
			break;
		default:
			input->bytes[at] = input->bytes[some(input->length)];
	}
}

int
main(int argc, char **argv)
{
	long		runs = argc > 2 ? atol(argv[1]) : -1;

	if (runs < 0)
	{
		fprintf(stderr, "usage: driver RUNS SEED [FILE...]\n");
		return 2;
	}
	state = strtoull(argv[2], NULL, 0);
	for (int i = 3; i < argc; i++)
		add_file(argv[i]);
	if (ninputs == 0)
		ninputs = 1;
	nfiles = ninputs;
	signal(SIGABRT, save_at_abort);
	__sanitizer_set_death_callback(save);

	for (int i = 0; i < nfiles; i++)
	{
		current = inputs[i];
		run();
	}
	for (long n = nfiles; n < runs; n++)
	{
		current = inputs[some(ninputs)];
		for (size_t changes = 1 + some(6); changes > 0; changes--)
			change(&current);
		run();
		if (n % 64 == 0)
		{
			/* the files stay */
			int			at = ninputs < MAX_INPUTS ? ninputs++ : -1;

			if (at < 0)
				at = nfiles + (int) some(MAX_INPUTS - nfiles);
			inputs[at] = current;
		}
	}
	return 0;
}
