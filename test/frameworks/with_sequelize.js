// gid from Sequelize.  defineNote() has the default of doc/frameworks.md.

'use strict';

const { equal, need, tried, run } = require('../clients/tap');
const { prepare, checkKeys } = require('./keys');

const { DataTypes, Sequelize } = need('sequelize');

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

const defineCustomer = (sequelize) => sequelize.define('customer', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  name: DataTypes.TEXT,
}, { timestamps: false, freezeTableName: true });

tried('sequelize', 'pg');
run(async () => {
  const { PGHOST: host, PGPORT: port, PGUSER: username, PGDATABASE: database } = process.env;
  await prepare();
  const sequelize = new Sequelize({
    dialect: 'postgres', host, port, username, database, logging: false,
  });
  const [Note, Request, Customer] =
    [defineNote, defineRequest, defineCustomer].map((define) => define(sequelize));
  const query = async (text) => (await sequelize.query(text))[0];
  const columnDefault = async (table) => (await query(
    `SELECT column_default FROM information_schema.columns
     WHERE table_name = '${table}' AND column_name = 'id'`))[0].column_default;
  const addMany = async (model, rows) =>
    (await model.bulkCreate(rows, { returning: true })).map(({ id }) => id);

  await Note.sync();
  await Request.sync();
  equal(await columnDefault('notes'), 'gid_uuid_v7()', 'uuid: the column has the default');
  await checkKeys({
    type: 'string',
    addNotes: (bodies) => addMany(Note, bodies.map((body) => ({ body }))),
    bodyOf: async (id) => (await Note.findByPk(id)).body,
    addRequest: async (path, id) => (await Request.create({ path, id })).id,
    pathOf: async (id) => (await Request.findByPk(id)).path,
    addCustomers: (names) => addMany(Customer, names.map((name) => ({ name }))),
    query,
  });

  await query("ALTER TABLE customer ALTER id SET DEFAULT gid_next('customer_id_seq')");
  await Customer.sync({ alter: true });
  equal(await columnDefault('customer'), "gid_next('customer_id_seq'::regclass)",
    'existing table: sync() keeps gid_next()');
  await sequelize.close();
});
