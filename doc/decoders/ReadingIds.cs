// Functions that read gid's ids without a database.
//
// Copy this file, or the functions that you need. It uses only the standard library.
// doc/reading-ids.md of gid explains them. Copyright (c) 2026, the gid authors; PostgreSQL License.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Numerics;
using System.Text.RegularExpressions;

static class ReadingIds
{
    const long Ticks2200 = 693937152000000000;     // 100 ns each since 0001-01-01, as in DateTime
    const long Ticks10000 = 3155378976000000000;
    public static readonly long Ticks1970 = new DateTime(1970, 1, 1).Ticks;

    const long EpochEnd = 253402300800000;         // Unix milliseconds of the year 10000

    // Refuses what PostgreSQL refuses.
    static void Demand(bool good, string what)
    {
        if (!good) throw new ArgumentException(what);
    }

    static readonly Regex Uuids = new Regex(
        @"\A({?)((?:[0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4})(}?)\z");

    // As PostgreSQL reads it. new Guid() also reads other texts.
    public static Guid Uuid(string text)
    {
        Match found = Uuids.Match(text);
        Demand(found.Success && found.Groups[1].Length == found.Groups[3].Length, "no UUID");
        return new Guid(found.Groups[2].Value.Replace("-", ""));
    }

    // The bytes as PostgreSQL has them. Guid.ToByteArray() has other ones.
    static byte[] Bytes(Guid id)
    {
        string hex = id.ToString("N");
        return Enumerable.Range(0, 16)
            .Select(i => Convert.ToByte(hex.Substring(2 * i, 2), 16)).ToArray();
    }

    // A number of bytes, the highest first.
    static ulong BigEndian(byte[] b, int from, int count)
    {
        return b.Skip(from).Take(count).Aggregate(0UL, (n, part) => n << 8 | part);
    }

    public static (long UnixMs, int Fraction)? UuidV7(Guid id)    // fraction of 65536, in gid's ids
    {
        byte[] b = Bytes(id);
        ulong hi = BigEndian(b, 0, 8), lo = BigEndian(b, 8, 8);
        if ((hi >> 12 & 15) != 7 || lo >> 62 != 2) return null;
        return ((long)(hi >> 16), (int)((hi & 0xfff) << 4 | lo >> 58 & 15));
    }

    public static Guid UuidFromMssql(Guid id)
    {
        byte[] s = Bytes(id);
        byte[] n = s.Skip(10).Concat(s.Skip(8).Take(2)).Concat(s.Take(8).Reverse()).ToArray();
        return new Guid(string.Concat(n.Select(part => part.ToString("x2"))));
    }

    public static (long Ticks, byte[] Process)? UuidSequential(Guid id)    // new DateTime(ticks)
    {
        byte[] b = Bytes(id);
        ulong ticks = BigEndian(b, 0, 8);
        bool looksRfc = b[8] >> 6 == 2 && b[6] >> 4 >= 1 && b[6] >> 4 <= 8;
        if (ticks < (ulong)(looksRfc ? Ticks1970 : 0)) return null;
        if (ticks >= (ulong)(looksRfc ? Ticks2200 : Ticks10000)) return null;
        return ((long)ticks, new[] { b[12], b[13], b[14], b[15], b[10], b[11], b[8], b[9] });
    }

    public static (uint UnixS, byte[] Generator, int Counter, uint Shard) UuidShard(Guid id)
    {
        byte[] b = Bytes(id);
        return ((uint)BigEndian(b, 0, 4), new[] { b[5], b[4], b[7], b[6], b[8] },
            (int)BigEndian(b, 9, 3),
            (uint)(b[12] | b[13] << 8 | b[14] << 16 | b[15] << 24));    // region: Shard >> 22
    }

