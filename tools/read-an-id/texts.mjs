// Which id a text is: the rules of gid_inspect(text), whose C code is src/text/id_text.c.
//
// "make page" puts this file into doc/read-an-id.html.  It needs the decoders before it.

import { decodeBigint, decodeGdid, decodeUuid } from '../../doc/decoders/reading_ids.mjs';

const BLANKS = ' \t\n\v\f\r';
const MARKS = '\ufeff\u200e\u202a\u202c\u2068\u2069'; // of byte order and direction: nobody sees them
const BEFORE = `${BLANKS}"'\`<>([«»‘“‚„\u00a0\u200b${MARKS}`;
const AFTER = `${BLANKS}"'\`>)].,;»«’”‘“\u00a0\u200b${MARKS}`;
const MISTYPED = 2; // the most characters that a person mistypes in one text
const DASHES = 4; // the most that stand between the digits of a UUID instead of hyphens
const PREFIX = /^[a-z]([a-z_]{0,61}[a-z])?$/;
const UUID = /^(?:([0-9a-f]{4}-?){7}[0-9a-f]{4}|\{([0-9a-f]{4}-?){7}[0-9a-f]{4}\})$/i;
const BASE32HEX = 'chars:0123456789ABCDEFGHIJKLMNOPQRSTUV';
const GDID_PARTS = [['era', 4294967295n], ['authority', 15n], ['counter', (1n << 60n) - 1n]];

// What is wrong with a text.  "near" is the form that it nearly has.
const wrong = (problem, near = null) => ({ problem, near });
const tooLarge = (form) => wrong(`the number is too large for ${form}`, form);
const lengthOf = (text) => Array.from(text).length; // in characters, also beyond the BMP

// A character that is not ASCII has its number beside it, because it can be invisible.
function misplaced(what, at, text) {
  const code = text.codePointAt(at);
  const number = code < 128 ? '' : ` (U+${code.toString(16).toUpperCase().padStart(4, '0')})`;
  return `${what} "${String.fromCodePoint(code)}"${number} at character ${lengthOf(text.slice(0, at)) + 1}`;
}

// The result of a decoder, or null where it refuses.
function tried(decode, ...args) {
  try {
    return decode(...args);
  } catch (e) {
    if (!(e instanceof RangeError)) throw e;
    return null;
  }
}

