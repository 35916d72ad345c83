/*
 * followed.pml
 *		The horizon of a followed sequence: no row that a reader has not seen appears
 *		below a horizon that the reader was given.
 *
 * What the parts stand for:
 *	writer		a backend with some transactions: a gid_horizon() of its own, which locks
 *				the sequence and releases it (EARLY); the lock; a draw; an INSERT, which
 *				gives the transaction its id; the end, first in the process array and
 *				then of the lock; or PREPARE
 *	finisher	COMMIT PREPARED in another backend
 *	setter		a served setval() back: the page, then gid_followed_table_was_set()
 *	reader		gid_position_horizon(), sequence/position.c, with a snapshot that is its own
 *				or that of the call before; gid_followed_table_merge(), horizon/followed_table.c;
 *				gid_followed_merge() and gid_followed_find(), horizon/followed.c
 *
 * A step of a process is one access to shared memory, or what happens under a lock.  The
 * n-th transaction of a writer has a number, which stands for its virtual id and, after
 * an INSERT, for its id.  One gone locker is kept, and the contents of samples are whole.
 *
 * Left out: blocks (sequence.pml), rows that another sequence takes and a session's last
 * answer (both in test/simulator, which runs the real merge and find).
 *
 * search: one reader of two calls, PREPARE: -DCALLS=2 -DPREPARE=1 -DTRANSACTIONS=1
 * search: one reader of three calls, PREPARE, one writer: -DCALLS=3 -DPREPARE=1 -DWRITERS=1
 * search: one reader of two calls, early release: -DCALLS=2 -DEARLY=1 -DTRANSACTIONS=1
 * search: two readers of one call: -DREADERS=2 -DCALLS=1 -DWRITERS=1
 * search: one reader of two calls, setval(): -DCALLS=2 -DSETS=1 -DWRITERS=1
 * long search: two readers of one call, two writers: -DREADERS=2 -DCALLS=1 -DTRANSACTIONS=1
 * long search: one reader of two calls, setval(), two writers: -DCALLS=2 -DSETS=1 -DTRANSACTIONS=1
 * long search: one reader of three calls: -DCALLS=3 -DTRANSACTIONS=1
 */
#ifndef WRITERS
#define WRITERS			2
#endif
#ifndef TRANSACTIONS
#define TRANSACTIONS	2		/* of the first writer, and one of the others */
#endif
#ifndef READERS
#define READERS			1
#endif
#ifndef CALLS
#define CALLS			2
#endif
#ifndef PREPARE
#define PREPARE			0
#endif
#ifndef EARLY
#define EARLY			0
#endif
#ifndef SETS
#define SETS			0
#endif
#ifndef AT_ONCE
#define AT_ONCE			0		/* a sample is read in one step */
#endif
#ifndef SAMPLES
#define SAMPLES			2
#endif
#define ALL				(WRITERS + TRANSACTIONS - 1)
#define NONE			255
#define UNKNOWN			0		/* before every value */

/*
 * The safeguards.  -DWITHOUT=SHOW takes one out; then spin finds a row that is
 * missed.
 *
 * without: -DCALLS=2
 */
#define POSITION_FIRST	1		/* missed: the position is read before the lockers */
#define CONTENTS_LAST	2		/* missed: the contents are read after the lockers */
#define COVERS			3		/* missed: a position serves snapshots that cover the contents */
#define FIRST_UNKNOWN	4		/* missed: lockers of the first sample have no known bound */
#define LOCK_LAST		5		/* missed: the lock goes after the process array was left */
/*
 * without: -DCALLS=3
 */
#define BOUND_BEFORE	6		/* missed: a bound is the position of the sample before */
#define GONE_KEPT		7		/* missed: a locker that is missing is kept */
#define GONE_OPEN		8		/* missed: and counts for the samples before */
#define UNSEEN			9		/* missed: also if its id was not seen */
#define LOST			10		/* missed: without room it leaves its bound */
/*
 * without: -DCALLS=3 -DPREPARE=1
 */
#define LOCAL_ID		11		/* missed: an id is that of the locker, not of its process */
/*
 * without: -DCALLS=3 -DSAMPLES=3 -DEARLY=1 -DTRANSACTIONS=1 -DAT_ONCE=1
 */
#define COMES_BACK		12		/* missed: a locker that comes back is new */
/*
 * without: -DCALLS=5 -DSAMPLES=3 -DTRANSACTIONS=1 -DAT_ONCE=1
 */
#define LOST_MOVES		13		/* missed: a lost bound moves to the sample before */
/*
 * without: -DREADERS=2 -DCALLS=1 -DTRANSACTIONS=1
 */
#define VERSION			14		/* missed: a sample is dropped when another was merged */
/*
 * without: -DCALLS=2 -DSETS=1 -DTRANSACTIONS=1 -DAT_ONCE=1
 */
#define SET_CLEARS		15		/* missed: a setval() back clears the samples */
#ifndef WITHOUT
#define WITHOUT			0
#endif

