// The macros of doc/decoders/duckdb.sql: each answer is gid's, which has made the ids
// (without_gid.sql), or the vectors of what is refused.  A macro returns NULL for an error
// of gid.

'use strict';

const fs = require('fs');
const path = require('path');

const { ok, equal, need, tried, run } = require('../clients/tap');

const { DuckDBInstance } = need('@duckdb/node-api');
const pg = need('pg');

const read = (name) => fs.readFileSync(path.join(__dirname, '../..', name), 'utf8');
const MACROS = read('doc/decoders/duckdb.sql');

// The queries of the chapter that use the macros.
const [, USE] = read('doc/without-gid.md')
  .match(/^<!-- test: run by frameworks\/with_duckdb\.js -->\n```sql\n(.*?)^```$/ms);

// Calls and gid's answers.
async function answers() {
  const client = new pg.Client();
  await client.connect();
  await client.query("SET timezone = 'UTC'; SET client_min_messages = warning; CREATE EXTENSION gid");
  await client.query(fs.readFileSync(path.join(__dirname, 'without_gid.sql'), 'utf8'));
  const { rows } = await client.query('SELECT * FROM answer ORDER BY fn');
  await client.end();
  return rows;
}

// A call as DuckDB writes it, with its result as text; of a time the microseconds.
function call({ fn, type, arg, epoch_ms: epoch }) {
  const sql = `${fn}('${arg}'::${type}${epoch === null ? '' : `, epoch := ${epoch}`})`;
  return fn.endsWith('_time') ? `epoch_us(${sql})::VARCHAR` : `${sql}::VARCHAR`;
}

// The calls that a vector of refusals.json makes.
function vectorCalls({ op, input, expected: want }) {
  const got = want && !want.error ? want : {};
  const of = (fn, type, arg, part, epoch = null) => (
    { fn, type, arg, epoch_ms: epoch, want: part === undefined ? null : String(part) });
  const us = (ms) => (ms === undefined ? ms : BigInt(ms) * 1000n);
  switch (op === 'decode_uuid' ? `${op} ${input.charset}` : op) {
    case 'uuid_v7': return [of('v7_time', 'text', input.id, us(got.unix_ms))];
    case 'decode_uuid crockford': return [of('ulid_to_uuid', 'text', input.text, want.error ? undefined : want)];
    case 'typeid': return [of('typeid_to_uuid', 'text', input.text, got.uuid)];
    case 'snowflake_id': {
      const all = [of('snowflake_time', 'hugeint', input.id, us(got.unix_ms), input.epoch_ms)];
      return want && want.error ? all : [...all,
        of('snowflake_node', 'hugeint', input.id, got.node),
        of('snowflake_sequence', 'hugeint', input.id, got.sequence)];
    }
    default: return [];
  }
}

// How many answers differ, and the first of them.
async function compare(duck, rows) {
  const wrong = [];
  for (let first = 0; first < rows.length; first += 200) {
    const part = rows.slice(first, first + 200);
    const reader = await duck.runAndReadAll(`SELECT ${part.map(call).join(', ')}`);
    reader.getRows()[0].forEach((got, i) => {
      if (got !== part[i].want) wrong.push(`${call(part[i])} gives ${got}, not ${part[i].want}`);
    });
  }
  return wrong;
}

tried('@duckdb/node-api', 'pg');
run(async () => {
  const duck = await (await DuckDBInstance.create(':memory:')).connect();
  const rows = await answers();

  await duck.run("SET TimeZone = 'UTC'");
  await duck.run(MACROS);
  for (const fn of new Set(rows.map((row) => row.fn))) {
    const calls = rows.filter((row) => row.fn === fn);
    const wrong = await compare(duck, calls);
    ok(calls.length >= 50 && wrong.length === 0, `${fn}: ${calls.length} answers are gid's`, wrong[0]);
  }
  const vectors = JSON.parse(read('doc/vectors/refusals.json')).flatMap(vectorCalls);
  const wrong = await compare(duck, vectors);
  ok(vectors.length >= 50 && wrong.length === 0, `${vectors.length} answers to vectors are gid's`, wrong[0]);
  await duck.run(`CREATE TABLE note AS SELECT '018df4bc-5600-7000-8000-000000000000'::UUID AS id;
    CREATE TABLE message AS SELECT 175928847299117063 AS id`);
  const shown = [];
  for (const query of USE.split(/;\n/).filter((text) => text.trim())) {
    shown.push(String((await duck.runAndReadAll(query)).getRows()[0][0]));
  }
  equal(shown.join(), '2024-02-29 12:00:00+00,2016-04-30 11:18:25.796+00', 'the queries that use them');
});
