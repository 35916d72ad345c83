"""Functions that read gid's ids without a database.

Copy this file, or the functions that you need. It uses only the standard library.
doc/reading-ids.md of gid explains them. Copyright (c) 2026, the gid authors; PostgreSQL License.
"""

import math
import re
import string
import uuid

TICKS_1970 = 621355968000000000    # 100 ns each since 0001-01-01
TICKS_2200 = 693937152000000000
TICKS_10000 = 3155378976000000000
EPOCH_END = 253402300800000        # Unix milliseconds of the year 10000


def integer(n, first, last):    # a ValueError: not an int, or out of range
    if not isinstance(n, int) or not first <= n <= last:
        raise ValueError(f"{n!r}: not an integer of {first} to {last}")
    return n


def bigint(id):
    return integer(id, -2**63, 2**63 - 1)


def octets(b, length):    # a ValueError: not bytes, or another length
    if not isinstance(b, (bytes, bytearray, memoryview)) or len(b) != length:
        raise ValueError(f"not {length} bytes")
    return bytes(b)


def read_uuid(text):    # as PostgreSQL reads it; a ValueError: no UUID
    hex = "(?:[0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}"
    if not isinstance(text, str) or not re.fullmatch(rf"{hex}|\{{{hex}\}}", text):
        raise ValueError(f"{text!r}: no UUID")
    return uuid.UUID(text)


def uuid_v7(id):
    n = read_uuid(id).int
    if n >> 76 & 15 != 7 or n >> 62 & 3 != 2:
        return None
    return {"unix_ms": n >> 80,
            "fraction": (n >> 64 & 0xfff) << 4 | n >> 58 & 15}    # of 65536, in gid's ids


def uuid_from_mssql(id):
    s = read_uuid(id).bytes
    return str(uuid.UUID(bytes=s[10:] + s[8:10] + s[7::-1]))


def uuid_sequential(id):
    b = read_uuid(id).bytes
    ticks = int.from_bytes(b[:8], "big")
    looks_rfc = b[8] >> 6 == 2 and 1 <= b[6] >> 4 <= 8
    first, end = (TICKS_1970, TICKS_2200) if looks_rfc else (0, TICKS_10000)
    if not first <= ticks < end:
        return None
    return {"ticks": ticks,    # Unix microseconds: (ticks - TICKS_1970) // 10
            "process": (b[12:] + b[10:12] + b[8:10]).hex()}


def uuid_shard(id):
    b = read_uuid(id).bytes
    return {"unix_s": int.from_bytes(b[:4], "big"),
            "generator": bytes([b[5], b[4], b[7], b[6], b[8]]).hex(),
            "counter": int.from_bytes(b[9:12], "big"),
            "shard": int.from_bytes(b[12:], "little")}    # region: shard >> 22


def trace_id(id, near_s, thread_bits=12):
    low, counter_bits = bigint(id) & 0x3fffff, 22 - integer(thread_bits, 0, 22)
    if not math.isfinite(near_s):
        raise ValueError(f"{near_s!r}: not a finite time")
    near_s = math.floor(near_s)
    if id < 1 or low == 0:
        return None
    return {"unix_s": near_s - (near_s - (id >> 38) & 0x1ffffff),    # not after near_s
            "node": id >> 22 & 0xffff,
            "thread": low >> counter_bits,
            "counter": low & (1 << counter_bits) - 1}


def snowflake_id(id, epoch_ms=1288834974657):
    integer(epoch_ms, 0, EPOCH_END - 1)
    if bigint(id) < 1:
        return None
    return {"unix_ms": (id >> 22) + epoch_ms, "node": id >> 12 & 0x3ff, "sequence": id & 0xfff}


