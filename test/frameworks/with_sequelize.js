// gid from Sequelize. What stands before "the test" is in doc/frameworks.md.

'use strict';

const { ok, equal, increasing, need, serve, tried, run } = require('../clients/tap');

const { DataTypes, Sequelize } = need('sequelize');
const { Client } = need('pg');

const defineNote = (sequelize) => sequelize.define('note', {
  id: { type: DataTypes.UUID, primaryKey: true, defaultValue: Sequelize.literal('gid_uuid_v7()') },
  body: DataTypes.TEXT,
}, { timestamps: false });

const defineRequest = (sequelize) => sequelize.define('request', {
  id: {
    type: DataTypes.BIGINT, primaryKey: true, defaultValue: Sequelize.literal('gid_trace_id()'),
  },
  path: DataTypes.TEXT,
}, { timestamps: false });

async function addNote(Note, body) {
  const note = await Note.create({ body });
  return note.id;
}

const customers = {
  async up(queryInterface) {
    await queryInterface.sequelize.query(
      "SET LOCAL lock_timeout = '3s'; "
      + "ALTER TABLE customer ALTER id SET DEFAULT gid_next('customer_id_seq')");
  },
  async down(queryInterface) {
    await queryInterface.sequelize.query(
      "SET LOCAL lock_timeout = '3s'; "
      + "ALTER TABLE customer ALTER id SET DEFAULT nextval('customer_id_seq')");
  },
};

// --- the test

const TRACE_ID = '4636592980457693161'; // as a number JavaScript would round it

async function testMigration(sequelize) {
  const Customer = sequelize.define('customer', {
    id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
    name: DataTypes.TEXT,
  }, { timestamps: false, freezeTableName: true });
  await Customer.sync();
  await Customer.bulkCreate([{ name: 'a' }, { name: 'b' }]);
  await customers.up(sequelize.getQueryInterface());
  await Customer.sync({ alter: true });
  equal((await Customer.create({ name: 'c' })).id, '3',
    'migration: a table with rows goes on with gid_next()');
  await customers.down(sequelize.getQueryInterface());
  ok((await Customer.create({ name: 'd' })).id > 3, 'migration: and back');
  const [[{ served }]] = await sequelize.query(
    "SELECT served FROM gid.columns WHERE relation = 'customer'::regclass");
  equal(served, true, 'serial key: gid serves it without a change');
  const ids = (await Customer.bulkCreate(
    Array.from({ length: 50 }, (_, i) => ({ name: `many ${i}` })), { returning: true }))
    .map((customer) => Number(customer.id));
  ok(ids.every((id, i) => id === ids[0] + i), 'serial key: 50 rows get the values', ids);
}

async function testUuid(sequelize) {
  const Note = defineNote(sequelize);
  await Note.sync();
  const [[{ column_default }]] = await sequelize.query(
    "SELECT column_default FROM information_schema.columns WHERE table_name = 'notes' AND column_name = 'id'");
  equal(column_default, 'gid_uuid_v7()', 'uuid: the column has the default');
  const first = await addNote(Note, 'one');
  equal(first[14], '7', 'uuid: after create() the id is there, of version 7');
  equal((await Note.findByPk(first)).body, 'one', 'uuid: it finds the row');
  const many = await Note.bulkCreate(
    Array.from({ length: 50 }, (_, i) => ({ body: `many ${i}` })), { returning: true });
  ok(increasing([first, ...many.map((note) => note.id)]), 'uuid: bulkCreate() gives 50, in order');
}

async function testBigint(sequelize) {
  const Request = defineRequest(sequelize);
  await Request.sync();
  const { id } = await Request.create({ path: '/tea' });
  ok(typeof id === 'string' && BigInt(id) > 2n ** 53n, 'bigint: the id is a string', id);
  await Request.create({ id: TRACE_ID, path: '/milk' });
  const found = await Request.findByPk(TRACE_ID);
  equal(found.path, '/milk', 'bigint: it finds the row');
  equal(JSON.parse(JSON.stringify(found)).id, TRACE_ID, 'bigint: through JSON it stays the same');
}

tried('sequelize', 'pg');
run(async () => {
  const { PGHOST: host, PGPORT: port, PGUSER: username, PGDATABASE: database } = process.env;
  const client = new Client();
  await client.connect();
  await client.query('CREATE EXTENSION gid');
  await client.end();
  await serve(new Client());
  const sequelize = new Sequelize({
    dialect: 'postgres', host, port, username, database, logging: false,
  });
  await testMigration(sequelize);
  await testUuid(sequelize);
  await testBigint(sequelize);
  await sequelize.close();
});