#define WHEN(condition, what)	if :: (condition) -> what :: else fi
#define HAS(set, number)		(((set) & (1 << (number))) != 0)
#define LESS(a, b)				((a) < (b) -> (a) : (b))
#define OWNER(who)				((who) < TRANSACTIONS -> 0 : (who) - TRANSACTIONS + 1)
#define VALUES					(ALL + 1)
#define me						_pid	/* the writers are the first processes */

byte last;						/* value that was drawn */
byte held;						/* lockers, a bit for each transaction */
byte ended;						/* in the process array, those with an id */
byte current[WRITERS];			/* transaction of a process, from 1 on; 0: none */
byte xid_of[WRITERS];			/* its id, or 0 */
byte prepared;					/* a prepared transaction that can be looked up */
bool was_prepared;				/* there is one at the most */

/* What is known of the sequence. */
byte version;
byte nsamples;
byte number[SAMPLES];			/* the last one first */
byte position_of[SAMPLES];
byte contents_of[SAMPLES];
byte lost[SAMPLES] = NONE;
byte live[ALL] = NONE;					/* bounds; NONE: it is not live */
byte live_xid[ALL];
byte gone_bound = NONE;			/* NONE: there is no gone one */
byte gone_xid;
byte gone_number;
byte gone_who;

/* What is to be proved. */
byte row[VALUES + 1];			/* who has inserted it, a bit for each */
byte told;						/* the greatest horizon that a reader was given */
byte era;						/* grows with each step of a setval() */
bool missed;

/* ---- drawing ---- */

inline leave()
{
	d_step {
		WHEN(xid_of[me] != 0, ended = ended | (1 << who));
		xid_of[me] = 0;
		current[me] = 0
	}
}

active [WRITERS] proctype writer()
{
	byte who, value;

	who = (me == 0 -> 0 : me + TRANSACTIONS - 1);
again:
	skip;
#if EARLY
	if
	:: d_step {
			current[me] = who + 1;
			held = held | (1 << who)
		};
		held = held & ~(1 << who)
	:: skip
	fi;
#endif
	d_step {
		current[me] = who + 1;
		held = held | (1 << who)
	};
	d_step {
		last++;
		value = last
	};
	if
	:: d_step {
			xid_of[me] = who + 1;
			row[value] = row[value] | (1 << who);
			missed = value < told;
			assert(!missed)
		}
	:: skip						/* draws and inserts nothing */
	fi;
	if
	:: d_step {
			PREPARE && xid_of[me] != 0 && !was_prepared ->
			was_prepared = true;
			prepared = who + 1		/* with the same virtual id, and its lock */
		};
		d_step {
			xid_of[me] = 0;
			current[me] = 0
		}
	:: WITHOUT != LOCK_LAST ->
		leave();
		held = held & ~(1 << who)
	:: WITHOUT == LOCK_LAST ->
		held = held & ~(1 << who);
		leave()
	fi;
	d_step {
		value = 0;
		who++
	};
	if
	:: me == 0 && who < TRANSACTIONS -> goto again
	:: else -> skip
	fi
}

#if PREPARE
active proctype finisher()
{
	byte who;

	if
	:: d_step {
			prepared != 0 && current[OWNER(prepared - 1)] != prepared ->
			who = prepared - 1;
			ended = ended | (1 << who)
		};
		prepared = 0;
		held = held & ~(1 << who)
	:: timeout
	fi
}
#endif

/* ---- what is known of the sequence ---- */

inline clear()
{
	nsamples = 0;
	gone_bound = NONE;
	gone_xid = 0;
	gone_number = 0;
	gone_who = 0;
	i = 0;
	do
	:: i < SAMPLES ->
		number[i] = 0;
		position_of[i] = 0;
		contents_of[i] = 0;
		lost[i] = NONE;
		i++
	:: else -> break
	od;
	i = 0;
	do
	:: i < ALL ->
		live[i] = NONE;
		live_xid[i] = 0;
		i++
	:: else -> break
	od;
	i = 0
}

#if SETS
active proctype setter()
{
	byte i;

	d_step {
		last > 0 ->
		last = 0;
		told = 0;
		era++
	};
	d_step {
		version++;
		WHEN(nsamples > 0 && position_of[0] > 1 && WITHOUT != SET_CLEARS, clear());
		told = 0;
		era++
	}
}
#endif

/* Drop a sample, if there is no room, and put the new one in front. */
inline push()
{
	if
	:: nsamples == SAMPLES ->
		WHEN(victim + 1 < SAMPLES && WITHOUT != LOST_MOVES,
			lost[victim + 1] = LESS(lost[victim + 1], lost[victim]))
	:: else ->
		victim = nsamples;
		nsamples++
	fi;
	i = victim;
	do
	:: i > 0 ->
		number[i] = number[i - 1];
		position_of[i] = position_of[i - 1];
		contents_of[i] = contents_of[i - 1];
		lost[i] = lost[i - 1];
		i--
	:: else -> break
	od;
	number[0] = version;
	position_of[0] = position;
	contents_of[0] = contents;
	lost[0] = NONE
}

