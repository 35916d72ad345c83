// gid from Knex. What stands before "the test" is in doc/frameworks.md.

'use strict';

const { ok, equal, increasing, need, serve, tried, run } = require('../clients/tap');

const Knex = need('knex');
const { Client } = need('pg');

const notes = {
  async up(knex) {
    await knex.raw('CREATE EXTENSION IF NOT EXISTS gid');
    await knex.schema.createTable('note', (table) => {
      table.uuid('id').primary().defaultTo(knex.raw('gid_uuid_v7()'));
      table.text('body');
    });
    await knex.schema.createTable('request', (table) => {
      table.bigInteger('id').primary().defaultTo(knex.raw('gid_trace_id()'));
      table.text('path');
    });
  },
  async down(knex) {
    await knex.schema.dropTable('request');
    await knex.schema.dropTable('note');
  },
};

const customers = {
  async up(knex) {
    await knex.raw("SET LOCAL lock_timeout = '3s'; "
      + "ALTER TABLE customer ALTER id SET DEFAULT gid_next('customer_id_seq')");
  },
  async down(knex) {
    await knex.raw("SET LOCAL lock_timeout = '3s'; "
      + "ALTER TABLE customer ALTER id SET DEFAULT nextval('customer_id_seq')");
  },
};

async function addNote(knex, body) {
  const [{ id }] = await knex('note').insert({ body }).returning('id');
  return id;
}

// --- the test

const TRACE_ID = '4636592980457693161'; // as a number JavaScript would round it

const migrationSource = {
  getMigrations: async () => ['1_notes', '2_customers'],
  getMigrationName: (name) => name,
  getMigration: async (name) => ({ '1_notes': notes, '2_customers': customers })[name],
};

async function testMigrations(knex) {
  await knex.schema.createTable('customer', (table) => {
    table.bigIncrements('id');
    table.text('name');
  });
  await knex('customer').insert([{ name: 'a' }, { name: 'b' }]);
  await knex.migrate.latest();
  equal((await knex('customer').insert({ name: 'c' }).returning('id'))[0].id, '3',
    'migrations: a table with rows goes on with gid_next()');
  await knex.migrate.down();
  ok((await knex('customer').insert({ name: 'd' }).returning('id'))[0].id > 3,
    'migrations: and back');
  equal((await knex.raw("SELECT served FROM gid.columns WHERE relation = 'customer'::regclass"))
    .rows[0].served, true, 'serial key: gid serves it without a change');
  const ids = (await knex('customer').insert(
    Array.from({ length: 50 }, (_, i) => ({ name: `many ${i}` }))).returning('id'))
    .map((row) => Number(row.id));
  ok(ids.every((id, i) => id === ids[0] + i), 'serial key: 50 rows get the values', ids);
}

async function testUuid(knex) {
  const first = await addNote(knex, 'one');
  equal(first[14], '7', 'uuid: the id comes back, of version 7');
  equal((await knex('note').where({ id: first }).first()).body, 'one', 'uuid: it finds the row');
  const many = await knex('note').insert(
    Array.from({ length: 50 }, (_, i) => ({ body: `many ${i}` }))).returning('id');
  ok(increasing([first, ...many.map((row) => row.id)]), 'uuid: 50 more, in order');
}

async function testBigint(knex) {
  const [{ id }] = await knex('request').insert({ path: '/tea' }).returning('id');
  ok(typeof id === 'string' && BigInt(id) > 2n ** 53n, 'bigint: the id is a string', id);
  await knex('request').insert({ id: TRACE_ID, path: '/milk' });
  const found = await knex('request').where({ id: TRACE_ID }).first();
  equal(found.path, '/milk', 'bigint: it finds the row');
  equal(JSON.parse(JSON.stringify(found)).id, TRACE_ID, 'bigint: through JSON it stays the same');
}

tried('knex', 'pg');
run(async () => {
  const { PGHOST: host, PGPORT: port, PGUSER: user, PGDATABASE: database } = process.env;
  await serve(new Client());
  const knex = Knex({
    client: 'pg', connection: { host, port, user, database }, migrations: { migrationSource },
  });
  await testMigrations(knex);
  await testUuid(knex);
  await testBigint(knex);
  await knex.destroy();
});
