// Package readingids reads gid's ids without a database.
//
// Copy this file, or the functions that you need. It uses only the standard library.
// doc/reading-ids.md of gid explains them. Copyright (c) 2026, the gid authors; PostgreSQL License.
package readingids

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/big"
	"math/bits"
	"regexp"
	"strings"
)

const (
	Ticks1970  = 621355968000000000 // 100 ns each since 0001-01-01
	ticks2200  = 693937152000000000
	ticks10000 = 3155378976000000000
)

// UUIDBytes makes the bytes of a text. Of a [16]byte, as packages have it, take id[:].
func UUIDBytes(id string) ([]byte, error) {
	b, err := hex.DecodeString(strings.ReplaceAll(id, "-", ""))
	if err == nil && len(b) != 16 {
		err = errors.New("no UUID: " + id)
	}
	return b, err
}

// UUIDv7 returns the fraction of the millisecond, of 65536, for gid's ids.
func UUIDv7(b []byte) (unixMs int64, fraction int, ok bool) {
	hi, lo := binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
	if hi>>12&15 != 7 || lo>>62 != 2 {
		return 0, 0, false
	}
	return int64(hi >> 16), int(hi&0xfff<<4 | lo>>58&15), true
}

func UUIDFromMssql(s []byte) []byte {
	b := append(append([]byte{}, s[10:]...), s[8:10]...)
	for i := 7; i >= 0; i-- {
		b = append(b, s[i])
	}
	return b
}

// UUIDSequential: Unix microseconds are (int64(ticks) - Ticks1970) / 10.
func UUIDSequential(b []byte) (ticks uint64, process []byte, ok bool) {
	first, end := uint64(0), uint64(ticks10000)
	if version := b[6] >> 4; b[8]>>6 == 2 && version >= 1 && version <= 8 {
		first, end = Ticks1970, ticks2200
	}
	ticks = binary.BigEndian.Uint64(b)
	process = append(append([]byte{}, b[12:]...), b[10], b[11], b[8], b[9])
	return ticks, process, ticks >= first && ticks < end
}

// UUIDShard: the region is shard >> 22.
func UUIDShard(b []byte) (unixS uint32, generator []byte, counter, shard uint32) {
	return binary.BigEndian.Uint32(b), []byte{b[5], b[4], b[7], b[6], b[8]},
		binary.BigEndian.Uint32(b[8:]) & 0xffffff, binary.LittleEndian.Uint32(b[12:])
}

// TraceID takes 12 thread bits for gid's ids. The second is not after nearS.
func TraceID(id, nearS int64, threadBits uint) (unixS int64, node, thread, counter int, ok bool) {
	low, counterBits := int(id&0x3fffff), 22-threadBits
	if id < 1 || low == 0 {
		return 0, 0, 0, 0, false
	}
	return nearS - (nearS-id>>38)&0x1ffffff, int(id >> 22 & 0xffff),
		low >> counterBits, low & (1<<counterBits - 1), true
}

// SnowflakeID takes 1288834974657 as the epoch of Twitter.
func SnowflakeID(id, epochMs int64) (unixMs int64, node, sequence int, ok bool) {
	return id>>22 + epochMs, int(id >> 12 & 0x3ff), int(id & 0xfff), id >= 1
}

func DecimalID(id int64) (counter, generator, launch int64, ok bool) {
	return id / 1e10, id / 1e5 % 1e5, id % 1e5, id >= 1e10 && id <= 9223372029999999999
}

// GDID takes 12 bytes; hex.DecodeString() makes them of 24 digits.
func GDID(b []byte) (era uint32, authority int, counter int64) {
	id := binary.BigEndian.Uint64(b[4:])
	return binary.BigEndian.Uint32(b), int(id >> 60), int64(id & (1<<60 - 1))
}

const Crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// places returns the place of each byte in the alphabet; -1: not in it.
func places(text, alphabet string) (all []int) {
	for _, c := range []byte(text) {
		i := strings.IndexByte("abcdefghijklmnopqrstuvwxyzILO", c)
		if i >= 0 && alphabet == Crockford {
			c = "ABCDEFGH1JK1MN0PQRSTUVWXYZ110"[i]
		}
		all = append(all, strings.IndexByte(alphabet, c))
	}
	return all
}

// value is the sum of the places in base len(alphabet), each increased by add.
func value(all []int, size, add int) (*big.Int, bool) {
	n := new(big.Int)
	for _, place := range all {
		if place < 0 {
			return nil, false
		}
		n.Mul(n, big.NewInt(int64(size))).Add(n, big.NewInt(int64(place+add)))
	}
	return n, true
}

// Number reads gid_encode(). The bytes of a uuid: n.FillBytes(make([]byte, 16)).
func Number(text, alphabet string) (*big.Int, bool) {
	return value(places(text, alphabet), len(alphabet), 0)
}

// Position of a code of gid_next_code(): that of the seed, plus the value.
func Position(code, alphabet string) (*big.Int, bool) {
	return value(places(code, alphabet), len(alphabet), 1)
}

func CheckValid(code, alphabet string) bool {
	all, size, sum := places(code, alphabet), len(alphabet), 0
	for i, place := range all {
		if place < 0 {
			return false
		}
		if (len(all)-i)%2 == 0 {
			if place *= 2; place >= size {
				place -= size - 1
			}
		}
		sum += place
	}
	return len(all) >= 2 && sum%size == 0
}

var typeIDs = regexp.MustCompile(
	`^(?:([a-z](?:[a-z_]{0,61}[a-z])?)_)?([0-7][0-9a-hjkmnp-tv-z]{25})$`)

// TypeID returns the bytes of the uuid.
func TypeID(text string) (prefix string, b []byte, ok bool) {
	found := typeIDs.FindStringSubmatch(text)
	if found == nil {
		return "", nil, false
	}
	n, _ := Number(found[2], Crockford)
	return found[1], n.FillBytes(make([]byte, 16)), true
}

// sipHash is SipHash-2-4 of a message of 8 to 15 bytes. The key has 16 bytes.
func sipHash(key, message []byte) uint64 {
	k0, k1 := binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[8:])
	a, b := k0^0x736f6d6570736575, k1^0x646f72616e646f6d
	c, d := k0^0x6c7967656e657261, k1^0x7465646279746573
	padded := append(append([]byte{}, message...), make([]byte, 16-len(message))...)
	padded[15] = byte(len(message))
	rounds := func(n int) {
		for ; n > 0; n-- {
			a, c = a+b, c+d
			b, d, a = bits.RotateLeft64(b, 13)^a, bits.RotateLeft64(d, 16)^c, bits.RotateLeft64(a, 32)
			a, c = a+d, c+b
			d, b, c = bits.RotateLeft64(d, 21)^a, bits.RotateLeft64(b, 17)^c, bits.RotateLeft64(c, 32)
		}
	}
	for i := 0; i < 16; i += 8 {
		word := binary.LittleEndian.Uint64(padded[i:])
		d ^= word
		rounds(2)
		a ^= word
	}
	c ^= 0xff
	rounds(4)
	return a ^ b ^ c ^ d
}

func turn(id, key []byte, version, other byte) ([]byte, bool) {
	if id[6]>>4 != version || id[8]>>6 != 2 {
		return nil, false
	}
	message := append([]byte{id[6] & 15, id[7], id[8] & 63}, id[9:]...)
	b := append([]byte{}, id...)
	hi := binary.BigEndian.Uint64(b) ^ sipHash(key, message)<<16 ^ uint64(version^other)<<12
	binary.BigEndian.PutUint64(b, hi)
	return b, true
}

// UUIDMask: ok is false for another version than 7.
func UUIDMask(id, key []byte) (masked []byte, ok bool) {
	return turn(id, key, 7, 4)
}

// UUIDUnmask: ok is false for another version than 4.
func UUIDUnmask(masked, key []byte) (id []byte, ok bool) {
	return turn(masked, key, 4, 7)
}