/* The last sample has missed locker k. */
inline miss()
{
	i = 0;
	do
	:: gone_bound != NONE && i < nsamples ->
		if
		:: number[i] < gone_number ->
			WHEN(WITHOUT != LOST, lost[i] = LESS(lost[i], gone_bound));
			break
		:: else -> i++
		fi
	:: else -> break
	od;
	gone_bound = (WITHOUT == GONE_KEPT -> NONE : live[k]);
	gone_xid = live_xid[k];
	gone_number = version;
	gone_who = k;
	live[k] = NONE;
	live_xid[k] = 0
}

inline merge()
{
	WHEN(nsamples > 0 && position < position_of[0] && WITHOUT != SET_CLEARS, clear());
	bound = (nsamples > 0 -> (WITHOUT == BOUND_BEFORE -> position : position_of[0]) :
		(WITHOUT == FIRST_UNKNOWN -> position : UNKNOWN));
	version++;
	push();
	WHEN(gone_bound != NONE && gone_number <= number[nsamples - 1],
		gone_bound = NONE);
	k = 0;
	do
	:: k < ALL ->
		if
		:: HAS(lockers, k) ->
			WHEN(live[k] == NONE &&
				!(WITHOUT == COMES_BACK && gone_bound != NONE && gone_who == k),
				live[k] = bound);
			WHEN(xid[k] != 0 && live[k] != NONE, live_xid[k] = xid[k])
		:: !HAS(lockers, k) && live[k] != NONE -> miss()
		:: else
		fi;
		k++
	:: else -> break
	od
}

/* Has a transaction not ended in the snapshot? */
#define IS_OPEN(xid)	((xid) == 0 || !HAS(snapshot, (xid) - 1))

inline find()
{
	horizon = NONE;
	i = 0;
	do
	:: i == nsamples ->
		horizon = UNKNOWN;
		break
	:: i < nsamples ->
		horizon = LESS(horizon, lost[i]);
		if
		:: (contents_of[i] & ~snapshot) == 0 || WITHOUT == COVERS -> break
		:: else -> i++
		fi
	od;
	if
	:: i < nsamples ->
		horizon = LESS(horizon, position_of[i]);
		WHEN(gone_bound != NONE && gone_number > number[i] && WITHOUT != GONE_OPEN &&
			IS_OPEN(gone_xid) && !(WITHOUT == UNSEEN && gone_xid == 0),
			horizon = LESS(horizon, gone_bound));
		k = 0;
		do
		:: k < ALL ->
			WHEN(live[k] != NONE && IS_OPEN(live_xid[k]), horizon = LESS(horizon, live[k]));
			k++
		:: else -> break
		od
	:: else
	fi
}

/* No row below the horizon has appeared since the snapshot, but where a setval() ran. */
inline judge()
{
	i = 1;
	do
	:: begun == era && !(era % 2) && i < horizon && i <= VALUES ->
		missed = (row[i] & ~snapshot) != 0;
		assert(!missed);
		i++
	:: else -> break
	od;
	WHEN(begun == era && !(era % 2) && horizon > told, told = horizon)
}

/* ---- a call ---- */

inline read_xids()
{
	d_step {
		k = 0;
		do
		:: k < ALL ->
			i = OWNER(k);
			if
			:: !HAS(lockers, k) -> xid[k] = 0
			:: HAS(lockers, k) && (current[i] == k + 1 || WITHOUT == LOCAL_ID) -> xid[k] = xid_of[i]
			:: else -> xid[k] = (prepared == k + 1 -> k + 1 : 0)
			fi;
			k++
		:: else -> break
		od;
		k = 0;
		i = 0
	}
}

active [READERS] proctype reader()
{
	byte snapshot, begun, seen, position, lockers, contents, bound, horizon, victim, call, i, k;
	byte xid[ALL];

	do
	:: call < CALLS ->
		if
		:: d_step {
				snapshot = ended;
				begun = era;
#if READERS == 1 && SETS == 0
				/* nobody else changes it */
				seen = version
#endif
			}
		:: d_step {
				call > 0 ->
				begun = era;
#if READERS == 1 && SETS == 0
				seen = version
#endif
			}
		fi;
#if READERS > 1 || SETS != 0
		seen = version;
#endif
#if AT_ONCE
		atomic {
#endif
#if WITHOUT == POSITION_FIRST
		lockers = held;
		position = last + 1;
#else
		position = last + 1;
#if WITHOUT == CONTENTS_LAST
		contents = ended;
#endif
		lockers = held;
#endif
		read_xids();
#if WITHOUT != CONTENTS_LAST
		contents = ended;
#endif
#if SAMPLES > 2
		/* any but the last sample may give way to the new one */
		if
		:: victim = SAMPLES - 1
		:: victim = 1
		fi;
#endif
		d_step {
#if SAMPLES == 2
			victim = 1;
#endif
			WHEN(version == seen || WITHOUT == VERSION, merge());
			find();
			judge();
			seen = 0;
			position = 0;
			lockers = 0;
			contents = 0;
			bound = 0;
			horizon = 0;
			victim = 0;
			i = 0;
			k = 0;
			do
			:: i < ALL ->
				xid[i] = 0;
				i++
			:: else -> break
			od;
			i = 0;
			call++
		}
#if AT_ONCE
		}
#endif
	:: else -> break
	od
}
