// What the JavaScript programs share: results in the Test Anything Protocol.

'use strict';

const fs = require('fs');

let count = 0;
let failed = 0;

// One result; detail is shown if it is bad.
function ok(good, name, detail) {
  count++;
  console.log(`${good ? 'ok' : 'not ok'} ${count} - ${name}`);
  if (!good) {
    failed++;
    if (detail !== undefined) console.log(`# ${detail}`);
  }
}

function equal(got, want, name) {
  ok(Object.is(got, want), name, `got ${typeof got} ${got}, not ${typeof want} ${want}`);
}

// The promise is rejected with this SQLSTATE.
async function fails(promise, code, name) {
  try {
    await promise;
    ok(false, name, 'no error');
  } catch (e) {
    equal(e.code, code, name);
  }
}

// Is each greater than the one before it?
const increasing = (ids) => ids.every((id, i) => i === 0 || ids[i - 1] < id);

// The package; without it the test is skipped.
function need(name) {
  try {
    return require(name);
  } catch (e) {
    if (e.code !== 'MODULE_NOT_FOUND') throw e;
    console.log(`1..0 # SKIP the package ${name} is not there: ${e.code}`);
    return process.exit(0);
  }
}

// Shows the versions that the test runs with: those of the packages.
function tried(...names) {
  const versions = names.map((name) => {
    const file = require.resolve.paths(name).map((dir) => `${dir}/${name}/package.json`)
      .find((path) => fs.existsSync(path));
    return `${name} ${JSON.parse(fs.readFileSync(file)).version}`;
  });
  console.log(`# total: with ${versions.join(', ')}, Node.js ${process.versions.node}`);
}

// Runs a test to its end, or to an error, which is a bad result.
async function run(test) {
  try {
    await test();
  } catch (e) {
    console.log(e);
    ok(false, 'the test came to its end');
  }
  console.log(`1..${count}`);
  process.exitCode = failed ? 1 : 0;
}

module.exports = { ok, equal, fails, increasing, need, tried, run };