    // The second is not after nearS.
    public static (long UnixS, int Node, int Thread, int Counter)? TraceId(
        long id, long nearS, int threadBits = 12)
    {
        Demand(threadBits >= 0 && threadBits <= 22, threadBits + " thread bits");
        int low = (int)(id & 0x3fffff), counterBits = 22 - threadBits;
        if (id < 1 || low == 0) return null;
        return (nearS - (nearS - (id >> 38) & 0x1ffffff), (int)(id >> 22 & 0xffff),
            low >> counterBits, low & (1 << counterBits) - 1);
    }

    public static (long UnixMs, int Node, int Sequence)? SnowflakeId(
        long id, long epochMs = 1288834974657)
    {
        Demand(epochMs >= 0 && epochMs < EpochEnd, epochMs + ": no epoch");
        if (id < 1) return null;
        return ((id >> 22) + epochMs, (int)(id >> 12 & 0x3ff), (int)(id & 0xfff));
    }

    public static (int Counter, int Generator, int Launch)? DecimalId(long id)
    {
        if (id < 10000000000 || id > 9223372029999999999) return null;
        return ((int)(id / 10000000000), (int)(id / 100000 % 100000), (int)(id % 100000));
    }

    public static (uint Era, int Authority, long Counter) Gdid(byte[] b)    // 12 bytes
    {
        Demand(b.Length == 12, b.Length + " bytes, not 12");
        ulong id = BigEndian(b, 4, 8);
        return ((uint)BigEndian(b, 0, 4), (int)(id >> 60), (long)(id & (1UL << 60) - 1));
    }

    const string Digits = "0123456789", Upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const string Lower = "abcdefghijklmnopqrstuvwxyz";
    const string Both = "AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz";

