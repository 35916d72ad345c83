// A reader that follows a table by id, from JavaScript by node-postgres, the package "pg".
//
// doc/reading-new-rows.md refers to what stands between the marks "manual".  The rest shows,
// for a bigserial and a uuid column, that it sees each row once.

'use strict';

const { setTimeout: sleep } = require('timers/promises');

const { equal, need, run } = require('../clients/tap');

const pg = need('pg');

// --- manual
// Hand the next rows to handle(), in order of id, in a transaction; their number.
async function readPage(client, reader, handle, limit = 100) {
  await client.query('BEGIN');
  try {
    const { rows: [{ last }] } = await client.query(
      'SELECT last FROM reader WHERE name = $1 FOR UPDATE', [reader]);
    const { rows } = await client.query(
      'SELECT id, payload FROM outbox_settled WHERE id > $1 ORDER BY id LIMIT $2', [last, limit]);
    for (const row of rows) await handle(row);
    if (rows.length > 0) {
      await client.query('UPDATE reader SET last = $1 WHERE name = $2', [rows.at(-1).id, reader]);
    }
    await client.query('COMMIT');
    return rows.length;
  } catch (e) {
    await client.query('ROLLBACK');
    throw e;
  }
}

// Until the AbortSignal says that it is enough.
async function follow(client, reader, handle, signal) {
  while (!signal.aborted) {
    if (await readPage(client, reader, handle) === 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
// --- end of manual

const TABLES = [
  { column: 'bigserial PRIMARY KEY', type: 'bigint', horizon: "gid_horizon('outbox_id_seq')", first: '0' },
  {
    column: 'uuid PRIMARY KEY DEFAULT gid_uuid_v7()', type: 'uuid', horizon: 'gid_uuid_v7_horizon()',
    first: '00000000-0000-0000-0000-000000000000',
  },
];
const schema = ({ column, type, horizon, first }) => `
DROP TABLE IF EXISTS outbox, reader CASCADE;
CREATE TABLE outbox (id ${column}, payload text);
CREATE VIEW outbox_settled AS SELECT * FROM outbox WHERE id < (SELECT ${horizon});
CREATE TABLE reader (name text PRIMARY KEY, last ${type} NOT NULL);
INSERT INTO reader SELECT name, '${first}' FROM unnest(ARRAY['mail', 'follower']) AS name;
`;

const insert = (client, payload) => client.query('INSERT INTO outbox (payload) VALUES ($1)', [payload]);

async function page(client, limit) {
  const seen = [];
  await readPage(client, 'mail', (row) => seen.push(row.payload), limit);
  return seen.join();
}

async function test([early, late, reading, other], table) {
  const followed = [];
  const stop = new AbortController();
  const kind = table.type;
  await early.query(schema(table));
  const following = follow(other, 'follower', (row) => followed.push(row.payload), stop.signal);

  await early.query('BEGIN');
  await insert(early, 'early');
  await insert(late, 'late');
  equal(await page(reading), '', `${kind}: the later row waits for the earlier one`);
  await early.query('COMMIT');
  equal(await page(reading), 'early,late', `${kind}: then the reader sees both`);
  equal(await page(reading), '', `${kind}: and once`);

  for (const payload of 'abc') await insert(early, payload);
  equal(await page(reading, 2), 'a,b', `${kind}: a page`);
  equal(await page(reading, 2), 'c', `${kind}: and the next one`);

  await insert(early, 'once more');
  const error = await readPage(reading, 'mail', () => { throw new Error('no'); }).catch((e) => e);
  equal(error.message, 'no', `${kind}: an error of handle() comes out`);
  equal(await page(reading), 'once more', `${kind}: and the row is read again`);

  for (let i = 0; i < 600 && followed.length < 6; i++) await sleep(100);
  stop.abort();
  await following;
  equal(followed.join(), 'early,late,a,b,c,once more', `${kind}: follow() has seen each row once, in order of id`);
}

run(async () => {
  const clients = Array.from({ length: 4 }, () => new pg.Client());
  await Promise.all(clients.map((client) => client.connect()));
  await clients[0].query('CREATE EXTENSION gid');
  for (const table of TABLES) await test(clients, table);
  await Promise.all(clients.map((client) => client.end()));
});
