// Reads texts as doc/read-an-id.html does, for with_reading_ids.py and with_changed_ids.py.
//
// It reads lines of "inspect" and a text, a tab between them, and writes the form, the prefix
// and the id, a line each; or lines of "families", and writes those that a uuid can have.

import { readFileSync } from 'fs';

import { readPaste } from '../../tools/read-an-id/ids.mjs';
import { readText } from '../../tools/read-an-id/texts.mjs';

function answer(text) {
  const { problem, form, prefix, uuid, gdid, number, remark } = readText(text);
  if (problem) return 'error';
  const id = uuid ?? (gdid ? `${gdid.era}:${gdid.authority}:${gdid.counter}` : number);
  return [form, prefix ?? '', id, remark ? `may also be ${remark}` : ''].join('|');
}

function families(text) {
  const { problem, uuid } = readText(text);
  if (problem) return 'error';
  if (!uuid) return 'null';
  const [{ readings }] = readPaste(text, { nowMs: Date.now() });
  const names = readings.map(({ family }) => family);
  return names[0] === 'unknown' ? names[0] : names.join(' or ').toLowerCase();
}

for (const line of readFileSync(0, 'utf8').split('\n').slice(0, -1)) {
  const [name, text] = line.split('\t');
  console.log(name === 'families' ? families(text) : answer(text));
}
