// gid from TypeORM. What stands before "the test" is in doc/frameworks.md.

'use strict';

const { ok, equal, increasing, need, serve, tried, run } = require('../clients/tap');

const { DataSource, EntitySchema } = need('typeorm');
const { Client } = need('pg');

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

const Customer = new EntitySchema({
  name: 'Customer',
  tableName: 'customer',
  columns: {
    id: { type: 'bigint', primary: true, default: () => "gid_next('customer_id_seq')" },
    name: { type: 'text' },
  },
});

async function addNote(dataSource, body) {
  const note = await dataSource.getRepository(Note).save({ body });
  return note.id;
}

class CustomersFromGid1795300000000 {
  async up(queryRunner) {
    await queryRunner.query('CREATE EXTENSION IF NOT EXISTS gid');
    await queryRunner.query(
      "SET LOCAL lock_timeout = '3s'; "
      + "ALTER TABLE customer ALTER id SET DEFAULT gid_next('customer_id_seq')");
  }

  async down(queryRunner) {
    await queryRunner.query(
      "SET LOCAL lock_timeout = '3s'; "
      + "ALTER TABLE customer ALTER id SET DEFAULT nextval('customer_id_seq')");
  }
}

// --- the test

const TRACE_ID = '4636592980457693161'; // as a number JavaScript would round it

const connect = (entities, migrations = []) => new DataSource({
  type: 'postgres',
  host: process.env.PGHOST,
  port: Number(process.env.PGPORT),
  username: process.env.PGUSER,
  database: process.env.PGDATABASE,
  entities,
  migrations,
}).initialize();

// The statements that synchronize() would run.
const changes = async (dataSource) =>
  (await dataSource.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query);

async function columnDefault(dataSource) {
  const [{ column_default }] = await dataSource.query(
    "SELECT column_default FROM information_schema.columns WHERE table_name = 'note' AND column_name = 'id'");
  return column_default;
}

async function testMigration() {
  const client = new Client();
  await client.connect();
  await client.query('CREATE TABLE customer (id bigserial PRIMARY KEY, name text NOT NULL)');
  await client.query("INSERT INTO customer (name) VALUES ('a'), ('b')");
  await client.end();

  const dataSource = await connect([Customer], [CustomersFromGid1795300000000]);
  await dataSource.runMigrations();
  equal((await changes(dataSource)).length, 0, 'migration: synchronize() finds nothing to change');
  equal((await dataSource.getRepository(Customer).save({ name: 'c' })).id, '3',
    'migration: the table with rows goes on');
  await dataSource.undoLastMigration();
  ok((await dataSource.query("INSERT INTO customer (name) VALUES ('d') RETURNING id"))[0].id > 3,
    'migration: and back');
  await dataSource.destroy();
}

async function testServed() {
  const before = new EntitySchema({
    name: 'Customer',
    tableName: 'customer',
    columns: {
      id: { type: 'bigint', primary: true, generated: 'increment' },
      name: { type: 'text' },
    },
  });
  const dataSource = await connect([before]);
  const [{ served }] = await dataSource.query(
    "SELECT served FROM gid.columns WHERE relation = 'customer'::regclass");
  equal(served, true, 'serial key: gid serves it without a change');
  const ids = (await dataSource.getRepository(before).save(
    Array.from({ length: 50 }, (_, i) => ({ name: `many ${i}` })))).map(({ id }) => Number(id));
  ok(ids.every((id, i) => id === ids[0] + i), 'serial key: 50 rows get the values', ids);
  await dataSource.destroy();
}

async function testSynchronize(dataSource) {
  await dataSource.synchronize();
  equal(await columnDefault(dataSource), 'gid_uuid_v7()', 'synchronize: the column has the default');
  equal((await changes(dataSource)).length, 0, 'synchronize: a second time it changes nothing');

  const generated = new EntitySchema({
    name: 'Note',
    tableName: 'note',
    columns: { id: { type: 'uuid', primary: true, generated: 'uuid' }, body: { type: 'text' } },
  });
  const other = await connect([generated]);
  await other.synchronize();
  equal(await columnDefault(dataSource), null,
    'synchronize: a uuid that TypeORM generates takes the default away');
  await dataSource.synchronize();
  equal(await columnDefault(dataSource), 'gid_uuid_v7()', 'synchronize: and this entity brings it back');
  await other.destroy();
}

async function testUuid(dataSource) {
  const first = await addNote(dataSource, 'one');
  equal(first?.[14], '7', 'uuid: after save() the id is there, of version 7');
  equal((await dataSource.getRepository(Note).findOneBy({ id: first })).body, 'one',
    'uuid: it finds the row');
  const notes = await dataSource.getRepository(Note).save(
    Array.from({ length: 50 }, (_, i) => ({ body: `many ${i}` })));
  ok(increasing([first, ...notes.map((note) => note.id)]), 'uuid: 50 more, in order');
  const given = '5f1f7a3e-7b0c-4d0e-9b1a-0123456789ab';
  equal((await dataSource.getRepository(Note).save({ id: given, body: 'mine' })).id, given,
    'uuid: an id that is given stays');
}

async function testBigint(dataSource) {
  const requests = dataSource.getRepository(Request);
  const request = await requests.save({ path: '/tea' });
  ok(typeof request.id === 'string' && BigInt(request.id) > 2n ** 53n,
    'bigint: after save() the id is a string', request.id);
  await requests.save({ id: TRACE_ID, path: '/milk' });
  const found = await requests.findOneBy({ id: TRACE_ID });
  equal(JSON.parse(JSON.stringify(found)).id, TRACE_ID, 'bigint: through JSON it stays the same');
  equal(found.path, '/milk', 'bigint: it finds the row');
}

tried('typeorm', 'pg');
run(async () => {
  await serve(new Client());
  await testMigration();
  await testServed();
  const dataSource = await connect([Note, Request]);
  await testSynchronize(dataSource);
  await testUuid(dataSource);
  await testBigint(dataSource);
  await dataSource.destroy();
});
