// What the tests of four JavaScript libraries check: a version 7 key, a bigint key, and a
// serial key that gid serves.

'use strict';

const { ok, equal, increasing, need } = require('../clients/tap');

const { Client } = need('pg');

const TRACE_ID = '4636592980457693161'; // as a number JavaScript would round it

// The database has gid and a table with a serial key, whose values gid serves from now on.
async function prepare() {
  const client = new Client();
  const database = `"${process.env.PGDATABASE}"`;
  await client.connect();
  await client.query(`
    CREATE EXTENSION gid;
    CREATE TABLE customer (id bigserial PRIMARY KEY, name text NOT NULL);
    INSERT INTO customer (name) VALUES ('a'), ('b');
    ALTER DATABASE ${database} SET session_preload_libraries = 'gid';
    ALTER DATABASE ${database} SET gid.serve_nextval = on`);
  await client.end();
}

// The library's ways to a row; those that add rows return ids.  Rows of one call are those
// of one INSERT.  The type is that of a bigint; addRequest() may get no id.
async function checkKeys({ type, addNotes, bodyOf, addRequest, pathOf, addCustomers, query }) {
  const many = Array.from({ length: 50 }, (_, i) => `many ${i}`);

  const notes = await addNotes(many);
  equal(notes[0][14], '7', 'uuid: the ids come back, of version 7');
  ok(increasing(notes), 'uuid: in the order of the rows', notes);
  equal(await bodyOf(notes[7]), 'many 7', 'uuid: each finds its row');

  const request = await addRequest('/tea');
  ok(typeof request === type && BigInt(request) > 2n ** 53n, `bigint: the id is a ${type}`, request);
  equal(String(await addRequest('/milk', TRACE_ID)), TRACE_ID, 'bigint: an id that is given stays');
  equal(await pathOf(TRACE_ID), '/milk', 'bigint: it finds the row');

  const [{ served }] = await query("SELECT served FROM gid.columns WHERE relation = 'customer'::regclass");
  equal(served, true, 'serial key: gid serves it without a change');
  equal((await addCustomers(many)).join(), many.map((_, i) => i + 3).join(),
    'serial key: 50 rows get the next values');
}

module.exports = { prepare, checkKeys };
