/*
 * clock.pml
 *		A growing word and its durable bound: values increase, so none is issued
 *		twice, over crashes, restarts and any step of the clock.
 *
 * What the parts stand for:
 *	fast		gid_word_take(), clock/word.h
 *	slow		gid_word_take_slow() and gid_word_set_limit(), clock/word.c
 *	move		gid_durable_move() and gid_durable_start(), clock/durable.c, and
 *				what they call; their lock
 *	write_file	gid_clock_file_write(), clock/durable.c
 *	world		a stop, after which gid.clock holds the word itself if the
 *				postmaster writes; kill -9 of a backend or of all (what was
 *				written is there); a power failure (what was not fsynced is
 *				there or is not)
 *
 * -DPRELOAD: under shared_preload_libraries the world is the postmaster, too,
 * with gid_durable_server_exit(): after a clean stop, and after an immediate one,
 * which kills the backends wherever they are.  Without it nobody writes at an end,
 * and the bound stays.
 *
 * Each access to what is shared is a step of its own; a CAS is one, and so is
 * what the holder of the lock reads that nobody else writes.  Any step on the
 * disk may fail.  The clock says any moment each time that it is read: that covers
 * every step of it.
 *
 * Left out: what keeps the server's time from going back (offset_us, lead_us),
 * which the property does not need; the limit on a word's lead; the other words,
 * which share the file; a file of another system, or a damaged one; weak memory
 * order.
 *
 * Backends ask for one id each, without end.  Moments and values are below TOP,
 * where a backend stops as gid does at the calendar's end; LIVES lives of the
 * shared memory.
 *
 * search: three lives: -DTOP=3 -DLIVES=3
 * search: more moments: -DTOP=4 -DLIVES=2
 * search: three lives, preload: -DTOP=3 -DLIVES=3 -DPRELOAD
 * long search: more moments, preload: -DTOP=4 -DLIVES=2 -DPRELOAD
 * long search: more moments, three lives: -DTOP=4 -DLIVES=3
 */
#ifndef TOP
#define TOP				4
#define LIVES			3
#endif
#define BACKENDS		2
#define AHEAD			1		/* at a start, the bound is so far ahead of the word */

/*
 * The safeguards.  -DWITHOUT=CAS takes one out; then spin finds that a value does
 * not come after all before it, that a torn file is read, that a backend waits for
 * ever, or that a stop of the postmaster leaves a bound.
 *
 * without: -DTOP=3 -DLIVES=2
 */
#define CAS				1		/* back: the word is moved by CAS */
#define BOUND			2		/* back: it stays below the bound */
#define FILE_FIRST		3		/* back: the file is written, the bound raised */
#define START_AT_BOUND	4		/* back: the file's bound at a start */
#define LOCK			5		/* back: one mover at a time */
#define BOUND_CHECK		6		/* back: it does not move the bound back */
#define RENAME			7		/* torn: the file is written under another name */
#define FSYNC			8		/* torn: and fsynced before it is renamed */
#define DIRECTORY_FSYNC	9		/* back: and the name, too */
#define ERROR_CHECK		10		/* back: a failed write moves no bound */
#define RELEASE			11		/* waits: nor does it keep the lock */

/*
 * without:
 */
#define LIMIT_CAP		12		/* back: the limit stays below the bound, too */

/*
 * Those of the postmaster.
 * without: -DTOP=3 -DLIVES=3 -DPRELOAD
 */
#define REAPED			13		/* back: it writes when all backends are gone */
#define STARTED			14		/* back: and if the word has started */
#define CODE			15		/* back: not after a crash, which may damage it */
#define NO_LOCK			16		/* inexact: whoever had the lock when he was killed */
#ifndef WITHOUT
#define WITHOUT			0
#endif

#define NOTHING			0		/* no such file; no bound is 0 */
#define TORN			255		/* a file that is empty or half written */

/* Shared memory: GidWord, GidClock. */
byte last, limit, bound;
bool ready, lock;

/* The disk: gid.clock as it is seen, and as a power failure may leave it. */
byte file = NOTHING;
bool file_safe = true;			/* its content has been fsynced */
bool name_safe = true;			/* so has its name; if not, a power failure may */
byte old_file = NOTHING;		/* bring this one back */

/* The world. */
byte calls;						/* backends that are not gone */
bool stopping, crashing;
bool failed;					/* a write, in this life */

/* What is to be proved: values increase, so none comes twice. */
bool back, torn, inexact;
byte highest;					/* value issued */

inline issue(value)
{
	back = value <= highest;
	assert(!back);
	highest = value
}

/* Replace the file.  "ok": that is known to be on disk; else it may be. */
inline write_file(value)
{
#if WITHOUT == RENAME
	d_step { file = TORN; file_safe = false };
	file = value;
#endif
	atomic {
		if
		:: ok = false; failed = true
		:: ok = true;
			if
			:: old_file = file
			:: !name_safe		/* that one never came to the disk */
			fi;
			file = value;
			name_safe = false;
			file_safe = (WITHOUT != FSYNC)
		fi
	};
	atomic {
		if
		:: ok && WITHOUT != DIRECTORY_FSYNC -> name_safe = true; old_file = NOTHING
		:: WITHOUT != DIRECTORY_FSYNC -> ok = false; failed = true
		:: else
		fi;
		ok = ok || WITHOUT == ERROR_CHECK
	}
}

