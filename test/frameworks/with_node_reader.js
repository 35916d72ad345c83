// A reader that follows a table by id, from JavaScript by node-postgres, the package "pg".
//
// What stands between the marks "manual" is in doc/reading-new-rows.md.  The rest shows
// that it sees each row once.

'use strict';

const { setTimeout: sleep } = require('timers/promises');

const { equal, need, run } = require('../clients/tap');

const pg = need('pg');

// --- manual
// Hand the rows that are new for a reader to handle(), in order of id.
async function readBatch(client, reader, handle) {
  await client.query('BEGIN');
  try {
    const { rows: [{ last }] } = await client.query(
      'SELECT last FROM reader WHERE name = $1 FOR UPDATE', [reader]);
    const { rows: [{ horizon }] } = await client.query(
      'SELECT coalesce(gid_uuid_v7_horizon(), $1) AS horizon', [last]);
    const { rows } = await client.query(
      'SELECT id, payload FROM outbox WHERE id >= $1 AND id < $2 ORDER BY id', [last, horizon]);
    for (const row of rows) await handle(row);
    await client.query('UPDATE reader SET last = greatest(last, $1) WHERE name = $2', [horizon, reader]);
    await client.query('COMMIT');
  } catch (e) {
    await client.query('ROLLBACK');
    throw e;
  }
}

// Until the AbortSignal says that it is enough.
async function follow(client, reader, handle, signal) {
  while (!signal.aborted) {
    await readBatch(client, reader, handle);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
// --- end of manual

const SCHEMA = `
CREATE EXTENSION gid;
CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT gid_uuid_v7(), payload text);
CREATE TABLE reader (name text PRIMARY KEY, last uuid NOT NULL);
INSERT INTO reader SELECT name, '00000000-0000-0000-0000-000000000000'
FROM unnest(ARRAY['mail', 'follower']) AS name;
`;

const insert = (client, payload) => client.query('INSERT INTO outbox (payload) VALUES ($1)', [payload]);

async function batch(client) {
  const seen = [];
  await readBatch(client, 'mail', (row) => seen.push(row.payload));
  return seen.join();
}

async function test(early, late, reading, other) {
  const followed = [];
  const stop = new AbortController();
  await early.query(SCHEMA);
  const following = follow(other, 'follower', (row) => followed.push(row.payload), stop.signal);

  await early.query('BEGIN');
  await insert(early, 'early');
  await insert(late, 'late');
  equal(await batch(reading), '', 'a later row waits for the earlier one');
  await early.query('COMMIT');
  equal(await batch(reading), 'early,late', 'then both come');
  equal(await batch(reading), '', 'and once');

  await insert(early, 'once more');
  const error = await readBatch(reading, 'mail', () => { throw new Error('no'); }).catch((e) => e);
  equal(error.message, 'no', 'an error of handle() comes out');
  equal(await batch(reading), 'once more', 'and the row is read again');

  for (let i = 0; i < 600 && followed.length < 3; i++) await sleep(100);
  stop.abort();
  await following;
  equal(followed.join(), 'early,late,once more', 'follow() has seen each row once, in order of id');
}

run(async () => {
  const clients = Array.from({ length: 4 }, () => new pg.Client());
  await Promise.all(clients.map((client) => client.connect()));
  await test(...clients);
  await Promise.all(clients.map((client) => client.end()));
});
