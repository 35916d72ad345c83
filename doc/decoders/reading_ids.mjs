// Functions that read gid's ids without a database.
//
// Copy this file, or the functions that you need. It uses no package.
// doc/reading-ids.md of gid explains them. Copyright (c) 2026, the gid authors; PostgreSQL License.

export const TICKS_1970 = 621355968000000000n; // 100 ns each since 0001-01-01
const TICKS_2200 = 693937152000000000n;
const TICKS_10000 = 3155378976000000000n;

const EPOCH_END = 253402300800000; // Unix milliseconds of the year 10000

const reversed = (hex) => hex.match(/../g).reverse().join('');

// A RangeError refuses what PostgreSQL refuses, with what is wrong.
function demand(good, what) {
  if (!good) throw new RangeError(what);
}

function demandBigint(id) {
  demand(typeof id === 'bigint' && id === BigInt.asIntN(64, id), `${id}: no BigInt of 64 bits`);
}

function demandBytes(bytes, length) {
  demand(ArrayBuffer.isView(bytes) && bytes.byteLength === length, `not ${length} bytes`);
}

// The digits of a uuid, of each text that PostgreSQL reads.
function digits(id) {
  const found = /^(\{?)((?:[0-9a-f]{4}-?){7}[0-9a-f]{4})(\}?)$/i.exec(id);
  demand(found !== null && found[1].length === found[3].length, `${id}: no UUID`);
  return found[2].replaceAll('-', '').toLowerCase();
}

export function uuidV7(id) {
  const n = BigInt(`0x${digits(id)}`);
  if ((n >> 76n & 15n) !== 7n || (n >> 62n & 3n) !== 2n) return null;
  return {
    unixMs: Number(n >> 80n),
    fraction: Number((n >> 64n & 0xfffn) << 4n | n >> 58n & 15n), // of 65536, in gid's ids
  };
}

export function uuidFromMssql(id) {
  const s = digits(id);
  return hyphens(s.slice(20) + s.slice(16, 20) + reversed(s.slice(0, 16)));
}

export function uuidSequential(id) {
  const h = digits(id);
  const ticks = BigInt(`0x${h.slice(0, 16)}`);
  const looksRfc = /^[1-8].{3}[89ab]/.test(h.slice(12));
  const [first, end] = looksRfc ? [TICKS_1970, TICKS_2200] : [0n, TICKS_10000];
  if (ticks < first || ticks >= end) return null;
  return {
    ticks, // Unix milliseconds: Number((ticks - TICKS_1970) / 10000n)
    process: h.slice(24) + h.slice(20, 24) + h.slice(16, 20),
  };
}

export function uuidShard(id) {
  const h = digits(id);
  return {
    unixS: parseInt(h.slice(0, 8), 16),
    generator: reversed(h.slice(8, 12)) + reversed(h.slice(12, 16)) + h.slice(16, 18),
    counter: parseInt(h.slice(18, 24), 16),
    shard: parseInt(reversed(h.slice(24)), 16), // region: shard >>> 22
  };
}

export function traceId(id, nearS, threadBits = 12) { // id: a BigInt
  demandBigint(id);
  demand(Number.isInteger(threadBits) && threadBits >= 0 && threadBits <= 22,
    `${threadBits} thread bits`);
  demand(Number.isSafeInteger(Math.floor(nearS)), `${nearS}: no time`);
  const near = Math.floor(nearS);
  const low = Number(id & 0x3fffffn);
  const counterBits = 22 - threadBits;
  if (id < 1n || low === 0) return null;
  return {
    unixS: near - Number(BigInt(near) - (id >> 38n) & 0x1ffffffn), // not after nearS
    node: Number(id >> 22n & 0xffffn),
    thread: low >> counterBits,
    counter: low & (1 << counterBits) - 1,
  };
}

export function snowflakeId(id, epochMs = 1288834974657) { // id: a BigInt
  demandBigint(id);
  demand(Number.isInteger(epochMs) && epochMs >= 0 && epochMs < EPOCH_END, `${epochMs}: no epoch`);
  if (id < 1n) return null;
  return {
    unixMs: Number(id >> 22n) + epochMs,
    node: Number(id >> 12n & 0x3ffn),
    sequence: Number(id & 0xfffn),
  };
}

export function decimalId(id) { // a BigInt
  demandBigint(id);
  if (id < 10000000000n || id > 9223372029999999999n) return null;
  return {
    counter: Number(id / 10000000000n),
    generator: Number(id / 100000n % 100000n),
    launch: Number(id % 100000n),
  };
}

export function gdid(bytes) { // 12 bytes; of 24 hexadecimal digits: Buffer.from(digits, 'hex')
  demandBytes(bytes, 12);
  const view = new DataView(bytes.buffer, bytes.byteOffset, 12);
  const id = view.getBigUint64(4);
  return { era: view.getUint32(0), authority: Number(id >> 60n), counter: BigInt.asUintN(60, id) };
}

const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const BOTH = Array.from(UPPER, (c) => c + c.toLowerCase()).join('');
const CHARSETS = new Map(Object.entries({
  numeric: DIGITS, alpha_lower: LOWER, alpha_upper: UPPER, alpha: BOTH,
  alphanumeric_lower: DIGITS + LOWER, alphanumeric_upper: DIGITS + UPPER,
  alphanumeric: DIGITS + BOTH, crockford: '0123456789ABCDEFGHJKMNPQRSTVWXYZ',
  hex: '0123456789abcdef', base62: DIGITS + UPPER + LOWER,
  base58: '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
}));
const TYPED = [`${LOWER}ILO`, 'ABCDEFGH1JK1MN0PQRSTUVWXYZ110'];

