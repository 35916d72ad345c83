/*
 * failover.pml
 *		A primary is killed and a standby is promoted, and then another one: no
 *		value of a sequence is handed out twice, by all servers together.
 *
 * Two means prevent it, and each run has one of them:
 *	n = 1, 2	gid.reservation_standbys.  n standbys have flushed the record of a
 *				block before the block is opened.  With n = 2 either standby is
 *				promoted, with n = 1 the more advanced one.  Nothing is skipped.
 *	n = 0		gid.timeline_skip.  The first reservation on the new timeline
 *				passes over SKIP values for each timeline since the page was
 *				changed.  Either standby is promoted, if it lacks at most two of
 *				the reservations that the primary has flushed.  Then the other one
 *				may be promoted, when the promoted server is killed, if it lacks
 *				at most two of the reservations of both.  It may have followed the
 *				promoted server or not, and have more of the primary's WAL or
 *				less.  Its timeline is 3, because an archive has the history of 2.
 *
 * What the parts stand for:
 *	take		gid_next() with a value of the block in use, sequence/draw.c
 *	ahead		gid_draw_ahead(): a session whose value leaves few values reserves
 *				the next block ahead
 *	claim		gid_draw_next_block(): a session that finds no value takes the
 *				claim of the sequence's entry, and reserves a block unless one
 *				was reserved ahead
 *	open		the same session flushes the record, waits for the standbys with
 *				the claim, opens the block and takes its first value
 *	lose		a cancel, the end of the session or a reload ends the wait
 *	reserve		the reservation on the sequence's page, under the page's lock,
 *				sequence/page.c
 *	around		the WAL writer; two physical standbys, which receive and flush; a
 *				record of other work; reloads of the setting, from n to 0 and back
 *	world		a kill of the server, at any moment.  Then a crash restart, or a
 *				promotion: a new timeline begins at the end of the WAL that the
 *				standby has received.  That is the switch point.  The history of
 *				timeline 3 has that of 2 when the third server has followed the
 *				second beyond it
 *
 * There is any number of sessions.  Each turn of the loop is a step of some
 * session.  Only the holder of the claim has a second step to do, so what the
 * holder knows is kept beside the claim.
 *
 * The LSN of a record is its number.  The page's LSN is that of the sequence's
 * last record.  A walsender sends only flushed WAL, so the primary flushes a
 * record at the latest when a standby does.  The model does not keep what a
 * standby has received and not flushed.  The standby may keep or lose that WAL
 * when it is promoted, so its WAL then ends anywhere from what it has flushed to
 * what the primary has flushed.  The standbys are alike, so the first one is
 * never behind the second one.  After a crash restart the page is as any record
 * from the last flushed one to the last one says.
 *
 * A value is covered by n if the setting was n when a session began to open the
 * value's block.  Values of blocks that were opened with the setting at 0 may
 * come again.  All values of the promoted server count.
 *
 * Left out: standbys of a promoted server that confirm, so its setting is 0, and
 * with n above 0 there is one promotion; a primary that lives on; batches; nextval(), setval() and ALTER
 * SEQUENCE; the range's end; how values are taken without a lock (block.pml); a
 * session that has not read the new setting yet.
 *
 * Sizes: BLOCKS blocks on the primary and MORE_BLOCKS on each promoted server, of
 * BLOCK values each; LIVES lives of the shared memory; RELOADS changes of the
 * setting.
 */
#ifndef BLOCKS
#define BLOCKS			4
#define MORE_BLOCKS		2
#define LIVES			3
#define RELOADS			1
#endif
#define BLOCK			2
#define RECORDS			(BLOCKS + 2 * MORE_BLOCKS + 3)

/*
 * The safeguards.  -DWITHOUT=WAIT takes one out; then spin finds a value that
 * is handed out twice, or that values are skipped again.
 */
#define WAIT			1		/* twice: until n standbys have the record */
#define WAIT_AHEAD		2		/* twice: also for a block reserved ahead */
#define STANDBY_FLUSH	3		/* twice: to receive a record is not enough */
#define CANCEL			4		/* twice: a block is lost if its wait is cancelled */
#define RELOAD			5		/* twice: or if the setting changes meanwhile */
#define TWO_BLOCKS		6		/* twice: the skip passes over two blocks */
#define AT_SWITCH		7		/* twice: the skip is due at the switch point, too */
#define ONE_RECORD		8		/* twice: of the skip and the reservation */
#define SWITCH_POINT	9		/* again: a restart does not move the switch point */
#define PASSES			10		/* twice: a pass for each timeline */
#define ARCHIVE			11		/* twice: the third server knows of timeline 2 */
#define OF_THE_PAGE		12		/* again: only for timelines since the page's own */
#ifndef WITHOUT
#define WITHOUT			0
#endif

