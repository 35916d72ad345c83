// The ids of a paste, and what each of them shows: the families and parts of gid_inspect().
//
// "make page" puts this file into doc/read-an-id.html, behind texts.mjs.

import {
  TICKS_1970, decimalId, snowflakeId, traceId, uuidFromMssql, uuidSequential, uuidShard, uuidV7,
} from '../../doc/decoders/reading_ids.mjs';
import { readText } from './texts.mjs';

const DAY_MS = 86400000;
const LARGE = 1n << 38n; // below, a number is no TraceId or Snowflake id of today
const VERSIONS = ['Gregorian time and node', 'DCE security', 'MD5 of a name', 'random',
  'SHA-1 of a name', 'Gregorian time and node, reordered', 'Unix time and random', 'custom'];

// ---- the parts ----

const hexOf = (uuid) => uuid.replaceAll('-', '');
const ofMs = (ms) => ({ us: BigInt(ms) * 1000n });
const ofTicks = (ticks) => ({ us: (ticks - TICKS_1970) / 10n });

function ulidReading(uuid) {
  const hex = hexOf(uuid);
  return { family: 'ULID', meaning: 'Unix time and random',
    parts: [['time', ofMs(parseInt(hex.slice(0, 12), 16))], ['random', hex.slice(12)]] };
}

function rfcReading(uuid, version) {
  const parts = uuidV7(uuid);
  return { family: `v${version}`,
    meaning: `UUID of RFC 9562, version ${version}: ${VERSIONS[version - 1]}`,
    parts: parts === null ? [] : [['time', ofMs(parts.unixMs)], ['fraction', `${parts.fraction}/65536 ms`],
      ['random', (parseInt(uuid[20], 16) & 3).toString(16) + hexOf(uuid).slice(18)]] };
}

function sequentialReading(family, order, uuid) {
  const parts = uuidSequential(uuid);
  return parts && { family, meaning: `sequential UUID, in ${order}'s byte order`,
    parts: [['time', ofTicks(parts.ticks)], ['ticks', parts.ticks], ['process', parts.process]] };
}

function shardReading(uuid) {
  const { unixS, generator, counter, shard } = uuidShard(uuid);
  return { family: 'shard', meaning: 'shard-key UUID: seconds and shard key',
    parts: [['time', ofMs(unixS * 1000)], ['generator', generator], ['counter', counter],
      ['key', shard], ['region', shard >>> 22], ['region_shard', shard & 0x3fffff]] };
}

// The families that a uuid can have, as gid_inspect(uuid) tells them.
function uuidReadings(uuid, isUlid, nowMs) {
  const plausible = (reading) => reading !== null && reading.parts[0][1].us >= 0n &&
    reading.parts[0][1].us <= BigInt(nowMs + DAY_MS) * 1000n;
  if (/^[0-]*$/.test(uuid)) return [{ family: 'nil', meaning: 'UUID of RFC 9562: all bits 0', parts: [] }];
  if (/^[f-]*$/.test(uuid)) return [{ family: 'max', meaning: 'UUID of RFC 9562: all bits 1', parts: [] }];
  const version = /^.{14}[1-8].{4}[89ab]/.test(uuid) ? Number(uuid[14]) : 0;
  const rfc = version > 0 ? rfcReading(uuid, version) : null;
  const sequential = sequentialReading('sequential', 'PostgreSQL', uuid);
  const mssql = sequentialReading('sequential_mssql', 'SQL Server', uuidFromMssql(uuid));
  const shard = shardReading(uuid);
  const isV7 = version === 7 && plausible(rfc);
  const found = [rfc,
    plausible(sequential) ? sequential : null,
    plausible(mssql) && !isV7 ? mssql : null,
    plausible(shard) && rfc === null && !plausible(sequential) ? shard : null].filter(Boolean);
  // a version 7 UUID has a ULID's time; that of any other is the ULID's own
  if (isUlid) return isV7 ? found : [ulidReading(uuid), ...found];
  return found.length > 0 ? found :
    [{ family: 'unknown', meaning: 'no family of UUIDs is likely; read as two of them:', parts: [] },
      sequential, shard].filter(Boolean);
}

function gdidReadings({ era, authority, counter }) {
  const parts = [['era', era], ['authority', authority], ['counter', counter],
    ['hex', era.toString(16).padStart(8, '0') +
      (BigInt(authority) << 60n | counter).toString(16).padStart(16, '0')]];
  if (era < 8) parts.push(['value', BigInt(era) << 60n | counter]);
  return [{ family: 'gdid', meaning: 'GDID: era, authority and counter', parts }];
}

// The families that a bigint can have. A number does not say which it is.
function numberReadings(id, options) {
  const trace = traceId(id, options.nearMs / 1000);
  const snowflake = snowflakeId(id, options.epochMs);
  const decimal = decimalId(id);
  const all = [];
  if (trace !== null && id >= LARGE) {
    all.push({ family: 'trace', meaning: 'TraceId', parts: [['time', ofMs(trace.unixS * 1000)],
      ['node', trace.node], ['thread', trace.thread], ['counter', trace.counter]] });
  }
  if (snowflake !== null && id >= LARGE && snowflake.unixMs < options.nowMs + DAY_MS) {
    all.push({ family: 'snowflake', meaning: 'Snowflake id', parts: [['time', ofMs(snowflake.unixMs)],
      ['node', snowflake.node], ['sequence', snowflake.sequence]] });
  }
  if (decimal !== null) {
    all.push({ family: 'decimal', meaning: 'DecimalId', parts: [['counter', decimal.counter],
      ['generator', decimal.generator], ['launch', decimal.launch]] });
  }
  return [...all, { family: 'next', meaning: 'value of a sequence', parts: [['value', id]] }];
}