def decimal_id(id):
    if not 10**10 <= bigint(id) <= 9223372029999999999:
        return None
    return {"counter": id // 10**10, "generator": id // 10**5 % 10**5, "launch": id % 10**5}


def gdid(b):    # 12 bytes; of 24 hexadecimal digits: bytes.fromhex(digits)
    b = octets(b, 12)
    id = int.from_bytes(b[4:], "big")
    return {"era": int.from_bytes(b[:4], "big"),
            "authority": id >> 60,
            "counter": id & (1 << 60) - 1}


DIGITS, LOWER, UPPER = string.digits, string.ascii_lowercase, string.ascii_uppercase
BOTH = "".join(a + b for a, b in zip(UPPER, LOWER))
CHARSETS = {"numeric": DIGITS, "alpha_lower": LOWER, "alpha_upper": UPPER, "alpha": BOTH,
            "alphanumeric_lower": DIGITS + LOWER, "alphanumeric_upper": DIGITS + UPPER,
            "alphanumeric": DIGITS + BOTH, "crockford": "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
            "hex": "0123456789abcdef", "base62": DIGITS + UPPER + LOWER,
            "base58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"}
TYPED = str.maketrans("abcdefghijklmnopqrstuvwxyzILO", "ABCDEFGH1JK1MN0PQRSTUVWXYZ110")


def alphabet(charset):    # a name, or "chars:" and the characters; a ValueError: neither
    chars = charset[6:] if charset.startswith("chars:") else CHARSETS.get(charset, "")
    if not re.fullmatch("[!-~]{2,94}", chars) or len(set(chars)) < len(chars):
        raise ValueError(f"{charset!r}: no charset")
    return chars


def as_typed(text, charset):    # Crockford's alphabet in either case; I, L and O are digits
    return text.translate(TYPED) if charset == "crockford" else text


def decode(text, charset, bits, fixed=True):    # a ValueError: no text of gid_encode()
    chars, n = alphabet(charset), 0
    for c in as_typed(text, charset):
        n = n * len(chars) + chars.index(c)
    width = next(w for w in range(1, bits + 1) if len(chars) ** w >> bits)
    if n >> bits or not text or fixed and len(text) != width:
        raise ValueError(f"{text!r}: too large, or of a wrong length")
    return n


def decode_bigint(text, charset="crockford"):
    return decode(text, charset, 63, fixed=False)


def decode_uuid(text, charset="crockford"):    # in crockford: a ULID
    return str(uuid.UUID(int=decode(text, charset, 128)))


def decode_gdid(text, charset="crockford"):
    return gdid(decode(text, charset, 96).to_bytes(12, "big"))


def position(code, charset="numeric"):    # of gid_next_code(): the seed's, plus the value
    chars, n = alphabet(charset), 0
    for c in code:
        n = n * len(chars) + chars.index(c) + 1
    return n


def check_valid(code, charset="crockford"):
    chars = alphabet(charset)
    all, size = [chars.find(c) for c in as_typed(code, charset)], len(chars)
    if len(all) < 2 or -1 in all:
        return False
    doubled = [2 * place if 2 * place < size else 2 * place - size + 1 for place in all[-2::-2]]
    return (sum(all[-1::-2]) + sum(doubled)) % size == 0


def typeid(text):    # None: no TypeID
    found = re.fullmatch("(?:([a-z](?:[a-z_]{0,61}[a-z])?)_)?([0-7][0-9a-hjkmnp-tv-z]{25})", text)
    if found is None:
        return None
    return {"prefix": found[1] or "", "uuid": decode_uuid(found[2])}


def siphash(key, message):    # SipHash-2-4, 64 bits; the key is 16 bytes
    low = 2**64 - 1
    turn = lambda n, bits: (n << bits | n >> 64 - bits) & low
    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    a, b, c, d = (k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d,
                  k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573)
    message = message.ljust(len(message) // 8 * 8 + 7, b"\0") + bytes([len(message) % 256])
    words = [int.from_bytes(message[i:i + 8], "little") for i in range(0, len(message), 8)]
    for word, rounds in [(word, 2) for word in words] + [(0, 4)]:
        d, c = d ^ word, c ^ (0xff if rounds == 4 else 0)
        for _ in range(rounds):
            a, c = a + b & low, c + d & low
            b, d, a = turn(b, 13) ^ a, turn(d, 16) ^ c, turn(a, 32)
            a, c = a + d & low, c + b & low
            d, b, c = turn(d, 21) ^ a, turn(b, 17) ^ c, turn(c, 32)
        a ^= word
    return a ^ b ^ c ^ d


def uuid_mask(id, key, version=7, other=4):    # None: not of this version
    key, n = octets(key, 16), read_uuid(id).int
    if n >> 76 & 15 != version or n >> 62 & 3 != 2:
        return None
    rest = (n >> 64 & 0xfff) << 64 | n & (1 << 62) - 1
    hash = siphash(key, rest.to_bytes(10, "big")) & (1 << 48) - 1
    return str(uuid.UUID(int=n ^ hash << 80 ^ (version ^ other) << 76))


def uuid_unmask(id, key):
    return uuid_mask(id, key, 4, 7)