/* max(old + 1, now), with any now. */
inline choose_next()
{
	next = old + 1;
	do :: next < TOP - 1 -> next++ :: break od
}

inline try_next()
{
	atomic {
		if
		:: last == old || WITHOUT == CAS -> last = next; issue(next); goto done
		:: else
		fi
	}
}

inline forget_locals()
{
	old = 0; next = 0; to = 0; start = false; needed = false; ok = false
}

active [BACKENDS] proctype backend()
{
	byte old, next, to;
	bool start, needed, ok;

end_idle:
	do
	:: atomic { !stopping && last < TOP - 1 -> calls++ };
fast:	{
			old = last;
			atomic {
				choose_next();
				if :: next < limit :: goto slow fi
			};
			try_next();
			goto fast;

slow:		atomic {
				forget_locals();
				if
				:: last >= TOP - 1 -> goto done
				:: !ready -> start = true; needed = true; goto move
				:: ready -> old = last
				fi
			};
			atomic {
				choose_next();
				if
				:: next >= bound && WITHOUT != BOUND -> needed = true; goto move
				:: next < bound || WITHOUT == BOUND
				:: next < bound -> goto move	/* ahead of need */
				fi
			};
			to = (WITHOUT == LIMIT_CAP -> TOP : bound);
			limit = to;
			try_next();
			goto slow;

move:		atomic {			/* then it looks at word and clock again */
				old = 0;
				next = 0;
				if
				:: !lock || WITHOUT == LOCK -> lock = true; needed = false
				:: lock && WITHOUT != LOCK && needed -> goto wait
				:: lock && WITHOUT != LOCK && !needed -> goto slow
				fi;
				if
				:: start && ready -> goto release
				:: start ->
					torn = (file == TORN);
					assert(!torn)
				:: else
				fi;
				/* where the word starts, or the bound: any moment from there on */
				if
				:: start -> to = (WITHOUT == START_AT_BOUND -> 0 : file)
				:: !start && WITHOUT == BOUND_CHECK -> to = 1
				:: !start && WITHOUT != BOUND_CHECK && bound < TOP -> to = bound + 1
				:: !start && WITHOUT != BOUND_CHECK && bound == TOP -> goto release
				fi;
				do :: to < TOP -> to++ :: break od;
				if
				:: start && to + AHEAD > TOP -> goto release
				:: start && to + AHEAD <= TOP -> to = to + AHEAD
				:: !start
				fi
			};
#if WITHOUT == FILE_FIRST
			bound = (to > bound -> to : bound);
#endif
			write_file(to);
			if
			:: !ok && WITHOUT == RELEASE -> goto done
			:: !ok && WITHOUT != RELEASE -> goto release
			:: ok
			fi;
			atomic {
				ok = false;
				bound = (to > bound -> to : bound);
				if :: !start -> goto release :: start fi
			};
			last = to - AHEAD;
			ready = true;
release:	atomic {
				lock = false;
				if :: goto slow :: goto done fi	/* an error, or cancelled */
			};
wait:		!lock -> goto slow;

done:		skip
		} unless { crashing };
gone:	atomic { forget_locals(); calls-- }
	od
}

/* The postmaster writes, at its end. */
inline server_exit()
{
	if
	:: (ready || WITHOUT == STARTED) && (!lock || WITHOUT != NO_LOCK) ->
		to = last + 1;
		write_file(to);
		ok = false
	:: else
	fi
}

active proctype world()
{
	byte lives = 1, to;
	bool ok;

	do
	:: lives == LIVES -> break
	:: lives < LIVES ->
		if
		:: skip					/* a crash */
#ifdef PRELOAD
			if
			:: WITHOUT == CODE ->
				d_step { stopping = true; crashing = true };
				atomic { calls == 0 -> last = 0 };
				server_exit()
			:: else
			fi
		:: stopping = true;		/* an immediate stop */
			if
			:: WITHOUT == REAPED
			:: else -> crashing = true; calls == 0
			fi;
			server_exit();
			inexact = WITHOUT != REAPED && ready && !failed && file != last + 1;
			assert(!inexact)
		:: stopping = true;		/* a clean one */
			calls == 0;
			server_exit();
			atomic {
				inexact = ready && !failed && file != last + 1;
				assert(!inexact)
			}
#endif
		fi;
		d_step { stopping = true; crashing = true };
		atomic {
			calls == 0 -> lives++;
			last = 0; limit = 0; bound = 0;
			ready = false; lock = false;
			failed = false;
			if :: !name_safe -> file = old_file; file_safe = true :: skip fi;
			if :: !file_safe -> file = TORN :: skip fi;
			old_file = NOTHING; file_safe = true; name_safe = true;
			crashing = false; stopping = false
		}
	od
}
