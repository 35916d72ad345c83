/*
 * node_lease.pml
 *		Leases of node numbers: no two servers may use one number for the same
 *		second of id time.
 *
 * What the parts stand for:
 *	ask			gid_node_put(), node/node.c; gid.authority_node() and the end of
 *				its transaction
 *	answer		gid_node_ask(), node/node.c
 *	confirm		gid_authority_confirm(), id/authority_node.c; gid_node_note(),
 *				node/node.c
 *	restart		of a server, or the start of a copy of a server's files: what
 *				was in memory is gone; the clock is any
 *	crash		of the authority, with what was committed and not flushed kept or
 *				lost; also a failover with gid.authority_resume()
 *	restore		of the authority from an older backup or a dump, or a failover to a
 *				standby that lags: gid_lease_begins(); the clock of the new authority
 *				may be behind by the limit of gid.node_writer
 *	lower		a reload that lowers gid.node_lease_max
 *
 * The authority holds a lock until its transaction ends, so "ask" is one step.
 * Numbers do not depend on each other, so the model has one number.  A server may
 * use a second of a lease as soon as the lease is published, and at any time after
 * that.  So the model notes the seconds when they are published, and no clock of a
 * server matters but that the time in its ids does not go back while it runs.
 *
 * Left out: how a backend finds the lease of an id's second (node/node.c); a
 * virtual machine that is resumed twice; an extension that is dropped and created
 * again, which the manual warns of; the wrap of the seconds in TraceIds.
 *
 * Two servers have LIVES lives in all; the authority's time is from 0 to NOW.
 *
 * search: a crash, a restore: -DCRASHES=1 -DLOWERS=0
 * search: a restore, a lower limit: -DCRASHES=0 -DLOWERS=1
 * long search: a crash, a restore, a lower limit: -DCRASHES=1 -DLOWERS=1
 */
#ifndef CRASHES
#define CRASHES			1		/* of the authority */
#define LOWERS			1		/* of its limit */
#endif
#define RESTORES		1
#define LIVES			3
#define NOW				3
#define LENGTH			2		/* of the longest lease */
#define MAX				2		/* gid.node_lease_max, before it is lowered */
#define TOP				(NOW + MAX + (WITHOUT == CUT -> 2 * MAX : 0))	/* end of the leases */

/*
 * The safeguards.  -DWITHOUT=CONFIRM takes one out; then spin finds two servers
 * that may use the number for the same second.
 *
 * without: -DCRASHES=1 -DLOWERS=0
 */
#define KEEP_END		1		/* twice: an extension never shortens a lease */
#define CONFIRM			2		/* twice: a lease is confirmed before it is used */
#define CONNECTION		3		/* twice: and on the connection of the grant */
#define PAUSE			4		/* twice: a restored authority does not lease at once */
#define PAUSE_TWICE		5		/* twice: but only MAX later than leases have ended */
#define CUT				6		/* twice: a lease ends at most MAX from now */
#define ENDED			7		/* twice: others get a number whose lease has ended */
#define OWN_HOLDER		8		/* twice: only the holder extends a lease */
#define NEW_HOLDER		9		/* twice: each start and copy has a holder of its own */
#define TIME			10		/* twice: the time in ids does not go back */

/*
 * without: -DCRASHES=0 -DLOWERS=1
 */
#define ROW_MAX			11		/* twice: a pause is as long as the limit of the leases that
								 * may run, not as the present one */
#define ROW_ENDED		12		/* twice: and they have ended before that limit is lowered */
#ifndef WITHOUT
#define WITHOUT			0
#endif

/* The authority's row of the number: as committed, flushed, in the backup. */
byte holder, until;				/* holder 0: no lease was given */
byte safe_holder, safe_until;
byte old_holder, old_until;
byte begins;					/* no lease begins before */
byte row_max = MAX, safe_max = MAX, old_max = MAX;	/* lease_max of gid.node_writer */
byte limit = MAX;				/* gid.node_lease_max */

/* The servers. */
byte life[2];					/* 1..LIVES; which server it is */
byte own_holder[2];				/* GidNodeState.holder */
byte asked[2];					/* the time in its ids, when it asked last */
byte held[2];					/* end of the last answer; 0: none */
byte answer[2];					/* that is not confirmed: NO_ANSWER or ... */
#define NO_ANSWER		0
#define ANSWER			1
#define ANSWER_WATCHED	2		/* "watched" is in its lease */

/* The world. */
byte now;						/* the authority's time */
byte lives, crashes, restores, lowers;
bool backed_up;

/* What is to be proved. */
bool twice;
byte watched;					/* any second; 0: not chosen yet */
byte user;						/* life that may use it; 0: none */

#define MIN_OF(a, b)	((a) < (b) -> (a) : (b))
#define MAX_OF(a, b)	((a) > (b) -> (a) : (b))

