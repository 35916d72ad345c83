// gid from Drizzle. What stands before "the test" is in doc/frameworks.md.

'use strict';

const { ok, equal, increasing, need, serve, tried, run } = require('../clients/tap');

const { eq, sql } = need('drizzle-orm');
const { drizzle } = need('drizzle-orm/node-postgres');
const { bigint, bigserial, pgTable, text, uuid } = need('drizzle-orm/pg-core');
const { Client, Pool } = need('pg');

const note = pgTable('note', {
  id: uuid('id').primaryKey().default(sql`gid_uuid_v7()`),
  body: text('body'),
});

const request = pgTable('request', {
  id: bigint('id', { mode: 'bigint' }).primaryKey().default(sql`gid_trace_id()`),
  path: text('path'),
});

const orders = pgTable('orders', {
  id: bigint('id', { mode: 'number' }).primaryKey().default(sql`gid_next('order_no')`),
  item: text('item'),
});

async function addNote(db, body) {
  const [{ id }] = await db.insert(note).values({ body }).returning({ id: note.id });
  return id;
}

const toJson = (value) =>
  JSON.stringify(value, (key, part) => typeof part === 'bigint' ? String(part) : part);

// --- the test

const TRACE_ID = 4636592980457693161n; // as a number JavaScript would round it

const customer = pgTable('customer', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  name: text('name'),
});

const SCHEMA = `
CREATE EXTENSION gid;
CREATE TABLE customer (id bigserial PRIMARY KEY, name text);
CREATE SEQUENCE order_no;
CREATE TABLE note (id uuid PRIMARY KEY DEFAULT gid_uuid_v7(), body text);
CREATE TABLE request (id bigint PRIMARY KEY DEFAULT gid_trace_id(), path text);
CREATE TABLE orders (id gid_js_id PRIMARY KEY DEFAULT gid_next('order_no'), item text);
`;

async function testUuid(db) {
  const first = await addNote(db, 'one');
  equal(first[14], '7', 'uuid: the id comes back, of version 7');
  equal((await db.select().from(note).where(eq(note.id, first)))[0].body, 'one',
    'uuid: it finds the row');
  const many = await db.insert(note).values(
    Array.from({ length: 50 }, (_, i) => ({ body: `many ${i}` }))).returning();
  ok(increasing([first, ...many.map((row) => row.id)]), 'uuid: 50 more, in order');
  const given = '5f1f7a3e-7b0c-4d0e-9b1a-0123456789ab';
  equal((await db.insert(note).values({ id: given, body: 'mine' }).returning())[0].id, given,
    'uuid: an id that is given stays');
}

async function testBigint(db) {
  const [{ id }] = await db.insert(request).values({ path: '/tea' }).returning();
  ok(typeof id === 'bigint' && id > 2n ** 53n, 'bigint: with mode "bigint" the id is a BigInt', id);
  await db.insert(request).values({ id: TRACE_ID, path: '/milk' });
  const [found] = await db.select().from(request).where(eq(request.id, TRACE_ID));
  equal(found.path, '/milk', 'bigint: it finds the row');
  equal(JSON.parse(toJson(found)).id, String(TRACE_ID), 'bigint: in JSON it is text');
  equal((await db.insert(orders).values({ item: 'tea' }).returning())[0].id, 1,
    'bigint: with mode "number" the number of a sequence is a number');
}

async function testServed(db) {
  const { rows: [{ served }] } = await db.execute(
    sql`SELECT served FROM gid.columns WHERE relation = 'customer'::regclass`);
  equal(served, true, 'serial key: gid serves it without a change');
  const ids = (await db.insert(customer).values(
    Array.from({ length: 50 }, (_, i) => ({ name: `many ${i}` }))).returning()).map(({ id }) => id);
  ok(ids.every((id, i) => id === ids[0] + i), 'serial key: 50 rows get the values', ids);
}

tried('drizzle-orm', 'pg');
run(async () => {
  await serve(new Client());
  const pool = new Pool();
  await pool.query(SCHEMA);
  const db = drizzle(pool);
  await testUuid(db);
  await testBigint(db);
  await testServed(db);
  await pool.end();
});
