// gid from JavaScript by node-postgres, the package "pg".
//
// What stands between the marks "manual" is in doc/applications.md, or is named there.  The rest shows how
// bigints go wrong in JSON, and that they do not with this code.

'use strict';

const { ok, equal, fails, need, run } = require('../clients/tap');

const pg = need('pg');

// --- manual
// [{ id: '4636592980457693161', path: '/tea' }, ...]
async function listRequests(client) {
  const { rows } = await client.query(
    `SELECT json_agg(json_build_object('id', id::text, 'path', path) ORDER BY id) AS list
     FROM request`);
  return rows[0].list;
}

// A bigint is a string by default.  As a BigInt it is as exact, and counts and
// compares as a number does.
function bigInts(types) {
  types.setTypeParser(types.builtins.INT8, BigInt);
}

// JSON.stringify() refuses a BigInt with a TypeError.  This writes it as text.
function reply(value) {
  return JSON.stringify(value, (key, part) => typeof part === 'bigint' ? String(part) : part);
}

// Where every bigint is below 2^53, because its column has the type gid_js_id:
// numbers.  Anything else is an error and not another id.
function numbers(types) {
  types.setTypeParser(types.builtins.INT8, (text) => {
    const number = Number(text);
    if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is no safe integer`);
    return number;
  });
}

// Numbers of a sequence, many in one round trip.
class OrderNumbers {
  constructor(client, size = 100) {
    Object.assign(this, { client, size, left: Promise.resolve([]) });
  }

  // Callers that come at once take turns.
  next() {
    const number = this.left.then(async (left) => left.length ? left :
      (await this.client.query("SELECT gid_next_many('order_no', $1) AS id", [this.size]))
        .rows.map((row) => row.id));
    this.left = number.then((left) => left.slice(1), () => []);
    return number.then((left) => left[0]);
  }
}
// --- end of manual

const TRACE_ID = '4636592980457693161';
const NEXT_DOUBLE = 4636592980457693184n;

// The first field of a query's first row.
async function field(client, text, ...values) {
  const { rows } = await client.query({ text, values, rowMode: 'array' });
  return rows[0]?.[0];
}

async function testJson(client) {
  const [rounded] = await field(client, 'SELECT json_agg(id) FROM request');
  equal(BigInt(rounded), NEXT_DOUBLE, 'json: the driver rounds the numbers of a column of type json');
  const [{ id, path }] = await listRequests(client);
  equal(`${id} ${path}`, `${TRACE_ID} /tea`, 'json: as text the id is exact');
  equal(await field(client, 'SELECT path FROM request WHERE id = $1', id), '/tea', 'json: and finds the row');
}

async function testParsers(client) {
  const before = pg.types.getTypeParser(pg.types.builtins.INT8);
  const id = 'SELECT id FROM request';
  equal(await field(client, id), TRACE_ID, 'bigint: a string, exact');

  bigInts(pg.types);
  const bigInt = await field(client, id);
  equal(bigInt, BigInt(TRACE_ID), 'BigInt: exact');
  equal(reply({ id: bigInt }), `{"id":"${TRACE_ID}"}`, 'BigInt: a reply has its text');
  equal(await field(client, 'SELECT path FROM request WHERE id = $1', bigInt), '/tea', 'BigInt: it finds its row');
  equal((await field(client, 'SELECT array_agg(id) FROM request'))[0], TRACE_ID,
    'BigInt: an array of bigint has strings');

  numbers(pg.types);
  equal(await field(client, 'SELECT 9007199254740991::gid_js_id'), Number.MAX_SAFE_INTEGER,
    'number: the greatest gid_js_id is exact');
  const error = await field(client, 'SELECT 9007199254740992').catch((e) => e);
  ok(error instanceof RangeError, 'number: 2^53 is an error', error);
  pg.types.setTypeParser(pg.types.builtins.INT8, before);

  await fails(field(client, "SELECT gid_encode($1, 'crockford')", TRACE_ID), '42725',
    'parameter: gid_encode() needs a type');
}

async function testBatches(client, other) {
  const a = new OrderNumbers(client);
  const b = new OrderNumbers(other);
  const drawn = await Promise.all(Array.from({ length: 500 }, (_, i) => (i % 2 ? a : b).next()));
  equal(new Set(drawn).size, 500, 'batches: two sessions draw 500 numbers at once');
  const mine = drawn.filter((_, i) => i % 2).map(Number);
  ok([99, 199].every((i) => mine[i] === mine[i - 99] + 99), 'batches: a batch is consecutive', mine);
  const none = new OrderNumbers(client, 0);
  await fails(none.next(), '22023', 'batches: one of none is refused');
  none.size = 2;
  ok(await none.next(), 'batches: after an error the next one is drawn');
}

async function testStrings(client) {
  ok(/^[0-9a-f-]{36}$/.test(await field(client, 'SELECT gid_uuid_v7()')), 'uuid: a string');
  const largest = Buffer.alloc(12, 0xff);
  equal(await field(client, 'SELECT $1::gdid', largest), '4294967295:15:1152921504606846975',
    'gdid: a Buffer of 12 bytes goes in, and a string comes out');
  ok(largest.equals(await field(client, 'SELECT $1::gdid::bytea', largest)), 'gdid: as bytea its bytes');
  await fails(field(client, 'SELECT $1::gdid', Buffer.alloc(13)), '22P03', 'gdid: 13 bytes are refused');
}

run(async () => {
  const client = new pg.Client();
  const other = new pg.Client();
  await client.connect();
  await other.connect();
  await client.query(`
    CREATE EXTENSION gid;
    CREATE TABLE request (id bigint PRIMARY KEY, path text);
    INSERT INTO request VALUES (${TRACE_ID}, '/tea');
    CREATE SEQUENCE order_no`);
  await testJson(client);
  await testParsers(client);
  await testBatches(client, other);
  await testStrings(client);
  await client.end();
  await other.end();
});
