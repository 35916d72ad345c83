// gid from Drizzle.  The first two tables are in doc/frameworks.md.

'use strict';

const { need, tried, run } = require('../clients/tap');
const { prepare, checkKeys } = require('./keys');

const { eq, sql } = need('drizzle-orm');
const { drizzle } = need('drizzle-orm/node-postgres');
const { bigint, bigserial, pgTable, text, uuid } = need('drizzle-orm/pg-core');
const { Pool } = need('pg');

const note = pgTable('note', {
  id: uuid('id').primaryKey().default(sql`gid_uuid_v7()`),
  body: text('body'),
});

const request = pgTable('request', {
  id: bigint('id', { mode: 'bigint' }).primaryKey().default(sql`gid_trace_id()`),
  path: text('path'),
});

const customer = pgTable('customer', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  name: text('name'),
});

tried('drizzle-orm', 'pg');
run(async () => {
  await prepare();
  const pool = new Pool();
  await pool.query(`
    CREATE TABLE note (id uuid PRIMARY KEY DEFAULT gid_uuid_v7(), body text);
    CREATE TABLE request (id bigint PRIMARY KEY DEFAULT gid_trace_id(), path text)`);
  const db = drizzle(pool);
  const add = async (table, ...rows) =>
    (await db.insert(table).values(rows).returning({ id: table.id })).map(({ id }) => id);
  const find = async (table, id) => (await db.select().from(table).where(eq(table.id, id)))[0];

  await checkKeys({
    type: 'bigint',
    addNotes: (bodies) => add(note, ...bodies.map((body) => ({ body }))),
    bodyOf: async (id) => (await find(note, id)).body,
    addRequest: async (path, id) => (await add(request, { path, id: id && BigInt(id) }))[0],
    pathOf: async (id) => (await find(request, BigInt(id))).path,
    addCustomers: (names) => add(customer, ...names.map((name) => ({ name }))),
    query: async (text) => (await db.execute(text)).rows,
  });
  await pool.end();
});
