// Reads texts as doc/read-an-id.html does, for with_reading_ids.py and with_changed_ids.py.
//
// It reads lines of "inspect" and a text, a tab between them, and writes the form, the prefix
// and the id, a line each.

import { readFileSync } from 'fs';

import { readText } from '../../tools/read-an-id/texts.mjs';

function answer(text) {
  const { problem, form, prefix, uuid, gdid, number, remark } = readText(text);
  if (problem) return 'error';
  const id = uuid ?? (gdid ? `${gdid.era}:${gdid.authority}:${gdid.counter}` : number);
  return [form, prefix ?? '', id, remark ? `may also be ${remark}` : ''].join('|');
}

for (const line of readFileSync(0, 'utf8').split('\n').slice(0, -1)) {
  console.log(answer(line.split('\t')[1]));
}
