// Calls the decoders of doc/decoders for with_reading_ids.py.
//
// It reads lines of a function and its arguments, tabs between them, and writes the
// results, a line each. CreatedAt() is in doc/reading-ids.md.

using System;
using System.IO;
using System.Linq;
using static ReadingIds;

static class CallDecoders
{
    // The time of a version 7 UUID, or null if it is not one.
    static DateTimeOffset? CreatedAt(Guid id)
    {
        var parts = ReadingIds.UuidV7(id);
        if (parts == null) return null;
        return DateTimeOffset.FromUnixTimeMilliseconds(parts.Value.UnixMs);
    }

    static string Hex(byte[] bytes)
    {
        return string.Concat(bytes.Select(part => part.ToString("x2")));
    }

    static byte[] Unhex(string digits)
    {
        return Enumerable.Range(0, digits.Length / 2)
            .Select(i => Convert.ToByte(digits.Substring(2 * i, 2), 16)).ToArray();
    }

    static string Parts(params object[] all)
    {
        return string.Join(" ", all);
    }

    static string Read(string[] a)
    {
        switch (a[0])
        {
            case "created_at":
                return Parts(CreatedAt(Uuid(a[1])).Value.ToUnixTimeMilliseconds());
            case "uuid_v7":
                var v7 = UuidV7(Uuid(a[1]));
                return v7 == null ? "null" : Parts(v7.Value.UnixMs, v7.Value.Fraction);
            case "uuid_sequential":
                var sequential = UuidSequential(Uuid(a[1]));
                return sequential == null ? "null" :
                    Parts(sequential.Value.Ticks, Hex(sequential.Value.Process));
            case "uuid_from_mssql":
                return UuidFromMssql(Uuid(a[1])).ToString();
            case "uuid_shard":
                var shard = UuidShard(Uuid(a[1]));
                return Parts(shard.UnixS, Hex(shard.Generator), shard.Counter, shard.Shard);
            case "trace_id":
                var trace = TraceId(long.Parse(a[1]), long.Parse(a[2]), int.Parse(a[3]));
                return trace == null ? "null" :
                    Parts(trace.Value.UnixS, trace.Value.Node, trace.Value.Thread,
                        trace.Value.Counter);
            case "snowflake_id":
                var snowflake = SnowflakeId(long.Parse(a[1]), long.Parse(a[2]));
                return snowflake == null ? "null" :
                    Parts(snowflake.Value.UnixMs, snowflake.Value.Node, snowflake.Value.Sequence);
            case "decimal_id":
                var decimalId = DecimalId(long.Parse(a[1]));
                return decimalId == null ? "null" :
                    Parts(decimalId.Value.Counter, decimalId.Value.Generator,
                        decimalId.Value.Launch);
            case "gdid":
                var gdid = Gdid(Unhex(a[1]));
                return Parts(gdid.Era, gdid.Authority, gdid.Counter);
            case "decode_bigint":
                return DecodeBigint(a[1], a[2]).ToString();
            case "decode_uuid":
                return DecodeUuid(a[1], a[2]).ToString();
            case "decode_gdid":
                var decoded = DecodeGdid(a[1], a[2]);
                return Parts(decoded.Era, decoded.Authority, decoded.Counter);
            case "position":
                return Position(a[1], a[2]).ToString();
            case "check_valid":
                return CheckValid(a[1], a[2]) ? "true" : "false";
            case "typeid":
                var typeId = TypeId(a[1]);
                return typeId == null ? "null" : Parts(typeId.Value.Prefix, typeId.Value.Uuid);
            case "uuid_mask":
                return UuidMask(Uuid(a[1]), Unhex(a[2]))?.ToString() ?? "null";
            case "uuid_unmask":
                return UuidUnmask(Uuid(a[1]), Unhex(a[2]))?.ToString() ?? "null";
            default:
                throw new InvalidOperationException(a[0]);
        }
    }

    static void Main()
    {
        var input = new StreamReader(Console.OpenStandardInput());
        var output = new StreamWriter(Console.OpenStandardOutput());
        for (string line = input.ReadLine(); line != null; line = input.ReadLine())
        {
            try
            {
                output.WriteLine(Read(line.Split('\t')));
            }
            catch (ArgumentException)
            {
                output.WriteLine("error");
            }
        }
        output.Flush();
    }
}