export function plainUuid(hex) {
  return hex.toLowerCase().replace(/[{}-]/g, '').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function gdidOfHex(hex) {
  const id = BigInt(`0x${hex.slice(8)}`);
  return { era: parseInt(hex.slice(0, 8), 16), authority: Number(id >> 60n), counter: BigInt.asUintN(60, id) };
}

// Crockford's alphabet, as people type it; without the digits that no text of gid has.
const isCrockford = (text) => /^[0-9a-tv-z]*$/i.test(text);

function readCrockford(text, decode, form, what) {
  const id = isCrockford(text) ? tried(decode, text.toUpperCase()) : null;
  if (id !== null) return { form, [what]: id };
  return isCrockford(text) ? tooLarge(`a ${form}`) : null;
}

// base32hex of a uuid, a number of 130 bits whose last two are 0.  Null: none.
function readBase32hex(text) {
  const digits = text.length === 32 && text.endsWith('======') ? text.slice(0, 26) : text;
  if (!/^[0-9a-v]{26}$/i.test(digits)) return null;
  const n = Array.from(digits.toUpperCase()).reduce((all, c) => all << 5n | BigInt(BASE32HEX.indexOf(c) - 6), 0n);
  return (n & 3n) === 0n ? plainUuid((n >> 2n).toString(16).padStart(32, '0')) : null;
}

const isCommon = (uuid) => /^.{14}[47].{4}[89ab]/.test(uuid);

function readDecimal(text) {
  if (!/^-?[0-9]+$/.test(text)) return null;
  const number = BigInt(text);
  return number === BigInt.asIntN(64, number) ? { form: 'decimal number', number } : tooLarge('a bigint');
}

function readGdid(text) {
  const parts = text.split(':');
  if (parts.length !== 3) return wrong('a GDID has two colons');
  const bad = parts.findIndex((part) => !/^[0-9]+$/.test(part));
  if (bad >= 0) return wrong(`the ${GDID_PARTS[bad][0]} of a GDID is a decimal number`);
  const high = parts.findIndex((part, i) => BigInt(part) > GDID_PARTS[i][1]);
  if (high >= 0) return wrong(`the ${GDID_PARTS[high][0]} of a GDID is at most ${GDID_PARTS[high][1]}`, 'a GDID');
  return { form: 'GDID', gdid: { era: Number(parts[0]), authority: Number(parts[1]), counter: BigInt(parts[2]) } };
}

// What is wrong with a text that is nearly hexadecimal digits, or null.
function nearlyHex(text) {
  const braces = /^\{.*\}$/.test(text);
  const [start] = braces ? ['{'] : /^(urn:uuid:|0x)?/i.exec(text);
  const digits = text.slice(start.length, braces ? -1 : undefined);
  const count = (pattern) => digits.match(pattern)?.length ?? 0;
  const hex = count(/[0-9a-f]/gi);
  const others = lengthOf(digits) - hex - count(/-/g);
  let expected = start.toLowerCase() === '0x' ? 24 : 32;
  if (start === '' && !digits.includes('-')) {
    if (/^[0-9]*$/.test(digits)) return null;
    if (2 * (hex + others) < 24 + 32) expected = 24;
  }
  const form = expected === 24 ? 'a GDID' : 'a UUID';
  if (others > 0) {
    const at = start.length + digits.search(/[^0-9a-f-]/i);
    return (others <= MISTYPED && hex + others === expected) || (others <= DASHES && hex === expected) ?
      wrong(misplaced('not a hexadecimal digit:', at, text), form) : null;
  }
  if (hex === expected) return wrong('a hyphen is in the wrong place', form);
  return 2 * hex > expected && hex < 2 * expected ?
    wrong(`${hex} hexadecimal digits, ${expected} expected`, form) : null;
}

// The same of Crockford's alphabet.  Without a digit it is rather a word.
function nearlyCrockford(text, uuidForm = 'a ULID') {
  const length = lengthOf(text);
  const expected = length > 23 ? 26 : 20;
  const form = expected === 26 ? uuidForm : 'a GDID';
  const others = lengthOf(text.replace(/[0-9a-tv-z]/gi, ''));
  if (!/[0-9]/.test(text)) return null;
  if (others > 0) {
    return others <= MISTYPED && length === expected ?
      wrong(misplaced("not of Crockford's alphabet:", text.search(/[^0-9a-tv-z]/i), text), form) : null;
  }
  return Math.abs(length - expected) <= MISTYPED ?
    wrong(`${length} characters, ${expected} expected`, form) : null;
}

const UNKNOWN = wrong('none of the forms of an id');

// 20 decimal digits alone are rather a number.
const canBeGdid = (text) => text.length === 20 && !/^[1-9][0-9]*$/.test(text);

// Digits alone after a prefix: one is the same number in Crockford's alphabet, and 14 have more
// than 63 bits.
function readPrefixedDecimal(text) {
  const read = readDecimal(text);
  return read.number >= 10n && read.number <= 7999999999999n ?
    { ...read, remark: `the Crockford text of ${decodeBigint(String(read.number))}` } : read;
}

function readPrefixed(text) {
  const prefix = text.slice(0, text.lastIndexOf('_'));
  const suffix = text.slice(prefix.length + 1);
  let read = null;
  if (suffix.length === 26) {
    const form = /^[0-9a-hjkmnp-tv-z]*$/.test(suffix) ? 'TypeID' : 'Crockford text of a uuid';
    read = readCrockford(suffix, decodeUuid, form, 'uuid');
  } else if (canBeGdid(suffix)) {
    read = readCrockford(suffix, decodeGdid, 'Crockford text of a gdid', 'gdid');
  } else if (/^[0-9]+$/.test(suffix)) {
    read = readPrefixedDecimal(suffix);
  } else if (suffix.length >= 1 && suffix.length <= 13) {
    read = readCrockford(suffix, decodeBigint, 'Crockford text of a bigint', 'number');
  }
  if (read === null) return nearlyCrockford(suffix, 'a TypeID') ?? UNKNOWN;
  if (!PREFIX.test(prefix)) return wrong('a prefix has 1 to 63 lower-case letters and underscores', 'a prefix');
  return { ...read, prefix };
}

function readPlain(text) {
  if (UUID.test(text)) return { form: 'UUID', uuid: plainUuid(text) };
  const hex = /^(?:0x)?([0-9a-f]{24})$/i.exec(text);
  if (hex !== null) return { form: 'hexadecimal GDID', gdid: gdidOfHex(hex[1]) };
  const isDecimal = /^[0-9]+$/.test(text);
  let base32hex = readBase32hex(text);
  if (text.length === 26) {
    const ulid = readCrockford(text, decodeUuid, 'ULID', 'uuid');
    if (ulid?.uuid) return base32hex !== null && isCommon(base32hex) ? { ...ulid, remark: `base32hex of ${base32hex}` } : ulid;
    if (isDecimal && base32hex !== null && !isCommon(base32hex)) base32hex = null;
    if (ulid !== null && base32hex === null) return ulid;
  }
  if (base32hex !== null) return { form: 'base32hex', uuid: base32hex };
  if (canBeGdid(text)) {
    const gdid = readCrockford(text, decodeGdid, 'Crockford text of a gdid', 'gdid');
    if (gdid !== null) return gdid;
  }
  return readDecimal(text) ?? nearlyHex(text) ?? nearlyCrockford(text) ?? UNKNOWN;
}

function readBare(text) {
  if (/^urn:uuid:/i.test(text)) {
    const id = text.slice('urn:uuid:'.length);
    return UUID.test(id) ? { form: 'UUID', uuid: plainUuid(id) } : nearlyHex(text) ?? UNKNOWN;
  }
  if (text.includes(':')) return readGdid(text);
  return text.includes('_') ? readPrefixed(text) : readPlain(text);
}

// A text that may have blanks within; a prefix has none.
function readWrapped(text) {
  const bare = text.replace(/[ \t-\r]/g, '');
  if (bare === text) return readBare(text);
  if (bare.length > 128) return UNKNOWN;
  return text.search(/[ \t-\r]/) < text.lastIndexOf('_') ? wrong('a blank in a prefix') : readBare(bare);
}

// The part of a URL, after the server's name, that is an id. A number is easily something else,
// and so is what stands in the query: an id of another form counts most, then what is nearly
// one, and each counts more in the path, and further on.
function readUrl(text) {
  const start = text.indexOf('/', text.indexOf('://') + 3);
  let [best, rank] = [UNKNOWN, 0];
  let inPath = true;
  for (const part of start < 0 ? [] : text.slice(start).match(/[/?#&=;][^/?#&=;]*/g)) {
    inPath = inPath && /^[/;]/.test(part);
    const read = /[0-9]/.test(part) ? readWrapped(part.slice(1)) : UNKNOWN;
    if (read.near === null || read.near === 'a prefix') continue;
    const now = (read.problem ? 2 : read.number === undefined ? 4 : 0) + (inPath ? 1 : 0);
    if (now >= rank) [best, rank] = [read, now];
  }
  return best;
}

// A text as it was pasted.  Gives {form, prefix, uuid | gdid | number, remark}, or what is
// wrong: {problem, near}.
export function readText(given) {
  let [start, end] = [0, given.length];
  while (start < end && BEFORE.includes(given[start])) start++;
  while (end > start && AFTER.includes(given[end - 1])) end--;
  const text = given.slice(start, end);
  if (text === '') return wrong('the text is empty');
  if (text.includes('://')) return readUrl(text);
  return readWrapped(text);
}
