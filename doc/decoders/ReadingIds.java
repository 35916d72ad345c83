// Functions that read gid's ids without a database.
//
// Copy this file, or the functions that you need, and put your package at the top. It uses only
// the standard library, of Java 16 or later.
// doc/reading-ids.md of gid explains them. Copyright (c) 2026, the gid authors; PostgreSQL License.

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

class ReadingIds {
    static final long TICKS_1970 = 621355968000000000L;    // 100 ns each since 0001-01-01
    static final long TICKS_2200 = 693937152000000000L;
    static final long TICKS_10000 = 3155378976000000000L;

    static byte[] bytes(UUID id) {
        return ByteBuffer.allocate(16).putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits()).array();
    }

    record V7(long unixMs, int fraction) {}    // fraction of 65536, in gid's ids

    static V7 uuidV7(UUID id) {
        long hi = id.getMostSignificantBits(), lo = id.getLeastSignificantBits();
        if ((hi >>> 12 & 15) != 7 || lo >>> 62 != 2) return null;
        return new V7(hi >>> 16, (int) ((hi & 0xfff) << 4 | lo >>> 58 & 15));
    }

    static UUID uuidFromMssql(UUID id) {
        ByteBuffer s = ByteBuffer.wrap(bytes(id));
        long hi = s.getLong(8);    // the last eight bytes: two, then six
        return new UUID(hi << 16 | hi >>> 48, Long.reverseBytes(s.getLong(0)));
    }

    record Sequential(long ticks, byte[] process) {}    // Unix us: (ticks - TICKS_1970) / 10

    static Sequential uuidSequential(UUID id) {
        byte[] b = bytes(id);
        long ticks = id.getMostSignificantBits();    // negative: above 2^63, so too large
        int version = id.version();
        boolean looksRfc = (b[8] & 0xc0) == 0x80 && version >= 1 && version <= 8;
        if (ticks < (looksRfc ? TICKS_1970 : 0)) return null;
        if (ticks >= (looksRfc ? TICKS_2200 : TICKS_10000)) return null;
        return new Sequential(ticks,
            new byte[] {b[12], b[13], b[14], b[15], b[10], b[11], b[8], b[9]});
    }

    record Shard(long unixS, byte[] generator, int counter, long shard) {}    // region: shard >> 22

    static Shard uuidShard(UUID id) {
        byte[] b = bytes(id);
        return new Shard(id.getMostSignificantBits() >>> 32,
            new byte[] {b[5], b[4], b[7], b[6], b[8]},
            (int) (id.getLeastSignificantBits() >>> 32) & 0xffffff,
            Integer.toUnsignedLong(Integer.reverseBytes((int) id.getLeastSignificantBits())));
    }

    record Trace(long unixS, int node, int thread, int counter) {}    // not after nearS

    static Trace traceId(long id, long nearS, int threadBits) {    // 12 thread bits in gid's ids
        int low = (int) (id & 0x3fffff), counterBits = 22 - threadBits;
        if (id < 1 || low == 0) return null;
        return new Trace(nearS - (nearS - (id >> 38) & 0x1ffffff), (int) (id >> 22 & 0xffff),
            low >> counterBits, low & (1 << counterBits) - 1);
    }

    record Snowflake(long unixMs, int node, int sequence) {}

    static Snowflake snowflakeId(long id, long epochMs) {    // Twitter's epoch: 1288834974657L
        if (id < 1) return null;
        return new Snowflake((id >> 22) + epochMs, (int) (id >> 12 & 0x3ff), (int) (id & 0xfff));
    }

    record Decimal(int counter, int generator, int launch) {}

    static Decimal decimalId(long id) {
        if (id < 10000000000L || id > 9223372029999999999L) return null;
        return new Decimal((int) (id / 10000000000L), (int) (id / 100000 % 100000),
            (int) (id % 100000));
    }

    record Gdid(long era, int authority, long counter) {}

    static Gdid gdid(byte[] bytes) {    // 12 bytes; of 24 digits: HexFormat.of().parseHex(digits)
        ByteBuffer b = ByteBuffer.wrap(bytes);
        long id = b.getLong(4);
        return new Gdid(Integer.toUnsignedLong(b.getInt(0)), (int) (id >>> 60),
            id & (1L << 60) - 1);
    }

    static final String CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

    static int place(char c, String alphabet) {    // -1: not in the alphabet
        int typed = alphabet.equals(CROCKFORD) ? "abcdefghijklmnopqrstuvwxyzILO".indexOf(c) : -1;
        return alphabet.indexOf(typed < 0 ? c : "ABCDEFGH1JK1MN0PQRSTUVWXYZ110".charAt(typed));
    }

    static BigInteger value(String text, String alphabet, int add) {
        BigInteger n = BigInteger.ZERO, size = BigInteger.valueOf(alphabet.length());
        for (char c : text.toCharArray()) {
            if (place(c, alphabet) < 0) throw new IllegalArgumentException("no such character");
            n = n.multiply(size).add(BigInteger.valueOf(place(c, alphabet) + add));
        }
        return n;
    }

    // Of gid_encode(). A uuid is new UUID(n.shiftRight(64).longValue(), n.longValue()).
    static BigInteger number(String text, String alphabet) {
        return value(text, alphabet, 0);
    }

    // Of gid_next_code(): the position of the seed, plus the value.
    static BigInteger position(String code, String alphabet) {
        return value(code, alphabet, 1);
    }

    static boolean checkValid(String code, String alphabet) {
        int sum = 0, size = alphabet.length(), length = code.length();
        for (int i = 0; i < length; i++) {
            int place = place(code.charAt(i), alphabet);
            if (place < 0) return false;
            if ((length - i) % 2 == 0) place = 2 * place < size ? 2 * place : 2 * place - size + 1;
            sum += place;
        }
        return length >= 2 && sum % size == 0;
    }

    record TypeId(String prefix, UUID uuid) {}

    static final Pattern TYPEIDS = Pattern.compile(
        "(?:([a-z](?:[a-z_]{0,61}[a-z])?)_)?([0-7][0-9a-hjkmnp-tv-z]{25})");

    static TypeId typeId(String text) {    // null: no TypeID
        Matcher found = TYPEIDS.matcher(text);
        if (!found.matches()) return null;
        BigInteger n = number(found.group(2), CROCKFORD);
        return new TypeId(found.group(1) == null ? "" : found.group(1),
            new UUID(n.shiftRight(64).longValue(), n.longValue()));
    }

    static long sipHash(byte[] key, byte[] message) {    // SipHash-2-4, of 8 to 15 bytes
        ByteBuffer k = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);    // 16 bytes
        ByteBuffer m = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN)
            .put(message).put(15, (byte) message.length);
        long a = k.getLong(0) ^ 0x736f6d6570736575L, b = k.getLong(8) ^ 0x646f72616e646f6dL;
        long c = k.getLong(0) ^ 0x6c7967656e657261L, d = k.getLong(8) ^ 0x7465646279746573L;
        for (int part = 0; part < 3; part++) {
            long word = part < 2 ? m.getLong(8 * part) : 0;
            d ^= word;
            if (part == 2) c ^= 0xff;
            for (int i = 0; i < (part < 2 ? 2 : 4); i++) {
                a += b; b = Long.rotateLeft(b, 13) ^ a; a = Long.rotateLeft(a, 32);
                c += d; d = Long.rotateLeft(d, 16) ^ c;
                a += d; d = Long.rotateLeft(d, 21) ^ a;
                c += b; b = Long.rotateLeft(b, 17) ^ c; c = Long.rotateLeft(c, 32);
            }
            a ^= word;
        }
        return a ^ b ^ c ^ d;
    }

    static UUID turn(UUID id, byte[] key, int version, int other) {
        if (id.version() != version || id.variant() != 2) return null;
        long hi = id.getMostSignificantBits(), lo = id.getLeastSignificantBits();
        byte[] message = ByteBuffer.allocate(10).putShort((short) (hi & 0xfff))
            .putLong(lo & (1L << 62) - 1).array();
        return new UUID(hi ^ sipHash(key, message) << 16 ^ (long) (version ^ other) << 12, lo);
    }

    static UUID uuidMask(UUID id, byte[] key) {    // null: not of version 7
        return turn(id, key, 7, 4);
    }

    static UUID uuidUnmask(UUID masked, byte[] key) {    // null: not of version 4
        return turn(masked, key, 4, 7);
    }
}