#define SKIP			(WITHOUT == TWO_BLOCKS -> BLOCK : 2 * BLOCK)

/* The entry, in shared memory. */
byte next = 1, last;			/* block in use: next value and last value */
byte ahead, ahead_lsn;			/* last value of the block ahead; 0: none */
bool claim;

/* The holder of the claim, which opens a block. */
byte end, lsn;					/* the block's last value, and its record */
byte need;						/* the setting when it began */
bool pending;					/* without ONE_RECORD: the skip's record is to come */

/* The sequence's page: the last value reserved, and the LSN. */
byte page, page_lsn;

/* The server's WAL: with each record, the last value reserved. */
byte record[RECORDS];
byte inserted, flushed;

/* The server's timeline, and that before it in its history. */
byte timeline = 1;
byte switch_point;				/* on timeline 1: 0, and nothing is skipped */
bool knows;						/* has timeline 3 the timeline 2 in its history? */
byte earlier;					/* where that began */
byte due;						/* the passes that the server owes */
byte started;					/* where the last recovery ended */

/* The standbys: the last record that each has flushed. */
byte standby[2];

/* The standby that was not promoted at first. */
byte third;						/* the last record that it has */
byte third_page;				/* if these are records that the promoted server
								 * does not have: the last value reserved */
byte lost;						/* the last value that the primary reserved */

/* gid.reservation_standbys: of this run, and now. */
byte n, setting;

/* The world. */
bool running;
bool worked;					/* a record of other work is written */
byte reloads;

/* What is to be proved. */
bool twice, again;
bool covered;					/* is the block in use covered by n? */
byte watched;					/* any value that was handed out; 0: none yet */

#define HAS(s)			((WITHOUT == STANDBY_FLUSH -> flushed : standby[s]) >= lsn)
#define CONFIRMED		(HAS(0) + HAS(1) >= need)

#define JUDGED_BY		(WITHOUT == SWITCH_POINT -> started : switch_point)
#define IS_BEFORE(point) \
	(page_lsn < (point) || (page_lsn == (point) && WITHOUT != AT_SWITCH))

/* The timelines from that of the page's LSN to the server's. */
#define LAG \
	(timeline == 1 || !IS_BEFORE(JUDGED_BY) -> 0 : \
	 (timeline == 2 || (WITHOUT != OF_THE_PAGE && knows && !IS_BEFORE(earlier)) || \
	  (WITHOUT == ARCHIVE && !knows) -> 1 : 2))
#define NPASSES			(WITHOUT == PASSES && LAG > 1 -> 1 : LAG)

#define MAY_RESERVE \
	(inserted - switch_point < (timeline == 1 -> BLOCKS + worked : MORE_BLOCKS))

/* Hand out the next value of the block in use.  Some runs watch this value. */
inline hand_out()
{
	twice = (next == watched);
	assert(!twice);
	if
	:: watched == 0 && (timeline > 1 || n == 0 || covered) -> watched = next
	:: true
	fi;
	next++
}

inline insert()
{
	inserted++;
	record[inserted] = page;
	page_lsn = inserted
}

/*
 * Reserve a block, which ends with the page's new value.  Without ONE_RECORD a
 * reservation that skips leaves "pending" for a step of its own.
 */
inline reserve()
{
	if
	:: n > 0 || NPASSES == 0 -> page = page + BLOCK
	:: else -> page = page + BLOCK + (WITHOUT == ONE_RECORD -> 0 : NPASSES * SKIP);
		pending = (WITHOUT == ONE_RECORD)
	fi;
	insert();
	again = (page - record[switch_point] > (inserted - switch_point) * BLOCK + due * SKIP);
	assert(!again)
}

/* Its record is flushed here, and any session may take values from now on. */
inline open_block()
{
	flushed = (lsn > flushed -> lsn : flushed);
	next = end - BLOCK + 1;
	last = end;
	covered = (need > 0)
}

/* The block ahead was opened or is lost, if there was one. */
inline release()
{
	ahead = 0; ahead_lsn = 0;
	end = 0; lsn = 0; need = 0; claim = false
}

