// gid from Knex.  The migration is in doc/frameworks.md.

'use strict';

const { equal, need, tried, run } = require('../clients/tap');
const { prepare, checkKeys } = require('./keys');

const Knex = need('knex');

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

const migrationSource = {
  getMigrations: async () => ['notes'],
  getMigrationName: (name) => name,
  getMigration: async () => notes,
};

tried('knex', 'pg');
run(async () => {
  const { PGHOST: host, PGPORT: port, PGUSER: user, PGDATABASE: database } = process.env;
  await prepare();
  const knex = Knex({
    client: 'pg', connection: { host, port, user, database }, migrations: { migrationSource },
  });
  await knex.migrate.latest();
  const add = async (table, rows) =>
    (await knex(table).insert(rows).returning('id')).map(({ id }) => id);

  await checkKeys({
    type: 'string',
    addNotes: (bodies) => add('note', bodies.map((body) => ({ body }))),
    bodyOf: async (id) => (await knex('note').where({ id }).first()).body,
    addRequest: async (path, id) => (await add('request', { path, id }))[0],
    pathOf: async (id) => (await knex('request').where({ id }).first()).path,
    addCustomers: (names) => add('customer', names.map((name) => ({ name }))),
    query: async (text) => (await knex.raw(text)).rows,
  });
  await knex.migrate.down();
  equal(await knex.schema.hasTable('note'), false, 'migration: and back');
  await knex.destroy();
});
