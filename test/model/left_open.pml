/*
 * left_open.pml
 *		The entries of a leader that makes no ids itself, and whose parallel workers
 *		do: no row that a reader has not seen appears below a horizon that a reader
 *		was given.
 *
 * What the parts stand for:
 *	leader		a backend that has not attached, with some transactions; its worker is
 *				gid_drawn_show(), attach/drawn.c, and the draw.  The leader inserts the
 *				row.  It does not close the entry at the end of the transaction.
 *	finisher	COMMIT PREPARED in another backend
 *	other		a transaction that draws nothing and ends
 *	reader		a snapshot, then gid_word_horizon(), clock/word.c, with
 *				gid_drawn_lower() and gid_drawn_close_stale(), attach/drawn.c
 *	closer		another reader; only what it changes in the slot
 *
 * A slot keeps one transaction here, and three in the code.  A step of a process is
 * one access to shared memory, or what happens under a lock.
 *
 * Left out: a leader that attaches (horizon.pml has backends that have), other words.
 */
#define TRANSACTIONS	2
#define VALUES			(TRANSACTIONS + 1)
#define FREE			0
#define OPEN			1
#define BEFORE			2		/* ended before the xid in slot_next was assigned */
#define NOTHING			254

/*
 * The safeguards.  -DWITHOUT=SAME takes one out; then spin finds a row that is
 * missed.
 */
#define SAME			1		/* missed: an entry is closed if it is still the same */
#define ASK				2		/* missed: the server is asked whether it is prepared */
#define NEXT_AFTER		3		/* missed: the next xid is read after the transaction's end */
#ifndef WITHOUT
#define WITHOUT			0
#endif

byte last;						/* the word */
byte next_xid = 1;
byte ended;						/* a bit for each xid */
byte lxid;						/* of the leader's running transaction; 0: none */

/* The leader's slot. */
byte slot_state;
byte slot_next;
byte slot_lxid;
byte slot_bound = NOTHING;
byte slot_lost;					/* slot_next of the entry that was overwritten */

/* The prepared transactions, and the table of them, by lxid. */
byte prepared_xid[TRANSACTIONS + 1];
byte table_xid[TRANSACTIONS + 1];
byte table_bound[TRANSACTIONS + 1];

/* What is to be proved. */
byte row[VALUES];				/* xid of the transaction that inserted it */
byte told;						/* the greatest horizon that a reader was given */
bool missed;

#define IS_STALE		(slot_state == OPEN && slot_lxid != lxid)

/* In a snapshot: has all ended that had an xid below "next", and has ended? */
#define BITS(next)		((1 << (next)) - 2)
#define HAS_ENDED(next)	((snapshot & BITS(next)) == BITS(next) || (snapshot >> (next)) > 0)

/* gid_drawn_close_stale(), with the variables of DECLARE_CLOSE */
#define DECLARE_CLOSE	byte was, bound, xid_then, next
inline close_stale()
{
	d_step {
		was = (IS_STALE -> slot_lxid : 0);
		bound = slot_bound
	}
	if
	:: was == 0
	:: else ->
		xid_then = (WITHOUT == ASK -> 0 : prepared_xid[was]);
#if WITHOUT == NEXT_AFTER
		next = next_xid;
#endif
		d_step {
			if
			:: xid_then != 0 && prepared_xid[was] == xid_then ->
				table_xid[was] = xid_then;
				table_bound[was] = bound
			:: else -> xid_then = 0
			fi
		}
#if WITHOUT != NEXT_AFTER
		next = next_xid;
#endif
		d_step {
			if
			:: slot_state == OPEN && (slot_lxid == was || WITHOUT == SAME) ->
				slot_state = (xid_then != 0 -> FREE : BEFORE);
				slot_next = (xid_then != 0 -> 0 : next)
			:: else
			fi;
			was = 0;
			bound = 0;
			xid_then = 0;
			next = 0
		}
	fi
}

#define GET_XID			xid = next_xid; next_xid++

proctype leader()
{
	byte n = 1, seen, value, xid;
	DECLARE_CLOSE;

	do
	:: n <= TRANSACTIONS ->
		lxid = n;
		if
		:: d_step { GET_XID }
		:: skip
		fi;
		/* the worker */
		close_stale();
		seen = last;
		d_step {
			slot_lost = (slot_state == BEFORE -> slot_next : slot_lost);
			slot_next = 0;
			slot_lxid = n;
			slot_state = OPEN;
			slot_bound = seen + 1;
			seen = 0
		}
		d_step {
			last++;
			value = last
		}
		/* the leader */
		d_step {
			if
			:: xid == 0 -> GET_XID
			:: else
			fi;
			row[value] = xid;
			missed = missed || value < told
		}
		if
		:: prepared_xid[n] = xid;
			lxid = 0
		:: d_step {
				ended = ended | (1 << xid);
				lxid = 0
			}
		fi;
		d_step {
			n++;
			value = 0;
			xid = 0
		}
	:: else -> break
	od;
	lxid = n
}

proctype finisher()
{
	byte n;

	do
	:: d_step {
			prepared_xid[1] != 0 || prepared_xid[2] != 0 ->
			n = (prepared_xid[1] != 0 -> 1 : 2);
			ended = ended | (1 << prepared_xid[n]);
			prepared_xid[n] = 0;
			n = 0
		}
	:: lxid > TRANSACTIONS -> break
	od
}

proctype other()
{
	byte xid;

	d_step { GET_XID }
	ended = ended | (1 << xid)
}

proctype reader()
{
	byte snapshot, horizon, state, before, read, w;
	bool known;
	DECLARE_CLOSE;

	snapshot = ended;
	horizon = last + 1;
	close_stale();
	d_step {
		state = slot_state;
		before = slot_next
	}
	if
	:: state == OPEN || (state == BEFORE && !HAS_ENDED(before)) ->
		read = slot_bound;
		horizon = (read < horizon -> read : horizon)
	:: else
	fi;
	known = slot_lost == 0 || HAS_ENDED(slot_lost);
	d_step {
		w = 1;
		do
		:: w <= TRANSACTIONS ->
			if
			:: table_xid[w] != 0 && (snapshot & (1 << table_xid[w])) == 0 &&
				table_bound[w] < horizon -> horizon = table_bound[w]
			:: else
			fi;
			w++
		:: else -> break
		od
	}
	d_step {
		if
		:: known ->
			told = (horizon > told -> horizon : told);
			w = 1;
			do
			:: w < horizon && w < VALUES ->
				missed = missed || (row[w] != 0 && (snapshot & (1 << row[w])) == 0);
				w++
			:: else -> break
			od
		:: else
		fi
	}
}

proctype closer()
{
	DECLARE_CLOSE;

	close_stale()
}

init
{
	atomic {
		run leader();
		run finisher();
		run other();
		run reader();
		run closer()
	}
}

active proctype judge()
{
end:
	missed -> assert(!missed)
}