active proctype sessions()
{
end_idle:
	do
	:: atomic {					/* take */
			running && next <= last -> hand_out()
		}
	:: atomic {					/* ahead */
			running && last > 0 && next >= last && !claim &&
			ahead == 0 && MAY_RESERVE ->
			reserve();
			ahead = page; ahead_lsn = inserted
		}
	:: atomic {					/* claim */
			running && next > last && !claim && !pending &&
			(ahead > 0 || MAY_RESERVE) ->
			claim = true;
			need = setting;
			if
			:: ahead == 0 -> reserve(); end = page; lsn = inserted
			:: ahead > 0 -> end = ahead; lsn = ahead_lsn
			fi
		}
	:: atomic {					/* the skip's own record */
			running && pending -> pending = false;
			page = page + SKIP;
			insert();
			end = page; lsn = inserted
		}
	:: atomic {					/* open */
			running && claim && !pending &&
			(CONFIRMED || WITHOUT == WAIT || (WITHOUT == WAIT_AHEAD && ahead > 0) ||
			 (WITHOUT == RELOAD && setting == 0)) ->
			open_block();
			release();
			hand_out()
		}
	:: atomic {					/* lose */
			running && claim && !pending ->
			if
			:: WITHOUT == CANCEL -> open_block()
			:: WITHOUT != CANCEL
			fi;
			release()
		}
	od
}

/* A standby receives and flushes its next record. */
#define FLUSH(s) \
	running && n > 0 && standby[s] < inserted && \
	(s == 0 || standby[1] < standby[0]) -> standby[s]++; \
	flushed = (standby[s] > flushed -> standby[s] : flushed)

active proctype around()
{
end_idle:
	do
	:: atomic { running && timeline == 1 && flushed < inserted -> flushed++ }
	:: atomic { timeline == 1 && FLUSH(0) }
	:: atomic { timeline == 1 && FLUSH(1) }
	:: atomic {					/* the third server follows the second */
			running && timeline == 2 && n == 0 && third_page == 0 && third < flushed ->
			third++
		}
	:: atomic {
			running && timeline == 1 && !worked -> worked = true;
			inserted++;
			record[inserted] = page
		}
	:: atomic {
			running && timeline == 1 && n > 0 && reloads < RELOADS -> reloads++;
			setting = n - setting
		}
	od
}

/* A standby is promoted: its WAL is the server's now, and ends at "inserted". */
inline promote()
{
	if							/* what the standby has flushed */
	:: inserted = standby[0]
	:: n != 1 -> inserted = standby[1]
	fi;							/* what it has received beyond that */
	do :: inserted < flushed -> inserted++ :: break od;
	if
	:: n == 0 && record[flushed] - record[inserted] > 2 * BLOCK -> goto nobody
	:: else
	fi;
	if							/* what the other one has received */
	:: n == 0 ->
		do :: third < flushed -> third++ :: break od;
		third_page = (third > inserted -> record[third] : 0);
		lost = record[flushed]
	:: else
	fi;
	timeline = 2;
	switch_point = inserted;
	due = (n == 0);
	standby[0] = 0; standby[1] = 0; setting = 0; worked = false; reloads = 0
}

/*
 * The third server is promoted, whose WAL ends at "third", if it lacks at most
 * two reservations.
 */
inline promote_third()
{
	due = (third_page == 0 && third > switch_point && record[third] > record[switch_point] ->
		   1 : 2);
	i = (third_page > 0 -> third_page : record[third]);
	if
	:: due == 1 -> i = record[flushed] - i
	:: due == 2 && record[flushed] == record[switch_point] -> i = lost - i
	:: else -> i = lost - i + record[flushed] - record[switch_point] - SKIP
	fi;
	if
	:: i > 2 * BLOCK -> goto nobody
	:: else
	fi;
	timeline = 3;
	knows = (third_page == 0 && third >= switch_point);
	earlier = (knows -> switch_point : 0);
	switch_point = third;
	inserted = third;
	record[third] = (third_page > 0 -> third_page : record[third]);
	third = 0; third_page = 0; lost = 0
}

active proctype world()
{
	byte lives, i;

	atomic {
		if :: n = 0 :: n = 1 :: n = 2 fi;
		setting = n;
		lives = 1; running = true
	};
	do
	:: atomic {
			lives < LIVES -> lives++;
			running = false;
			next = 1; last = 0; covered = false; pending = false;
			release();
			if
			:: timeline == 1 -> promote()
			:: timeline == 2 && n == 0 -> promote_third()
			:: do :: flushed < inserted -> inserted-- :: break od	/* restart */
			fi;
			/* recovery */
			flushed = inserted; started = inserted;
			page = record[inserted];
			page_lsn = inserted;
			do
			:: page_lsn > 0 && record[page_lsn - 1] == page -> page_lsn--
			:: else -> break
			od;
			i = inserted + 1;
			do :: i < RECORDS -> record[i] = 0; i++ :: else -> break od;
			i = 0; running = true
		}
	:: lives == LIVES -> break
	od;
nobody:
	skip
}
