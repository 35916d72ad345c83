/*-------------------------------------------------------------------------
 *
 * base/client.c
 *		Ends the session when its client is gone.
 *
 * A backend that waits does not read from its client, so it does not notice
 * that the client has closed the connection.  The server looks for the client
 * only if client_connection_check_interval is set.  The waits of gid that may
 * last as long as a standby is missing look themselves.
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"

#include "base/client.h"

/*
 * Has the client not closed the connection?  The server's header for its side
 * of libpq declares this function.  That header includes headers of GSSAPI and
 * OpenSSL, which the server's development package does not bring.
 */
extern bool pq_check_connection(void);

/*
 * End the session (08006) if its client has closed the connection, as the
 * server does with client_connection_check_interval.  Does nothing in a
 * process without a client, and where the system cannot tell.  May reset the
 * process's latch, so the caller looks at its condition again before it
 * sleeps.
 */
void
gid_client_check(void)
{
	if (MyProcPort == NULL || whereToSendOutput != DestRemote ||
		!WaitEventSetCanReportClosed() || pq_check_connection())
		return;
	ClientConnectionLost = true;
	InterruptPending = true;
	CHECK_FOR_INTERRUPTS();
}