// The characters of a charset, which is a name, or "chars:" and the characters.
function alphabet(charset) {
  const chars = charset.startsWith('chars:') ? charset.slice(6) : CHARSETS.get(charset) ?? '';
  demand(/^[!-~]{2,94}$/.test(chars) && new Set(chars).size === chars.length,
    `${charset}: no charset`);
  return chars;
}

// Crockford's alphabet in either case; I, L and O are digits.
function asTyped(text, charset) {
  return charset !== 'crockford' ? text :
    text.replace(/[a-zILO]/g, (c) => TYPED[1][TYPED[0].indexOf(c)]);
}

// The places of a text's characters in the alphabet, each increased by "add", as one number.
function value(text, chars, add) {
  return Array.from(text).reduce((n, c) => {
    demand(chars.includes(c), `${text}: no such character`);
    return n * BigInt(chars.length) + BigInt(chars.indexOf(c) + add);
  }, 0n);
}

function decode(text, charset, bits, fixed = true) {
  const chars = alphabet(charset);
  const n = value(asTyped(text, charset), chars, 0);
  let width = 1;
  while (BigInt(chars.length) ** BigInt(width) >> BigInt(bits) === 0n) width++;
  demand(n >> BigInt(bits) === 0n && text !== '' && (!fixed || text.length === width),
    `${text}: too large, or of a wrong length`);
  return n;
}

export function decodeBigint(text, charset = 'crockford') { // a BigInt
  return decode(text, charset, 63, false);
}

export function decodeUuid(text, charset = 'crockford') { // in crockford: a ULID
  return hyphens(decode(text, charset, 128).toString(16));
}

export function decodeGdid(text, charset = 'crockford') {
  const hex = decode(text, charset, 96).toString(16).padStart(24, '0');
  return gdid(Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16)));
}

// Of gid_next_code(): the position of the seed, plus the value. A BigInt.
export function position(code, charset = 'numeric') {
  return value(code, alphabet(charset), 1);
}

export function checkValid(code, charset = 'crockford') {
  const chars = alphabet(charset);
  const size = chars.length;
  const all = Array.from(asTyped(code, charset), (c) => chars.indexOf(c)).reverse();
  const sum = all.reduce((total, place, i) => total +
    (i % 2 === 0 ? place : 2 * place < size ? 2 * place : 2 * place - size + 1), 0);
  return all.length >= 2 && !all.includes(-1) && sum % size === 0;
}

export function typeid(text) { // null: no TypeID
  const found = /^(?:([a-z](?:[a-z_]{0,61}[a-z])?)_)?([0-7][0-9a-hjkmnp-tv-z]{25})$/.exec(text);
  return found && { prefix: found[1] ?? '', uuid: decodeUuid(found[2]) };
}

// The text of a uuid, from its hexadecimal digits.
function hyphens(hex) {
  return hex.padStart(32, '0').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// Words of 64 bits, the lowest byte first.
function words(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / 8 }, (_, i) => view.getBigUint64(8 * i, true));
}

// SipHash-2-4, a BigInt of 64 bits. Key (16 bytes) and message: a Uint8Array or a Buffer.
function siphash(key, message) {
  const add = (n, m) => BigInt.asUintN(64, n + m);
  const turn = (n, bits) => BigInt.asUintN(64, n << bits | n >> 64n - bits);
  const [k0, k1] = words(key);
  let [a, b, c, d] = [k0 ^ 0x736f6d6570736575n, k1 ^ 0x646f72616e646f6dn,
    k0 ^ 0x6c7967656e657261n, k1 ^ 0x7465646279746573n];
  const padded = new Uint8Array((message.length >> 3) * 8 + 8);
  padded.set(message);
  padded[padded.length - 1] = message.length;
  for (const word of [...words(padded), null]) {
    if (word === null) c ^= 0xffn;
    else d ^= word;
    for (let i = 0; i < (word === null ? 4 : 2); i++) {
      a = add(a, b), c = add(c, d);
      b = turn(b, 13n) ^ a, d = turn(d, 16n) ^ c, a = turn(a, 32n);
      a = add(a, d), c = add(c, b);
      d = turn(d, 21n) ^ a, b = turn(b, 17n) ^ c, c = turn(c, 32n);
    }
    if (word !== null) a ^= word;
  }
  return a ^ b ^ c ^ d;
}

export function uuidMask(id, key, version = 7, other = 4) { // null: not of this version
  demandBytes(key, 16);
  const n = BigInt(`0x${digits(id)}`);
  if ((n >> 76n & 15n) !== BigInt(version) || (n >> 62n & 3n) !== 2n) return null;
  const rest = (n >> 64n & 0xfffn) << 64n | BigInt.asUintN(62, n);
  const bytes = Uint8Array.from({ length: 10 }, (_, i) => Number(rest >> BigInt(72 - 8 * i) & 255n));
  const hash = BigInt.asUintN(48, siphash(key, bytes));
  return hyphens((n ^ hash << 80n ^ BigInt(version ^ other) << 76n).toString(16));
}

export function uuidUnmask(id, key) {
  return uuidMask(id, key, 4, 7);
}