    static readonly Dictionary<string, string> Charsets = new Dictionary<string, string>
    {
        { "numeric", Digits }, { "alpha_lower", Lower }, { "alpha_upper", Upper },
        { "alphanumeric_lower", Digits + Lower }, { "alphanumeric_upper", Digits + Upper },
        { "alpha", Both }, { "alphanumeric", Digits + Both },
        { "crockford", "0123456789ABCDEFGHJKMNPQRSTVWXYZ" },
        { "hex", "0123456789abcdef" }, { "base62", Digits + Upper + Lower },
        { "base58", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz" },
    };

    // The characters of a charset, which is a name, or "chars:" and the characters.
    static string Alphabet(string charset)
    {
        string chars = Charsets.ContainsKey(charset) ? Charsets[charset] :
            charset.StartsWith("chars:", StringComparison.Ordinal) ? charset.Substring(6) : "";
        Demand(chars.Length >= 2 && chars.All(c => c > ' ' && c <= '~') &&
            chars.Distinct().Count() == chars.Length, charset + ": no charset");
        return chars;
    }

    // Crockford's alphabet in either case; I, L and O are digits.
    static string AsTyped(string text, string charset)
    {
        const string from = Lower + "ILO", to = "ABCDEFGH1JK1MN0PQRSTUVWXYZ110";
        if (charset != "crockford") return text;
        return string.Concat(text.Select(c => from.IndexOf(c) < 0 ? c : to[from.IndexOf(c)]));
    }

    static BigInteger Value(string text, string chars, int add)
    {
        Demand(text.All(c => chars.IndexOf(c) >= 0), "no such character");
        return text.Aggregate(BigInteger.Zero, (n, c) => n * chars.Length + chars.IndexOf(c) + add);
    }

    static BigInteger Decode(string text, string charset, int bits, bool isFixed)
    {
        string chars = Alphabet(charset);
        BigInteger n = Value(AsTyped(text, charset), chars, 0);
        int width = 1;
        while (BigInteger.Pow(chars.Length, width) >> bits == 0) width++;
        Demand(n >> bits == 0 && text != "" && (!isFixed || text.Length == width),
            "too large, or of a wrong length");
        return n;
    }

    public static long DecodeBigint(string text, string charset = "crockford")
    {
        return (long)Decode(text, charset, 63, false);
    }

    public static Guid DecodeUuid(string text, string charset = "crockford")    // a ULID
    {
        string hex = Decode(text, charset, 128, true).ToString("x32");
        return new Guid(hex.Substring(hex.Length - 32));
    }

    public static (uint Era, int Authority, long Counter) DecodeGdid(
        string text, string charset = "crockford")
    {
        BigInteger n = Decode(text, charset, 96, true);
        return Gdid(Enumerable.Range(0, 12).Select(i => (byte)(n >> 8 * (11 - i) & 255)).ToArray());
    }

    // Of gid_next_code(): the position of the seed, plus the value.
    public static BigInteger Position(string code, string charset = "numeric")
    {
        return Value(code, Alphabet(charset), 1);
    }

    public static bool CheckValid(string code, string charset = "crockford")
    {
        string chars = Alphabet(charset);
        int size = chars.Length;
        int[] all = AsTyped(code, charset).Reverse().Select(c => chars.IndexOf(c)).ToArray();
        int sum = all.Select((place, i) =>
            i % 2 == 0 ? place : 2 * place < size ? 2 * place : 2 * place - size + 1).Sum();
        return all.Length >= 2 && !all.Contains(-1) && sum % size == 0;
    }

    static readonly Regex TypeIds = new Regex(
        @"\A(?:([a-z](?:[a-z_]{0,61}[a-z])?)_)?([0-7][0-9a-hjkmnp-tv-z]{25})\z");

    public static (string Prefix, Guid Uuid)? TypeId(string text)    // null: no TypeID
    {
        Match found = TypeIds.Match(text);
        if (!found.Success) return null;
        return (found.Groups[1].Value, DecodeUuid(found.Groups[2].Value));
    }

    static ulong Turned(ulong n, int bits)
    {
        return n << bits | n >> 64 - bits;
    }

    static ulong LittleEndian(byte[] b, int from)
    {
        return BigEndian(b.Skip(from).Take(8).Reverse().ToArray(), 0, 8);
    }

    // SipHash-2-4 of a message of 8 to 15 bytes. The key has 16 bytes.
    static ulong SipHash(byte[] key, byte[] message)
    {
        ulong k0 = LittleEndian(key, 0), k1 = LittleEndian(key, 8);
        ulong a = k0 ^ 0x736f6d6570736575, b = k1 ^ 0x646f72616e646f6d;
        ulong c = k0 ^ 0x6c7967656e657261, d = k1 ^ 0x7465646279746573;
        byte[] padded = message.Concat(new byte[15 - message.Length])
            .Concat(new[] { (byte)message.Length }).ToArray();
        for (int part = 0; part < 3; part++)
        {
            ulong word = part < 2 ? LittleEndian(padded, 8 * part) : 0;
            d ^= word;
            if (part == 2) c ^= 0xff;
            for (int i = 0; i < (part < 2 ? 2 : 4); i++)
            {
                a += b; b = Turned(b, 13) ^ a; a = Turned(a, 32);
                c += d; d = Turned(d, 16) ^ c;
                a += d; d = Turned(d, 21) ^ a;
                c += b; b = Turned(b, 17) ^ c; c = Turned(c, 32);
            }
            a ^= word;
        }
        return a ^ b ^ c ^ d;
    }

    static Guid? Turn(Guid id, byte[] key, int version, int other)
    {
        Demand(key.Length == 16, key.Length + " bytes of key, not 16");
        byte[] b = Bytes(id);
        if (b[6] >> 4 != version || b[8] >> 6 != 2) return null;
        byte[] message = new[] { (byte)(b[6] & 15), b[7], (byte)(b[8] & 63) }
            .Concat(b.Skip(9)).ToArray();
        ulong hi = BigEndian(b, 0, 8) ^ SipHash(key, message) << 16 ^ (ulong)(version ^ other) << 12;
        return new Guid(hi.ToString("x16") + BigEndian(b, 8, 8).ToString("x16"));
    }

    public static Guid? UuidMask(Guid id, byte[] key)    // null: not of version 7
    {
        return Turn(id, key, 7, 4);
    }

    public static Guid? UuidUnmask(Guid masked, byte[] key)    // null: not of version 4
    {
        return Turn(masked, key, 4, 7);
    }
}
