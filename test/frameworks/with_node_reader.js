// A reader that follows a table by id, from JavaScript by node-postgres, the package "pg".
//
// What stands between the marks "manual" is in doc/reading-new-rows.md.  The rest shows
// that it sees each row once, where a reader that remembers the greatest id loses rows.

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
const WRITERS = 4;
const ROWS = 50;

async function withClients(count, code) {
  const clients = Array.from({ length: count }, () => new pg.Client());
  await Promise.all(clients.map((client) => client.connect()));
  try {
    return await code(...clients);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

const insert = (client, payload) => client.query('INSERT INTO outbox (payload) VALUES ($1)', [payload]);

// The reader that remembers the greatest id.
function naive() {
  let last = '00000000-0000-0000-0000-000000000000';
  return async (client) => {
    const { rows } = await client.query('SELECT id, payload FROM outbox WHERE id > $1 ORDER BY id', [last]);
    if (rows.length > 0) last = rows[rows.length - 1].id;
    return rows.map((row) => row.payload).join();
  };
}

async function batch(client) {
  const seen = [];
  await readBatch(client, 'mail', (row) => seen.push(row.payload));
  return seen.join();
}

async function testTwo(early, late, reading) {
  const read = naive();
  await early.query('BEGIN');
  await insert(early, 'early');
  await insert(late, 'late');
  equal(await read(reading), 'late', 'two writers: the naive reader sees the later row');
  equal(await batch(reading), '', 'two writers: the other waits for the earlier one');
  await early.query('COMMIT');
  equal(await read(reading), '', 'two writers: the naive reader loses the earlier row');
  equal(await batch(reading), 'early,late', 'two writers: the other sees both');
  equal(await batch(reading), '', 'two writers: and once');

  await insert(early, 'once more');
  let error;
  await readBatch(reading, 'mail', () => { throw new Error('no'); }).catch((e) => { error = e.message; });
  equal(error, 'no', 'error: that of handle() comes out');
  equal(await batch(reading), 'once more', 'error: and the row is read again');
}

const write = (number) => withClients(1, async (client) => {
  for (let i = 0; i < ROWS; i++) {
    await client.query('BEGIN');
    await insert(client, `${number}:${i}`);
    await sleep(10 * Math.random());
    await client.query('COMMIT');
  }
});

async function testFollow(reading, other) {
  const seen = [];
  const stop = new AbortController();
  const following = follow(reading, 'follower', (row) => seen.push(row.id), stop.signal);
  await Promise.all(Array.from({ length: WRITERS }, (_, number) => write(number)));
  const { rows } = await other.query('SELECT id FROM outbox ORDER BY id');
  for (let i = 0; i < 600 && seen.length < rows.length; i++) await sleep(100);
  stop.abort();
  await following;
  equal(seen.join(), rows.map((row) => row.id).join(), 'follow: each row comes once, in order of id');
  equal(rows.length, WRITERS * ROWS + 3, 'follow: and these are all');
}

run(async () => {
  await withClients(1, (client) => client.query(SCHEMA));
  await withClients(3, testTwo);
  await withClients(2, testFollow);
});
