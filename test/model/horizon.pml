/*
 * horizon.pml
 *		The horizon of a growing word: no row that a reader has not seen appears
 *		below a horizon that the reader was given.
 *
 * What the parts stand for:
 *	writer		a backend with some transactions, one after the other: gid_word_show()
 *				and gid_word_xact_show(), horizon/word_xact.c; gid_word_take(), clock/word.h; an
 *				INSERT, which gives the transaction its id; the end, first in the
 *				process array and then in gid_word_xact_end(), with
 *				gid_word_xact_hand_over() where it is prepared
 *	finisher	COMMIT PREPARED in another backend
 *	reader		a snapshot, then gid_word_horizon(), clock/word.c, with
 *				gid_word_xact_lower(), horizon/word_xact.c
 *
 * An entry keeps one transaction here, and a ring three in the code.  A step of a process is
 * one access to shared memory, or what happens under a lock.
 *
 * Left out: the exit of a backend (its abort is a writer's end), earlier horizons
 * (horizon/session_horizon.c), sequences (horizon/lockers.c).
 *
 * search: two transactions of a writer, one of another:
 */
#define WRITERS			2
#define TRANSACTIONS	2		/* of the first writer, and one less of the next */
#define VALUES			(WRITERS * TRANSACTIONS + 1)
#define FREE			0
#define OPEN			255
#define NOTHING			254

/*
 * The safeguards.  -DWITHOUT=SHOW takes one out; then spin finds a row that is
 * missed.
 */
#define SHOW			1		/* missed: a bound is shown before the draw */
#define KEEP			2		/* missed: an ended transaction keeps its entry */
#define LOST			3		/* missed: an overwritten entry leaves its id */
#define LOST_FIRST		4		/* missed: and leaves it before it goes */
#define CARRY			5		/* missed: PREPARE carries the bound on */
#define WORD_FIRST		6		/* missed: the word is read before the entries */
#define READ_ONCE		7		/* missed: a bound is compared and used as it was read */
#define HAND_FIRST		8		/* missed: it is carried on before the own entry is clear */
#define PREPARED_LAST	9		/* missed: the readers look there last */
#ifndef WITHOUT
#define WITHOUT			0
#endif

#define WHEN(condition, what)	if :: (condition) -> what :: else fi
#define me				_pid	/* the writers are the first processes */

byte last;						/* the word */
byte next_xid = 1;
int ended;						/* a bit for each xid */

/* The entries, and the one of a prepared transaction. */
byte xid_of[WRITERS];
byte bound_of[WRITERS];
byte lost_of[WRITERS];
byte prepared_xid;
byte prepared_bound;
bool prepared_used;
bool is_prepared;				/* the transaction of the entry has not ended */

/* What is to be proved. */
byte row[VALUES];				/* xid of the transaction that inserted it */
byte told;						/* the horizon that the reader was given */
bool missed;

inline show_bound()
{
	seen = last;
	d_step {
		before = xid_of[me];
		WHEN(before != FREE && WITHOUT != LOST && WITHOUT != LOST_FIRST, lost_of[me] = before)
	}
	xid_of[me] = OPEN;
	bound_of[me] = NOTHING;
	d_step {
		bound_of[me] = seen + 1;
		seen = 0
	}
	d_step {
		WHEN(WITHOUT == LOST_FIRST && before != FREE, lost_of[me] = before);
		before = 0
	}
}

/* The last step of a transaction, which shows in the entry. */
inline close(entry)
{
	d_step {
		xid_of[me] = entry;
		n++;
		value = 0;
		xid = 0
	}
}

active [WRITERS] proctype writer()
{
	byte n, seen, value, xid, before, read;

	do
	:: n < TRANSACTIONS - me ->
#if WITHOUT != SHOW
		show_bound();
#endif
		d_step {
			last++;
			value = last
		}
#if WITHOUT == SHOW
		show_bound();
#endif
		if
		:: d_step {
				xid = next_xid;
				next_xid++;
				row[value] = xid;
				missed = value < told;
				assert(!missed)
			}
		:: skip					/* draws and inserts nothing */
		fi;
		if
		:: d_step {
				xid != 0 && !prepared_used ->
				prepared_used = true;
				read = bound_of[me]
			};
			/* still running for snapshots; nobody can end it yet */
#if WITHOUT == HAND_FIRST
			xid_of[me] = FREE;
#endif
			prepared_bound = (WITHOUT == CARRY -> NOTHING : read);
			prepared_xid = xid;
			d_step {
				read = 0;
				is_prepared = true
			};
			close(FREE)
		:: d_step {
				xid != 0 ->
				ended = ended | (1 << xid)
			};
			close((WITHOUT == KEEP -> FREE : xid))
		:: d_step {
				xid == 0 ->
				value = 0
			};
			close(FREE)
		fi
	:: else -> break
	od
}

active proctype finisher()
{
	if
	:: is_prepared ->
		d_step {
			ended = ended | (1 << prepared_xid);
			is_prepared = false
		}
	:: timeout
	fi
}

/* Does an entry hold the horizon back? */
#define HOLDS(xid)		((xid) != FREE && ((xid) == OPEN || (snapshot & (1 << (xid))) == 0))

inline look_at_prepared()
{
	xid = prepared_xid;
	d_step {
		read = (HOLDS(xid) -> prepared_bound : NOTHING);
		horizon = (read < horizon -> read : horizon);
		read = 0;
		xid = 0
	}
}

active proctype reader()
{
	int snapshot;
	byte horizon, read, w, xid;
	bool known = true;

	snapshot = ended;
#if WITHOUT == WORD_FIRST
	horizon = NOTHING;
#else
	horizon = last + 1;
#endif
#if WITHOUT == PREPARED_LAST
	look_at_prepared();
	skip;
#endif
	do
	:: w < WRITERS ->
		xid = xid_of[w];
		d_step {
			read = (HOLDS(xid) -> bound_of[w] : NOTHING);
			xid = 0
		}
#if WITHOUT == READ_ONCE
		horizon = (read < horizon -> bound_of[w] : horizon);
#endif
		d_step {
			horizon = (WITHOUT != READ_ONCE && read < horizon -> read : horizon);
			read = 0;
			known = known && !HOLDS(lost_of[w]);
			w++
		}
	:: else -> break
	od;
#if WITHOUT == PREPARED_LAST
	skip;
#else
	look_at_prepared();
#endif
#if WITHOUT == WORD_FIRST
	horizon = (horizon == NOTHING -> last + 1 : horizon);
#endif
	d_step {
		told = (known -> horizon : 0);
		w = 1;
		do
		:: w < told && w < VALUES ->
			missed = row[w] != 0 && (snapshot & (1 << row[w])) == 0;
			assert(!missed);
			w++
		:: else -> break
		od
	}
}
