// Package readingids reads gid's ids without a database.
//
// Copy this file, or the functions that you need. It uses only the standard library.
// doc/reading-ids.md of gid explains them. Copyright (c) 2026, the gid authors; PostgreSQL License.
package readingids

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"regexp"
	"strings"
)

const (
	Ticks1970  = 621355968000000000 // 100 ns each since 0001-01-01
	ticks2200  = 693937152000000000
	ticks10000 = 3155378976000000000
	epochEnd   = 253402300800000 // Unix milliseconds of the year 10000
)

// ErrKind says that the id is of another kind. Any other error refuses what PostgreSQL refuses.
var ErrKind = errors.New("an id of another kind")

// demand returns an error unless the bytes are as many.
func demand(b []byte, length int) error {
	if len(b) != length {
		return fmt.Errorf("%d bytes, not %d", len(b), length)
	}
	return nil
}

var uuids = regexp.MustCompile(`^(\{?)((?:[0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4})(\}?)$`)

// UUIDBytes makes the bytes of a text, as PostgreSQL reads it. Of a [16]byte, as packages have
// it, take id[:].
func UUIDBytes(id string) ([]byte, error) {
	found := uuids.FindStringSubmatch(id)
	if found == nil || len(found[1]) != len(found[3]) {
		return nil, errors.New("no UUID: " + id)
	}
	return hex.DecodeString(strings.ReplaceAll(found[2], "-", ""))
}

// UUIDv7 returns the fraction of the millisecond, of 65536, for gid's ids.
func UUIDv7(b []byte) (unixMs int64, fraction int, err error) {
	if err = demand(b, 16); err != nil {
		return 0, 0, err
	}
	hi, lo := binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
	if hi>>12&15 != 7 || lo>>62 != 2 {
		return 0, 0, ErrKind
	}
	return int64(hi >> 16), int(hi&0xfff<<4 | lo>>58&15), nil
}

func UUIDFromMssql(s []byte) ([]byte, error) {
	if err := demand(s, 16); err != nil {
		return nil, err
	}
	b := append(append([]byte{}, s[10:]...), s[8:10]...)
	for i := 7; i >= 0; i-- {
		b = append(b, s[i])
	}
	return b, nil
}

// UUIDSequential: Unix microseconds are (ticks - Ticks1970) / 10.
func UUIDSequential(b []byte) (ticks int64, process []byte, err error) {
	if err = demand(b, 16); err != nil {
		return 0, nil, err
	}
	first, end := uint64(0), uint64(ticks10000)
	if version := b[6] >> 4; b[8]>>6 == 2 && version >= 1 && version <= 8 {
		first, end = Ticks1970, ticks2200
	}
	if n := binary.BigEndian.Uint64(b); n < first || n >= end {
		return 0, nil, ErrKind
	}
	process = append(append([]byte{}, b[12:]...), b[10], b[11], b[8], b[9])
	return int64(binary.BigEndian.Uint64(b)), process, nil
}

// UUIDShard: the region is shard >> 22.
func UUIDShard(b []byte) (unixS uint32, generator []byte, counter, shard uint32, err error) {
	if err = demand(b, 16); err != nil {
		return 0, nil, 0, 0, err
	}
	return binary.BigEndian.Uint32(b), []byte{b[5], b[4], b[7], b[6], b[8]},
		binary.BigEndian.Uint32(b[8:]) & 0xffffff, binary.LittleEndian.Uint32(b[12:]), nil
}

// TraceID takes 12 thread bits for gid's ids. The second is not after nearS.
func TraceID(id, nearS int64, threadBits uint) (unixS int64, node, thread, counter int, err error) {
	if threadBits > 22 {
		return 0, 0, 0, 0, fmt.Errorf("%d thread bits", threadBits)
	}
	low, counterBits := int(id&0x3fffff), 22-threadBits
	if id < 1 || low == 0 {
		return 0, 0, 0, 0, ErrKind
	}
	return nearS - (nearS-id>>38)&0x1ffffff, int(id >> 22 & 0xffff),
		low >> counterBits, low & (1<<counterBits - 1), nil
}

// SnowflakeID takes 1288834974657 as the epoch of Twitter.
func SnowflakeID(id, epochMs int64) (unixMs int64, node, sequence int, err error) {
	if epochMs < 0 || epochMs >= epochEnd {
		return 0, 0, 0, fmt.Errorf("%d: no epoch", epochMs)
	}
	if id < 1 {
		return 0, 0, 0, ErrKind
	}
	return id>>22 + epochMs, int(id >> 12 & 0x3ff), int(id & 0xfff), nil
}

func DecimalID(id int64) (counter, generator, launch int64, err error) {
	if id < 1e10 || id > 9223372029999999999 {
		return 0, 0, 0, ErrKind
	}
	return id / 1e10, id / 1e5 % 1e5, id % 1e5, nil
}

// GDID takes 12 bytes; hex.DecodeString() makes them of 24 digits.
func GDID(b []byte) (era uint32, authority int, counter int64, err error) {
	if err = demand(b, 12); err != nil {
		return 0, 0, 0, err
	}
	id := binary.BigEndian.Uint64(b[4:])
	return binary.BigEndian.Uint32(b), int(id >> 60), int64(id & (1<<60 - 1)), nil
}

const (
	digits = "0123456789"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	both   = "AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz"
)

