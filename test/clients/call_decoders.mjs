// Calls the decoders of doc/decoders for with_reading_ids.py.
//
// It reads lines of a function and its arguments, tabs between them, and writes the
// results, a line each. createdAt() is in doc/reading-ids.md.

import { readFileSync } from 'fs';

import {
  checkValid, decimalId, decodeBigint, decodeGdid, decodeUuid, gdid, position, snowflakeId,
  traceId, typeid, uuidFromMssql, uuidMask, uuidSequential, uuidShard, uuidUnmask, uuidV7,
} from '../../doc/decoders/reading_ids.mjs';

// The time of a version 7 UUID, or null if it is not one.
function createdAt(id) {
  const parts = uuidV7(id);
  return parts && new Date(parts.unixMs);
}

function main() {
  // Arguments that are the defaults are left out.
  const given = (argument, preset) => (argument === preset ? undefined : argument);
  const one = (id) => (id === null ? null : { id });
  const calls = {
    created_at: (id) => ({ ms: Number(createdAt(id)) }),
    uuid_v7: uuidV7,
    uuid_sequential: uuidSequential,
    uuid_from_mssql: (id) => ({ id: uuidFromMssql(id) }),
    uuid_shard: uuidShard,
    trace_id: (id, near, bits) => traceId(BigInt(id), Number(near), given(Number(bits), 12)),
    snowflake_id: (id, epoch) => snowflakeId(BigInt(id), given(Number(epoch), 1288834974657)),
    decimal_id: (id) => decimalId(BigInt(id)),
    gdid: (hex) => gdid(Buffer.from(hex, 'hex')),
    decode_bigint: (text, charset) => ({ id: decodeBigint(text, given(charset, 'crockford')) }),
    decode_uuid: (text, charset) => ({ id: decodeUuid(text, given(charset, 'crockford')) }),
    decode_gdid: (text, charset) => decodeGdid(text, given(charset, 'crockford')),
    position: (code, charset) => ({ n: position(code, given(charset, 'numeric')) }),
    check_valid: (code, charset) => ({ valid: checkValid(code, given(charset, 'crockford')) }),
    typeid,
    uuid_mask: (id, key) => one(uuidMask(id, Buffer.from(key, 'hex'))),
    uuid_unmask: (id, key) => one(uuidUnmask(id, Buffer.from(key, 'hex'))),
  };
  const lines = readFileSync(0, 'utf8').split('\n').slice(0, -1);
  for (const line of lines) {
    const [name, ...rest] = line.split('\t');
    try {
      const parts = calls[name](...rest);
      console.log(parts === null ? 'null' : Object.values(parts).join(' '));
    } catch (e) {
      if (!(e instanceof RangeError)) throw e;
      console.log('error');
    }
  }
}

main();
