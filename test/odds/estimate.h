/*-------------------------------------------------------------------------
 *
 * estimate.h
 *		Is a formula what the simulated counts say?
 *
 * A simulation is repeated in many independent worlds, and each gives a count.
 * The formula must lie within five standard errors of their mean: a right one
 * misses that for fewer than one seed in a million, and the seed is fixed.
 * Five standard errors must be less than a twentieth of the formula: so one
 * that is wrong by a tenth fails, and a simulation with too few worlds does,
 * too.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef ESTIMATE_H
#define ESTIMATE_H

#include <math.h>

#include "../unit/tap.h"

#define ESTIMATE_ERRORS		5
#define ESTIMATE_PRECISION	0.05

/* With fewer the mean is not distributed as it is taken to be. */
#define ESTIMATE_WORLDS		1000

/* The counts of the worlds so far. */
typedef struct Estimate
{
	double		n;
	double		sum;
	double		squares;
} Estimate;

static inline void
estimate_add(Estimate *e, double count)
{
	e->n++;
	e->sum += count;
	e->squares += count * count;
}

/* One assertion: the mean of the counts agrees with what the formula gives. */
static inline void
estimate_check(const char *name, const Estimate *e, double formula)
{
	double		mean = e->sum / e->n;
	double		variance = (e->squares - e->sum * mean) / (e->n - 1);
	double		reach = ESTIMATE_ERRORS * sqrt(fmax(variance, 0) / e->n);

	tap_begin(name);
	tap_check(formula > 0 && e->n >= ESTIMATE_WORLDS, "formula %g, %g worlds", formula, e->n);
	tap_check(fabs(mean - formula) <= reach + 1e-9 * formula,
			  "counted %.6g (five standard errors %.2g), the formula says %.6g",
			  mean, reach, formula);
	tap_check(reach < ESTIMATE_PRECISION * formula,
			  "five standard errors are %.2g of %.6g: too few worlds",
			  reach, formula);
	if (getenv("GID_ODDS_SHOW") != NULL)
		printf("# %s: %.6g of %.6g, %+.2f standard errors of %.2g %%\n", name, mean,
			   formula, ESTIMATE_ERRORS * (mean - formula) / fmax(reach, 1e-300),
			   100 * reach / ESTIMATE_ERRORS / formula);
	tap_end();
}

/* Uniform in (0, 1]. */
static inline double
random_fraction(void)
{
	return ((tap_random() >> 11) + 1) * ldexp(1, -53);
}

/* The time to the next of events at random times, so many a second. */
static inline double
random_pause(double rate)
{
	return -log(random_fraction()) / rate;
}

/* A number of events at random times, "mean" on average; for small means. */
static inline int
random_count(double mean)
{
	double		at = random_pause(1);
	int			n = 0;

	for (; at <= mean; at += random_pause(1))
		n++;
	return n;
}

#endif							/* ESTIMATE_H */
