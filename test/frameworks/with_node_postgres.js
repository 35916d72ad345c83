// gid from JavaScript by node-postgres, the package "pg".
//
// What stands between the marks "manual" is in doc/applications.md, but for addNote().  The rest
// shows that it does what is said there, first how ids go wrong and then how they
// do not, and how the types come and go.

'use strict';

const { ok, equal, fails, increasing, need, run } = require('../clients/tap');

const pg = need('pg');

// Wrong: the numbers of JSON are doubles in JavaScript, so these ids are rounded.
async function roundedIds(client) {
  const { rows } = await client.query('SELECT json_agg(id ORDER BY id) AS ids FROM request');
  return rows[0].ids;
}

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

async function addNote(client, body) {
  const { rows } = await client.query({
    name: 'add-note', // prepared once for a connection
    text: 'INSERT INTO note (body) VALUES ($1) RETURNING id',
    values: [body],
  });
  return rows[0].id;
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
// --- manual

const SCHEMA = `
CREATE EXTENSION gid;
CREATE TABLE note (id uuid PRIMARY KEY DEFAULT gid_uuid_v7(), body text);
CREATE SEQUENCE order_no;
CREATE TABLE orders (id gid_js_id PRIMARY KEY DEFAULT gid_next('order_no'), item text);
CREATE TABLE plain (id bigint);
CREATE TABLE request (id bigint PRIMARY KEY, path text);
INSERT INTO request VALUES (gid_make_trace_id('2026-11-21 09:18:43+00', 1, 7, 1001), '/tea');
CREATE SEQUENCE doc_no;
CREATE TABLE doc (id gdid PRIMARY KEY DEFAULT gid_next_gdid('doc_no'), body text);
`;

async function testUuid(client) {
  const first = await addNote(client, 'one');
  ok(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(first),
    'uuid: the default\'s id is a string, of version 7', first);
  const ids = [first];
  for (let i = 0; i < 20; i++) ids.push(await addNote(client, `prepared ${i}`));
  ok(increasing(ids), 'uuid: each execution of the prepared statement gives a greater one');
  const { rows } = await client.query(
    "SELECT count(*) FROM pg_prepared_statements WHERE name = 'add-note'");
  equal(rows[0].count, '1', 'uuid: and it is prepared once');
  const found = await client.query('SELECT body FROM note WHERE id = $1', [first]);
  equal(found.rows[0].body, 'one', 'uuid: a string finds its row');
  const many = await client.query(
    'INSERT INTO note (body) SELECT unnest($1::text[]) RETURNING id',
    [Array.from({ length: 250 }, (_, i) => `many ${i}`)]);
  ok(many.rows.length === 250 && increasing(many.rows.map((row) => row.id)),
    'uuid: an INSERT of an array of 250 returns their ids in order');
}

// A TraceId, which is too large for a double; 4636592980457693184 is the double
// next to it.
const TRACE_ID = '4636592980457693161';

async function testJson(client) {
  let { rows } = await client.query('SELECT id FROM request');
  equal(rows[0].id, TRACE_ID, 'json: a TraceId is a string, exact');

  ({ rows } = await client.query('SELECT json_agg(r)::text AS json FROM request AS r'));
  ok(rows[0].json.includes(`"id":${TRACE_ID},`), 'json: the server writes all its digits',
    rows[0].json);
  const read = JSON.parse(rows[0].json)[0].id;
  ok(String(read) !== TRACE_ID && BigInt(read) !== BigInt(TRACE_ID),
    'json: and JSON.parse() makes another number of them', read);
  equal(BigInt(read), 4636592980457693184n, 'json: the next double');
  const [rounded] = await roundedIds(client);
  equal(rounded, read, 'json: so does the driver, for a column of type json');
  ({ rows } = await client.query('SELECT path FROM request WHERE id = $1', [BigInt(rounded)]));
  equal(rows.length, 0, 'json: which is not the id of the row');

  const [{ id, path }] = await listRequests(client);
  equal(id, TRACE_ID, 'json: as text it is exact');
  equal(path, '/tea', 'json: beside the other columns');
  ({ rows } = await client.query('SELECT path FROM request WHERE id = $1', [id]));
  equal(rows[0].path, '/tea', 'json: and the text finds the row');
  ({ rows } = await client.query(
    "SELECT to_jsonb(r) || jsonb_build_object('id', r.id::text) AS row FROM request AS r"));
  equal(rows[0].row.id, TRACE_ID, 'json: a row with one key replaced, too');
}

async function testBigInt(client) {
  const before = pg.types.getTypeParser(pg.types.builtins.INT8);

  bigInts(pg.types);
  let { rows } = await client.query('SELECT id, path FROM request');
  equal(rows[0].id, BigInt(TRACE_ID), 'BigInt: a TraceId is exact');
  try {
    JSON.stringify(rows[0]);
    ok(false, 'BigInt: JSON.stringify() refuses it');
  } catch (e) {
    ok(e instanceof TypeError, 'BigInt: JSON.stringify() refuses it', e);
  }
  equal(reply(rows[0]), `{"id":"${TRACE_ID}","path":"/tea"}`, 'BigInt: a reply has its text');
  ({ rows } = await client.query('SELECT path FROM request WHERE id = $1', [rows[0].id]));
  equal(rows[0].path, '/tea', 'BigInt: one finds its row');
  const [rounded] = await roundedIds(client);
  equal(typeof rounded, 'number', 'BigInt: JSON has numbers all the same');
  ({ rows } = await client.query('SELECT array_agg(id) AS ids FROM request'));
  equal(rows[0].ids[0], TRACE_ID, 'BigInt: an array of bigint has strings');
  pg.types.setTypeParser(pg.types.builtins.INT8, before);
}

// The server takes the type of a parameter from where it stands.
async function testParameters(client) {
  await fails(client.query("SELECT gid_encode($1, 'crockford')", [TRACE_ID]), '42725',
    'parameters: gid_encode() needs a type');
  let { rows } = await client.query(
    "SELECT value FROM gid_inspect($1) WHERE part = 'id'", [TRACE_ID]);
  equal(rows[0].value, TRACE_ID, 'parameters: gid_inspect() needs no type');
  ({ rows } = await client.query("SELECT gid_encode($1::bigint, 'crockford') AS code", [TRACE_ID]));
  const code = rows[0].code;
  ({ rows } = await client.query('SELECT id FROM request WHERE id = gid_decode_bigint($1, $2)',
    [code, 'crockford']));
  equal(rows[0].id, TRACE_ID, 'parameters: a cast gives it');
  ({ rows } = await client.query('SELECT gid_extract_trace_node($1) AS node', [TRACE_ID]));
  equal(rows[0].node, 1, 'parameters: where there is one function none is needed');
  ({ rows } = await client.query('SELECT path FROM request WHERE id = $1', [Number(TRACE_ID)]));
  equal(rows.length, 0, 'parameters: a number was rounded before it was sent');
  ({ rows } = await client.query('SELECT count(*) AS n FROM request WHERE id = ANY($1)', [[TRACE_ID]]));
  equal(rows[0].n, '1', 'parameters: an array of strings finds rows');
}

// gid_js_id: the server refuses what JavaScript cannot hold.
async function testJsId(client) {
  const last = String(Number.MAX_SAFE_INTEGER);
  await client.query('CREATE TABLE decimal (id gid_js_id)');
  await client.query('INSERT INTO decimal SELECT gid_make_decimal_id(900719, 92547, 40991)');
  const { rows } = await client.query('SELECT json_agg(id) AS ids FROM decimal');
  equal(String(rows[0].ids[0]), last, 'gid_js_id: the last one is exact in JSON');
  await fails(client.query('INSERT INTO decimal SELECT gid_make_decimal_id(900720, 0, 0)'), '23514',
    'gid_js_id: a DecimalId of counter 900720 is refused');
}

async function testBigint(client) {
  let { rows } = await client.query("INSERT INTO orders (item) VALUES ('tea') RETURNING id");
  equal(typeof rows[0].id, 'string', 'bigint: a string');
  await fails(client.query('INSERT INTO orders (id) VALUES ($1)', ['9007199254740992']), '23514',
    'gid_js_id: 2^53 is refused by the server');
  await fails(client.query('INSERT INTO orders (id) VALUES ($1)', ['0']), '23514',
    'gid_js_id: and so is 0');
  await client.query("INSERT INTO plain VALUES (9007199254740993)");
  ({ rows } = await client.query('SELECT id FROM plain'));
  equal(rows[0].id, '9007199254740993', 'bigint: 2^53 + 1 is exact as a string');

  numbers(pg.types);
  for (const [id, item] of [[1, 'first'], [Number.MAX_SAFE_INTEGER, 'last']]) {
    await client.query('DELETE FROM orders');
    ({ rows } = await client.query(
      'INSERT INTO orders VALUES ($1, $2) RETURNING id', [id, item]));
    equal(rows[0].id, id, `gid_js_id: ${id} goes in and comes out as a number`);
  }
  await client.query('DELETE FROM orders');
  try {
    ({ rows } = await client.query('SELECT id FROM plain'));
    ok(false, 'bigint: as a number 2^53 + 1 is refused', rows[0].id);
  } catch (e) {
    ok(e instanceof RangeError, 'bigint: as a number 2^53 + 1 is refused', e);
  }
}

async function testBatches(client, other) {
  const a = new OrderNumbers(client);
  const b = new OrderNumbers(other);
  const drawn = await Promise.all(
    Array.from({ length: 500 }, (_, i) => (i % 2 ? a : b).next()));
  ok(drawn.every(Number.isSafeInteger), 'batches: numbers');
  equal(new Set(drawn).size, 500, 'batches: two sessions draw 500 of them at once');
  const mine = drawn.filter((_, i) => i % 2);
  ok(mine[99] === mine[0] + 99 && mine[199] === mine[100] + 99,
    'batches: a batch is consecutive');
  const { rowCount } = await client.query(
    'INSERT INTO orders SELECT unnest($1::bigint[])', [drawn]);
  equal(rowCount, 500, 'batches: 500 rows go in with them');

  await client.query('BEGIN');
  const first = await new OrderNumbers(client, 10).next();
  await client.query('ROLLBACK');
  ok(await new OrderNumbers(client, 10).next() > first + 9,
    'batches: what was drawn before a rollback does not come again');
  const none = new OrderNumbers(client, 0);
  await fails(none.next(), '22023', 'batches: one of none is refused');
  none.size = 2;
  ok(Number.isSafeInteger(await none.next()), 'batches: after an error the next one is drawn');
}

async function testGdid(client) {
  let { rows } = await client.query("INSERT INTO doc (body) VALUES ('a') RETURNING id");
  equal(rows[0].id, '0:0:1', 'gdid: its text is a string');
  ({ rows } = await client.query('SELECT body FROM doc WHERE id = $1', ['0:0:1']));
  equal(rows[0].body, 'a', 'gdid: a string finds its row');
  const largest = Buffer.alloc(12, 0xff);
  ({ rows } = await client.query(
    "INSERT INTO doc VALUES ($1, 'z') RETURNING id, id::bytea AS bytes", [largest]));
  equal(rows[0].id, '4294967295:15:1152921504606846975', 'gdid: a Buffer of 12 bytes goes in');
  ok(largest.equals(rows[0].bytes), 'gdid: and comes out as bytea', rows[0].bytes);
  await fails(client.query('SELECT $1::gdid', [Buffer.alloc(13)]), '22P03',
    'gdid: one of 13 bytes is refused');
  await fails(client.query('SELECT $1::gdid', ['0:16']), '22P02',
    'gdid: and so is a string that is none');
}

run(async () => {
  const client = new pg.Client();
  const other = new pg.Client();
  await client.connect();
  await other.connect();
  try {
    await client.query(SCHEMA);
    await testUuid(client);
    await testJson(client);
    await testBigInt(client);
    await testParameters(client);
    await testJsId(client);
    await testBigint(client);
    await testBatches(client, other);
    await testGdid(client);
  } finally {
    await client.end();
    await other.end();
  }
});
