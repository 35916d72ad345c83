// Calls the decoders of doc/decoders for with_reading_ids.py.
//
// It reads lines of a function and its arguments, tabs between them, and writes the
// results, a line each. createdAt() is in doc/reading-ids.md.

package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"example.com/decoders/readingids"
)

// createdAt returns the time of a version 7 UUID; ok is false if it is not one.
func createdAt(id string) (at time.Time, ok bool) {
	b, err := readingids.UUIDBytes(id)
	if err != nil {
		return at, false
	}
	ms, _, ok := readingids.UUIDv7(b)
	return time.UnixMilli(ms), ok
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
	parts := func(ok bool, all ...interface{}) {
		line := strings.TrimSuffix(fmt.Sprintln(all...), "\n")
		if !ok {
			line = "null"
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
				panic(err)
			}
		}
		switch args[0] {
		case "created_at":
			at, ok := createdAt(args[1])
			parts(ok, at.UnixMilli())
		case "uuid_v7":
			ms, fraction, ok := readingids.UUIDv7(b)
			parts(ok, ms, fraction)
		case "uuid_sequential":
			ticks, process, ok := readingids.UUIDSequential(b)
			parts(ok, ticks, hex.EncodeToString(process))
		case "uuid_from_mssql":
			parts(true, shown(readingids.UUIDFromMssql(b)))
		case "uuid_shard":
			s, generator, counter, shard := readingids.UUIDShard(b)
			parts(true, s, hex.EncodeToString(generator), counter, shard)
		case "trace_id":
			split := uint(integer(args[3]))
			s, node, thread, counter, ok := readingids.TraceID(integer(args[1]), integer(args[2]), split)
			parts(ok, s, node, thread, counter)
		case "snowflake_id":
			ms, node, sequence, ok := readingids.SnowflakeID(integer(args[1]), integer(args[2]))
			parts(ok, ms, node, sequence)
		case "decimal_id":
			counter, generator, launch, ok := readingids.DecimalID(integer(args[1]))
			parts(ok, counter, generator, launch)
		case "gdid":
			b, _ := hex.DecodeString(args[1])
			era, authority, counter := readingids.GDID(b)
			parts(true, era, authority, counter)
		case "number", "position":
			read := readingids.Number
			if args[0] == "position" {
				read = readingids.Position
			}
			if n, ok := read(args[1], args[2]); ok {
				parts(true, n)
			} else {
				parts(true, "error")
			}
		case "check_valid":
			parts(true, readingids.CheckValid(args[1], args[2]))
		case "typeid":
			prefix, id, ok := readingids.TypeID(args[1])
			parts(ok, prefix, shown(id))
		case "uuid_mask", "uuid_unmask":
			key, _ := hex.DecodeString(args[2])
			read := readingids.UUIDMask
			if args[0] == "uuid_unmask" {
				read = readingids.UUIDUnmask
			}
			id, ok := read(b, key)
			parts(ok, shown(id))
		default:
			panic(args[0])
		}
	}
}
