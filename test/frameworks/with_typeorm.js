// gid from TypeORM.  Note has the default of doc/frameworks.md.

'use strict';

const { equal, need, tried, run } = require('../clients/tap');
const { prepare, checkKeys } = require('./keys');

const { DataSource, EntitySchema } = need('typeorm');

const Note = new EntitySchema({
  name: 'Note',
  tableName: 'note',
  columns: {
    id: { type: 'uuid', primary: true, default: () => 'gid_uuid_v7()' },
    body: { type: 'text' },
  },
});

const Request = new EntitySchema({
  name: 'Request',
  tableName: 'request',
  columns: {
    id: { type: 'bigint', primary: true, default: () => 'gid_trace_id()' },
    path: { type: 'text' },
  },
});

// The table with a serial key; "id" says where its values come from.
const customer = (id) => new EntitySchema({
  name: 'Customer',
  tableName: 'customer',
  columns: { id: { type: 'bigint', primary: true, ...id }, name: { type: 'text' } },
});

const connect = (...entities) => new DataSource({
  type: 'postgres',
  host: process.env.PGHOST,
  port: Number(process.env.PGPORT),
  username: process.env.PGUSER,
  database: process.env.PGDATABASE,
  entities,
}).initialize();

// The statements that synchronize() would run.
const changes = async (dataSource) =>
  (await dataSource.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query).join();

tried('typeorm', 'pg');
run(async () => {
  await prepare();
  const dataSource = await connect(Note, Request, customer({ generated: 'increment' }));
  const [notes, requests, customers] =
    ['Note', 'Request', 'Customer'].map((name) => dataSource.getRepository(name));

  await dataSource.synchronize();
  equal(await changes(dataSource), '', 'synchronize: a second time it changes nothing');
  await checkKeys({
    type: 'string',
    addNotes: async (bodies) => (await notes.save(bodies.map((body) => ({ body })))).map(({ id }) => id),
    bodyOf: async (id) => (await notes.findOneBy({ id })).body,
    addRequest: async (path, id) => (await requests.save({ path, id })).id,
    pathOf: async (id) => (await requests.findOneBy({ id })).path,
    addCustomers: async (names) => (await customers.save(names.map((name) => ({ name })))).map(({ id }) => id),
    query: (text) => dataSource.query(text),
  });

  await dataSource.query("ALTER TABLE customer ALTER id SET DEFAULT gid_next('customer_id_seq')");
  await dataSource.destroy();
  const changed = await connect(Note, Request, customer({ default: () => "gid_next('customer_id_seq')" }));
  equal(await changes(changed), '', 'existing table: synchronize() leaves gid_next() where the entity has it');
  await changed.destroy();
});
