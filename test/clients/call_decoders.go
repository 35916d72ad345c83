// Calls the decoders of doc/decoders for with_reading_ids.py.
//
// It reads lines of a function and its arguments, tabs between them, and writes the
// results, a line each. createdAt() is in doc/reading-ids.md.

package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"example.com/decoders/readingids"
)

// createdAt returns the time of a version 7 UUID, or the error ErrKind if it is not one.
func createdAt(id string) (at time.Time, err error) {
	b, err := readingids.UUIDBytes(id)
	if err != nil {
		return at, err
	}
	ms, _, err := readingids.UUIDv7(b)
	return time.UnixMilli(ms), err
}

func main() {
	in, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	integer := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			panic(err)
		}
		return n
	}
	parts := func(err error, all ...interface{}) {
		line := strings.TrimSuffix(fmt.Sprintln(all...), "\n")
		if errors.Is(err, readingids.ErrKind) {
			line = "null"
		} else if err != nil {
			line = "error"
		}
		fmt.Fprintln(out, line)
	}
	shown := func(b []byte) string {
		if b == nil {
			return ""
		}
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	}
	for in.Scan() {
		args := strings.Split(in.Text(), "\t")
		var b []byte
		if strings.HasPrefix(args[0], "uuid_") {
			var err error
			if b, err = readingids.UUIDBytes(args[1]); err != nil {
				parts(err)
				continue
			}
		}
		switch args[0] {
		case "created_at":
			at, err := createdAt(args[1])
			parts(err, at.UnixMilli())
		case "uuid_v7":
			ms, fraction, err := readingids.UUIDv7(b)
			parts(err, ms, fraction)
		case "uuid_sequential":
			ticks, process, err := readingids.UUIDSequential(b)
			parts(err, ticks, hex.EncodeToString(process))
		case "uuid_from_mssql":
			id, err := readingids.UUIDFromMssql(b)
			parts(err, shown(id))
		case "uuid_shard":
			s, generator, counter, shard, err := readingids.UUIDShard(b)
			parts(err, s, hex.EncodeToString(generator), counter, shard)
		case "trace_id":
			split := uint(integer(args[3]))
			s, node, thread, counter, err := readingids.TraceID(integer(args[1]), integer(args[2]), split)
			parts(err, s, node, thread, counter)
		case "snowflake_id":
			ms, node, sequence, err := readingids.SnowflakeID(integer(args[1]), integer(args[2]))
			parts(err, ms, node, sequence)
		case "decimal_id":
			counter, generator, launch, err := readingids.DecimalID(integer(args[1]))
			parts(err, counter, generator, launch)
		case "gdid":
			b, _ := hex.DecodeString(args[1])
			era, authority, counter, err := readingids.GDID(b)
			parts(err, era, authority, counter)
		case "decode_bigint":
			id, err := readingids.DecodeBigint(args[1], args[2])
			parts(err, id)
		case "decode_uuid":
			id, err := readingids.DecodeUUID(args[1], args[2])
			parts(err, shown(id))
		case "decode_gdid":
			era, authority, counter, err := readingids.DecodeGDID(args[1], args[2])
			parts(err, era, authority, counter)
		case "position":
			n, err := readingids.Position(args[1], args[2])
			parts(err, n)
		case "check_valid":
			valid, err := readingids.CheckValid(args[1], args[2])
			parts(err, valid)
		case "typeid":
			prefix, id, err := readingids.TypeID(args[1])
			parts(err, prefix, shown(id))
		case "uuid_mask", "uuid_unmask":
			key, _ := hex.DecodeString(args[2])
			read := readingids.UUIDMask
			if args[0] == "uuid_unmask" {
				read = readingids.UUIDUnmask
			}
			id, err := read(b, key)
			parts(err, shown(id))
		default:
			panic(args[0])
		}
	}
}