#define OTHERS_END		(holder == 0 || WITHOUT == ENDED -> 0 : until)
#define IS_HELD \
	(held[_pid] > 0 && until == held[_pid] && \
	 (holder == own_holder[_pid] || WITHOUT == OWN_HOLDER))

/* The server may use the seconds of its answer. */
inline publish()
{
	if
	:: answer[_pid] == ANSWER_WATCHED ->
		twice = (user != 0 && user != life[_pid]);
		assert(!twice);
		user = life[_pid]
	:: else
	fi;
	answer[_pid] = NO_ANSWER
}

/* What was flushed, unless no crash will read it. */
inline flush()
{
	if
	:: crashes < CRASHES -> safe_holder = holder; safe_until = until; safe_max = row_max
	:: else -> safe_holder = 0; safe_until = 0; safe_max = 0
	fi
}

/* A server starts: nothing of its memory, or of that of its copy, is left. */
inline start()
{
	lives++;
	life[_pid] = lives;
	if
	:: WITHOUT != NEW_HOLDER || lives <= 2 -> own_holder[_pid] = lives; held[_pid] = 0
	:: else ->					/* from its own files, or from the other's */
		if
		:: skip
		:: own_holder[_pid] = own_holder[1 - _pid]; held[_pid] = held[1 - _pid]
		fi
	fi;
	asked[_pid] = 0; answer[_pid] = NO_ANSWER
}

active [2] proctype server()
{
	byte since, end;

	atomic { watched > 0 && lives == _pid -> start() };
end_idle:
	do
	:: atomic {					/* ask */
			answer[_pid] == NO_ANSWER && lives >= 2;
			since = (WITHOUT == TIME -> 0 : asked[_pid]);
			do :: since < TOP - 1 -> since++ :: break od;
			if :: end = since + LENGTH :: IS_HELD -> end = since + 1 fi;
			end = (WITHOUT == CUT -> end : MIN_OF(end, now + limit));
			if					/* gid_lease_begins() */
			:: row_max > limit && now >= begins &&
			   (holder == 0 || until <= now + limit || WITHOUT == ROW_ENDED) -> row_max = limit
			:: else
			fi;
			if
			:: since < begins || since >= end -> goto none
			:: else
			fi;
			if
			:: IS_HELD -> end = (WITHOUT == KEEP_END -> end : MAX_OF(end, until))
			:: !IS_HELD && since >= OTHERS_END -> holder = own_holder[_pid]
			:: else -> goto none
			fi;
			until = end; asked[_pid] = since;
			if
			:: held[_pid] = end;
			   answer[_pid] = (watched >= since && watched < end -> ANSWER_WATCHED : ANSWER)
			:: skip				/* the answer is lost */
			fi;
none:		since = 0; end = 0
		}
	:: atomic {					/* confirm */
			answer[_pid] != NO_ANSWER ->
			if
			:: WITHOUT == CONFIRM
			:: else -> flush()
			fi;
			publish()
		}
	:: atomic {					/* not confirmed */
			answer[_pid] != NO_ANSWER -> answer[_pid] = NO_ANSWER
		}
	:: atomic {					/* restart */
			lives >= 2 && lives < LIVES -> start()
		}
	od
}

/* The connections to the authority are lost, and so are confirmations. */
inline disconnect()
{
	if
	:: WITHOUT == CONNECTION
	:: else -> answer[0] = NO_ANSWER; answer[1] = NO_ANSWER
	fi
}

active proctype world()
{
	byte back;

	atomic { watched = 1; do :: watched < TOP - 1 -> watched++ :: break od };
end_idle:
	do
	:: atomic { now < NOW -> now++ }
	:: atomic {
			!backed_up -> backed_up = true;
			old_holder = holder; old_until = until; old_max = row_max
		}
	:: atomic {					/* crash */
			crashes < CRASHES -> crashes++;
			if
			:: holder = safe_holder; until = safe_until; row_max = safe_max
			:: skip
			fi;
			flush();
			disconnect()
		}
	:: atomic {					/* restore */
			backed_up && restores < RESTORES -> restores++;
			if
			:: holder = old_holder; until = old_until
			:: holder = 0; until = 0	/* a dump */
			fi;
			row_max = (WITHOUT == ROW_MAX -> limit : MAX_OF(old_max, limit));
			flush();
			old_holder = 0; old_until = 0; old_max = 0;	/* the only restore */
			do :: back < row_max && now > 0 -> back++; now-- :: break od;
			back = 0;
			begins = (WITHOUT == PAUSE -> 0 :
					  now + (WITHOUT == PAUSE_TWICE -> row_max : 2 * row_max));
			disconnect()
		}
	:: atomic {					/* lower */
			lowers < LOWERS -> lowers++; limit = MAX - 1
		}
	od
}
