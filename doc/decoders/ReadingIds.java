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
    static final long EPOCH_END = 253402300800000L;        // Unix milliseconds of the year 10000

    static void demand(boolean good, String what) {    // refuses what PostgreSQL refuses
        if (!good) throw new IllegalArgumentException(what);
    }

    static final Pattern UUIDS = Pattern.compile(
        "(\\{?)((?:[0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4})(}?)");

    // As PostgreSQL reads it. UUID.fromString() also reads texts with fewer digits.
    static UUID uuid(String text) {
        Matcher found = UUIDS.matcher(text);
        demand(found.matches() && found.group(1).length() == found.group(3).length(), "no UUID");
        String hex = found.group(2).replace("-", "");
        return new UUID(Long.parseUnsignedLong(hex.substring(0, 16), 16),
            Long.parseUnsignedLong(hex.substring(16), 16));
    }

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
        demand(threadBits >= 0 && threadBits <= 22, threadBits + " thread bits");
        int low = (int) (id & 0x3fffff), counterBits = 22 - threadBits;
        if (id < 1 || low == 0) return null;
        return new Trace(nearS - (nearS - (id >> 38) & 0x1ffffff), (int) (id >> 22 & 0xffff),
            low >> counterBits, low & (1 << counterBits) - 1);
    }

    record Snowflake(long unixMs, int node, int sequence) {}

    static Snowflake snowflakeId(long id, long epochMs) {    // Twitter's epoch: 1288834974657L
        demand(epochMs >= 0 && epochMs < EPOCH_END, epochMs + ": no epoch");
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
        demand(bytes.length == 12, bytes.length + " bytes, not 12");
        ByteBuffer b = ByteBuffer.wrap(bytes);
        long id = b.getLong(4);
        return new Gdid(Integer.toUnsignedLong(b.getInt(0)), (int) (id >>> 60),
            id & (1L << 60) - 1);
    }

    static final String DIGITS = "0123456789", UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static final String LOWER = "abcdefghijklmnopqrstuvwxyz";
    static final String BOTH = "AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz";

    // The characters of a charset, which is a name, or "chars:" and the characters.
    static String alphabet(String charset) {
        String chars = charset.startsWith("chars:") ? charset.substring(6) : switch (charset) {
            case "numeric" -> DIGITS;
            case "alpha_lower" -> LOWER;
            case "alpha_upper" -> UPPER;
            case "alpha" -> BOTH;
            case "alphanumeric_lower" -> DIGITS + LOWER;
            case "alphanumeric_upper" -> DIGITS + UPPER;
            case "alphanumeric" -> DIGITS + BOTH;
            case "crockford" -> "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
            case "hex" -> "0123456789abcdef";
            case "base58" -> "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
            case "base62" -> DIGITS + UPPER + LOWER;
            default -> "";
        };
        demand(chars.matches("[!-~]{2,94}") && chars.chars().distinct().count() == chars.length(),
            charset + ": no charset");
        return chars;
    }

    static final String[] TYPED = {LOWER + "ILO", "ABCDEFGH1JK1MN0PQRSTUVWXYZ110"};

    // Crockford's alphabet in either case; I, L and O are digits.
    static String asTyped(String text, String charset) {
        StringBuilder read = new StringBuilder(text);
        for (int i = 0; charset.equals("crockford") && i < text.length(); i++) {
            int typed = TYPED[0].indexOf(text.charAt(i));
            if (typed >= 0) read.setCharAt(i, TYPED[1].charAt(typed));
        }
        return read.toString();
    }

    static BigInteger value(String text, String chars, int add) {
        BigInteger n = BigInteger.ZERO, size = BigInteger.valueOf(chars.length());
        for (char c : text.toCharArray()) {
            demand(chars.indexOf(c) >= 0, "no such character");
            n = n.multiply(size).add(BigInteger.valueOf(chars.indexOf(c) + add));
        }
        return n;
    }

    static BigInteger decode(String text, String charset, int bits, boolean fixed) {
        String chars = alphabet(charset);
        BigInteger n = value(asTyped(text, charset), chars, 0);
        BigInteger size = BigInteger.valueOf(chars.length());
        int width = 1;
        while (size.pow(width).bitLength() <= bits) width++;
        demand(n.bitLength() <= bits && !text.isEmpty() && (!fixed || text.length() == width),
            "too large, or of a wrong length");
        return n;
    }

    static long decodeBigint(String text, String charset) {
        return decode(text, charset, 63, false).longValue();
    }

    static UUID decodeUuid(String text, String charset) {    // in crockford: a ULID
        BigInteger n = decode(text, charset, 128, true);
        return new UUID(n.shiftRight(64).longValue(), n.longValue());
    }

    static Gdid decodeGdid(String text, String charset) {
        BigInteger n = decode(text, charset, 96, true);
        return gdid(ByteBuffer.allocate(12).putInt(n.shiftRight(64).intValue())
            .putLong(n.longValue()).array());
    }

    // Of gid_next_code(): the position of the seed, plus the value.
    static BigInteger position(String code, String charset) {
        return value(code, alphabet(charset), 1);
    }

    static boolean checkValid(String code, String charset) {
        String chars = alphabet(charset), read = asTyped(code, charset);
        int sum = 0, size = chars.length(), length = read.length();
        for (int i = 0; i < length; i++) {
            int place = chars.indexOf(read.charAt(i));
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
        return new TypeId(found.group(1) == null ? "" : found.group(1),
            decodeUuid(found.group(2), "crockford"));
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
        demand(key.length == 16, key.length + " bytes of key, not 16");
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
