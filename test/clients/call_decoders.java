// Calls the decoders of doc/decoders for with_reading_ids.py.
//
// It reads lines of a function and its arguments, tabs between them, and writes the
// results, a line each. createdAt() is in doc/reading-ids.md.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;

class CallDecoders extends ReadingIds {
    /** The time of a version 7 UUID, or null if it is not one. */
    static Instant createdAt(UUID id) {
        ReadingIds.V7 parts = ReadingIds.uuidV7(id);
        return parts == null ? null : Instant.ofEpochMilli(parts.unixMs());
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    static String read(String[] a) {
        switch (a[0]) {
            case "created_at":
                return String.valueOf(createdAt(uuid(a[1])).toEpochMilli());
            case "uuid_v7": {
                V7 v = uuidV7(uuid(a[1]));
                return v == null ? null : v.unixMs() + " " + v.fraction();
            }
            case "uuid_sequential": {
                Sequential s = uuidSequential(uuid(a[1]));
                return s == null ? null : s.ticks() + " " + hex(s.process());
            }
            case "uuid_from_mssql":
                return uuidFromMssql(uuid(a[1])).toString();
            case "uuid_shard": {
                Shard s = uuidShard(uuid(a[1]));
                return s.unixS() + " " + hex(s.generator()) + " " + s.counter() + " " + s.shard();
            }
            case "trace_id": {
                Trace t = traceId(Long.parseLong(a[1]), Long.parseLong(a[2]), Integer.parseInt(a[3]));
                return t == null ? null : t.unixS() + " " + t.node() + " " + t.thread() + " " + t.counter();
            }
            case "snowflake_id": {
                Snowflake s = snowflakeId(Long.parseLong(a[1]), Long.parseLong(a[2]));
                return s == null ? null : s.unixMs() + " " + s.node() + " " + s.sequence();
            }
            case "decimal_id": {
                Decimal d = decimalId(Long.parseLong(a[1]));
                return d == null ? null : d.counter() + " " + d.generator() + " " + d.launch();
            }
            case "gdid": {
                Gdid g = gdid(HexFormat.of().parseHex(a[1]));
                return g.era() + " " + g.authority() + " " + g.counter();
            }
            case "decode_bigint":
                return String.valueOf(decodeBigint(a[1], a[2]));
            case "decode_uuid":
                return decodeUuid(a[1], a[2]).toString();
            case "decode_gdid": {
                Gdid g = decodeGdid(a[1], a[2]);
                return g.era() + " " + g.authority() + " " + g.counter();
            }
            case "position":
                return position(a[1], a[2]).toString();
            case "check_valid":
                return String.valueOf(checkValid(a[1], a[2]));
            case "typeid": {
                TypeId t = typeId(a[1]);
                return t == null ? null : t.prefix() + " " + t.uuid();
            }
            case "uuid_mask":
                return String.valueOf(uuidMask(uuid(a[1]), HexFormat.of().parseHex(a[2])));
            case "uuid_unmask":
                return String.valueOf(uuidUnmask(uuid(a[1]), HexFormat.of().parseHex(a[2])));
            default:
                throw new IllegalStateException(a[0]);
        }
    }

    public static void main(String[] none) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintWriter out = new PrintWriter(System.out);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            try {
                out.println(read(line.split("\t", -1)));
            } catch (IllegalArgumentException e) {
                out.println("error");
            }
        }
        out.flush();
    }
}