function described(read, text, options) {
  const { form, prefix, uuid, gdid, number, remark } = read;
  const id = uuid ?? (gdid ? `${gdid.era}:${gdid.authority}:${gdid.counter}` : String(number));
  const readings = uuid ? uuidReadings(uuid, form === 'ULID', options.nowMs) :
    gdid ? gdidReadings(gdid) : numberReadings(number, options);
  return { text, form, prefix, id, remark: remark && `may also be ${remark}`, readings };
}

// ---- finding them ----

// What stands around an id in a letter.
const AROUND = /[\s"'`“”„‘’‚«»<>()[\]{}|,;\u200b\ufeff\u200e\u202a\u202c\u2068\u2069]+/;
const CLOCK = /^\d\d?:\d\d:\d\d$/;

// Is it an id also among the words of a letter? A time of day is no GDID, and a short number
// can count anything.
function isSure(read, text) {
  if (read.problem || !/[0-9]/.test(text)) return false;
  if (read.form === 'GDID') return !CLOCK.test(text);
  return read.form !== 'decimal number' || read.prefix !== undefined || /^\d{11,}$/.test(text);
}

// The words around a URL can be ids, too: only a URL without blanks is read as a whole.
function readWhole(text) {
  return text.includes('://') && /\s/.test(text.trim()) ? { problem: 'a URL among words' } : readText(text);
}

// A text without the end of a sentence.  A regular expression would try each of many dots.
function withoutEnd(text) {
  let end = text.length;
  while (end > 0 && '.:!?'.includes(text[end - 1])) end--;
  return text.slice(0, end);
}

// The id of a word, or of a part of it, as in "id=...". Otherwise what the word or a part of it
// nearly is. The numbers of a word that nearly is an id are none.
function readWord(word) {
  const whole = withoutEnd(word);
  const parts = whole.includes('://') ? [] : whole.split(/[=:#/?&*]+/);
  const all = [whole, ...parts].filter((text) => /[0-9]/.test(text)).map((text) => ({ read: readText(text), text }));
  const sure = all.filter(({ read, text }) => isSure(read, text));
  const near = all.find(({ read, text }) => read.near && !CLOCK.test(text));
  return sure.find(({ read }) => read.form !== 'decimal number') ??
    (near?.text === whole ? near : sure[0] ?? near ?? null);
}

// The id that a line's last word and the next line's first one are together, because a mail
// program has broken the line there; or null. In a list of ids each line is one by itself.
function readBroken(last, line, nextLine) {
  const [next] = line;
  if (next === undefined || !/[0-9]/.test(last)) return null;
  if (!/[-=]$/.test(last) && !(readWord(last)?.read.problem && readText(nextLine).problem)) return null;
  const word = withoutEnd(last.replace(/=$/, '') + next);
  const found = readWord(word);
  return found !== null && !found.read.problem && word.endsWith(found.text) ? found : null;
}

// The ids of lines that have more than an id.
function* readLines(lines) {
  const words = lines.map((line) => line.split(AROUND).filter((word) => word !== ''));
  for (const [i, line] of words.entries()) {
    const whole = readWhole(lines[i]);
    if (!whole.problem) {
      yield { read: whole, text: lines[i] };
      continue;
    }
    const broken = readBroken(line.at(-1) ?? '', words[i + 1] ?? [], lines[i + 1]);
    if (broken !== null) {
      line.pop();
      words[i + 1].shift();
      lines[i + 1] = words[i + 1].join(' ');
    }
    const found = line.map(readWord).concat(broken).filter(Boolean);
    yield* found.length === 0 && whole.near ? [{ read: whole, text: lines[i] }] : found;
  }
}

// What the paste holds: {text, form, prefix, id, remark, readings}, or {text, problem, near} for
// what is nearly an id. "options" has nowMs, nearMs (TraceIds are from before it) and epochMs (of
// Snowflake ids).
export function readPaste(paste, options) {
  const lines = paste.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '');
  const each = lines.map((line) => ({ read: readWhole(line), text: line }));
  const whole = readWhole(paste);
  let found = each;
  if (each.some(({ read }) => read.problem)) {
    found = whole.problem ? [...readLines(lines)] : [{ read: whole, text: paste }];
  }
  return found.map(({ read, text }) => (
    read.problem ? { text: text.trim(), ...read } : described(read, text.trim(), options)));
}

// A time as PostgreSQL prints it, from Unix microseconds, in UTC or the reader's zone.
export function timeText(us, isLocal = false) {
  const ms = Number((us - BigInt.asUintN(64, (us % 1000n + 1000n) % 1000n)) / 1000n);
  const offset = isLocal ? -new Date(ms).getTimezoneOffset() : 0;
  const [date, time] = new Date(ms + offset * 60000).toISOString().replace(/^\+0*/, '').split('T');
  const two = (n) => String(n).padStart(2, '0');
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.trunc(Math.abs(offset) / 60))}` +
    (offset % 60 === 0 ? '' : `:${two(Math.abs(offset) % 60)}`);
  const micros = String((us % 1000n + 1000n) % 1000n).padStart(3, '0');
  const fraction = (time.slice(8, -1) + micros).replace(/\.?0+$/, '');
  return `${date} ${time.slice(0, 8)}${fraction}${zone}`;
}