var charsets = map[string]string{
	"numeric": digits, "alpha_lower": lower, "alpha_upper": upper, "alpha": both,
	"alphanumeric_lower": digits + lower, "alphanumeric_upper": digits + upper,
	"alphanumeric": digits + both, "crockford": "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
	"hex": "0123456789abcdef", "base62": digits + upper + lower,
	"base58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}

var lists = regexp.MustCompile(`^[!-~]{2,94}$`)

// alphabet returns the characters of a charset: a name, or "chars:" and the characters.
func alphabet(charset string) (string, error) {
	chars, ok := charsets[charset]
	if !ok {
		chars = strings.TrimPrefix(charset, "chars:")
		ok = chars != charset && lists.MatchString(chars)
	}
	for i, c := range chars {
		ok = ok && strings.LastIndexByte(chars, byte(c)) == i
	}
	if !ok {
		return "", errors.New("no charset: " + charset)
	}
	return chars, nil
}

// asTyped reads Crockford's alphabet in either case, and I, L and O as digits.
func asTyped(text, charset string) string {
	return strings.Map(func(c rune) rune {
		i := strings.IndexRune("abcdefghijklmnopqrstuvwxyzILO", c)
		if i >= 0 && charset == "crockford" {
			return rune("ABCDEFGH1JK1MN0PQRSTUVWXYZ110"[i])
		}
		return c
	}, text)
}

// value is the places of a text's characters in the alphabet, each increased by add, as a number.
func value(text, chars string, add int) (*big.Int, error) {
	n, size := new(big.Int), big.NewInt(int64(len(chars)))
	for _, c := range text {
		place := strings.IndexRune(chars, c)
		if place < 0 {
			return nil, errors.New("no such character: " + text)
		}
		n.Mul(n, size).Add(n, big.NewInt(int64(place+add)))
	}
	return n, nil
}

// decode returns the bytes of gid_encode()'s id.
func decode(text, charset string, bits int, fixed bool) ([]byte, error) {
	chars, err := alphabet(charset)
	if err != nil {
		return nil, err
	}
	n, err := value(asTyped(text, charset), chars, 0)
	if err != nil {
		return nil, err
	}
	width, size := 0, big.NewInt(int64(len(chars)))
	for most := big.NewInt(1); most.BitLen() <= bits; width++ {
		most.Mul(most, size)
	}
	if n.BitLen() > bits || text == "" || fixed && len(text) != width {
		return nil, errors.New("too large, or of a wrong length: " + text)
	}
	return n.FillBytes(make([]byte, (bits+7)/8)), nil
}

func DecodeBigint(text, charset string) (int64, error) {
	b, err := decode(text, charset, 63, false)
	if err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// DecodeUUID reads a ULID, in crockford.
func DecodeUUID(text, charset string) ([]byte, error) {
	return decode(text, charset, 128, true)
}

func DecodeGDID(text, charset string) (era uint32, authority int, counter int64, err error) {
	b, err := decode(text, charset, 96, true)
	if err != nil {
		return 0, 0, 0, err
	}
	return GDID(b)
}

// Position of a code of gid_next_code(): that of the seed, plus the value.
func Position(code, charset string) (*big.Int, error) {
	chars, err := alphabet(charset)
	if err != nil {
		return nil, err
	}
	return value(code, chars, 1)
}

func CheckValid(code, charset string) (bool, error) {
	chars, err := alphabet(charset)
	if err != nil {
		return false, err
	}
	all, size, sum := asTyped(code, charset), len(chars), 0
	for i := range all {
		place := strings.IndexByte(chars, all[i])
		if place < 0 {
			return false, nil
		}
		if (len(all)-i)%2 == 0 {
			if place *= 2; place >= size {
				place -= size - 1
			}
		}
		sum += place
	}
	return len(all) >= 2 && sum%size == 0, nil
}

var typeIDs = regexp.MustCompile(
	`^(?:([a-z](?:[a-z_]{0,61}[a-z])?)_)?([0-7][0-9a-hjkmnp-tv-z]{25})$`)

// TypeID returns the bytes of the uuid. ErrKind: no TypeID.
func TypeID(text string) (prefix string, b []byte, err error) {
	found := typeIDs.FindStringSubmatch(text)
	if found == nil {
		return "", nil, ErrKind
	}
	b, err = DecodeUUID(found[2], "crockford")
	return found[1], b, err
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

func turn(id, key []byte, version, other byte) ([]byte, error) {
	if err := demand(id, 16); err != nil {
		return nil, err
	}
	if err := demand(key, 16); err != nil {
		return nil, err
	}
	if id[6]>>4 != version || id[8]>>6 != 2 {
		return nil, ErrKind
	}
	message := append([]byte{id[6] & 15, id[7], id[8] & 63}, id[9:]...)
	b := append([]byte{}, id...)
	hi := binary.BigEndian.Uint64(b) ^ sipHash(key, message)<<16 ^ uint64(version^other)<<12
	binary.BigEndian.PutUint64(b, hi)
	return b, nil
}

// UUIDMask returns ErrKind for another version than 7.
func UUIDMask(id, key []byte) (masked []byte, err error) {
	return turn(id, key, 7, 4)
}

// UUIDUnmask returns ErrKind for another version than 4.
func UUIDUnmask(masked, key []byte) (id []byte, err error) {
	return turn(masked, key, 4, 7)
}
