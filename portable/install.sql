-- gid 2.1sql: gid in SQL and PL/pgSQL, for a server that takes no files.
-- Made by tools/portable.pl of gid--2.1.sql and portable/bodies.sql; do not edit.@
--
--	psql -d mydb -f install.sql
--
-- Or paste it into any other client: it is one statement, and makes everything or nothing.
-- Where the extension pg_tle is in the database, it registers gid with pg_tle; then run
-- CREATE EXTENSION gid.  Elsewhere it makes the objects: the schema gid, and the functions in
-- the first schema of search_path.
DO $install$
DECLARE
	script pg_catalog.text := $gid$
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

CREATE SCHEMA gid;

-- Raises an error.  The planner calls a function whose arguments are all constants, even in
-- a branch of CASE that is not taken.  So the arguments of a call have every parameter
-- that the condition of its branch has.
CREATE FUNCTION gid._raise(state text, message text, detail text, hint text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
	IF hint IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message, DETAIL = detail;
	END IF;
	RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message, DETAIL = detail, HINT = hint;
END
$$;

CREATE FUNCTION gid._needs_library(call text)
RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL SAFE
AS $$
BEGIN
	RAISE EXCEPTION USING ERRCODE = '0A000',
		MESSAGE = call || ' needs gid''s library',
		DETAIL = 'This server has gid in SQL. Without shared memory, gid cannot promise here what the function promises.',
		HINT = 'See the table of the manual''s chapter "On a managed server" for what to use instead.';
END
$$;

-- A text in a message: at most 100 bytes of it.
CREATE FUNCTION gid._shown(value text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	shown text := left(value, 100);
BEGIN
	WHILE octet_length(shown) > 100 LOOP
		shown := left(shown, -1);
	END LOOP;
	RETURN shown;
END
$$;

CREATE FUNCTION gid._range(name text, value bigint, first bigint, last bigint, hint text)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN value < first OR value > last
	THEN gid._raise('22003', name || ' ' || value::text || ' is out of range',
		'The range is ' || first::text || ' to ' || last::text || '.', hint)::bigint
	ELSE value END;

CREATE FUNCTION gid._length(name text, value bytea, wanted int)
RETURNS bytea
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN length(value) <> wanted
	THEN gid._raise('22003', name || ' of ' || length(value)::text || ' bytes is out of range',
		'The length must be ' || wanted::text || ' bytes.',
		'Use a bytea of that length, for example decode(''' || repeat('0', 2 * wanted) || ''', ''hex'').')::bytea
	ELSE value END;

-- The microseconds since 2000 of a moment, as PostgreSQL keeps it.  Those since 1970 are
-- 946684800000000 more, and too many for a bigint at the end of the type's range.  Infinity
-- is the greatest bigint.
CREATE FUNCTION gid._microseconds(at timestamptz)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN ('x' || encode(timestamptz_send(at), 'hex'))::bit(64)::bigint;

-- The moment so many microseconds after another one, exactly.
CREATE FUNCTION gid._moment(microseconds bigint, after timestamp DEFAULT '1970-01-01 00:00:00')
RETURNS timestamptz
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN timezone('UTC', after + (microseconds / 3600000000)::float8 * interval '1 hour'
	+ (microseconds % 3600000000)::float8 * interval '1 microsecond');

-- A quotient, rounded down.
CREATE FUNCTION gid._floor(dividend bigint, divisor bigint)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN dividend / divisor - CASE WHEN dividend % divisor < 0 THEN 1 ELSE 0 END;

-- The microseconds since 2000 of a moment, which has to be in a range of them.
CREATE FUNCTION gid._time(kind text, at timestamptz, first bigint, last bigint, range text)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN gid._microseconds(at) < first OR gid._microseconds(at) > last
	-- the moment is an argument, so that the call is no constant where the condition is none
	THEN gid._raise('22008', 'timestamp is out of range for ' || kind || left(gid._microseconds(at)::text, 0),
		'The range is ' || range || '.', 'Give a finite moment within the range.')::bigint
	ELSE gid._microseconds(at) END;

CREATE FUNCTION gid._hex(value bigint, digits int)
RETURNS text
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN lpad(to_hex(value), digits, '0');

-- The 64 bits of a UUID from a hexadecimal digit on, of which the first is 1.
CREATE FUNCTION gid._word(id uuid, first int)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN ('x' || substr(encode(uuid_send(id), 'hex'), first, 16))::bit(64)::bigint;

-- Eight bytes in reverse order, in hexadecimal digits.
CREATE FUNCTION gid._reversed(bytes bytea)
RETURNS text
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(encode(bytes, 'hex') COLLATE "C", '^(..)(..)(..)(..)(..)(..)(..)(..)$', '\8\7\6\5\4\3\2\1');

CREATE FUNCTION gid._is_rfc(id uuid)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN get_byte(uuid_send(id), 8) & 192 = 128;

-- 48 bits of milliseconds and 16 of their fraction, then 58 of 64 random bits.
CREATE FUNCTION gid._pack_v7(word bigint, random uuid)
RETURNS uuid
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (gid._hex(word >> 16 & 281474976710655, 12) || '7' || gid._hex(word >> 4 & 4095, 3)
	|| to_hex(8 | (word >> 2 & 3)) || to_hex((word & 3) << 2 | (get_byte(uuid_send(random), 0) & 3))
	|| substr(encode(uuid_send(random), 'hex'), 19))::uuid;

-- The word of an id: that of the clock, or the one after the session's last.  The setting
-- that keeps it goes back with a rollback, and so do the ids that were stored meanwhile.
CREATE FUNCTION gid._uuid_v7()
RETURNS uuid
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	now CONSTANT bigint := gid._microseconds(clock_timestamp()) + 946684800000000;
	word bigint := ((now / 1000) << 16) | ((now % 1000) << 16) / 1000;
BEGIN
	word := greatest(word, nullif(current_setting('gid_sql.uuid_v7', true), '')::bigint + 1);
	PERFORM set_config('gid_sql.uuid_v7', word::text, false);
	RETURN gid._pack_v7(word, gen_random_uuid());
END
$$;

CREATE FUNCTION gid._v7_time(at timestamptz)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._time('a version 7 UUID', at, -946684800000000, 280528291910655999, '1970-01-01 00:00:00 to 10889-08-02 05:31:50.655999 UTC');

-- The ends of ranges of time: NULL and infinity are open ends.
CREATE FUNCTION gid._low(since timestamptz, first bigint, last bigint)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN gid._microseconds(since) <= last OR since IS NULL
	THEN greatest(gid._microseconds(since), first) END;

CREATE FUNCTION gid._below(until timestamptz, first bigint, last bigint, unit bigint)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN gid._microseconds(until) >= first + unit OR until IS NULL
	THEN least(gid._microseconds(until) - unit, last) END;

CREATE FUNCTION gid._sequential_time(at timestamptz)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._time('a sequential UUID', at, -63082281600000000, 252455615999999999, '0001-01-01 00:00:00 to 9999-12-31 23:59:59.999999 UTC');

-- Are the first 64 bits ticks?  Other makers' ids may look like one of the RFC.
CREATE FUNCTION gid._has_ticks(id uuid)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN gid._is_rfc(id) AND get_byte(uuid_send(id), 6) >> 4 BETWEEN 1 AND 8
	THEN gid._word(id, 1) BETWEEN 621355968000000000 AND 693937151999999999
	ELSE gid._word(id, 1) BETWEEN 0 AND 3155378975999999999 END;

-- The generator and the shard key have .NET's order of bytes.
CREATE FUNCTION gid._pack_shard(seconds bigint, generator bytea, counter bigint, shard bigint)
RETURNS uuid
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (gid._hex(seconds & 4294967295, 8)
	|| regexp_replace(encode(generator, 'hex') COLLATE "C", '^(..)(..)(..)(..)(..)$', '\2\1\4\3\5') || gid._hex(counter, 6)
	|| regexp_replace(gid._hex(shard, 8) COLLATE "C", '^(..)(..)(..)(..)$', '\4\3\2\1'))::uuid;

CREATE FUNCTION gid._shard_seconds(at timestamptz)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._floor(gid._time('a shard-key UUID', at, -946684800000000, 9223372036854775806,
	'1970-01-01 00:00:00 UTC on; the seconds in an id begin at 0 again every 2^32 seconds'), 1000000) + 946684800;

CREATE FUNCTION gid._trace_seconds(at timestamptz)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._floor(gid._time('a TraceId', at, -946684800000000, 9223372036854775806,
	'1970-01-01 00:00:00 UTC on; the seconds in an id begin at 0 again every 2^25 seconds'), 1000000) + 946684800;

CREATE FUNCTION gid._trace_bits(thread_bits int)
RETURNS int
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._range('thread_bits', thread_bits, 0, 22,
	'The low 22 bits of a TraceId are split into thread_bits for the thread and the rest for the counter.')::int;

CREATE FUNCTION gid._is_trace_id(id bigint)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id > 0 AND id & 4194303 > 0;

-- The latest second, at most "near", with the 25 bits of an id.  "near" counts from 2000, because
-- the last microseconds of timestamptz since 1970 are no bigint.
CREATE FUNCTION gid._trace_moment(id bigint, near bigint)
RETURNS timestamptz
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._moment((near - ((near + 946684800 - (id >> 38)) & 33554431)) * 1000000, '2000-01-01 00:00:00');

CREATE FUNCTION gid._epoch(epoch_ms bigint)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN gid._range('epoch_ms', epoch_ms, 0, 253402300799999,
	'Give the epoch in milliseconds since 1970-01-01 UTC: 1288834974657 is Twitter''s, 1420070400000 Discord''s.');

-- The milliseconds from the epoch on, of 41 bits.
CREATE FUNCTION gid._snowflake_ms(at timestamptz, epoch_ms bigint)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET datestyle = 'ISO'
AS $$
DECLARE
	first CONSTANT bigint := gid._epoch(epoch_ms) * 1000 - 946684800000000;
	last CONSTANT bigint := first + 2199023255551999;
	microseconds CONSTANT bigint := gid._microseconds(at);
BEGIN
	IF microseconds < first OR microseconds > last THEN
		PERFORM gid._raise('22008', 'timestamp is out of range for a Snowflake id',
			format('The range of epoch_ms %s is %s to %s UTC.', epoch_ms, timezone('UTC', gid._moment(first + 946684800000000)),
				timezone('UTC', gid._moment(last + 946684800000000))),
			'Give a moment within the range, or the epoch_ms of the ids.');
	END IF;
	RETURN (microseconds - first) / 1000;
END
$$;

CREATE FUNCTION gid._snowflake_low(since timestamptz, epoch_ms bigint)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (gid._low(since, epoch_ms * 1000 - 946684800000000, gid._epoch(epoch_ms) * 1000 + 1252338455551999) + 946684800000000) / 1000
	- epoch_ms;

-- The characters of a charset.
CREATE FUNCTION gid._characters(charset text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	named CONSTANT text COLLATE "C" := charset;
	found text COLLATE "C" := CASE named
		WHEN 'numeric' THEN '0123456789'
		WHEN 'alpha_lower' THEN 'abcdefghijklmnopqrstuvwxyz'
		WHEN 'alpha_upper' THEN 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
		WHEN 'alpha' THEN 'AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz'
		WHEN 'alphanumeric_lower' THEN '0123456789abcdefghijklmnopqrstuvwxyz'
		WHEN 'alphanumeric_upper' THEN '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
		WHEN 'alphanumeric' THEN '0123456789AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz'
		WHEN 'crockford' THEN '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
		WHEN 'hex' THEN '0123456789abcdef'
		WHEN 'base58' THEN '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
		WHEN 'base62' THEN '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz' END;
	problem text := 'No charset has this name.';
	c text COLLATE "C";
BEGIN
	IF found IS NULL AND starts_with(named, 'chars:') THEN
		found := substr(named, 7);
		problem := CASE WHEN length(found) < 2 THEN 'The list has fewer than two characters.' END;
		FOR i IN 1 .. length(found) LOOP
			c := substr(found, i, 1);
			IF c !~ '^[!-~]$' THEN
				problem := format('Character %s of the list is a blank or not printable ASCII.', i);
			ELSIF strpos(found, c) < i THEN
				problem := format('The list has "%s" twice.', c);
			ELSE
				CONTINUE;
			END IF;
			found := NULL;
			EXIT;
		END LOOP;
	ELSIF found IS NOT NULL THEN
		problem := NULL;
	END IF;
	IF problem IS NOT NULL THEN
		PERFORM gid._raise_charset(named, problem);
	END IF;
	RETURN found;
END
$$;

CREATE FUNCTION gid._raise_charset(charset text, problem text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	PERFORM gid._raise('22023', format('invalid charset "%s"', gid._shown(charset)), problem,
		'Use numeric, alpha_lower, alpha_upper, alpha, alphanumeric_lower, alphanumeric_upper, alphanumeric, crockford, hex, base58, base62, or chars: and 2 to 94 distinct printable ASCII characters without blank.');
END
$$;

-- What a person typed, in the characters of the charset: Crockford's alphabet is read in
-- either case, I and L as 1 and O as 0.
CREATE FUNCTION gid._typed(code text, charset text)
RETURNS text
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN charset COLLATE "C" = 'crockford'
	THEN translate(code COLLATE "C", 'abcdefghijklmnopqrstuvwxyzILO', 'ABCDEFGH1JK1MN0PQRSTUVWXYZ110') ELSE code END;

-- The position of the first character of a text that is none of these, or 0.
CREATE FUNCTION gid._foreign(code text, characters text)
RETURNS int
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ltrim(code COLLATE "C", characters COLLATE "C") = '' COLLATE "C" THEN 0
	ELSE length(code) - length(ltrim(code COLLATE "C", characters COLLATE "C")) + 1 END;

-- How many characters the largest number of so many bits has.
CREATE FUNCTION gid._width(characters text, bits int)
RETURNS int
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN ceil(bits * ln(2::numeric) / ln(length(characters)::numeric) - 0.000000001)::int;

-- A number of at most 128 bits, with "width" characters or, with 0, with as few as possible.
-- As many digits as a bigint holds are made at a time.
CREATE FUNCTION gid._radix(characters text, number numeric, width int)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	base CONSTANT bigint := length(characters);
	digits CONSTANT int := floor(18 / log(base::numeric));
	step CONSTANT numeric := trunc(base::numeric ^ digits);
	word bigint;
	made text COLLATE "C" := '';
BEGIN
	LOOP
		word := number % step;
		number := div(number, step);
		FOR i IN 1 .. digits LOOP
			EXIT WHEN CASE WHEN width = 0 THEN word = 0 AND number = 0 AND made <> '' ELSE length(made) = width END;
			made := substr(characters, (word % base)::int + 1, 1) || made;
			word := word / base;
		END LOOP;
		EXIT WHEN CASE WHEN width = 0 THEN number = 0 ELSE length(made) = width END;
	END LOOP;
	RETURN made;
END
$$;

-- The number of a text in these characters.  It ends beyond 130 bits, which no caller wants.
CREATE FUNCTION gid._number(code text, characters text)
RETURNS numeric
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	digits CONSTANT text COLLATE "C" := characters;
	base CONSTANT bigint := length(digits);
	chunk CONSTANT int := floor(18 / log(base::numeric));
	number numeric := 0;
	word bigint := 0;
	n int := 0;
	c text COLLATE "C";
BEGIN
	FOREACH c IN ARRAY string_to_array(ltrim(code COLLATE "C", left(digits, 1)), NULL) LOOP
		word := word * base + strpos(digits, c) - 1;
		n := n + 1;
		IF n = chunk THEN
			number := number * trunc(base::numeric ^ n) + word;
			word := 0;
			n := 0;
			EXIT WHEN number > 1361129467683753853853498429727072845824;
		END IF;
	END LOOP;
	RETURN number * trunc(base::numeric ^ n) + word;
END
$$;

-- The number of a text of @extschema@.gid_encode().
CREATE FUNCTION gid._decode(code text, charset text, type text, width int, bits int)
RETURNS numeric
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	characters CONSTANT text COLLATE "C" := gid._characters(charset);
	typed CONSTANT text COLLATE "C" := gid._typed(code, charset);
	at CONSTANT int := gid._foreign(typed, characters);
	number numeric;
	problem text;
BEGIN
	IF at > 0 THEN
		problem := format('Character "%s" at position %s is not in the charset "%s".', substr(code, at, 1), at, characters);
	ELSIF width <> 0 AND length(code) <> width THEN
		problem := format('In this charset a %s has %s characters, not %s.', type, width, length(code));
	ELSIF code = '' COLLATE "C" THEN
		problem := 'The text is empty.';
	ELSE
		number := gid._number(typed, characters);
		IF number < trunc(2::numeric ^ bits) THEN
			RETURN number;
		END IF;
		problem := format('The number has more than %s bits.', bits);
	END IF;
	PERFORM gid._raise('22P02', format('cannot decode "%s" as %s', gid._shown(code), type), problem,
		'Give a text of gid_encode() and the charset that the text was made with.');
END
$$;

-- A UUID as a number, and back.
CREATE FUNCTION gid._number_of(id uuid)
RETURNS numeric
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (gid._word(id, 1) >> 4 & 1152921504606846975)::numeric * 295147905179352825856
	+ (gid._word(id, 16) >> 4 & 1152921504606846975)::numeric * 256
	+ get_byte(uuid_send(id), 15);

CREATE FUNCTION gid._uuid_of(number numeric)
RETURNS uuid
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (gid._hex(div(number, 295147905179352825856)::bigint, 15)
	|| gid._hex(mod(div(number, 256), 1152921504606846976)::bigint, 15) || gid._hex(mod(number, 256)::bigint, 2))::uuid;

-- The alphabet of a code of which the case does not matter: the letters have the case that
-- most letters of the value have, upper case if there are as many of each.
CREATE FUNCTION gid._characters_of_case(charset text, value text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	given CONSTANT text COLLATE "C" := value;
	characters CONSTANT text COLLATE "C" := gid._characters(charset);
	letters_upper CONSTANT int := length(regexp_replace(given, '[^A-Z]', '', 'g'));
	letters_lower CONSTANT int := length(regexp_replace(given, '[^a-z]', '', 'g'));
	found text COLLATE "C" := '';
	c text COLLATE "C";
	other text COLLATE "C";
BEGIN
	FOREACH c IN ARRAY string_to_array(characters, NULL) LOOP
		other := CASE WHEN c = lower(c) THEN upper(c) ELSE lower(c) END;
		-- one of two cases stands where the first of them stands
		IF strpos(characters, other) > 0 AND other <> c THEN
			CONTINUE WHEN strpos(found, other) > 0 OR strpos(found, c) > 0;
			c := CASE WHEN letters_lower > letters_upper THEN lower(c) ELSE upper(c) END;
		END IF;
		found := found || c;
	END LOOP;
	IF length(found) < 2 THEN
		PERFORM gid._raise_charset(charset, 'Ignoring case, it has only one character.');
	END IF;
	RETURN found;
END
$$;

CREATE FUNCTION gid._lexical_add(value text, count bigint, charset text, ignore_case boolean)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	characters CONSTANT text COLLATE "C" :=
		CASE WHEN ignore_case THEN gid._characters_of_case(charset, value) ELSE gid._characters(charset) END;
	base CONSTANT int := length(characters);
	code text[] := string_to_array(value COLLATE "C", NULL);
	i int := coalesce(cardinality(code), 0);
	carry bigint := count;
	c text COLLATE "C";
	place int;
	head text COLLATE "C" := '';
	first int := 1;
BEGIN
	WHILE i > 0 AND carry <> 0 LOOP
		c := code[i];
		place := strpos(characters, c) - 1;
		IF place < 0 AND ignore_case THEN
			place := greatest(strpos(characters, upper(c)), strpos(characters, lower(c))) - 1;
		END IF;
		IF place < 0 AND c <> ' ' THEN
			PERFORM gid._raise('22023', format('character "%s" at position %s of the code is not in the charset', c, i),
				format('The addition reaches this position. %s charset is "%s".',
					CASE WHEN ignore_case THEN 'Ignoring case, the' ELSE 'The' END, characters),
				'Use a charset that has the character. Only the characters that the addition reaches must be in the charset.');
		END IF;
		-- a blank counts as one below the first character
		place := place + (carry % base)::int;
		carry := carry / base;
		IF place < 0 THEN
			place := place + base;
			carry := carry - 1;
		ELSIF place >= base THEN
			place := place - base;
			carry := carry + 1;
		END IF;
		code[i] := substr(characters, place + 1, 1);
		i := i - 1;
	END LOOP;
	WHILE carry > 0 LOOP
		head := substr(characters, ((carry - 1) % base)::int + 1, 1) || head;
		carry := (carry - 1) / base;
	END LOOP;
	IF carry < 0 THEN
		-- the code loses its first character, which has to be the last of the charset
		-- after the borrow, behind others of which each borrowed
		WHILE first <= coalesce(cardinality(code), 0) AND code[first] = substr(characters, base - 1, 1) LOOP
			first := first + 1;
		END LOOP;
		IF carry < -1 OR first >= coalesce(cardinality(code), 0) OR code[first] <> right(characters, 1) THEN
			PERFORM gid._raise('2200H', format('cannot subtract %s from code "%s"', -count::numeric, gid._shown(value)),
				'The result would be shorter than one character.', format('The first code is "%s".', left(characters, 1)));
		END IF;
		RETURN array_to_string(code[first + 1:], '');
	END IF;
	RETURN head || array_to_string(code, '');
END
$$;

-- The check character of Luhn mod N for a code in these characters.
CREATE FUNCTION gid._luhn(code text, characters text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	digits CONSTANT text COLLATE "C" := characters;
	base CONSTANT int := length(digits);
	n int := length(code);
	sum bigint := 0;
	digit int;
	c text COLLATE "C";
BEGIN
	FOREACH c IN ARRAY string_to_array(code COLLATE "C", NULL) LOOP
		digit := strpos(digits, c) - 1;
		-- every other digit counts twice, from the last one on
		IF n % 2 = 1 THEN
			digit := 2 * digit - CASE WHEN 2 * digit < base THEN 0 ELSE base - 1 END;
		END IF;
		sum := sum + digit;
		n := n - 1;
	END LOOP;
	RETURN substr(digits, ((base - sum % base) % base)::int + 1, 1);
END
$$;

CREATE FUNCTION gid._check_append(code text, charset text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	characters CONSTANT text COLLATE "C" := gid._characters(charset);
	typed CONSTANT text COLLATE "C" := gid._typed(code, charset);
	at CONSTANT int := gid._foreign(typed, characters);
BEGIN
	IF typed = '' THEN
		PERFORM gid._raise('22023', 'code is empty', 'A code with a check character has at least one other character.', NULL);
	ELSIF at > 0 THEN
		PERFORM gid._raise('22023', format('character "%s" at position %s of the code is not in the charset', substr(code, at, 1), at),
			format('The charset is "%s".', characters),
			'Use a charset that has all characters of the code, or give only the part of the code that is to be checked.');
	END IF;
	RETURN code || gid._luhn(typed, characters);
END
$$;

CREATE FUNCTION gid._prefix(prefix text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF octet_length(prefix) > 63 OR prefix !~ '^([a-z]([a-z_]*[a-z])?)?$' COLLATE "C" THEN
		PERFORM gid._raise('22023', format('invalid prefix of a TypeID: "%s"', gid._shown(prefix)),
			'A prefix has at most 63 lower-case letters and underscores, and a letter at both ends.',
			'Name the kind of the row, for example user or line_item, or give '''' for no prefix.');
	END IF;
	RETURN prefix;
END
$$;

CREATE FUNCTION gid._typeid_uuid(code text, prefix text)
RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	given CONSTANT text COLLATE "C" := code;
	wanted CONSTANT text COLLATE "C" := gid._prefix(prefix);
	characters CONSTANT text COLLATE "C" := '0123456789abcdefghjkmnpqrstvwxyz';
	-- by bytes, as the library reads it: characters outside ASCII have more than one
	start CONSTANT int := octet_length(given) - 26;
	before int;
	suffix text COLLATE "C";
	at int;
	problem text;
BEGIN
	IF start < 0 OR octet_length(given) > 90 THEN
		problem := format('A TypeID has 26 to 90 characters, but the text has %s bytes.', octet_length(given));
	ELSE
		before := length(given);
		WHILE octet_length(left(given, before)) > start LOOP
			before := before - 1;
		END LOOP;
		suffix := substr(given, before + 1);
		at := gid._foreign(suffix, characters);
		IF start > 0 AND right(left(given, before), 1) <> '_' THEN
			problem := 'No underscore stands before the last 26 characters of the text.';
		ELSIF start > 0 AND left(given, before - 1) !~ '^[a-z]([a-z_]*[a-z])?$' THEN
			problem := 'The text before the last underscore is not a prefix. A prefix has 1 to 63 lower-case letters and underscores, and a letter at both ends.';
		ELSIF at > 0 THEN
			problem := format('Character "%s" at position %s is not in the alphabet "%s".', substr(suffix, at, 1), before + at, characters);
		ELSIF suffix >= '8' THEN
			problem := 'The last 26 characters are a number of more than 128 bits.';
		ELSIF start = 0 AND wanted <> '' THEN
			problem := 'The text has no prefix.';
		ELSIF start > 0 AND left(given, before - 1) <> wanted THEN
			problem := format('The prefix of the text is "%s".', left(given, before - 1));
		ELSE
			RETURN gid._uuid_of(gid._number(suffix, characters));
		END IF;
	END IF;
	PERFORM gid._raise('22P02', format('cannot read "%s" as a TypeID with the prefix "%s"', gid._shown(code), prefix), problem,
		'Give a text of gid_typeid() with this prefix. gid_inspect() shows what another text is.');
END
$$;

-- Arithmetic of unsigned words of 64 bits.
CREATE FUNCTION gid._add(a bigint, b bigint)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (((a >> 32 & 4294967295) + (b >> 32 & 4294967295) + (((a & 4294967295) + (b & 4294967295)) >> 32)) << 32)
	| (((a & 4294967295) + (b & 4294967295)) & 4294967295);

CREATE FUNCTION gid._rotate(a bigint, bits int)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (a << bits) | ((a >> (64 - bits)) & ((1::bigint << bits) - 1));

CREATE FUNCTION gid._multiply(a bigint, b bigint)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	-- the signs do not matter for the low 64 bits
	product CONSTANT numeric := mod(a::numeric * b, 18446744073709551616);
BEGIN
	RETURN CASE WHEN product >= 9223372036854775808 THEN product - 18446744073709551616
		WHEN product < -9223372036854775808 THEN product + 18446744073709551616 ELSE product END;
END
$$;

CREATE FUNCTION gid._little_endian(bytes bytea, first int)
RETURNS bigint
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN ('x' || gid._reversed(substr(bytes, first, 8)))::bit(64)::bigint;

-- SipHash-2-4.
CREATE FUNCTION gid._siphash(key bytea, message bytea)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	padded CONSTANT bytea := message || substr('\x00000000000000'::bytea, 1, 7 - length(message) % 8)
		|| set_byte('\x00', 0, length(message) % 256);
	words CONSTANT int := length(padded) / 8;
	k0 CONSTANT bigint := gid._little_endian(key, 1);
	k1 CONSTANT bigint := gid._little_endian(key, 9);
	v0 bigint := k0 # x'736f6d6570736575'::bigint;
	v1 bigint := k1 # x'646f72616e646f6d'::bigint;
	v2 bigint := k0 # x'6c7967656e657261'::bigint;
	v3 bigint := k1 # x'7465646279746573'::bigint;
	m bigint;
BEGIN
	FOR w IN 1 .. words + 1 LOOP
		m := CASE WHEN w <= words THEN gid._little_endian(padded, 8 * w - 7) ELSE 0 END;
		IF w > words THEN
			v2 := v2 # 255;
		END IF;
		v3 := v3 # m;
		FOR r IN 1 .. CASE WHEN w > words THEN 4 ELSE 2 END LOOP
			v0 := gid._add(v0, v1);
			v1 := gid._rotate(v1, 13) # v0;
			v0 := gid._rotate(v0, 32);
			v2 := gid._add(v2, v3);
			v3 := gid._rotate(v3, 16) # v2;
			v0 := gid._add(v0, v3);
			v3 := gid._rotate(v3, 21) # v0;
			v2 := gid._add(v2, v1);
			v1 := gid._rotate(v1, 17) # v2;
			v2 := gid._rotate(v2, 32);
		END LOOP;
		v0 := v0 # m;
	END LOOP;
	RETURN v0 # v1 # v2 # v3;
END
$$;

-- The permutation of src/layout/permutation.c: ten rounds, each with two keys that are
-- hashes.
CREATE FUNCTION gid._permute(id bigint, key bytea, bits int, back boolean)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	factors bigint[];
	left_bits int;
	right_bits int;
	x bigint := id;
	l bigint;
	r bigint;
	h bigint;
	k int;
BEGIN
	PERFORM gid._range('bits', bits, 8, 63, 'Use 63 for every bigint from 1 on, 53 for ids that JavaScript reads as numbers.');
	IF length(key) NOT BETWEEN 16 AND 64 THEN
		PERFORM gid._raise('22023', format('invalid length of a permutation key: %s bytes', length(key)), 'A key has 16 to 64 bytes.',
			'Make a key once with SELECT uuid_send(gen_random_uuid()), which has 122 random bits, and keep it.');
	END IF;
	PERFORM gid._range('id', id, 1, 9223372036854775807 >> (63 - bits), 'Bits, the third argument, say how large an id can be.');
	left_bits := bits / 2;
	right_bits := bits - left_bits;
	FOR n IN 0 .. 19 LOOP
		factors[n] := gid._siphash(substr(key, 1, 16), 'gidp'::bytea || decode('01' || gid._hex(bits, 2) || gid._hex(length(key), 2)
			|| gid._hex(n, 2), 'hex') || substr(key, 17));
	END LOOP;
	LOOP
		l := x >> right_bits;
		r := x & ((1::bigint << right_bits) - 1);
		FOR i IN 0 .. 9 LOOP
			k := 2 * CASE WHEN back THEN 9 - i ELSE i END;
			h := gid._add(gid._multiply(CASE WHEN (i % 2 = 0) <> back THEN r ELSE l END, factors[k]), factors[k + 1]);
			h := gid._multiply(h # ((h >> 32) & 4294967295), x'9e3779b97f4a7c15'::bigint);
			IF (i % 2 = 0) <> back THEN
				l := l # ((h >> (64 - left_bits)) & ((1::bigint << left_bits) - 1));
			ELSE
				r := r # ((h >> (64 - right_bits)) & ((1::bigint << right_bits) - 1));
			END IF;
		END LOOP;
		x := (l << right_bits) | r;
		-- 0 is no id: go on from it
		EXIT WHEN x <> 0;
	END LOOP;
	RETURN x;
END
$$;

-- uuidv47: the 48 bits of the time, and a hash of the other bits.
CREATE FUNCTION gid._mask(id uuid, key bytea, was int, becomes int)
RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	bytes CONSTANT bytea := uuid_send(id);
	message bytea := substr(bytes, 7);
BEGIN
	IF length(key) <> 16 THEN
		PERFORM gid._raise('22023', format('invalid length of a masking key: %s bytes', length(key)), 'A key has 16 bytes.',
			'Make a key once with SELECT uuid_send(gen_random_uuid()), which has 122 random bits, and keep it.');
	ELSIF NOT gid._is_rfc(id) OR get_byte(bytes, 6) >> 4 <> was THEN
		RETURN NULL;
	END IF;
	message := set_byte(set_byte(message, 0, get_byte(message, 0) & 15), 2, get_byte(message, 2) & 63);
	RETURN gid._hex(((gid._word(id, 1) >> 16) # gid._siphash(key, message)) & 281474976710655, 12)
		|| to_hex(becomes) || substr(encode(bytes, 'hex'), 14);
END
$$;

CREATE FUNCTION gid._next_many(seq regclass, count int)
RETURNS SETOF bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF count NOT BETWEEN 1 AND 65536 THEN
		PERFORM gid._raise('22023', format('count must be from 1 to 65536, not %s', count),
			'gid_next_many() reserves all its values in one step.', 'For more, call the function several times.');
	END IF;
	FOR i IN 1 .. count LOOP
		RETURN NEXT nextval(seq);
	END LOOP;
END
$$;

-- Raises an error unless there is such a sequence and the role has one of the privileges.
CREATE FUNCTION gid._check_sequence(seq regclass, privileges text, use text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	relation pg_class;
BEGIN
	SELECT * INTO relation FROM pg_class AS c WHERE c.oid = seq;
	IF NOT FOUND THEN
		PERFORM gid._raise('42P01', format('sequence with OID %s does not exist', seq::oid), 'It was dropped, or there never was one.',
			'Name a sequence that exists.');
	ELSIF relation.relkind <> 'S' THEN
		PERFORM gid._raise('42809', format('"%s" is not a sequence', relation.relname), use,
			'Name a sequence: for a column, the one that pg_get_serial_sequence() gives.');
	ELSIF NOT has_sequence_privilege(seq, privileges) THEN
		PERFORM gid._raise('42501', format('permission denied for sequence %s', relation.relname),
			format('The current role is "%s".', current_user),
			format('Grant %s on the sequence to the role.', replace(privileges, ',', ' or')));
	END IF;
END
$$;

CREATE FUNCTION gid._check_writes(call text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF pg_is_in_recovery() THEN
		RAISE read_only_sql_transaction USING MESSAGE = format('cannot execute %s during recovery', call);
	ELSIF current_setting('transaction_read_only')::boolean THEN
		RAISE read_only_sql_transaction USING MESSAGE = format('cannot execute %s in a read-only transaction', call);
	END IF;
END
$$;

-- May a query name a relation that the caller has not named?  Whoever owns its schema could
-- rename the schema meanwhile, and no lock prevents it.  The owner of gid could as well replace
-- gid's functions.
CREATE FUNCTION gid._schema_stays(relation oid)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	owner name := (SELECT pg_get_userbyid(n.nspowner) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE c.oid = relation);
BEGIN
	IF owner = 'pg_database_owner' THEN
		owner := (SELECT pg_get_userbyid(d.datdba) FROM pg_database AS d WHERE d.datname = current_database());
	END IF;
	RETURN owner = current_user
		OR owner = (SELECT pg_get_userbyid(n.nspowner) FROM pg_namespace AS n WHERE n.nspname = 'gid')
		OR (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = owner);
END
$$;

-- The name of a relation, for a query.  While a name is looked up, its owner could put a view
-- there, whose functions the query would run.  To prepare a statement locks what has the name,
-- and runs nothing; this relation keeps its name then until the (sub)transaction ends.  NULL if
-- its schema may be renamed, and the caller has not named the relation.
CREATE FUNCTION gid._held(relation oid, is_named boolean)
RETURNS text
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	name CONSTANT text := relation::regclass;
	found oid;
BEGIN
	-- a call that was canceled has left it
	IF EXISTS (SELECT FROM pg_prepared_statements AS p WHERE p.name = 'gid_held') THEN
		DEALLOCATE gid_held;
	END IF;
	-- what was dropped has no name but its number
	IF name <> relation::text THEN
		EXECUTE 'PREPARE gid_held AS SELECT FROM ' || name;
		DEALLOCATE gid_held;
		-- now that it cannot come into another schema
		IF NOT (is_named OR gid._schema_stays(relation)) THEN
			RETURN NULL;
		END IF;
		found := to_regclass(name);
	END IF;
	IF found IS DISTINCT FROM relation THEN
		PERFORM gid._raise('42P01', format('relation "%s" was replaced', name), 'Another session has changed or dropped it meanwhile.',
			'Call the function again.');
	END IF;
	RETURN name;
END
$$;

-- Where a sequence stands.  "last" is NULL if no value was drawn.  "next" may lie beyond the
-- range.  Without SELECT, or a name to read it by, the next value of a sequence of which none
-- was drawn is unknown.
CREATE FUNCTION gid._stand(seq regclass, is_named boolean, OUT last bigint, OUT next numeric)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	is_called boolean := true;
	name text;
BEGIN
	IF has_sequence_privilege(seq, 'SELECT') THEN
		-- the exception ends the lock, with which two of gid._advance() would wait for each other
		BEGIN
			name := gid._held(seq, is_named);
			IF name IS NOT NULL THEN
				EXECUTE 'SELECT last_value, is_called FROM ' || name INTO last, is_called;
			END IF;
			RAISE SQLSTATE 'GID00';
		EXCEPTION WHEN SQLSTATE 'GID00' THEN
			NULL;
		END;
	END IF;
	IF name IS NULL THEN
		last := pg_sequence_last_value(seq);
	END IF;
	IF is_called THEN
		next := last + (SELECT s.seqincrement FROM pg_sequence AS s WHERE s.seqrelid = seq)::numeric;
	ELSE
		next := last;
		last := NULL;
	END IF;
END
$$;

-- Near values are drawn with nextval(), beside which nothing is given twice.  For a far one
-- the sequence is set, while nobody can draw.
CREATE FUNCTION gid._advance(seq regclass, value bigint)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	limit_of_draws CONSTANT numeric := 10000;
	s pg_sequence;
	name name;
	owner oid;
	persistence "char";
	stand record;
	draws numeric;
	goal numeric;
	last bigint;
BEGIN
	PERFORM gid._check_sequence(seq, 'UPDATE', 'Only a sequence can be advanced.');
	PERFORM gid._check_sequence(seq, 'SELECT', 'Only a sequence can be advanced.');
	SELECT * INTO s FROM pg_sequence AS q WHERE q.seqrelid = seq;
	SELECT c.relname, c.relowner, c.relpersistence INTO name, owner, persistence FROM pg_class AS c WHERE c.oid = seq;
	IF s.seqcycle THEN
		PERFORM gid._raise('22003', format('cannot advance sequence "%s"', name),
			'With CYCLE the values begin again, so none is beyond all others.', 'Use ALTER SEQUENCE ... NO CYCLE.');
	ELSIF (CASE WHEN s.seqincrement > 0 THEN value > s.seqmax ELSE value < s.seqmin END) THEN
		PERFORM gid._raise('22003', format('value %s is beyond the range of sequence "%s"', value, name),
			format('The range ends at %s.', CASE WHEN s.seqincrement > 0 THEN s.seqmax ELSE s.seqmin END),
			'Give the sequence a wider range with ALTER SEQUENCE.');
	END IF;

	stand := gid._stand(seq, true);
	draws := floor((value - stand.next) / s.seqincrement) + 1;
	goal := stand.next + (draws - 1) * s.seqincrement;
	IF draws <= 0 THEN
		RETURN stand.last;
	ELSIF draws < limit_of_draws THEN
		LOOP
			last := nextval(seq);
			IF (CASE WHEN s.seqincrement > 0 THEN last >= goal ELSE last <= goal END) THEN
				RETURN last;
			END IF;
		END LOOP;
	END IF;

	IF NOT pg_has_role(owner, 'USAGE') THEN
		PERFORM gid._raise('42501', format('cannot advance sequence "%s" by %s values', name, draws),
			format('For %s values or more, the call has to lock the sequence against nextval(), and only the owner of the sequence can.', limit_of_draws),
			format('Call the function as %I, or run ALTER SEQUENCE ... RESTART as this role.', pg_get_userbyid(owner)));
	END IF;
	-- it changes nothing, and takes the lock that ALTER takes
	IF persistence = 'p' THEN
		EXECUTE format('ALTER SEQUENCE %s SET LOGGED', seq);
	ELSIF persistence = 'u' THEN
		EXECUTE format('ALTER SEQUENCE %s SET UNLOGGED', seq);
	END IF;
	stand := gid._stand(seq, true);
	IF (CASE WHEN s.seqincrement > 0 THEN stand.next > goal ELSE stand.next < goal END) THEN
		RETURN stand.last;
	END IF;
	RETURN setval(seq, goal::bigint);
END
$$;

-- What is below a horizon.  Each call takes a sample, unless the one before is still held: the
-- position of the sequence, and then the transactions that hold the lock which nextval() takes
-- until the end of the transaction.  Once all of these have ended, every row below the
-- position is visible in a snapshot that covers one taken then, or never will be.  A
-- prepared transaction that a restart or a crash has recovered has another virtual id, -1/..., so
-- any such locker holds a sample.
--
-- A session keeps what it knows in a setting.  Rows of "told" are the answers of this
-- transaction: a snapshot has one answer, because a plan may call the function several times.
CREATE TYPE gid._followed AS (
	file oid,
	position bigint,
	lockers text[],
	bounds bigint[],
	known_in text[],
	told_since bigint,
	told_in text[],
	told bigint[]
);

COMMENT ON TYPE gid._followed IS
'What a session knows of a sequence''s horizon: a setting gid_sql.horizon_OID has its text.';

-- In PL/pgSQL, because a function in SQL plans its query in each transaction.
CREATE FUNCTION gid._lockers(seq oid)
RETURNS text[]
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	RETURN (SELECT coalesce(array_agg(l.virtualtransaction), '{}') FROM pg_locks AS l
	WHERE l.locktype = 'relation' AND l.relation = seq AND l.mode = 'RowExclusiveLock' AND l.granted
		AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()));
END
$$;

-- Is everything that has ended in the older snapshot ended in the other?
CREATE FUNCTION gid._covers(snapshot pg_snapshot, older pg_snapshot)
RETURNS boolean
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	RETURN pg_snapshot_xmax(snapshot) >= pg_snapshot_xmax(older) AND NOT EXISTS (
		SELECT FROM pg_snapshot_xip(snapshot) AS x
		WHERE x < pg_snapshot_xmax(older) AND x NOT IN (SELECT o FROM pg_snapshot_xip(older) AS o));
END
$$;

-- The next value of a sequence, or an earlier one: no value from there on was drawn.
CREATE FUNCTION gid._position(seq regclass, up boolean)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	stand CONSTANT record := gid._stand(seq, true);
BEGIN
	RETURN coalesce(CASE WHEN stand.last IS NULL THEN stand.next
			WHEN up THEN least(stand.last + 1::numeric, 9223372036854775807)
			ELSE greatest(stand.last - 1::numeric, -9223372036854775808) END,
		-- without SELECT: nothing is before its range
		(SELECT CASE WHEN up THEN s.seqmin ELSE s.seqmax END FROM pg_sequence AS s WHERE s.seqrelid = seq));
END
$$;

CREATE FUNCTION gid._check_horizon(seq regclass)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	s pg_sequence;
	relation pg_class;
	why text;
BEGIN
	PERFORM gid._check_sequence(coalesce(seq, 0), 'SELECT, USAGE', 'A horizon is that of a sequence.');
	SELECT * INTO s FROM pg_sequence AS q WHERE q.seqrelid = seq;
	SELECT * INTO relation FROM pg_class AS c WHERE c.oid = seq;
	why := CASE WHEN relation.relpersistence <> 'p' THEN 'A temporary or unlogged sequence does not survive a crash, so its values come again.'
		WHEN s.seqcache > 1 THEN 'With a CACHE above 1 a session draws values in one transaction and uses them in another.'
		WHEN s.seqcycle THEN 'With CYCLE the values begin again.' END;
	IF why IS NOT NULL THEN
		PERFORM gid._raise('0A000', format('sequence "%s" has no horizon', relation.relname), why,
			'Use a permanent sequence with CACHE 1 and NO CYCLE.');
	ELSIF pg_is_in_recovery() THEN
		PERFORM gid._raise('55000', 'a horizon cannot be found during recovery', 'Only the primary knows which transactions have drawn ids.',
			'Ask the primary, and wait until this server has replayed what the primary had then.');
	END IF;
END
$$;

-- "snapshot" is the caller's.  A snapshot of this function's own is newer, because the function
-- is VOLATILE, except in REPEATABLE READ and SERIALIZABLE, where no sample can be judged.
CREATE FUNCTION gid._horizon(seq regclass, snapshot pg_snapshot)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	setting CONSTANT text := 'gid_sql.horizon_' || seq::oid::text;
	up CONSTANT boolean := (SELECT s.seqincrement > 0 FROM pg_sequence AS s WHERE s.seqrelid = seq);
	since CONSTANT bigint := gid._microseconds(now());
	state gid._followed := nullif(current_setting(setting, true), '')::gid._followed;
	file oid;
	position bigint;
	now_there text[];
	answer bigint;
BEGIN
	PERFORM gid._check_horizon(seq);
	IF state.told_since = since THEN
		answer := state.told[array_position(state.told_in, snapshot::text)];
		IF answer IS NOT NULL THEN
			RETURN answer;
		END IF;
	ELSE
		state.told_since := since;
		state.told_in := '{}';
		state.told := '{}';
	END IF;

	file := pg_relation_filenode(seq);
	position := gid._position(seq, up);
	IF state.file IS DISTINCT FROM file
		OR (CASE WHEN up THEN position < greatest(state.position, state.bounds[1])
			ELSE position > least(state.position, state.bounds[1]) END)
	THEN
		-- another sequence, or one that was set back
		state.file := file;
		state.position := NULL;
		state.bounds := '{}';
		state.known_in := '{}';
	END IF;

	IF current_setting('transaction_isolation') = 'read committed' THEN
		now_there := gid._lockers(seq);
		IF state.position IS NOT NULL AND NOT state.lockers && now_there AND array_to_string(now_there, ' ') !~ '(^| )-1/' THEN
			state.bounds := state.position || state.bounds[1:3];
			state.known_in := pg_current_snapshot()::text || state.known_in[1:3];
			state.position := NULL;
		END IF;
		IF state.position IS NULL THEN
			state.position := gid._position(seq, up);
			state.lockers := gid._lockers(seq);
			IF pg_relation_filenode(seq) <> file THEN
				state.position := NULL;
			ELSIF state.lockers = '{}' THEN
				state.bounds := state.position || state.bounds[1:3];
				state.known_in := pg_current_snapshot()::text || state.known_in[1:3];
			END IF;
		END IF;
	END IF;

	FOR i IN 1 .. cardinality(state.bounds) LOOP
		IF gid._covers(snapshot, state.known_in[i]::pg_snapshot) THEN
			answer := state.bounds[i];
			state.told_in := snapshot::text || state.told_in[1:3];
			state.told := answer || state.told[1:3];
			EXIT;
		END IF;
	END LOOP;
	PERFORM set_config(setting, state::text, false);
	RETURN answer;
END
$$;

-- Begins a wait: what it waits for, and until when.
CREATE FUNCTION gid._wait_begin(seq regclass, timeout interval, OUT goal bigint, OUT until timestamptz)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	ms CONSTANT numeric := floor(extract(epoch FROM timeout) * 1000);
BEGIN
	IF ms IS NULL OR ms NOT BETWEEN 1 AND 2147483647 THEN
		PERFORM gid._raise('22023', 'timeout is out of range', 'The range is 1 millisecond to 24 days.',
			'Give the longest time to wait, such as interval ''10 s''.');
	ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
		PERFORM gid._raise('25001', 'gid_horizon_wait() must be a statement of its own',
			'A snapshot of the transaction would be held during the wait, and the result would not be for it.',
			'Call it outside a transaction block, in READ COMMITTED.');
	END IF;
	PERFORM gid._check_horizon(seq);
	goal := gid._position(seq, (SELECT s.seqincrement > 0 FROM pg_sequence AS s WHERE s.seqrelid = seq));
	until := clock_timestamp() + timeout;
END
$$;

CREATE FUNCTION gid._wait_is_over(seq regclass, wait record)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	horizon CONSTANT bigint := gid._horizon(seq, pg_current_snapshot());
	up CONSTANT boolean := (SELECT s.seqincrement > 0 FROM pg_sequence AS s WHERE s.seqrelid = seq);
BEGIN
	IF (CASE WHEN up THEN horizon >= wait.goal ELSE horizon <= wait.goal END) THEN
		RETURN true;
	ELSIF clock_timestamp() > wait.until THEN
		PERFORM gid._raise('57014', 'timed out while waiting for transactions that may have drawn from the sequence',
			format('Transactions that have the sequence locked: %s.', cardinality(gid._lockers(seq))),
			'See gid.stat_horizon for what holds the horizon back.');
	END IF;
	RETURN false;
END
$$;

-- Why this session cannot read a table or a sequence whatever its privileges, or NULL.
CREATE FUNCTION gid._elsewhere(relation oid)
RETURNS text
LANGUAGE SQL STABLE
RETURN (SELECT CASE WHEN pg_is_other_temp_schema(c.relnamespace) THEN 'it is temporary in another session'
		WHEN c.relpersistence <> 'p' AND pg_is_in_recovery() THEN 'it is unlogged, and has no rows on a standby' END
	FROM pg_class AS c WHERE c.oid = relation);

-- May the role know where a sequence stands?
CREATE FUNCTION gid._may_read(sequence oid)
RETURNS boolean
LANGUAGE SQL STABLE
RETURN coalesce((SELECT CASE WHEN c.relkind = 'S' AND gid._elsewhere(c.oid) IS NULL
		THEN has_sequence_privilege(c.oid, 'SELECT, USAGE') END
	FROM pg_class AS c WHERE c.oid = sequence), false);

-- The type of a column, or of what a domain is made of.
CREATE FUNCTION gid._column_type(relation oid, attribute name)
RETURNS regtype
LANGUAGE SQL STABLE
RETURN (WITH RECURSIVE type AS (
		SELECT a.atttypid AS oid FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attname = attribute AND a.attnum > 0 AND NOT a.attisdropped
		UNION ALL
		SELECT t.typbasetype FROM type JOIN pg_type AS t ON t.oid = type.oid WHERE t.typtype = 'd')
	SELECT type.oid::regtype FROM type JOIN pg_type AS t ON t.oid = type.oid WHERE t.typtype <> 'd');

-- Is the default of a column exactly one draw from a sequence?
CREATE FUNCTION gid._column_draws(relation oid, attribute name, sequence oid)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	expression text COLLATE "C" := (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef AS d
		JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
		-- the longest that is read; a deep one would need more stack than there is
		WHERE d.adrelid = relation AND a.attname = attribute AND length(d.adbin::text) <= 4096);
	named text COLLATE "C";
BEGIN
	WHILE expression ~ '^\(.*\)::[^()]+$' LOOP
		expression := regexp_replace(expression, '^\((.*)\)::[^()]+$', '\1');
	END LOOP;
	named := substring(expression FROM '^(?:nextval|(?:.*\.)?gid_next)\(''(.*)''::regclass\)$');
	RETURN coalesce(replace(named, '''''', '''') = sequence::regclass::text, false);
END
$$;

-- A table with all its partitions and children.
CREATE FUNCTION gid._descendants(relation oid)
RETURNS SETOF oid
LANGUAGE SQL STABLE
BEGIN ATOMIC
	WITH RECURSIVE descendant AS (
		SELECT relation AS oid
		UNION
		SELECT i.inhrelid FROM descendant AS d JOIN pg_inherits AS i ON i.inhparent = d.oid)
	SELECT descendant.oid FROM descendant;
END;

-- Why the greatest value of a column is not known, or NULL.  The planner runs what the owner of
-- a table has put into its indexes and statistics.  So the role reads only its own tables.
CREATE FUNCTION gid._column_unknown(relation oid, attribute name, sequence oid, is_identity boolean)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	kind "char" := (SELECT c.relkind FROM pg_class AS c WHERE c.oid = relation);
	type regtype := gid._column_type(relation, attribute);
	leaf record;
	which text;
BEGIN
	IF kind IS NULL THEN
		RETURN 'the table is locked';		-- or another session has dropped it
	ELSIF gid._elsewhere(sequence) IS NOT NULL THEN
		RETURN gid._elsewhere(sequence);
	ELSIF type IS NULL THEN
		RETURN 'the column does not exist';
	ELSIF type NOT IN ('smallint', 'integer', 'bigint') THEN
		RETURN 'the column is not smallint, integer or bigint';
	ELSIF NOT is_identity AND NOT gid._column_draws(relation, attribute, sequence) THEN
		RETURN 'the default is not nextval() or gid_next() alone';
	ELSIF NOT has_column_privilege(relation, attribute, 'SELECT') THEN
		RETURN 'the role may not read the column';
	ELSIF row_security_active(relation) THEN
		RETURN 'row security is in force';
	ELSIF kind NOT IN ('r', 'p') THEN
		RETURN 'it is not a table';
	END IF;
	FOR leaf IN
		SELECT c.oid, c.relkind, c.relowner, c.relnamespace, EXISTS (
			SELECT FROM pg_index AS i
			JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = attribute AND a.attnum = i.indkey[0]
			WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL
				AND EXISTS (SELECT FROM pg_opclass AS o JOIN pg_am AS m ON m.oid = o.opcmethod
					WHERE o.oid = i.indclass[0] AND m.amname = 'btree' AND o.opcdefault
						AND o.opcnamespace = 'pg_catalog'::regnamespace)) AS is_indexed
		FROM pg_class AS c
		WHERE c.oid IN (SELECT gid._descendants(relation))
		ORDER BY c.oid
	LOOP
		which := CASE WHEN leaf.oid <> relation THEN leaf.oid::regclass::text || ': ' ELSE '' END;
		-- a query leaves out other sessions' temporary children, too
		CONTINUE WHEN leaf.oid <> relation AND pg_is_other_temp_schema(leaf.relnamespace);
		IF gid._elsewhere(leaf.oid) IS NOT NULL THEN
			RETURN which || gid._elsewhere(leaf.oid);
		ELSIF leaf.relowner <> (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user) THEN
			RETURN which || 'the role does not own the table';
		ELSIF leaf.relkind NOT IN ('r', 'p') THEN
			RETURN which || 'it is not a table';
		ELSIF leaf.relkind = 'r' AND NOT leaf.is_indexed THEN
			RETURN which || 'no index begins with the column';
		END IF;
	END LOOP;
	RETURN NULL;
END
$$;

-- A column and its sequence: why "greatest" is unknown, or NULL.  The column comes first: the
-- sequence is then beyond every value that was drawn from it and is in the column.
CREATE FUNCTION gid._column(relation oid, attribute name, sequence oid, is_identity boolean,
	OUT last bigint, OUT next numeric, OUT "greatest" bigint, OUT behind boolean, OUT unknown text)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	up boolean := (SELECT s.seqincrement > 0 FROM pg_sequence AS s WHERE s.seqrelid = sequence);
	is_known boolean := false;
	name text;
BEGIN
	BEGIN
		unknown := gid._column_unknown(relation, attribute, sequence, is_identity);		-- pg_get_expr() locks the table
		IF unknown IS NULL THEN
			name := gid._held(relation, false);
			IF name IS NULL THEN
				unknown := 'the role does not own the schema of the table';
			ELSE
				EXECUTE format('SELECT %s(%I) FROM %s', CASE WHEN up THEN 'max' ELSE 'min' END, attribute, name) INTO "greatest";
			END IF;
		END IF;
		RAISE SQLSTATE 'GID00';		-- ends the locks: a database can have more tables than the server has locks
	EXCEPTION WHEN SQLSTATE 'GID00' THEN
		NULL;
	WHEN lock_not_available OR undefined_table OR undefined_column OR insufficient_privilege OR invalid_schema_name THEN
		unknown := 'the table is locked';
	END;
	BEGIN
		IF gid._may_read(sequence) THEN
			SELECT s.last, s.next INTO last, next FROM gid._stand(sequence, false) AS s;
			is_known := true;
		END IF;
	EXCEPTION WHEN lock_not_available OR undefined_table OR object_not_in_prerequisite_state
		OR insufficient_privilege OR invalid_schema_name THEN
		NULL;				-- locked, dropped, or another session's; or it was moved
	END;
	IF unknown IS NULL AND (NOT is_known OR next IS NULL) THEN
		unknown := 'the sequence is locked, or the role may not read it';
		"greatest" := NULL;
	END IF;
	IF unknown IS NULL THEN
		behind := coalesce(CASE WHEN up THEN "greatest" >= next ELSE "greatest" <= next END, false);
		-- a sequence that has come to its end has no next value
		IF behind AND (SELECT next NOT BETWEEN s.seqmin AND s.seqmax AND NOT s.seqcycle FROM pg_sequence AS s WHERE s.seqrelid = sequence) THEN
			behind := CASE WHEN up THEN "greatest" > last ELSE "greatest" < last END;
		END IF;
	END IF;
END
$$;

-- The last value that both the type of a column and its sequence allow.
CREATE FUNCTION gid._column_limit(relation oid, attribute name, sequence oid)
RETURNS numeric
LANGUAGE SQL STABLE
RETURN (SELECT CASE WHEN s.seqincrement > 0 THEN least(s.seqmax, CASE t WHEN 'smallint'::regtype THEN 32767
			WHEN 'integer'::regtype THEN 2147483647 ELSE 9223372036854775807 END)
		ELSE greatest(s.seqmin, CASE t WHEN 'smallint'::regtype THEN -32768
			WHEN 'integer'::regtype THEN -2147483648 ELSE -9223372036854775808 END) END
	FROM pg_sequence AS s, gid._column_type(relation, attribute) AS t WHERE s.seqrelid = sequence);

COMMENT ON SCHEMA gid IS
'Relations of the extension gid and the functions behind them.';

CREATE FUNCTION @extschema@.gid_edition()
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN 'sql'::text;

COMMENT ON FUNCTION @extschema@.gid_edition() IS
'Returns the edition of gid: ''c'' with the library, ''sql'' for the edition in SQL for servers that do not take one.';

CREATE FUNCTION @extschema@.gid_uuid_v7()
RETURNS uuid
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
RETURN gid._uuid_v7();

COMMENT ON FUNCTION @extschema@.gid_uuid_v7() IS
'Generates a version 7 UUID (RFC 9562). 48 bits are Unix milliseconds, 16 are a fraction of the millisecond, and 58 are random. Without the library, each id is greater than all previous ones of the session; ids of different sessions have the order of the clock, to the microsecond. RESET ALL and DISCARD ALL begin another session in this sense.';

CREATE FUNCTION @extschema@.gid_uuid_v7_horizon()
RETURNS uuid
LANGUAGE plpgsql STABLE STRICT PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid_uuid_v7_horizon()'); END$$;

COMMENT ON FUNCTION @extschema@.gid_uuid_v7_horizon() IS
'Raises 0A000, because this function needs gid''s library.';

CREATE FUNCTION @extschema@.gid_uuid_v7_at(at timestamptz)
RETURNS uuid
LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
RETURN gid._pack_v7((((gid._v7_time(at) + 946684800000000) / 1000) << 16) | (gid._word(gen_random_uuid(), 1) >> 48 & 65535), gen_random_uuid());

COMMENT ON FUNCTION @extschema@.gid_uuid_v7_at(timestamptz) IS
'Generates a version 7 UUID for a given millisecond, to backfill rows. The bits below the millisecond are random, so ids within a millisecond are in no particular order. Error: 22008 if "at" is outside 1970-01-01 to 10889-08-02 UTC.';

CREATE FUNCTION @extschema@.gid_uuid_v7_min(at timestamptz)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._hex((gid._v7_time(at) + 946684800000000) / 1000, 12) || '70008000000000000000')::uuid;

COMMENT ON FUNCTION @extschema@.gid_uuid_v7_min(timestamptz) IS
'Returns the smallest version 7 UUID for the millisecond that contains "at". Error: as for gid_uuid_v7_at().';

CREATE FUNCTION @extschema@.gid_uuid_v7_max(at timestamptz)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._hex((gid._v7_time(at) + 946684800000000) / 1000, 12) || '7fffbfffffffffffffff')::uuid;

COMMENT ON FUNCTION @extschema@.gid_uuid_v7_max(timestamptz) IS
'Returns the largest version 7 UUID for the millisecond that contains "at". Error: as for gid_uuid_v7_at().';

CREATE FUNCTION @extschema@.gid_uuid_v7_low(since timestamptz)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._hex((gid._low(since, -946684800000000, 280528291910655999) + 946684800000000) / 1000, 12) || '70008000000000000000')::uuid;

COMMENT ON FUNCTION @extschema@.gid_uuid_v7_low(timestamptz) IS
'The lower end of gid_uuid_v7_between(). It is the smallest UUID version 7 of the millisecond of "since", and the smallest of all for NULL, -infinity and moments before 1970. NULL for moments after 10889-08-02 UTC and for infinity.';

CREATE FUNCTION @extschema@.gid_uuid_v7_below(until timestamptz)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._hex((gid._below(until, -946684800000000, 280528291910655999, 1000) + 946684800000000) / 1000, 12) || '7fffbfffffffffffffff')::uuid;

COMMENT ON FUNCTION @extschema@.gid_uuid_v7_below(timestamptz) IS
'The upper end of gid_uuid_v7_between(). It is the largest UUID version 7 of the millisecond before that of "until", and the largest of all for NULL, infinity and moments after 10889-08-02 UTC. NULL for -infinity and for moments before 1970-01-01 00:00:00.001 UTC.';

-- Not STRICT: the planner does not inline a strict body of two conditions.  Each
-- parameter occurs once: the planner does not inline a costly argument of a
-- parameter that occurs twice.
CREATE FUNCTION @extschema@.gid_uuid_v7_between(id uuid, since timestamptz, until timestamptz)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= @extschema@.gid_uuid_v7_low(since) AND id <= @extschema@.gid_uuid_v7_below(until);

COMMENT ON FUNCTION @extschema@.gid_uuid_v7_between(uuid, timestamptz, timestamptz) IS
'Returns true if the time of the id is in [since, until). Both ends are rounded down to the millisecond. NULL and infinity leave an end open. The result is NULL if an end excludes all version 7 UUIDs. An id of another version is compared by its bytes. The planner inlines the function, so it can use partition pruning and an index on id.';

CREATE FUNCTION @extschema@.gid_extract_v7_time(id uuid)
RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN gid._is_rfc(id) AND get_byte(uuid_send(id), 6) >> 4 = 7
	THEN gid._moment((gid._word(id, 1) >> 16 & 281474976710655) * 1000) END;

COMMENT ON FUNCTION @extschema@.gid_extract_v7_time(uuid) IS
'Returns the time of a version 7 UUID, to the millisecond, or NULL for another version or variant.';

CREATE FUNCTION @extschema@.gid_uuid_sequential()
RETURNS uuid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid_uuid_sequential()'); END$$;

COMMENT ON FUNCTION @extschema@.gid_uuid_sequential() IS
'Raises 0A000, because this function needs gid''s library.';

CREATE FUNCTION @extschema@.gid_uuid_sequential_horizon()
RETURNS uuid
LANGUAGE plpgsql STABLE STRICT PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid_uuid_sequential_horizon()'); END$$;

COMMENT ON FUNCTION @extschema@.gid_uuid_sequential_horizon() IS
'Raises 0A000, because this function needs gid''s library.';

CREATE FUNCTION @extschema@.gid_uuid_sequential_mssql()
RETURNS uuid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid_uuid_sequential_mssql()'); END$$;

COMMENT ON FUNCTION @extschema@.gid_uuid_sequential_mssql() IS
'Raises 0A000, because this function needs gid''s library.';

CREATE FUNCTION @extschema@.gid_uuid_to_mssql(id uuid)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._reversed(substr(uuid_send(id), 9)) || encode(substr(uuid_send(id), 7, 2) || substr(uuid_send(id), 1, 6), 'hex'))::uuid;

COMMENT ON FUNCTION @extschema@.gid_uuid_to_mssql(uuid) IS
'Converts a sequential UUID from PostgreSQL''s byte order to SQL Server''s. SQL Server sorts the results as PostgreSQL sorts the ids.';

CREATE FUNCTION @extschema@.gid_uuid_from_mssql(id uuid)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (encode(substr(uuid_send(id), 11) || substr(uuid_send(id), 9, 2), 'hex') || gid._reversed(substr(uuid_send(id), 1, 8)))::uuid;

COMMENT ON FUNCTION @extschema@.gid_uuid_from_mssql(uuid) IS
'Converts a sequential UUID from SQL Server''s byte order to PostgreSQL''s.';

CREATE FUNCTION @extschema@.gid_make_uuid_sequential(ticks bigint, process bytea)
RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (gid._hex(gid._range('ticks', ticks, 0, 3155378975999999999, 'A tick is 100 ns since 0001-01-01 00:00:00 UTC.'), 16)
	|| regexp_replace(encode(gid._length('process id', process, 8), 'hex') COLLATE "C", '^(.{8})(....)(....)$', '\3\2\1'))::uuid;

COMMENT ON FUNCTION @extschema@.gid_make_uuid_sequential(bigint, bytea) IS
'Builds a sequential UUID from its parts, in PostgreSQL''s byte order. The ticks are 0 to 3155378975999999999. The process id has 8 bytes, in .NET''s order. Error: 22003 if a part is out of range.';

CREATE FUNCTION @extschema@.gid_uuid_sequential_min(at timestamptz)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._hex((gid._sequential_time(at) + 63082281600000000) * 10, 16) || '0000000000000000')::uuid;

COMMENT ON FUNCTION @extschema@.gid_uuid_sequential_min(timestamptz) IS
'Returns the smallest sequential UUID for the microsecond that contains "at". Error: 22008 if "at" is outside the years 1 to 9999.';

CREATE FUNCTION @extschema@.gid_uuid_sequential_max(at timestamptz)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._hex((gid._sequential_time(at) + 63082281600000000) * 10 + 9, 16) || 'ffffffffffffffff')::uuid;

COMMENT ON FUNCTION @extschema@.gid_uuid_sequential_max(timestamptz) IS
'Returns the largest sequential UUID for the microsecond that contains "at". Error: as for gid_uuid_sequential_min().';

CREATE FUNCTION @extschema@.gid_uuid_sequential_low(since timestamptz)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._hex((gid._low(since, -63082281600000000, 252455615999999999) + 63082281600000000) * 10, 16)
	|| '0000000000000000')::uuid;

COMMENT ON FUNCTION @extschema@.gid_uuid_sequential_low(timestamptz) IS
'The lower end of gid_uuid_sequential_between(). It is the smallest sequential UUID of the microsecond of "since", and the smallest of all for NULL, -infinity and moments before the year 1. NULL for moments after the year 9999 and for infinity.';

CREATE FUNCTION @extschema@.gid_uuid_sequential_below(until timestamptz)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._hex((gid._below(until, -63082281600000000, 252455615999999999, 1) + 63082281600000000) * 10 + 9, 16)
	|| 'ffffffffffffffff')::uuid;

COMMENT ON FUNCTION @extschema@.gid_uuid_sequential_below(timestamptz) IS
'The upper end of gid_uuid_sequential_between(). It is the largest sequential UUID of the microsecond before that of "until", and the largest of all for NULL, infinity and moments after the year 9999. NULL for -infinity and for moments before 0001-01-01 00:00:00.000001 UTC.';

CREATE FUNCTION @extschema@.gid_uuid_sequential_between(id uuid, since timestamptz, until timestamptz)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= @extschema@.gid_uuid_sequential_low(since) AND id <= @extschema@.gid_uuid_sequential_below(until);

COMMENT ON FUNCTION @extschema@.gid_uuid_sequential_between(uuid, timestamptz, timestamptz) IS
'Returns true if the time of the id is in [since, until). The function compares ticks. Otherwise, it works like gid_uuid_v7_between().';

CREATE FUNCTION @extschema@.gid_extract_sequential_ticks(id uuid)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN gid._word(id, 1);

COMMENT ON FUNCTION @extschema@.gid_extract_sequential_ticks(uuid) IS
'Returns the first 8 bytes of an id as a number. In a sequential UUID, these are the ticks. If the first hexadecimal digit is 8 to f, the number does not fit a bigint, and the result is the number minus 2^64. Such an id has no ticks: those of the year 9999 are below 2^62.';

CREATE FUNCTION @extschema@.gid_extract_sequential_time(id uuid)
RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN gid._has_ticks(id) THEN gid._moment(gid._floor(gid._word(id, 1) - 621355968000000000, 10)) END;

COMMENT ON FUNCTION @extschema@.gid_extract_sequential_time(uuid) IS
'Returns the time of a sequential UUID, to the microsecond. The result is NULL for times outside the years 1 to 9999 or, for an RFC UUID, 1970 to 2199.';

CREATE FUNCTION @extschema@.gid_extract_sequential_process(id uuid)
RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN gid._has_ticks(id)
	THEN substr(uuid_send(id), 13, 4) || substr(uuid_send(id), 11, 2) || substr(uuid_send(id), 9, 2) END;

COMMENT ON FUNCTION @extschema@.gid_extract_sequential_process(uuid) IS
'Returns the process id of a sequential UUID (8 bytes in .NET''s order). It is NULL whenever gid_extract_sequential_time() is.';

CREATE FUNCTION @extschema@.gid_uuid_shard(shard bigint)
RETURNS uuid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid_uuid_shard()'); END$$;

COMMENT ON FUNCTION @extschema@.gid_uuid_shard(bigint) IS
'Raises 0A000, because this function needs gid''s library.';

CREATE FUNCTION @extschema@.gid_uuid_shard()
RETURNS uuid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid_uuid_shard()'); END$$;

COMMENT ON FUNCTION @extschema@.gid_uuid_shard() IS
'Raises 0A000, because this function needs gid''s library.';

CREATE FUNCTION @extschema@.gid_make_uuid_shard(at timestamptz, generator bytea, counter int, shard bigint)
RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._pack_shard(gid._shard_seconds(at), gid._length('generator', generator, 5),
	gid._range('counter', counter, 0, 16777215, 'The counter of a shard-key UUID has 24 bits.'),
	gid._range('shard key', shard, 0, 4294967295,
		'A shard key is an unsigned number of 32 bits; gid_region_shard() makes one of a region and a shard.'));

COMMENT ON FUNCTION @extschema@.gid_make_uuid_shard(timestamptz, bytea, int, bigint) IS
'Builds a shard-key UUID from its parts. These are "at" in whole Unix seconds modulo 2^32, the generator (5 bytes, in .NET''s order), the counter (0 to 16777215) and the shard key (0 to 4294967295). Errors: 22008 if "at" is infinite or before 1970; 22003 if another part is out of range.';

CREATE FUNCTION @extschema@.gid_uuid_shard_min(at timestamptz)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN gid._pack_shard(gid._shard_seconds(at), '\x0000000000', 0, 0);

COMMENT ON FUNCTION @extschema@.gid_uuid_shard_min(timestamptz) IS
'Returns the smallest shard-key UUID for the second that contains "at". Error: 22008 if "at" is infinite or before 1970.';

CREATE FUNCTION @extschema@.gid_uuid_shard_max(at timestamptz)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN gid._pack_shard(gid._shard_seconds(at), '\xffffffffff', 16777215, 4294967295);

COMMENT ON FUNCTION @extschema@.gid_uuid_shard_max(timestamptz) IS
'Returns the largest shard-key UUID for the second that contains "at". Error: as for gid_uuid_shard_min().';

CREATE FUNCTION @extschema@.gid_uuid_shard_low(since timestamptz)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._hex((gid._low(since, -946684800000000, 3348282495999999) + 946684800000000) / 1000000, 8) || '000000000000000000000000')::uuid;

COMMENT ON FUNCTION @extschema@.gid_uuid_shard_low(timestamptz) IS
'The lower end of gid_uuid_shard_between(). It is the smallest shard-key UUID of the second of "since", and the smallest of all for NULL, -infinity and moments before 1970. NULL for moments after 2106-02-07 06:28:15 UTC and for infinity.';

CREATE FUNCTION @extschema@.gid_uuid_shard_below(until timestamptz)
RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._hex((gid._below(until, -946684800000000, 3348282495999999, 1000000) + 946684800000000) / 1000000, 8) || 'ffffffffffffffffffffffff')::uuid;

COMMENT ON FUNCTION @extschema@.gid_uuid_shard_below(timestamptz) IS
'The upper end of gid_uuid_shard_between(). It is the largest shard-key UUID of the second before that of "until", and the largest of all for NULL, infinity and moments after 2106-02-07 06:28:15 UTC. NULL for -infinity and for moments before 1970-01-01 00:00:01 UTC.';

CREATE FUNCTION @extschema@.gid_uuid_shard_between(id uuid, since timestamptz, until timestamptz)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= @extschema@.gid_uuid_shard_low(since) AND id <= @extschema@.gid_uuid_shard_below(until);

COMMENT ON FUNCTION @extschema@.gid_uuid_shard_between(uuid, timestamptz, timestamptz) IS
'Returns true if the time of the id is in [since, until). Both ends are rounded down to the second. The id''s time is assumed to be between 1970 and 2106. In other respects, the function works like gid_uuid_v7_between().';

CREATE FUNCTION @extschema@.gid_extract_shard(id uuid)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN get_byte(uuid_send(id), 12) + get_byte(uuid_send(id), 13) * 256 + get_byte(uuid_send(id), 14) * 65536
	+ get_byte(uuid_send(id), 15) * 16777216::bigint;

COMMENT ON FUNCTION @extschema@.gid_extract_shard(uuid) IS
'Returns the shard key of a shard-key UUID, 0 to 4294967295. Any other UUID also yields a number.';

CREATE FUNCTION @extschema@.gid_extract_shard_time(id uuid)
RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN gid._moment((gid._word(id, 1) >> 32 & 4294967295) * 1000000);

COMMENT ON FUNCTION @extschema@.gid_extract_shard_time(uuid) IS
'Returns the time of a shard-key UUID, to the second. The latest time is 2106-02-07 06:28:15 UTC. Any other UUID also yields a time.';

CREATE FUNCTION @extschema@.gid_extract_shard_generator(id uuid)
RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN substr(uuid_send(id), 6, 1) || substr(uuid_send(id), 5, 1) || substr(uuid_send(id), 8, 1)
	|| substr(uuid_send(id), 7, 1) || substr(uuid_send(id), 9, 1);

COMMENT ON FUNCTION @extschema@.gid_extract_shard_generator(uuid) IS
'Returns the generator of a shard-key UUID (5 bytes in .NET''s order). It is random for each server start.';

CREATE FUNCTION @extschema@.gid_extract_shard_counter(id uuid)
RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._word(id, 17) >> 32 & 16777215)::int;

COMMENT ON FUNCTION @extschema@.gid_extract_shard_counter(uuid) IS
'Returns the counter of a shard-key UUID, 0 to 16777215.';

CREATE FUNCTION @extschema@.gid_region_shard(region int, shard int)
RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._range('region', region, 0, 1023, 'A region has 10 bits, enough for the numeric country and area codes of UN M.49.') * 4194304
	+ gid._range('shard', shard, 0, 4194303, 'Within a region a shard has 22 bits.');

COMMENT ON FUNCTION @extschema@.gid_region_shard(int, int) IS
'Builds a shard key from a region and a shard within it. The result is region << 22 | shard. The region is 0 to 1023, for example a UN M.49 code, and the shard is 0 to 4194303. Error: 22003 if a part is out of range.';

CREATE FUNCTION @extschema@.gid_extract_region(id uuid)
RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (@extschema@.gid_extract_shard(id) >> 22)::int;

COMMENT ON FUNCTION @extschema@.gid_extract_region(uuid) IS
'Returns the region of a shard-key UUID, 0 to 1023. Its shard key must come from gid_region_shard().';

CREATE FUNCTION @extschema@.gid_extract_region_shard(id uuid)
RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (@extschema@.gid_extract_shard(id) & 4194303)::int;

COMMENT ON FUNCTION @extschema@.gid_extract_region_shard(uuid) IS
'Returns the shard within the region of a shard-key UUID, 0 to 4194303. Its shard key must come from gid_region_shard().';

-- Not STRICT: the planner does not inline a strict body of two conditions.
CREATE FUNCTION @extschema@.gid_uuid_shard_is(id uuid, wanted uuid)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id = wanted AND @extschema@.gid_extract_shard(id) = @extschema@.gid_extract_shard(wanted);

COMMENT ON FUNCTION @extschema@.gid_uuid_shard_is(uuid, uuid) IS
'Returns true if id equals wanted. In a table partitioned by gid_extract_shard(id), a query with this function searches only one partition. For this, wanted must be a constant, a parameter or a column, not a subquery.';

CREATE FUNCTION @extschema@.gid_trace_id()
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid_trace_id()'); END$$;

COMMENT ON FUNCTION @extschema@.gid_trace_id() IS
'Raises 0A000, because this function needs gid''s library.';

CREATE FUNCTION @extschema@.gid_make_trace_id(at timestamptz, node int, thread int, counter int, thread_bits int DEFAULT 12)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	hint CONSTANT text := 'With thread_bits the thread has that many bits and the counter the rest of 22.';
	seconds CONSTANT bigint := gid._trace_seconds(at);
	counter_bits CONSTANT int := 22 - gid._trace_bits(thread_bits);
BEGIN
	PERFORM gid._range('node', node, 0, 65535, 'Give the gid.node_no of the server that the id belongs to.');
	PERFORM gid._range('thread', thread, CASE WHEN counter_bits = 0 THEN 1 ELSE 0 END, (1 << thread_bits) - 1, hint);
	PERFORM gid._range('counter', counter, CASE WHEN thread = 0 THEN 1 ELSE 0 END, (1 << counter_bits) - 1, hint);
	RETURN ((seconds & 33554431) << 38) | (node::bigint << 22) | (thread << counter_bits) | counter;
END
$$;

COMMENT ON FUNCTION @extschema@.gid_make_trace_id(timestamptz, int, int, int, int) IS
'Builds a TraceId from its parts. These are "at" in whole Unix seconds modulo 2^25, the node (0 to 65535), the thread (thread_bits bits) and the counter (22 - thread_bits bits). thread_bits is 0 to 22. The thread and the counter must not both be 0. Errors: 22008 if "at" is infinite or before 1970; 22003 if another part is out of range.';

CREATE FUNCTION @extschema@.gid_trace_id_min(at timestamptz)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._trace_seconds(at) & 33554431) << 38;

COMMENT ON FUNCTION @extschema@.gid_trace_id_min(timestamptz) IS
'Returns the lower bound of the TraceIds for the second that contains "at". The bound itself is not a TraceId. Error: 22008 if "at" is infinite or before 1970.';

CREATE FUNCTION @extschema@.gid_trace_id_max(at timestamptz)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ((gid._trace_seconds(at) & 33554431) << 38) | 274877906943;

COMMENT ON FUNCTION @extschema@.gid_trace_id_max(timestamptz) IS
'Returns the largest TraceId for the second that contains "at", on any node. Error: as for gid_trace_id_min().';

CREATE FUNCTION @extschema@.gid_extract_trace_time(id bigint, near timestamptz)
RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN gid._is_trace_id(id) THEN gid._trace_moment(id, gid._floor(
	gid._time('the moment near a TraceId', near, -211813488000000000 + 33554432000000, 9223371331199999999,
		'that of timestamptz, less the 388.36 days after which the seconds in an id repeat'), 1000000)) END;

COMMENT ON FUNCTION @extschema@.gid_extract_trace_time(bigint, timestamptz) IS
'Returns the time of a TraceId, to the second. A TraceId contains its second only modulo 2^25 (388.36 days). The result is the latest matching second that is not after "near". It is NULL if the id cannot be a TraceId. Error: 22008 if "near" is infinite.';

CREATE FUNCTION @extschema@.gid_extract_trace_time(id bigint)
RETURNS timestamptz
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN @extschema@.gid_extract_trace_time(id, now() + interval '1 day');

COMMENT ON FUNCTION @extschema@.gid_extract_trace_time(bigint) IS
'Returns the time of a TraceId that is at most 387 days old. It is equivalent to gid_extract_trace_time(id, now() + ''1 day'').';

CREATE FUNCTION @extschema@.gid_extract_trace_node(id bigint)
RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN gid._is_trace_id(id) THEN (id >> 22 & 65535)::int END;

COMMENT ON FUNCTION @extschema@.gid_extract_trace_node(bigint) IS
'Returns the node of a TraceId, 0 to 65535, or NULL if the id cannot be a TraceId.';

CREATE FUNCTION @extschema@.gid_extract_trace_thread(id bigint, thread_bits int DEFAULT 12)
RETURNS int
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN gid._trace_bits(thread_bits) >= 0 AND gid._is_trace_id(id)
	THEN ((id & 4194303) >> (22 - thread_bits))::int END;

COMMENT ON FUNCTION @extschema@.gid_extract_trace_thread(bigint, int) IS
'Returns the thread of a TraceId, or NULL if the id cannot be a TraceId. The thread is the upper thread_bits bits (0 to 22) of the lowest 22. Error: 22003 if thread_bits is out of range.';

CREATE FUNCTION @extschema@.gid_extract_trace_counter(id bigint, thread_bits int DEFAULT 12)
RETURNS int
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN gid._trace_bits(thread_bits) >= 0 AND gid._is_trace_id(id)
	THEN (id & ((1 << (22 - thread_bits)) - 1))::int END;

COMMENT ON FUNCTION @extschema@.gid_extract_trace_counter(bigint, int) IS
'Returns the counter of a TraceId, the lowest 22 - thread_bits bits (thread_bits is 0 to 22). NULL results and errors are as for gid_extract_trace_thread().';

CREATE SEQUENCE gid.decimal_generator
MINVALUE 0 MAXVALUE 9999999999;

COMMENT ON SEQUENCE gid.decimal_generator IS
'Records the generator numbers reserved for DecimalIds. A value is launch * 100000 + generator.';

SELECT pg_catalog.pg_extension_config_dump('gid.decimal_generator', '');

CREATE FUNCTION @extschema@.gid_decimal_id()
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid_decimal_id()'); END$$;

COMMENT ON FUNCTION @extschema@.gid_decimal_id() IS
'Raises 0A000, because this function needs gid''s library.';

CREATE FUNCTION @extschema@.gid_make_decimal_id(counter int, generator int, launch int)
RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._range('counter', counter, 1, 922337202, 'The counter of a DecimalId begins at 1 and ends where 63 bits are full.') * 10000000000
	+ gid._range('generator', generator, 0, 99999, 'The generator of a DecimalId has five decimal places.') * 100000
	+ gid._range('launch', launch, 0, 99999, 'The launch of a DecimalId has five decimal places.');

COMMENT ON FUNCTION @extschema@.gid_make_decimal_id(int, int, int) IS
'Builds a DecimalId from its parts. These are the counter (1 to 922337202), the generator (0 to 99999) and the launch (0 to 99999). Error: 22003 if a part is out of range.';

CREATE FUNCTION @extschema@.gid_extract_decimal_counter(id bigint)
RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN id BETWEEN 10000000000 AND 9223372029999999999 THEN (id / 10000000000)::int END;

COMMENT ON FUNCTION @extschema@.gid_extract_decimal_counter(bigint) IS
'Returns the counter of a DecimalId, 1 to 922337202, or NULL if the id cannot be a DecimalId.';

CREATE FUNCTION @extschema@.gid_extract_decimal_generator(id bigint)
RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN id BETWEEN 10000000000 AND 9223372029999999999 THEN (id / 100000 % 100000)::int END;

COMMENT ON FUNCTION @extschema@.gid_extract_decimal_generator(bigint) IS
'Returns the generator of a DecimalId, 0 to 99999, or NULL if the id cannot be a DecimalId.';

CREATE FUNCTION @extschema@.gid_extract_decimal_launch(id bigint)
RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN id BETWEEN 10000000000 AND 9223372029999999999 THEN (id % 100000)::int END;

COMMENT ON FUNCTION @extschema@.gid_extract_decimal_launch(bigint) IS
'Returns the launch of a DecimalId, 0 to 99999, or NULL if the id cannot be a DecimalId.';

CREATE FUNCTION @extschema@.gid_snowflake_id(epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid_snowflake_id()'); END$$;

COMMENT ON FUNCTION @extschema@.gid_snowflake_id(bigint) IS
'Raises 0A000, because this function needs gid''s library.';

CREATE FUNCTION @extschema@.gid_snowflake_id_horizon(epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
LANGUAGE plpgsql STABLE STRICT PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid_snowflake_id_horizon()'); END$$;

COMMENT ON FUNCTION @extschema@.gid_snowflake_id_horizon(bigint) IS
'Raises 0A000, because this function needs gid''s library.';

CREATE FUNCTION @extschema@.gid_make_snowflake_id(at timestamptz, node int, sequence int, epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	ms CONSTANT bigint := gid._snowflake_ms(at, epoch_ms);
BEGIN
	PERFORM gid._range('node', node, 0, 1023, 'Give the number of the server that the id belongs to, as in its gid.node_no.');
	PERFORM gid._range('sequence', sequence, CASE WHEN ms = 0 AND node = 0 THEN 1 ELSE 0 END, 4095,
		'The sequence numbers the ids of a node within a millisecond. An id must not be 0, so sequence 0 of node 0 is not used in the first millisecond of the epoch.');
	RETURN (ms << 22) | (node << 12) | sequence;
END
$$;

COMMENT ON FUNCTION @extschema@.gid_make_snowflake_id(timestamptz, int, int, bigint) IS
'Builds a Snowflake id from its parts. These are "at" in whole milliseconds, the node (0 to 1023) and the sequence (0 to 4095, or 1 to 4095 if the id would otherwise be 0). epoch_ms is as in gid_snowflake_id(). Errors: 22008 if "at" is outside the 2^41 milliseconds (69 years) that start at the epoch; 22003 if another part is out of range.';

CREATE FUNCTION @extschema@.gid_snowflake_id_min(at timestamptz, epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN gid._snowflake_ms(at, epoch_ms) << 22;

COMMENT ON FUNCTION @extschema@.gid_snowflake_id_min(timestamptz, bigint) IS
'Returns the lower bound of the Snowflake ids for the millisecond that contains "at". Its node and sequence are 0. In the epoch''s first millisecond, it is 0, which is not an id. Errors: as for gid_make_snowflake_id().';

CREATE FUNCTION @extschema@.gid_snowflake_id_max(at timestamptz, epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (gid._snowflake_ms(at, epoch_ms) << 22) | 4194303;

COMMENT ON FUNCTION @extschema@.gid_snowflake_id_max(timestamptz, bigint) IS
'Returns the largest Snowflake id for the millisecond that contains "at". Errors: as for gid_make_snowflake_id().';

CREATE FUNCTION @extschema@.gid_snowflake_id_low(since timestamptz, epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN gid._snowflake_low(since, epoch_ms) = 0 THEN 1 ELSE gid._snowflake_low(since, epoch_ms) << 22 END;

COMMENT ON FUNCTION @extschema@.gid_snowflake_id_low(timestamptz, bigint) IS
'The lower end of gid_snowflake_id_between(). It is the smallest Snowflake id of the millisecond of "since", and 1 for NULL, -infinity and moments before the epoch. NULL for moments beyond the 2^41 milliseconds (69 years) that start at the epoch, for infinity, and when epoch_ms is NULL. Error: 22003 for epoch_ms out of range.';

CREATE FUNCTION @extschema@.gid_snowflake_id_below(until timestamptz, epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (((gid._below(until, gid._epoch(epoch_ms) * 1000 - 946684800000000, epoch_ms * 1000 + 1252338455551999, 1000)
	+ 946684800000000) / 1000 - epoch_ms) << 22) | 4194303;

COMMENT ON FUNCTION @extschema@.gid_snowflake_id_below(timestamptz, bigint) IS
'The upper end of gid_snowflake_id_between(). It is the largest Snowflake id of the millisecond before that of "until", and 9223372036854775807 for NULL, infinity and moments beyond the 2^41 milliseconds (69 years) that start at the epoch. NULL for -infinity, for moments before the end of the epoch''s first millisecond, and when epoch_ms is NULL. Error: 22003 for epoch_ms out of range.';

-- epoch_ms occurs twice in the body, so the function is inlined for a constant, a
-- parameter or a column.  The two moments occur once, and may be costly.
CREATE FUNCTION @extschema@.gid_snowflake_id_between(id bigint, since timestamptz, until timestamptz, epoch_ms bigint DEFAULT 1288834974657)
RETURNS boolean
LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= @extschema@.gid_snowflake_id_low(since, epoch_ms) AND id <= @extschema@.gid_snowflake_id_below(until, epoch_ms);

COMMENT ON FUNCTION @extschema@.gid_snowflake_id_between(bigint, timestamptz, timestamptz, bigint) IS
'Returns true if the time of the id is in [since, until). The result is NULL if epoch_ms is NULL. Otherwise, the function works like gid_uuid_v7_between(). The planner inlines it if epoch_ms is a constant or a parameter. Error: 22003 if epoch_ms is out of range.';

CREATE FUNCTION @extschema@.gid_extract_snowflake_time(id bigint, epoch_ms bigint DEFAULT 1288834974657)
RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN gid._epoch(epoch_ms) >= 0 AND id > 0 THEN gid._moment(((id >> 22) + epoch_ms) * 1000) END;

COMMENT ON FUNCTION @extschema@.gid_extract_snowflake_time(bigint, bigint) IS
'Returns the time of a Snowflake id, to the millisecond, or NULL for a number below 1. Error: 22003 if epoch_ms is out of range.';

CREATE FUNCTION @extschema@.gid_extract_snowflake_node(id bigint)
RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN id > 0 THEN (id >> 12 & 1023)::int END;

COMMENT ON FUNCTION @extschema@.gid_extract_snowflake_node(bigint) IS
'Returns the node of a Snowflake id, 0 to 1023, or NULL for a number below 1. In Discord''s ids, the node is worker * 32 + process.';

CREATE FUNCTION @extschema@.gid_extract_snowflake_sequence(id bigint)
RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN id > 0 THEN (id & 4095)::int END;

COMMENT ON FUNCTION @extschema@.gid_extract_snowflake_sequence(bigint) IS
'Returns the sequence of a Snowflake id, 0 to 4095, or NULL for a number below 1. The sequence counts the ids within a millisecond.';

CREATE FUNCTION @extschema@.gid_next(seq regclass)
RETURNS bigint
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
RETURN nextval(seq);

COMMENT ON FUNCTION @extschema@.gid_next(regclass) IS
'Returns the next value of a sequence, by nextval(). Without the library, a value that left the database before its transaction was committed can come again after a crash. Errors: those of nextval().';

CREATE FUNCTION @extschema@.gid_next_many(seq regclass, count int)
RETURNS SETOF bigint
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT n FROM gid._next_many(seq, count) AS n;
END;

COMMENT ON FUNCTION @extschema@.gid_next_many(regclass, int) IS
'Returns values of a sequence, each by nextval(). count is 1 to 65536. Without the library, the values are not consecutive if other sessions draw at the same time, the last values of a sequence are used up if there are too few, and a value can come again as with gid_next(). Errors: 22023 if count is out of range, and those of nextval().';

CREATE FUNCTION @extschema@.gid_forget(seq regclass)
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	PERFORM gid._check_sequence(seq, 'UPDATE', 'Only a sequence has blocks.');
END
$$;

COMMENT ON FUNCTION @extschema@.gid_forget(regclass) IS
'Does nothing: without the library, a sequence has no blocks. Errors: 42809 if seq is not a sequence; 42501 without UPDATE on it.';

CREATE FUNCTION @extschema@.gid_horizon(seq regclass)
RETURNS bigint
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
RETURN gid._horizon(seq, pg_current_snapshot());

COMMENT ON FUNCTION @extschema@.gid_horizon(regclass) IS
'Returns a bound for readers that follow a table by id. Every row with a smaller id (greater if INCREMENT is negative) is visible to the statement or never will be. The inserting transaction must itself have drawn the id with gid_next() or nextval(), or through a serial or identity column. Open transactions that have drawn from the sequence hold the bound back (see gid.stat_horizon). If the result is NULL, the reader has no row to read yet. Without the library, each session finds the bound by itself, so under load the first calls of a session return NULL, and a bound is a call or two late. Only calls in READ COMMITTED learn anything new. A reader must remember the last row that it has handled, not the bound: a crash can set a sequence back behind a bound. Errors: 42809 if seq is not a sequence; 42501 without SELECT or USAGE on it; 0A000 if the sequence has CYCLE or a CACHE above 1, or is temporary or unlogged; 55000 during recovery.';

CREATE PROCEDURE @extschema@.gid_horizon_wait(seq regclass, timeout interval DEFAULT '10 s')
LANGUAGE plpgsql
AS $$
DECLARE
	wait CONSTANT pg_catalog.record := gid._wait_begin(seq, timeout);
BEGIN
	COMMIT;
	WHILE NOT gid._wait_is_over(seq, wait) LOOP
		COMMIT;
		PERFORM pg_catalog.pg_sleep(0.01);
		COMMIT;
	END LOOP;
END
$$;

COMMENT ON PROCEDURE @extschema@.gid_horizon_wait(regclass, interval) IS
'Waits for the open transactions that might have drawn from a sequence to end. The session''s next gid_horizon() then covers them. timeout is 1 millisecond to 24 days. Without the library, the procedure asks every 10 milliseconds and holds a snapshot for as long. Errors: 57014 if the timeout expires; 2D000 in a transaction block or function; 25001 outside READ COMMITTED; 22023 if timeout is out of range; and those of gid_horizon().';

CREATE FUNCTION gid.serve_reason(seq regclass)
RETURNS text
LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
RETURN 'this server does not have gid''s library'::text;

COMMENT ON FUNCTION gid.serve_reason(regclass) IS
'The reason why gid does not serve nextval() of a sequence: without the library, it serves none.';

CREATE FUNCTION @extschema@.gid_advance(seq regclass, value bigint)
RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	PERFORM gid._check_writes('gid_advance()');
	RETURN gid._advance(seq, value);
END
$$;

COMMENT ON FUNCTION @extschema@.gid_advance(regclass, bigint) IS
'Moves a sequence forward beyond a value, never back. The next value is the sequence''s first step beyond value, or a later one. The result is the last value of the sequence after the call, or NULL if there is none. The change takes effect at once in every session, and a rollback does not undo it. Without the library, the function draws values with nextval(). To skip 10,000 or more, it sets the sequence under the lock of ALTER SEQUENCE, so it waits for open transactions that have drawn, and others wait until this transaction ends. Errors: 42809 if seq is not a sequence; 22003 if value is beyond the range or the sequence has CYCLE; 42501 without SELECT and UPDATE on it, or to skip 10,000 or more values without being its owner; 25006 in a read-only transaction and during recovery.';

CREATE FUNCTION gid.stat_get_column_state(relation oid, attribute name, sequence oid, is_identity boolean,
	OUT last bigint, OUT "greatest" bigint, OUT behind boolean, OUT used double precision, OUT unknown text,
	OUT readable boolean)
RETURNS record
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '1ms'
AS $$
DECLARE
	state CONSTANT record := gid._column(relation, attribute, sequence, is_identity);
BEGIN
	last := state.last;
	"greatest" := state."greatest";
	behind := state.behind;
	unknown := state.unknown;
	readable := gid._may_read(sequence)
		AND coalesce(unknown, '') !~ '(^|: )(the role |row security |the table is locked|the sequence is locked)';
	IF gid._may_read(sequence) THEN
		used := (SELECT CASE WHEN state.last IS NULL OR i.cycles THEN 0
				ELSE least((abs(state.last - i.first) + 1) / (abs(gid._column_limit(relation, attribute, sequence) - i.first) + 1), 1) END
			FROM (SELECT CASE WHEN s.seqincrement > 0 THEN s.seqmin ELSE s.seqmax END::numeric,
					s.seqcycle AND gid._column_limit(relation, attribute, sequence) IN (s.seqmin, s.seqmax)
				FROM pg_sequence AS s WHERE s.seqrelid = sequence) AS i(first, cycles));
	END IF;
END
$$;

COMMENT ON FUNCTION gid.stat_get_column_state(oid, name, oid, boolean) IS
'What the view gid.columns shows of a column and its sequence.';

-- Every operator here has the types of its operands exactly: others could put one that
-- fits better into the schema of the functions.  A partition or child that has its default
-- from its parent is left out, because the parent's row counts its values.  Sub-selects find
-- the kind: as a join the planner chose a plan that took minutes for 5,000 sequences
-- when the catalogs had no statistics yet, as after a restore.
--
-- The rows without a sequence: a default that calls nextval() or gid_next() depends on no
-- sequence if it names the sequence by text.  Any other volatile function may draw from one,
-- which matters for an integer that is part of a key.  gid's own functions do not.  A domain
-- has the output function of its base type.
CREATE VIEW gid.columns AS
SELECT c.oid::regclass AS relation, a.attname AS attribute, a.atttypid::regtype AS type,
	d.sequence::regclass AS sequence, d.source, l.last, l.greatest, l.behind, l.used,
	CASE WHEN d.sequence IS NOT NULL THEN r.reason IS NULL END AS served,
	CASE WHEN d.sequence IS NOT NULL THEN r.reason ELSE 'gid cannot see which sequence the default draws from'::text END
		AS reason,
	CASE WHEN d.sequence IS NOT NULL THEN l.unknown ELSE 'gid cannot see which sequence the default draws from'::text END
		AS unknown,
	coalesce(l.readable, true) AS readable
FROM (SELECT 'pg_catalog.pg_class'::regclass::oid, 'pg_catalog.pg_attrdef'::regclass::oid, 'pg_catalog.pg_proc'::regclass::oid,
	'pg_catalog.pg_extension'::regclass::oid) AS k(class, attrdef, proc, extension)
CROSS JOIN LATERAL (
	SELECT u.relation, u.attribute, u.sequence,
		CASE WHEN u.sequence IS NULL THEN 'unknown' WHEN pg_catalog.bool_or(u.link = 'i'::"char") THEN 'identity'
			WHEN NOT pg_catalog.bool_or(u.link = 'd'::"char") THEN 'owned'
			WHEN pg_catalog.bool_or(u.link = 'a'::"char") THEN 'serial' ELSE 'default' END
	FROM (
		SELECT o.refobjid, o.refobjsubid, o.objid, o.deptype
		FROM pg_catalog.pg_depend AS o
		WHERE o.classid = k.class AND o.refclassid = k.class AND o.refobjsubid > 0
			AND o.deptype IN ('a'::"char", 'i'::"char")
			AND (SELECT s.relkind FROM pg_catalog.pg_class AS s WHERE s.oid = o.objid) = 'S'::"char"
		UNION ALL
		SELECT e.adrelid, e.adnum::int, o.refobjid, 'd'::"char"
		FROM pg_catalog.pg_attrdef AS e
		LEFT JOIN pg_catalog.pg_depend AS o ON o.classid = k.attrdef AND o.objid = e.oid AND o.refclassid = k.class
			AND o.deptype = 'n'::"char" AND (SELECT s.relkind FROM pg_catalog.pg_class AS s WHERE s.oid = o.refobjid) = 'S'::"char"
		WHERE o.refobjid IS NOT NULL
			OR pg_catalog.strpos(e.adbin::text, ':funcid '::text || 'pg_catalog.nextval(regclass)'::regprocedure::oid::text || ' '::text) > 0
			OR e.oid IN (
				SELECT b.objid
				FROM pg_catalog.pg_depend AS b
				JOIN pg_catalog.pg_attrdef AS f ON f.oid = b.objid
				JOIN pg_catalog.pg_proc AS p ON p.oid = b.refobjid AND p.provolatile = 'v'::"char"
				WHERE b.classid = k.attrdef AND b.refclassid = k.proc
					AND (p.proname = 'gid_next'::name
						OR NOT EXISTS (
							SELECT FROM pg_catalog.pg_depend AS x
							JOIN pg_catalog.pg_extension AS g ON g.oid = x.refobjid AND g.extname = 'gid'::name
							WHERE x.classid = k.proc AND x.objid = p.oid AND x.refclassid = k.extension)
						AND EXISTS (
							SELECT FROM pg_catalog.pg_attribute AS n
							JOIN pg_catalog.pg_type AS t ON t.oid = n.atttypid AND t.typoutput::oid IN ('pg_catalog.int2out'::regproc::oid,
								'pg_catalog.int4out'::regproc::oid, 'pg_catalog.int8out'::regproc::oid)
							JOIN pg_catalog.pg_index AS i ON i.indrelid = n.attrelid AND i.indisunique AND n.attnum = ANY (i.indkey::int2[])
							WHERE n.attrelid = f.adrelid AND n.attnum = f.adnum)))
	) AS u(relation, attribute, sequence, link)
	GROUP BY u.relation, u.attribute, u.sequence
) AS d(relation, attribute, sequence, source)
JOIN pg_catalog.pg_class AS c ON c.oid = d.relation
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = d.relation AND a.attnum = d.attribute
	AND a.attgenerated = ''::"char"
CROSS JOIN LATERAL gid.stat_get_column_state(d.relation, a.attname, d.sequence, d.source = 'identity'::text) AS l
CROSS JOIN LATERAL gid.serve_reason(d.sequence::regclass) AS r(reason)
WHERE NOT (c.relispartition AND d.source = 'unknown'::text)
	AND NOT (d.source = 'default'::text AND EXISTS (
		SELECT FROM pg_catalog.pg_inherits AS i
		JOIN pg_catalog.pg_attrdef AS e ON e.adrelid = i.inhparent
		JOIN pg_catalog.pg_depend AS o ON o.classid = k.attrdef AND o.objid = e.oid AND o.refclassid = k.class
			AND o.refobjid = d.sequence
		WHERE i.inhrelid = c.oid));

COMMENT ON VIEW gid.columns IS
'Lists the columns of this database that draw from a sequence. Each row shows how far the sequence and the column have advanced. The view waits for a lock for a millisecond at most.';

COMMENT ON COLUMN gid.columns.relation IS
'The table, or the root of partitions or of inheritance children that share a sequence.';

COMMENT ON COLUMN gid.columns.attribute IS
'The name of the column.';

COMMENT ON COLUMN gid.columns.type IS
'The type of the column.';

COMMENT ON COLUMN gid.columns.sequence IS
'The sequence. NULL if source is "unknown".';

COMMENT ON COLUMN gid.columns.source IS
'How the column draws: "serial", "identity", "default", "owned" or "unknown". With "default", the column''s default names a sequence that the column does not own. With "owned", the column owns a sequence that its default does not name. With "unknown", the default names its sequence by text, or the column is part of an integer key and its default calls a volatile function.';

COMMENT ON COLUMN gid.columns.last IS
'The last value that the sequence has returned. NULL if it has returned none, is locked, or allows the caller neither SELECT nor USAGE and the caller is not a member of pg_monitor.';

COMMENT ON COLUMN gid.columns.greatest IS
'The greatest value in the column, or the least if INCREMENT is negative. Without the library, uncommitted rows of others do not count. NULL if there is none, if the caller is not the owner of the table with its partitions and children, if its schema belongs to another role that is neither a superuser nor the owner of gid, if row security applies, or if the values of a table are not known (see "unknown").';

COMMENT ON COLUMN gid.columns.behind IS
'True if the column already contains the next value to be drawn or one beyond it. In this case, call gid_catch_up(). NULL if unknown, and without SELECT on the sequence while no value has been drawn.';

COMMENT ON COLUMN gid.columns.used IS
'The share of values that are used up, 0 to 1. It is the position of "last" in the range of both the sequence and the column. With CYCLE it is 0, unless the type of the column ends before the sequence. NULL if the sequence is locked or, unless the caller is a member of pg_monitor, without SELECT or USAGE on it.';

COMMENT ON COLUMN gid.columns.served IS
'True if gid serves nextval() for the sequence in this session. NULL if source is "unknown".';

COMMENT ON COLUMN gid.columns.reason IS
'The reason why gid does not serve nextval() for the sequence. NULL if it does.';

COMMENT ON COLUMN gid.columns.unknown IS
'The reason why not all values of the column are known, for example because no btree index starts with the column. NULL if they are known.';

COMMENT ON COLUMN gid.columns.readable IS
'False if a lock or a missing privilege keeps the caller from reading what the row shows.';

-- One row: the table with all its partitions and children.
CREATE FUNCTION gid.catch_up_members(relation oid, attribute name, sequence oid, is_identity boolean, is_named boolean,
	OUT member oid, OUT was bigint, OUT now bigint, OUT done boolean, OUT reason text)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	state record;
	s pg_sequence;
	owner name;
	final numeric;
BEGIN
	PERFORM gid._check_writes('gid_catch_up()');
	member := relation;
	-- before any lock: nobody waits for a table whose sequence he may not move
	IF NOT coalesce(has_sequence_privilege(sequence, 'UPDATE'), false) THEN
		IF is_named THEN
			reason := 'the role may not update the sequence';
			done := false;
			RETURN NEXT;
		END IF;
		RETURN;
	END IF;
	state := gid._column(relation, attribute, sequence, is_identity);
	was := state.last;
	now := state.last;
	IF state.unknown IS NOT NULL THEN
		IF is_named THEN
			reason := state.unknown;
			done := false;
			RETURN NEXT;
		END IF;
		RETURN;
	ELSIF NOT state.behind THEN
		IF is_named THEN
			done := true;
			RETURN NEXT;
		END IF;
		RETURN;
	END IF;
	SELECT * INTO s FROM pg_sequence AS q WHERE q.seqrelid = sequence;
	owner := (SELECT pg_get_userbyid(c.relowner) FROM pg_class AS c WHERE c.oid = relation);
	final := gid._column_limit(relation, attribute, sequence);
	reason := CASE
		WHEN NOT has_sequence_privilege(owner, sequence, 'USAGE, UPDATE') THEN 'the owner of the table may not draw from the sequence'
		WHEN s.seqcycle THEN 'the sequence has CYCLE'
		WHEN CASE WHEN s.seqincrement > 0 THEN greatest(state."greatest", state.next) > final
			ELSE least(state."greatest", state.next) < final END THEN 'the value is beyond the range of the sequence'
		-- one row with the greatest number of its type must not use up the sequence
		WHEN div(state."greatest" - state.next, s.seqincrement) > div(div(final - state.next, s.seqincrement), 2)
			THEN 'it would take more than half of the values that are left' END;
	IF reason IS NULL AND div(state."greatest" - state.next, s.seqincrement) >= 9999
		AND NOT pg_has_role((SELECT c.relowner FROM pg_class AS c WHERE c.oid = sequence), 'USAGE') THEN
		reason := 'the role does not own the sequence, and 10000 values or more are to be skipped';
	END IF;
	IF reason IS NULL THEN
		now := gid._advance(sequence, state."greatest");
	END IF;
	done := reason IS NULL;
	RETURN NEXT;
END
$$;

COMMENT ON FUNCTION gid.catch_up_members(oid, name, oid, boolean, boolean) IS
'What gid_catch_up() does with a column, and with the partitions and children of its table.';

-- The columns are chosen first: the planner must not call the function for others.
CREATE FUNCTION @extschema@.gid_catch_up(VARIADIC tables regclass[] DEFAULT '{}')
RETURNS TABLE (relation regclass, attribute name, sequence regclass, was bigint, now bigint, done boolean, reason text)
LANGUAGE SQL VOLATILE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
	WITH RECURSIVE named(relation, ancestor) AS (
		SELECT t::oid, t::oid FROM pg_catalog.unnest(tables) AS t
		UNION
		SELECT n.relation, i.inhparent
		FROM named AS n
		JOIN pg_catalog.pg_inherits AS i ON i.inhrelid = n.ancestor),
	chosen AS MATERIALIZED (
		SELECT c.relation::oid, c.attribute, c.sequence::oid, c.source
		FROM gid.columns AS c
		WHERE pg_catalog.cardinality(tables) = 0 OR c.relation::oid IN (SELECT n.ancestor FROM named AS n)
		ORDER BY c.relation::oid, c.attribute)
	SELECT u.member::regclass, c.attribute, c.sequence::regclass, u.was, u.now, u.done, u.reason
	FROM chosen AS c
	CROSS JOIN LATERAL gid.catch_up_members(c.relation, c.attribute, c.sequence, c.source = 'identity'::text,
		pg_catalog.cardinality(tables) > 0) AS u
	UNION ALL
	SELECT c.relation::regclass, c.attribute, NULL::regclass, NULL::bigint, NULL::bigint, NULL::boolean,
		'gid cannot see which sequence the default draws from: '::text || pg_catalog.pg_get_expr(e.adbin, 0::oid)
	FROM chosen AS c
	JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.relation AND a.attname = c.attribute
	JOIN pg_catalog.pg_attrdef AS e ON e.adrelid = a.attrelid AND e.adnum = a.attnum
	WHERE c.sequence IS NULL AND pg_catalog.cardinality(tables) > 0
	UNION ALL
	SELECT n.relation::regclass, NULL::name, NULL::regclass, NULL::bigint, NULL::bigint, NULL::boolean,
		'gid sees no column that draws from a sequence: a trigger or the application may fill one'::text
	FROM named AS n
	GROUP BY n.relation
	HAVING pg_catalog.bool_or(n.ancestor IN (SELECT c.relation FROM chosen AS c)) IS NOT TRUE;
END;

COMMENT ON FUNCTION @extschema@.gid_catch_up(regclass[]) IS
'Calls gid_advance() for each column whose sequence is behind. It checks the given tables, or all tables that the role owns and whose sequences it can update. Each row shows the sequence''s old and new positions, whether it is now beyond the column (done) and, if not, the reason. Every given table has a row. If done is NULL, gid cannot see whether the table draws from a sequence. A sequence is not moved if it has CYCLE, if "behind" is NULL, or if the step exceeds its range or half of the remaining values. Without given tables, there are rows only for columns whose "behind" is true. Nor is a sequence moved if the table''s owner is not allowed to draw from it. The function waits for locks on the tables. Without the library, it does not see rows that others have not committed yet, so run it after the import has been committed, or in its transaction. A partition or an inheritance child that cannot be checked keeps the whole table from being done. Do not call it for a table that contains ids from other servers. Errors: 25006 in a read-only transaction and during recovery.';

CREATE FUNCTION @extschema@.gid_next_code(seq regclass, seed text, charset text DEFAULT 'numeric', ignore_case boolean DEFAULT false)
RETURNS text
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
RETURN gid._lexical_add(seed, nextval(seq), charset, ignore_case);

COMMENT ON FUNCTION @extschema@.gid_next_code(regclass, text, text, boolean) IS
'Generates a code, gid_lexical_add(seed, nextval(seq), charset, ignore_case). Without the library, a code that left the database before its transaction was committed can come again after a crash, and an invalid charset uses up a value. Errors: those of both functions.';

CREATE FUNCTION @extschema@.gid_lexical_add(value text, count bigint, charset text DEFAULT 'numeric', ignore_case boolean DEFAULT false)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._lexical_add(value, count, charset, ignore_case);

COMMENT ON FUNCTION @extschema@.gid_lexical_add(text, bigint, text, boolean) IS
'Returns the code that is count codes after value (Candor''s LexicalAdd). A negative count counts backward. The rightmost character changes first. After the last code of one length comes the first of the next: 8, 9, 00, 01. charset is numeric, alpha_lower, alpha_upper, alpha, alphanumeric_lower, alphanumeric_upper, alphanumeric, crockford, hex, base58, base62, or chars: followed by 2 to 94 different printable ASCII characters other than the space. With ignore_case, the case of letters is ignored, and new letters take the case of most letters in value. Errors: 22023 if charset is invalid, or if the addition reaches a character that is not in it; 2200H if the result would be empty; 54000 if value is almost 1 GB long.';

CREATE FUNCTION @extschema@.gid_code_normalize(code text, charset text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	characters CONSTANT text COLLATE "C" := gid._characters(charset);
	lower CONSTANT text := 'abcdefghijklmnopqrstuvwxyz';
	upper CONSTANT text := 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
	typed text COLLATE "C" := translate(code, E' \t\n\x0B\f\r' || CASE WHEN strpos(characters, '-') = 0 THEN '-' ELSE '' END, '');
BEGIN
	IF characters !~ '[a-z]' THEN
		typed := translate(typed, lower, upper);
	ELSIF characters !~ '[A-Z]' THEN
		typed := translate(typed, upper, lower);
	END IF;
	typed := gid._typed(typed, charset);
	RETURN CASE WHEN typed <> '' AND gid._foreign(typed, characters) = 0 THEN typed END;
END
$$;

COMMENT ON FUNCTION @extschema@.gid_code_normalize(text, text) IS
'Returns a code that a person typed as gid writes it, for look-ups and checks. Blanks are removed, and hyphens if charset has none. With crockford, I and L become 1, and O becomes 0. If all letters of charset have one case, as in crockford and hex, the letters of code get that case. charset is as in gid_lexical_add(). The result is NULL if no character is left, or if one is not in charset. Error: 22023 if charset is invalid.';

CREATE FUNCTION @extschema@.gid_permute(id bigint, key bytea, bits int DEFAULT 63)
RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._permute(id, key, bits, false);

COMMENT ON FUNCTION @extschema@.gid_permute(bigint, bytea, int) IS
'Maps an id to another one to hide the order of ids. Ids and results are 1 to 2^bits - 1. The key has 16 to 64 bytes, and bits is 8 to 63. Each combination of key and bits defines a different permutation. This is not encryption. Errors: 22003 if id or bits is out of range; 22023 if the key has another length.';

CREATE FUNCTION @extschema@.gid_unpermute(id bigint, key bytea, bits int DEFAULT 63)
RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._permute(id, key, bits, true);

COMMENT ON FUNCTION @extschema@.gid_unpermute(bigint, bytea, int) IS
'Reverses gid_permute() for the same key and bits. Errors: as for gid_permute().';

CREATE FUNCTION @extschema@.gid_uuid_mask(id uuid, key bytea)
RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._mask(id, key, 7, 4);

COMMENT ON FUNCTION @extschema@.gid_uuid_mask(uuid, bytea) IS
'Hides the time of a version 7 UUID, in the format of uuidv47. The result is a version 4 UUID with the other 74 bits unchanged. The key has 16 bytes. The same id and key always produce the same UUID. The result is NULL for any other version. Error: 22023 if the key has another length.';

CREATE FUNCTION @extschema@.gid_uuid_unmask(id uuid, key bytea)
RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._mask(id, key, 4, 7);

COMMENT ON FUNCTION @extschema@.gid_uuid_unmask(uuid, bytea) IS
'Reverses gid_uuid_mask() for the same key. Every version 4 UUID becomes a version 7 UUID, even with another key. The result is NULL for any other version. Error: as for gid_uuid_mask().';

CREATE FUNCTION @extschema@.gid_encode(id bigint, charset text)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._radix(gid._characters(charset),
	gid._range('id', id, 0, 9223372036854775807, 'A text stands for an id that is not negative.'), 0);

COMMENT ON FUNCTION @extschema@.gid_encode(bigint, text) IS
'Returns a short text for an id from 0 to 9223372036854775807. It is the number in the base of charset, without leading zeros. charset is as in gid_lexical_add(). Errors: 22003 if id is negative; 22023 if charset is invalid.';

CREATE FUNCTION @extschema@.gid_encode(id uuid, charset text)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._radix(gid._characters(charset), gid._number_of(id), gid._width(gid._characters(charset), 128));

COMMENT ON FUNCTION @extschema@.gid_encode(uuid, text) IS
'Returns a short text of fixed length for a UUID. It is the 128-bit number in the base of charset. With crockford, it is a ULID of 26 characters. Error: 22023 if charset is invalid.';

CREATE FUNCTION @extschema@.gid_decode_bigint(code text, charset text)
RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._decode(code, charset, 'bigint', 0, 63)::bigint;

COMMENT ON FUNCTION @extschema@.gid_decode_bigint(text, text) IS
'Reverses gid_encode(bigint, text). It accepts leading zeros. With crockford, it also accepts lower case, reads I and L as 1, and reads O as 0. Errors: 22P02 if code is empty, has a character that is not in charset, or is above 9223372036854775807; 22023 if charset is invalid.';

CREATE FUNCTION @extschema@.gid_decode_uuid(code text, charset text)
RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._uuid_of(gid._decode(code, charset, 'uuid', gid._width(gid._characters(charset), 128), 128));

COMMENT ON FUNCTION @extschema@.gid_decode_uuid(text, text) IS
'Reverses gid_encode(uuid, text). It reads crockford like gid_decode_bigint(). Errors: 22P02 if code has an invalid character, the wrong length or more than 128 bits; 22023 if charset is invalid.';

CREATE FUNCTION @extschema@.gid_typeid(prefix text, id uuid)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN gid._prefix(prefix) = '' COLLATE "C" THEN '' ELSE prefix || '_' END
	|| gid._radix('0123456789abcdefghjkmnpqrstvwxyz', gid._number_of(id), 26);

COMMENT ON FUNCTION @extschema@.gid_typeid(text, uuid) IS
'Returns the TypeID (version 0.3.0) of a UUID. It is the prefix, an underscore and the UUID as 26 lower-case characters of Crockford''s alphabet. The prefix has up to 63 lower-case letters and underscores, with a letter at both ends. With an empty prefix, there is no underscore. Error: 22023 if prefix is invalid.';

CREATE FUNCTION @extschema@.gid_typeid_uuid(code text, prefix text)
RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._typeid_uuid(code, prefix);

COMMENT ON FUNCTION @extschema@.gid_typeid_uuid(text, text) IS
'Returns the UUID of a TypeID with this prefix. The function accepts only lower case. Errors: 22P02 if code has another prefix or is not a TypeID; 22023 if prefix is invalid.';

CREATE FUNCTION @extschema@.gid_check_append(code text, charset text)
RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._check_append(code, charset);

COMMENT ON FUNCTION @extschema@.gid_check_append(text, text) IS
'Appends a check character to a code (Luhn mod N). charset is as in gid_lexical_add(). Codes in crockford are read as in gid_decode_bigint(). Errors: 22023 if code is empty or has a character that is not in charset, or if charset is invalid; 54000 if code is almost 1 GB long.';

CREATE FUNCTION @extschema@.gid_check_valid(code text, charset text)
RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN gid._foreign(gid._typed(code, charset), gid._characters(charset)) = 0 AND length(code) >= 2
	AND gid._luhn(gid._typed(left(code, -1), charset), gid._characters(charset)) = gid._typed(right(code, 1), charset) COLLATE "C";

COMMENT ON FUNCTION @extschema@.gid_check_valid(text, text) IS
'Returns true if the last character is the one that gid_check_append() appends. The result is false if code has fewer than two characters, or a character that is not in charset. Error: 22023 if charset is invalid.';

CREATE DOMAIN @extschema@.gid_id AS bigint
	CONSTRAINT gid_id_range CHECK (VALUE >= 1);

COMMENT ON DOMAIN @extschema@.gid_id IS
'An id of type bigint, at least 1. NULL is allowed.';

COMMENT ON CONSTRAINT gid_id_range ON DOMAIN @extschema@.gid_id IS
'An id is at least 1.';

CREATE DOMAIN @extschema@.gid_js_id AS bigint
	CONSTRAINT gid_js_id_range CHECK (VALUE BETWEEN 1 AND 9007199254740991);

COMMENT ON DOMAIN @extschema@.gid_js_id IS
'An id that JavaScript can represent exactly. It is a bigint from 1 to 9007199254740991 (2^53 - 1). NULL is allowed.';

COMMENT ON CONSTRAINT gid_js_id_range ON DOMAIN @extschema@.gid_js_id IS
'An id is 1 to 9007199254740991. JavaScript can represent all integers up to this number exactly.';

CREATE FUNCTION gid.authority_block(
	IN text, IN text, IN int, IN bigint DEFAULT NULL,
	OUT authority int, OUT era bigint, OUT start bigint, OUT count int)
RETURNS record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid.authority_block()'); END$$;

COMMENT ON FUNCTION gid.authority_block(text, text, int, bigint) IS
'Raises 0A000, because this function needs gid''s library.';

CREATE FUNCTION gid.authority_generator(launch int)
RETURNS int
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid.authority_generator()'); END$$;

COMMENT ON FUNCTION gid.authority_generator(int) IS
'Raises 0A000, because this function needs gid''s library.';

CREATE TABLE gid.node_writer (
	system_identifier bigint NOT NULL,
	timeline bigint NOT NULL,
	database oid NOT NULL,
	leases oid NOT NULL,
	lease_max int NOT NULL,
	begins timestamptz NOT NULL
)
USING heap;

ALTER TABLE gid.node_writer REPLICA IDENTITY FULL;

SELECT pg_catalog.pg_extension_config_dump('gid.node_writer', '');

COMMENT ON TABLE gid.node_writer IS
'The server that wrote gid.node_leases. Do not change the row. Another server''s row or a second row, for example from a dump, causes a pause and is removed.';

COMMENT ON COLUMN gid.node_writer.system_identifier IS
'The system identifier of the server.';

COMMENT ON COLUMN gid.node_writer.timeline IS
'The timeline of the server.';

COMMENT ON COLUMN gid.node_writer.database IS
'The OID of the database.';

COMMENT ON COLUMN gid.node_writer.leases IS
'The OID of gid.node_leases. It changes when a dump is loaded.';

COMMENT ON COLUMN gid.node_writer.lease_max IS
'The greatest gid.node_lease_max of leases that can still run. In seconds.';

COMMENT ON COLUMN gid.node_writer.begins IS
'The moment before which no lease begins. Leases that are not in the tables can run until then.';

CREATE FUNCTION gid.authority_node(
	IN uuid, IN int, IN timestamptz,
	IN timestamptz, IN timestamptz, IN int,
	OUT node int, OUT since timestamptz, OUT until timestamptz)
RETURNS record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid.authority_node()'); END$$;

COMMENT ON FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int) IS
'Raises 0A000, because this function needs gid''s library.';

CREATE FUNCTION gid.authority_confirm()
RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid.authority_confirm()'); END$$;

COMMENT ON FUNCTION gid.authority_confirm() IS
'Raises 0A000, because this function needs gid''s library.';

CREATE FUNCTION gid.authority_resume()
RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$BEGIN PERFORM gid._needs_library('gid.authority_resume()'); END$$;

COMMENT ON FUNCTION gid.authority_resume() IS
'Raises 0A000, because this function needs gid''s library.';

-- The moments that an id may plausibly be of: from 1970 to a day from now.
-- What is less likely to look like it by chance comes first: of random UUIDs
-- one in a thousand has plausible ticks, four in ten have plausible seconds.
CREATE FUNCTION @extschema@.gid_inspect(id uuid)
RETURNS TABLE (part text, value text)
LANGUAGE SQL STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
WITH
raw AS (
	SELECT n, pg_catalog.encode(n, 'hex') AS hex, pg_catalog.get_byte(n, 6) >> 4 AS version,
		pg_catalog.get_byte(n, 8) & 192 = 128 AND pg_catalog.get_byte(n, 6) >> 4 BETWEEN 1 AND 8 AS is_rfc,
		timestamptz '1970-01-01 00:00:00+00' AS first, pg_catalog.now() + interval '1 day' AS last
	FROM pg_catalog.uuid_send(id) AS n),
plausible AS (
	SELECT raw.*,
		coalesce(is_rfc AND @extschema@.gid_extract_v7_time(id) BETWEEN first AND last, false) AS is_v7,
		coalesce(@extschema@.gid_extract_sequential_time(id) BETWEEN first AND last, false) AS is_sequential,
		coalesce(@extschema@.gid_extract_sequential_time(@extschema@.gid_uuid_from_mssql(id)) BETWEEN first AND last, false) AS is_mssql,
		@extschema@.gid_extract_shard_time(id) <= last AS is_shard
	FROM raw),
found AS (
	SELECT plausible.*, CASE
		WHEN id = '00000000-0000-0000-0000-000000000000' THEN ARRAY['nil']
		WHEN id = 'ffffffff-ffff-ffff-ffff-ffffffffffff' THEN ARRAY['max']
		ELSE pg_catalog.array_remove(ARRAY[
			CASE WHEN is_rfc THEN 'v' || version::text END,
			CASE WHEN is_sequential THEN 'sequential' END,
			CASE WHEN is_mssql AND NOT is_v7 THEN 'sequential_mssql' END,
			CASE WHEN is_shard AND NOT is_rfc AND NOT is_sequential THEN 'shard' END], NULL)
		END AS families
	FROM plausible),
shown AS (
	SELECT found.*, CASE WHEN pg_catalog.cardinality(families) = 0 THEN ARRAY['sequential', 'shard'] ELSE families END AS candidates
	FROM found)
SELECT CASE WHEN pg_catalog.cardinality(candidates) > 1 AND line.family <> '' THEN line.family || '.' ELSE '' END
	|| line.part, line.value
FROM shown, LATERAL (VALUES
	(1, '', 'family', CASE WHEN pg_catalog.cardinality(families) = 0 THEN 'unknown'
		ELSE pg_catalog.array_to_string(families, ' or ') END),
	(2, 'nil', 'meaning', 'RFC 9562: all bits 0'),
	(2, 'max', 'meaning', 'RFC 9562: all bits 1'),
	(2, 'v' || version::text, 'meaning', 'RFC 9562, version ' || version::text || ': ' || (ARRAY[
		'Gregorian time and node', 'DCE security', 'MD5 of a name', 'random', 'SHA-1 of a name',
		'Gregorian time and node, reordered', 'Unix time and random', 'custom'])[version]),
	(3, 'v7', 'time', @extschema@.gid_extract_v7_time(id)::text),
	(4, 'v7', 'fraction', (((pg_catalog.get_byte(n, 6) & 15) << 12) | (pg_catalog.get_byte(n, 7) << 4)
		| ((pg_catalog.get_byte(n, 8) & 63) >> 2))::text || '/65536 ms'),
	(5, 'v7', 'random', pg_catalog.to_hex(pg_catalog.get_byte(n, 8) & 3) || pg_catalog.substr(hex, 19)),
	(11, 'sequential', 'meaning', 'ticks and process id, in PostgreSQL''s byte order'),
	(12, 'sequential', 'time', @extschema@.gid_extract_sequential_time(id)::text),
	(13, 'sequential', 'ticks', @extschema@.gid_extract_sequential_ticks(id)::text),
	(14, 'sequential', 'process', pg_catalog.encode(@extschema@.gid_extract_sequential_process(id), 'hex')),
	(21, 'sequential_mssql', 'meaning', 'ticks and process id, in SQL Server''s byte order'),
	(22, 'sequential_mssql', 'time', @extschema@.gid_extract_sequential_time(@extschema@.gid_uuid_from_mssql(id))::text),
	(23, 'sequential_mssql', 'ticks', @extschema@.gid_extract_sequential_ticks(@extschema@.gid_uuid_from_mssql(id))::text),
	(24, 'sequential_mssql', 'process', pg_catalog.encode(@extschema@.gid_extract_sequential_process(@extschema@.gid_uuid_from_mssql(id)), 'hex')),
	(31, 'shard', 'meaning', 'seconds and shard key'),
	(32, 'shard', 'time', @extschema@.gid_extract_shard_time(id)::text),
	(33, 'shard', 'generator', pg_catalog.encode(@extschema@.gid_extract_shard_generator(id), 'hex')),
	(34, 'shard', 'counter', @extschema@.gid_extract_shard_counter(id)::text),
	(35, 'shard', 'key', @extschema@.gid_extract_shard(id)::text),
	(36, 'shard', 'region', @extschema@.gid_extract_region(id)::text),
	(37, 'shard', 'region_shard', @extschema@.gid_extract_region_shard(id)::text))
	AS line (number, family, part, value)
WHERE (line.family = '' OR line.family = ANY (candidates)) AND line.value IS NOT NULL
ORDER BY line.number;
END;

COMMENT ON FUNCTION @extschema@.gid_inspect(uuid) IS
'Returns the parts of a UUID, as text. The first row is the family: v1 to v8, sequential, sequential_mssql, shard, nil, max or unknown. gid determines it from the version, the variant, and whether the time is between 1970 and a day from now. Several families are joined with "or".';

CREATE FUNCTION gid.inspect_family(family text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF family COLLATE "C" NOT IN ('trace', 'snowflake', 'decimal', 'next') THEN
		PERFORM gid._raise('22023', format('unknown family of 63-bit ids: "%s"', gid._shown(family)),
			'The families are trace, snowflake, decimal and next.', 'Name one of them, or leave the argument out.');
	END IF;
	RETURN family;
END
$$;

COMMENT ON FUNCTION gid.inspect_family(text) IS
'Checks the name of a family of 63-bit ids. The families are trace, snowflake, decimal and next. Error: 22023 for any other name.';

-- Not STRICT: the family may be NULL.  Below 2^38 a TraceId is of one second in
-- 388 days, and a Snowflake id of the first 66 seconds of Twitter's epoch, so
-- that such a number is taken for one only by its node.
CREATE FUNCTION @extschema@.gid_inspect(id bigint, family text DEFAULT NULL)
RETURNS TABLE (part text, value text)
LANGUAGE SQL STABLE PARALLEL SAFE
BEGIN ATOMIC
WITH
given AS (
	SELECT gid.inspect_family(nullif(gid_inspect.family, '')) AS name,
		@extschema@.gid_extract_trace_node(id) IS NOT NULL AS can_trace,
		@extschema@.gid_extract_snowflake_node(id) IS NOT NULL AS can_snowflake,
		@extschema@.gid_extract_decimal_launch(id) IS NOT NULL AS can_decimal,
		id >= 1::bigint << 38 AS is_large,
		coalesce(@extschema@.gid_extract_snowflake_time(id, 1288834974657) < pg_catalog.now() + interval '1 day', false) AS has_come,
		pg_catalog.current_setting('gid.node_no', true) AS node,
		pg_catalog.current_setting('gid.launch_id', true) AS launch),
owned AS (
	SELECT given.*, pg_catalog.array_remove(ARRAY[
		CASE WHEN is_large AND @extschema@.gid_extract_trace_node(id)::text = node THEN 'trace' END,
		CASE WHEN is_large AND has_come AND @extschema@.gid_extract_snowflake_node(id)::text = node THEN 'snowflake' END,
		CASE WHEN @extschema@.gid_extract_decimal_launch(id)::text = launch THEN 'decimal' END], NULL) AS own
	FROM given),
found AS (
	SELECT owned.*, CASE
		WHEN name IS NOT NULL THEN ARRAY[name]
		WHEN pg_catalog.cardinality(own) = 1 THEN own
		ELSE pg_catalog.array_remove(ARRAY[
			CASE WHEN can_trace AND is_large THEN 'trace' END,
			CASE WHEN can_snowflake AND is_large AND has_come THEN 'snowflake' END,
			CASE WHEN can_decimal THEN 'decimal' END,
			'next'], NULL)
		END AS families
	FROM owned)
SELECT CASE WHEN pg_catalog.cardinality(families) > 1 AND line.family <> '' THEN line.family || '.' ELSE '' END
	|| line.part, line.value
FROM found, LATERAL (VALUES
	(1, '', 'family', pg_catalog.array_to_string(families, ' or ')),
	(2, 'trace', 'problem', CASE WHEN NOT can_trace
		THEN 'not a TraceId: below 1, or its low 22 bits are all 0' END),
	(3, 'trace', 'time', @extschema@.gid_extract_trace_time(id)::text),
	(4, 'trace', 'node', @extschema@.gid_extract_trace_node(id)::text),
	(5, 'trace', 'thread', @extschema@.gid_extract_trace_thread(id, 12)::text),
	(6, 'trace', 'counter', @extschema@.gid_extract_trace_counter(id, 12)::text),
	(11, 'snowflake', 'problem', CASE WHEN NOT can_snowflake
		THEN 'not a Snowflake id: below 1' END),
	(12, 'snowflake', 'time', @extschema@.gid_extract_snowflake_time(id, 1288834974657)::text),
	(13, 'snowflake', 'node', @extschema@.gid_extract_snowflake_node(id)::text),
	(14, 'snowflake', 'sequence', @extschema@.gid_extract_snowflake_sequence(id)::text),
	(21, 'decimal', 'problem', CASE WHEN NOT can_decimal
		THEN 'not a DecimalId: outside 10000000000 to 9223372029999999999' END),
	(22, 'decimal', 'counter', @extschema@.gid_extract_decimal_counter(id)::text),
	(23, 'decimal', 'generator', @extschema@.gid_extract_decimal_generator(id)::text),
	(24, 'decimal', 'launch', @extschema@.gid_extract_decimal_launch(id)::text),
	(31, 'next', 'value', id::text))
	AS line (number, family, part, value)
WHERE id IS NOT NULL AND (line.family = '' OR line.family = ANY (families)) AND line.value IS NOT NULL
ORDER BY line.number;
END;

COMMENT ON FUNCTION @extschema@.gid_inspect(bigint, text) IS
'Returns the parts of a 63-bit id, as text. family is trace, snowflake (with Twitter''s epoch), decimal or next. The first row shows the family. If family is NULL, gid determines it from gid.node_no and gid.launch_id, or shows all possible families. Error: 22023 for any other family.';

-- The forms are those of src/text/id_text.c, in the same order.  A GDID is recognized, and
-- then refused.  URLs are not read, and no detail says that a text nearly has a form.
CREATE FUNCTION gid.inspect_text(
	IN id text,
	OUT form text, OUT prefix text, OUT as_uuid uuid,
	OUT as_bigint bigint, OUT as_base32hex uuid)
RETURNS record
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	crockford CONSTANT text COLLATE "C" := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
	base32hex CONSTANT text COLLATE "C" := '0123456789ABCDEFGHIJKLMNOPQRSTUV';
	-- what people send along, in ASCII: quotes, brackets and the end of a sentence
	sent CONSTANT text COLLATE "C" := regexp_replace(id COLLATE "C",
		E'^[ \t\n\x0B\f\r"''`<>(\\[]*(.*?)[ \t\n\x0B\f\r"''`>)\\].,;]*$', '\1');
	given CONSTANT text COLLATE "C" := translate(sent, E' \t\n\x0B\f\r', '');
	suffix text COLLATE "C" := substring(given FROM '_([^_]*)$');
	typed text COLLATE "C" := gid._typed(coalesce(suffix, given), 'crockford');
	before text COLLATE "C" := left(given, -length(suffix) - 1);
	is_crockford CONSTANT boolean := gid._foreign(typed, crockford) = 0;
	uuid_form CONSTANT text := '([0-9a-f]{4}-?){7}[0-9a-f]{4}';
	hex uuid;
	is_common boolean;
	problem text;
	number numeric;
BEGIN
	IF given = '' THEN
		problem := 'The text is empty.';
	ELSIF given <> sent AND length(given) > 128 THEN
		NULL;
	ELSIF sent ~ E'[ \t\n\x0B\f\r].*_' THEN
		problem := 'A prefix has 1 to 63 lower-case letters and underscores, and a letter at both ends.';
	ELSIF given ~* ('^urn:uuid:(' || uuid_form || '|\{' || uuid_form || '\})$') THEN
		form := 'UUID';
		as_uuid := substr(given, 10);
	ELSIF given ~* '^urn:uuid:' THEN
		NULL;
	ELSIF strpos(given, ':') > 0 THEN
		IF given ~ '^[0-9]+:[0-9]+:[0-9]+$' THEN
			form := 'GDID';
		END IF;
	ELSIF suffix IS NOT NULL THEN
		form := CASE WHEN NOT is_crockford OR typed = '' THEN NULL
			WHEN length(typed) = 26 THEN CASE WHEN gid._foreign(suffix, lower(crockford)) = 0 THEN 'TypeID' ELSE 'Crockford text of a uuid' END
			WHEN length(typed) = 20 AND suffix !~ '^[1-9][0-9]{19}$' THEN 'Crockford text of a gdid'
			WHEN suffix ~ '^[0-9]+$' THEN 'decimal number'
			WHEN length(typed) <= 13 THEN 'Crockford text of a bigint' END;
		IF form = 'decimal number' THEN
			number := suffix::numeric;
		END IF;
		IF form IS NOT NULL AND (octet_length(before) > 63 OR before !~ '^[a-z]([a-z_]*[a-z])?$') THEN
			form := NULL;
			problem := 'A prefix has 1 to 63 lower-case letters and underscores, and a letter at both ends.';
		END IF;
		prefix := CASE WHEN form IS NOT NULL THEN before END;
	ELSIF given ~* ('^(' || uuid_form || '|\{' || uuid_form || '\})$') THEN
		form := 'UUID';
		as_uuid := given;
	ELSIF given ~* '^(0x)?[0-9a-f]{24}$' THEN
		form := 'hexadecimal GDID';
	ELSE
		typed := upper(given);
		-- 130 bits, of which the last two are 0
		IF typed ~ '^[0-9A-V]{26}(======)?$' AND mod(gid._number(left(typed, 26), base32hex), 4) = 0 THEN
			hex := gid._uuid_of(div(gid._number(left(typed, 26), base32hex), 4));
			is_common := gid._is_rfc(hex) AND get_byte(uuid_send(hex), 6) >> 4 IN (4, 7);
			hex := CASE WHEN is_common OR typed !~ '^[0-9]+$' THEN hex END;
		END IF;
		typed := gid._typed(given, 'crockford');
		IF length(typed) = 26 AND is_crockford AND (typed < '8' OR hex IS NULL) THEN
			form := 'ULID';
			as_base32hex := CASE WHEN is_common THEN hex END;
		ELSIF hex IS NOT NULL THEN
			form := 'base32hex';
			as_uuid := hex;
		ELSIF length(typed) = 20 AND is_crockford AND given !~ '^[1-9][0-9]{19}$' THEN
			form := 'Crockford text of a gdid';
		ELSIF given ~ '^-?[0-9]+$' THEN
			form := 'decimal number';
			number := CASE WHEN length(ltrim(given, '-0')) < 20 THEN given::numeric ELSE 9223372036854775808 END;
		END IF;
	END IF;

	IF form IN ('ULID', 'TypeID', 'Crockford text of a uuid') THEN
		IF typed < '8' THEN
			as_uuid := gid._uuid_of(gid._number(typed, crockford));
		ELSE
			problem := 'too large';
		END IF;
	ELSIF form IN ('decimal number', 'Crockford text of a bigint') THEN
		number := coalesce(number, gid._number(typed, crockford));
		IF number BETWEEN -9223372036854775808 AND 9223372036854775807 THEN
			as_bigint := number;
		ELSE
			problem := 'too large';
		END IF;
	ELSIF form ~ 'GDID|gdid' THEN
		PERFORM gid._raise('0A000', format('cannot read "%s" as an id', gid._shown(id)),
			format('The text has the form "%s". The type gdid needs gid''s library.', form),
			'The programs of doc/decoders read it, and so does a server that has the library.');
	END IF;
	IF problem = 'too large' THEN
		problem := format('The text has the form "%s", but its number is too large for this form.', form);
	END IF;
	IF problem IS NOT NULL OR form IS NULL THEN
		PERFORM gid._raise('22P02', format('cannot read "%s" as an id', gid._shown(id)),
			coalesce(problem, 'The text has none of the forms of an id.'),
			'Give a UUID, a ULID, a GDID, a decimal bigint, or a lower-case prefix, an underscore and an id in Crockford''s alphabet or in decimal. Decode any other text of gid_encode() first, for example gid_inspect(gid_decode_bigint(''2JG'', ''crockford'')). Only its charset tells what a code is: see gid_code_normalize() and gid_check_valid().');
	END IF;
END
$$;

COMMENT ON FUNCTION gid.inspect_text(text) IS
'Reads the id of a text, for gid_inspect(text). Returns the form of the text, the prefix before its last underscore or NULL, and the id as uuid or bigint; the other one is NULL. as_base32hex is the version 4 or 7 UUID that a ULID is in base32hex, or NULL. Errors: 0A000 for a GDID; 22P02 for any other text.';

-- The library's body, without GDIDs.
CREATE FUNCTION @extschema@.gid_inspect(id text)
RETURNS TABLE (part text, value text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
WITH
pasted AS MATERIALIZED (
	SELECT t.*, CASE WHEN t.form IN ('ULID', 'TypeID', 'Crockford text of a uuid') AND @extschema@.gid_extract_v7_time(t.as_uuid) IS NULL
		-- the time of the version 7 UUID with the same first 48 bits
		THEN @extschema@.gid_extract_v7_time(overlay(overlay(t.as_uuid::text PLACING '7' FROM 15) PLACING '8' FROM 20)::uuid)
		END AS first_bits
	FROM gid.inspect_text(gid_inspect.id) AS t),
given AS MATERIALIZED (
	SELECT pasted.*, coalesce(first_bits > timestamptz '1970-01-01 00:00:00+00'
		AND first_bits <= pg_catalog.now() + interval '1 day', false) AS is_ulid
	FROM pasted),
uuid AS (
	SELECT i.number, i.part, i.value, given.is_ulid, pg_catalog.first_value(i.value) OVER (ORDER BY i.number) AS family
	FROM given, LATERAL @extschema@.gid_inspect(given.as_uuid) WITH ORDINALITY AS i (part, value, number)),
line AS (
	SELECT 1 AS step, uuid.number, uuid.part,
		CASE WHEN is_ulid THEN 'ulid or ' ELSE '' END || family AS value
	FROM uuid WHERE uuid.number = 1
	UNION ALL
	SELECT 2, i.number, i.part, i.value
	FROM given, LATERAL (VALUES
		(1, 'ulid.meaning', 'ULID: Unix time and random'),
		(2, 'ulid.time', given.first_bits::text),
		(3, 'ulid.random', pg_catalog.substr(pg_catalog.encode(pg_catalog.uuid_send(given.as_uuid), 'hex'), 13)))
		AS i (number, part, value)
	WHERE given.is_ulid
	UNION ALL
	SELECT 3, uuid.number, CASE WHEN is_ulid AND family NOT LIKE '% or %' THEN family || '.' ELSE '' END || uuid.part, uuid.value
	FROM uuid WHERE uuid.number > 1
	UNION ALL
	SELECT 3, i.number, i.part, i.value
	FROM given, LATERAL @extschema@.gid_inspect(given.as_bigint, NULL::text) WITH ORDINALITY AS i (part, value, number)
	UNION ALL
	SELECT 4, i.number, i.part, i.value
	FROM given, LATERAL (VALUES
		(1, 'form', given.form),
		(2, 'prefix', given.prefix),
		(3, 'id', coalesce(given.as_uuid::text, given.as_bigint::text)),
		(4, 'remark', 'may also be base32hex of ' || given.as_base32hex::text),
		-- with a prefix, digits alone: one digit is the same number, 14 have more than 63 bits
		(5, 'remark', CASE WHEN given.form = 'decimal number' AND given.prefix IS NOT NULL AND given.as_bigint BETWEEN 10 AND 7999999999999
			THEN 'may also be the Crockford text of ' || @extschema@.gid_decode_bigint(given.as_bigint::text, 'crockford')::text END))
		AS i (number, part, value))
SELECT line.part, line.value
FROM line
WHERE line.value IS NOT NULL
ORDER BY line.step, line.number;
END;

COMMENT ON FUNCTION @extschema@.gid_inspect(text) IS
'Returns the parts of the id that a text contains. The last rows show the text''s form, any prefix and the id. The text can be a UUID, a ULID, a UUID in base32hex or a decimal bigint. It can also be a lower-case prefix, an underscore and a decimal bigint or an id in Crockford''s alphabet. Blanks and line ends in the text, quotes and brackets of ASCII around it, and a full stop or comma after it are ignored. For a ULID, the family is ulid, and the families that its bits also fit. If the text has another reading, the row "remark" shows that. Without the library, no URL is read, and an error does not say what is wrong with a text that is nearly an id. Errors: 0A000 for a GDID, which needs the library; 22P02 for any other text.';

CREATE FUNCTION gid.stat_get_backends(
	OUT pid int, OUT slot int, OUT family text, OUT last_time timestamptz,
	OUT issued bigint)
RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT NULL::int, NULL::int, NULL::text, NULL::timestamptz, NULL::bigint WHERE false;
END;

COMMENT ON FUNCTION gid.stat_get_backends() IS
'The rows of the view gid.stat_backends.';

CREATE VIEW gid.stat_backends AS
SELECT pid, slot, family, last_time, issued
FROM gid.stat_get_backends();

COMMENT ON VIEW gid.stat_backends IS
'Empty: without the library, gid does not count the ids that a backend generates.';

COMMENT ON COLUMN gid.stat_backends.pid IS
'Process id of the backend.';

COMMENT ON COLUMN gid.stat_backends.slot IS
'Index of the backend''s slot in shared memory, starting at 0.';

COMMENT ON COLUMN gid.stat_backends.family IS
'Name of the family, such as uuid_v7 for gid_uuid_v7().';

COMMENT ON COLUMN gid.stat_backends.last_time IS
'Time of the backend''s last id. NULL for a family without times.';

COMMENT ON COLUMN gid.stat_backends.issued IS
'Number of ids, including those of transactions that were rolled back.';

CREATE FUNCTION gid.stat_get_sequences(
	OUT sequence oid, OUT relfilenode oid, OUT source text, OUT next bigint,
	OUT last bigint, OUT block_size bigint, OUT reservations bigint,
	OUT prefetched bigint, OUT waits bigint)
RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT NULL::oid, NULL::oid, NULL::text, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint
	WHERE false;
END;

COMMENT ON FUNCTION gid.stat_get_sequences() IS
'The rows of the view gid.stat_sequences.';

CREATE VIEW gid.stat_sequences AS
SELECT s.sequence::regclass AS sequence, s.source, s.next, s.last,
	s.block_size, s.reservations, s.prefetched, s.waits
FROM gid.stat_get_sequences() AS s
JOIN pg_catalog.pg_class AS c ON c.oid = s.sequence AND c.relfilenode = s.relfilenode;

COMMENT ON VIEW gid.stat_sequences IS
'Empty: without the library, no sequence has blocks in shared memory.';

COMMENT ON COLUMN gid.stat_sequences.sequence IS
'The sequence.';

COMMENT ON COLUMN gid.stat_sequences.source IS
'Where the block comes from: "local", "authority N" or "launch N". "authority N" names the server that reserved it, and "authorities" means that no server has yet. For DecimalIds, it is "launch N", or "launch N, authority" with gid.decimal_authority.';

COMMENT ON COLUMN gid.stat_sequences.next IS
'Next value of the block in use. For a launch, it is the next DecimalId. NULL if no value is left.';

COMMENT ON COLUMN gid.stat_sequences.last IS
'Last value of the block in use. NULL if no value is left.';

COMMENT ON COLUMN gid.stat_sequences.block_size IS
'Number of values that were reserved with the block in use. 0 if the block was ended.';

COMMENT ON COLUMN gid.stat_sequences.reservations IS
'Number of blocks reserved since the sequence got its place in memory. gid.stat_blocks has the totals.';

COMMENT ON COLUMN gid.stat_sequences.prefetched IS
'Number of blocks that were reserved, or fetched from another server, before they were needed. For each of the others a session waited.';

COMMENT ON COLUMN gid.stat_sequences.waits IS
'Number of times that a session waited for a synchronous standby, or for another process that was asking another server.';

CREATE FUNCTION gid.stat_get_blocks(
	OUT sequences int, OUT reservations bigint, OUT prefetched bigint, OUT waits bigint,
	OUT evictions bigint, OUT lost bigint)
RETURNS record
LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT 0, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint;
END;

COMMENT ON FUNCTION gid.stat_get_blocks() IS
'The row of the view gid.stat_blocks.';

CREATE VIEW gid.stat_blocks AS
SELECT sequences, reservations, prefetched, waits, evictions, lost
FROM gid.stat_get_blocks();

COMMENT ON VIEW gid.stat_blocks IS
'All numbers are 0: without the library, no sequence has blocks in shared memory.';

COMMENT ON COLUMN gid.stat_blocks.sequences IS
'Number of sequences, and launches of DecimalIds, that have a place in memory now. gid.max_sequences limits it.';

COMMENT ON COLUMN gid.stat_blocks.reservations IS
'Number of blocks reserved.';

COMMENT ON COLUMN gid.stat_blocks.prefetched IS
'Number of blocks that were reserved before they were needed.';

COMMENT ON COLUMN gid.stat_blocks.waits IS
'Number of times that a session waited for a synchronous standby, or for another process that was asking another server.';

COMMENT ON COLUMN gid.stat_blocks.evictions IS
'Number of times that a sequence lost its place in memory to another one, because of gid.max_sequences.';

COMMENT ON COLUMN gid.stat_blocks.lost IS
'Number of values that these sequences had reserved and not given out.';

CREATE FUNCTION gid.stat_get_clock(
	OUT family text, OUT durable_bound timestamptz, OUT last_time timestamptz,
	OUT lead interval, OUT steps_back bigint, OUT waits bigint)
RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT NULL::text, NULL::timestamptz, NULL::timestamptz, NULL::interval, NULL::bigint, NULL::bigint WHERE false;
END;

COMMENT ON FUNCTION gid.stat_get_clock() IS
'The rows of the view gid.stat_clock.';

CREATE FUNCTION gid.stat_get_node(
	OUT node int, OUT node_until timestamptz, OUT node_source text)
RETURNS record
LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT NULL::int, NULL::timestamptz, NULL::text;
END;

COMMENT ON FUNCTION gid.stat_get_node() IS
'The columns about the node number in the view gid.stat_clock.';

CREATE VIEW gid.stat_clock AS
SELECT c.family, c.durable_bound, c.last_time, c.lead, c.steps_back, c.waits,
	n.node, n.node_until, n.node_source
FROM gid.stat_get_clock() AS c
LEFT JOIN gid.stat_get_node() AS n ON c.family IN ('trace_id', 'snowflake_id');

COMMENT ON VIEW gid.stat_clock IS
'Empty: without the library, the server has no clock of its own for ids.';

COMMENT ON COLUMN gid.stat_clock.family IS
'Name of the family, such as uuid_v7 for gid_uuid_v7().';

COMMENT ON COLUMN gid.stat_clock.durable_bound IS
'The durable bound in the file gid.clock. All ids have earlier times until the bound is moved.';

COMMENT ON COLUMN gid.stat_clock.last_time IS
'Time of the server''s last id. Before the first id, it is the time at which ids will start.';

COMMENT ON COLUMN gid.stat_clock.lead IS
'How far the time of the next id is ahead of the wall clock. After a crash, or after any restart without preloading, the lead can be up to five seconds (six for shard-key UUIDs). It can be longer after the wall clock has been set back. It disappears over a period twice its length.';

COMMENT ON COLUMN gid.stat_clock.steps_back IS
'Number of times that the wall clock was set back. It is the same for all families.';

COMMENT ON COLUMN gid.stat_clock.waits IS
'Number of times that a caller slept because the family''s ids were a second ahead of the server''s time.';

COMMENT ON COLUMN gid.stat_clock.node IS
'The node number of the next id. NULL for families without one, or while the server has none.';

COMMENT ON COLUMN gid.stat_clock.node_until IS
'The end of the node number''s lease. NULL if the number is gid.node_no.';

COMMENT ON COLUMN gid.stat_clock.node_source IS
'Where the node number comes from: "gid.node_no", or "authority HOST:PORT/DATABASE" for gid.node_authority. NULL if neither is set.';

CREATE FUNCTION gid.stat_get_horizon(
	OUT kind text, OUT pid int, OUT transaction xid, OUT bound timestamptz)
RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL RESTRICTED
BEGIN ATOMIC
	SELECT NULL::text, NULL::int, NULL::xid, NULL::timestamptz WHERE false;
END;

COMMENT ON FUNCTION gid.stat_get_horizon() IS
'The rows of the view gid.stat_horizon that are not about sequences.';

-- A prepared transaction keeps its virtual transaction id until a restart.  Its lock on
-- its own transaction id tells which transaction has the lock on the sequence.
CREATE VIEW gid.stat_horizon AS
SELECT h.kind, h.sequence::regclass AS sequence, h.pid, p.gid AS prepared,
	a.usename, a.application_name, a.state,
	coalesce(a.xact_start, p.prepared) AS since, h.bound
FROM (
	SELECT kind, NULL::oid AS sequence, pid, transaction, bound
	FROM gid.stat_get_horizon()
	UNION ALL
	SELECT 'sequence' AS kind, l.relation, l.pid, x.transactionid, NULL AS bound
	FROM pg_catalog.pg_locks AS l
	JOIN pg_catalog.pg_class AS c ON c.oid = l.relation AND c.relkind = 'S'
	LEFT JOIN pg_catalog.pg_locks AS x ON x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock'
		AND x.virtualtransaction = l.virtualtransaction AND l.pid IS NULL AND x.pid IS NULL
	WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.granted
		AND l.database = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())
) AS h
LEFT JOIN pg_catalog.pg_stat_activity AS a ON a.pid = h.pid
LEFT JOIN pg_catalog.pg_prepared_xacts AS p ON p.transaction = h.transaction;

COMMENT ON VIEW gid.stat_horizon IS
'Lists the transactions that hold back the horizons of this database. Each row is an open or prepared transaction that has drawn from a sequence. The horizon advances when the transaction ends.';

COMMENT ON COLUMN gid.stat_horizon.kind IS
'Name of the family, such as uuid_v7, or "sequence". NULL without pg_read_all_stats for another user''s ids from the clock.';

COMMENT ON COLUMN gid.stat_horizon.sequence IS
'The sequence. NULL for other kinds.';

COMMENT ON COLUMN gid.stat_horizon.pid IS
'Process id of the backend. NULL for a prepared transaction.';

COMMENT ON COLUMN gid.stat_horizon.prepared IS
'Name of the prepared transaction. NULL for other transactions.';

COMMENT ON COLUMN gid.stat_horizon.usename IS
'Name of the user. NULL for a prepared transaction.';

COMMENT ON COLUMN gid.stat_horizon.application_name IS
'Name of the application. NULL for a prepared transaction.';

COMMENT ON COLUMN gid.stat_horizon.state IS
'State of the backend, as in pg_stat_activity. In the state "idle in transaction", a backend can hold a horizon back for a long time. NULL for a prepared transaction and, without pg_read_all_stats, for another user''s backend.';

COMMENT ON COLUMN gid.stat_horizon.since IS
'Time when the transaction began or was prepared. Without pg_read_all_stats, NULL for another user''s backend.';

COMMENT ON COLUMN gid.stat_horizon.bound IS
'The horizon stays below the ids of this time. NULL for sequences and, without pg_read_all_stats, for another user''s transaction. It is also NULL for a transaction that was prepared before the server started, which makes the horizons of all families NULL.';

CREATE FUNCTION gid.stat_get_readers(
	OUT sequence oid, OUT relfilenode oid, OUT asked timestamptz, OUT horizon bigint,
	OUT behind bigint, OUT lag interval, OUT holders int, OUT evictions bigint)
RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL RESTRICTED
BEGIN ATOMIC
	SELECT NULL::oid, NULL::oid, NULL::timestamptz, NULL::bigint, NULL::bigint, NULL::interval, NULL::int, NULL::int WHERE false;
END;

COMMENT ON FUNCTION gid.stat_get_readers() IS
'The rows of the view gid.stat_readers.';

CREATE VIEW gid.stat_readers AS
SELECT r.sequence::regclass AS sequence, r.asked, r.horizon, r.behind, r.lag, r.holders, r.evictions
FROM gid.stat_get_readers() AS r
JOIN pg_catalog.pg_class AS c ON c.oid = r.sequence AND c.relfilenode = r.relfilenode;

COMMENT ON VIEW gid.stat_readers IS
'Empty: without the library, each session keeps what it knows of a horizon to itself.';

COMMENT ON COLUMN gid.stat_readers.sequence IS
'The sequence.';

COMMENT ON COLUMN gid.stat_readers.asked IS
'When a session last called gid_horizon() or gid_horizon_wait() for the sequence. The other columns show what this call has found.';

COMMENT ON COLUMN gid.stat_readers.horizon IS
'The horizon that a call would return now, without reading the sequence again. NULL if nothing can be said.';

COMMENT ON COLUMN gid.stat_readers.behind IS
'Number of values between the horizon and the position of the sequence. NULL if the horizon is NULL.';

COMMENT ON COLUMN gid.stat_readers.lag IS
'For how long the horizon has been behind the position of the sequence. 0 if it is not behind.';

COMMENT ON COLUMN gid.stat_readers.holders IS
'Number of transactions that hold the horizon back. gid.stat_horizon lists them.';

COMMENT ON COLUMN gid.stat_readers.evictions IS
'Number of sequences, of all databases, that gave way to another one since the server started. Each begins again without a horizon.';

CREATE FUNCTION gid.stat_get_node_leases(
	OUT node int, OUT holder uuid, OUT since timestamptz, OUT until timestamptz,
	OUT client_name text, OUT client_address text)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT NULL::int, NULL::uuid, NULL::timestamptz, NULL::timestamptz, NULL::text, NULL::text WHERE false;
END;

COMMENT ON FUNCTION gid.stat_get_node_leases() IS
'The rows of the view gid.stat_node_leases. Error: 55000 when the table gid.node_leases was changed.';

CREATE VIEW gid.stat_node_leases AS
SELECT node, client_name, client_address, since, until, until > pg_catalog.now() AS is_held, holder
FROM gid.stat_get_node_leases();

COMMENT ON VIEW gid.stat_node_leases IS
'Empty: without the library, a server leases no node numbers.';

COMMENT ON COLUMN gid.stat_node_leases.node IS
'The node number.';

COMMENT ON COLUMN gid.stat_node_leases.client_name IS
'The application_name of the last request. The URI in gid.node_authority can set it.';

COMMENT ON COLUMN gid.stat_node_leases.client_address IS
'The IP address of the last request, or [local] for a Unix-domain socket.';

COMMENT ON COLUMN gid.stat_node_leases.since IS
'The first second of ids that the lease covers.';

COMMENT ON COLUMN gid.stat_node_leases.until IS
'The end of the lease, which does not cover ids of this second.';

COMMENT ON COLUMN gid.stat_node_leases.is_held IS
'True until the lease ends, by this server''s clock.';

COMMENT ON COLUMN gid.stat_node_leases.holder IS
'A random number that identifies the holder. Each server chooses one when it starts.';

CREATE FUNCTION gid.stat_get_reader_evictions()
RETURNS bigint
LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
RETURN 0::bigint;

COMMENT ON FUNCTION gid.stat_get_reader_evictions() IS
'The column evictions of gid.stat_readers, which has no row if nothing is followed.';

CREATE VIEW gid.metrics AS
-- A metric with a label has a row for each label, and any other metric has one row.  A
-- collector asks for either by the label, and the planner then leaves out the other parts.
-- Columns and sequences.
SELECT v.metric, ''::text AS label, v.value
FROM (
	SELECT coalesce(pg_catalog.max(c.used), 0::float8) AS used_max,
		(pg_catalog.count(*) FILTER (WHERE c.behind))::float8 AS behind,
		(pg_catalog.count(*) FILTER (WHERE c.behind IS NULL AND c.readable))::float8 AS unknown,
		(pg_catalog.count(*) FILTER (WHERE NOT c.readable))::float8 AS unreadable
	FROM gid.columns AS c
) AS m
CROSS JOIN LATERAL (VALUES ('gid_columns_used_max'::text, m.used_max), ('gid_columns_behind', m.behind),
	('gid_columns_unknown', m.unknown), ('gid_columns_unreadable', m.unreadable)) AS v(metric, value)
UNION ALL
SELECT 'gid_sequences_used_max'::text, ''::text, coalesce(pg_catalog.max(l.used), 0::float8)
FROM pg_catalog.pg_sequence AS s
CROSS JOIN LATERAL gid.stat_get_column_state(s.seqrelid, ''::name, s.seqrelid, false) AS l
WHERE s.seqrelid <> 'gid.decimal_generator'::regclass::oid
UNION ALL
SELECT 'gid_decimal_launch_used'::text, ''::text, coalesce((l.last % 100000::bigint)::float8 / 99999::float8, 0::float8)
FROM gid.stat_get_column_state('gid.decimal_generator'::regclass::oid, ''::name, 'gid.decimal_generator'::regclass::oid, false) AS l
UNION ALL
-- Blocks of sequences.
SELECT v.metric, ''::text, v.value
FROM gid.stat_blocks AS b
CROSS JOIN LATERAL (VALUES ('gid_sequence_reservations_total'::text, b.reservations::float8),
	('gid_sequence_waits_total', b.waits::float8), ('gid_sequence_evictions_total', b.evictions::float8),
	('gid_sequence_evicted_values_total', b.lost::float8)) AS v(metric, value)
UNION ALL
-- Horizons and their readers.
SELECT 'gid_horizon_held_seconds'::text, ''::text,
	coalesce(pg_catalog.date_part('epoch'::text, pg_catalog.max(pg_catalog.clock_timestamp() - h.since)), 0::float8)
FROM gid.stat_horizon AS h
UNION ALL
SELECT 'gid_reader_lag_seconds'::text, ''::text,
	coalesce(pg_catalog.date_part('epoch'::text, pg_catalog.max(r.lag)), 0::float8)
FROM gid.stat_readers AS r
UNION ALL
SELECT 'gid_reader_evictions_total'::text, ''::text, gid.stat_get_reader_evictions()::float8
UNION ALL
-- The clock, and node numbers.
SELECT 'gid_clock_steps_back_total'::text, ''::text, coalesce(pg_catalog.max(c.steps_back), 0::bigint)::float8
FROM gid.stat_clock AS c
UNION ALL
SELECT 'gid_node_lease_remaining_seconds'::text, ''::text,
	pg_catalog.date_part('epoch'::text, n.node_until - pg_catalog.clock_timestamp())
FROM gid.stat_get_node() AS n
WHERE n.node_until IS NOT NULL
UNION ALL
SELECT 'gid_node_leases_held'::text, ''::text, (pg_catalog.count(*) FILTER (WHERE l.is_held))::float8
FROM gid.stat_node_leases AS l
UNION ALL
SELECT 'gid_clock_lead_seconds'::text, c.family, pg_catalog.date_part('epoch'::text, c.lead)
FROM gid.stat_clock AS c
UNION ALL
SELECT 'gid_clock_waits_total'::text, c.family, c.waits::float8
FROM gid.stat_clock AS c
UNION ALL
-- Sessions.
SELECT 'gid_sessions_waiting'::text, w.label, (
	SELECT pg_catalog.count(*)::float8
	FROM pg_catalog.pg_stat_activity AS a
	WHERE a.datname = pg_catalog.current_database()
		AND CASE w.label WHEN 'standby'::text THEN a.wait_event = 'SyncRep'::text
			ELSE pg_catalog.starts_with(a.wait_event, 'Gid'::text)
				OR a.wait_event_type = 'Extension'::text AND a.wait_event = 'Extension'::text END)
FROM (VALUES ('standby'::text), ('gid'::text)) AS w(label);

COMMENT ON VIEW gid.metrics IS
'What a collector such as a Prometheus exporter reads from this database, for members of pg_monitor. Without the library, what is counted in shared memory is 0, and rows of the clock are missing. The rows of columns need the rights of the table''s owner.';

COMMENT ON COLUMN gid.metrics.metric IS
'The name of the metric. The names of counters end in _total. gid_node_lease_remaining_seconds has a row only if this server leases its node number.';

COMMENT ON COLUMN gid.metrics.label IS
'For gid_clock_lead_seconds and gid_clock_waits_total, the family. For gid_sessions_waiting, "standby" for sessions that wait for a synchronous standby, or "gid" for those that wait for the clock or for another server. For other metrics, an empty text.';

COMMENT ON COLUMN gid.metrics.value IS
'The value. Shares are 0 to 1.';

GRANT USAGE ON SCHEMA gid TO PUBLIC;

GRANT SELECT ON gid.columns,
	gid.stat_backends,
	gid.stat_blocks,
	gid.stat_clock,
	gid.stat_horizon,
	gid.stat_readers,
	gid.stat_sequences TO PUBLIC;

GRANT SELECT, UPDATE ON SEQUENCE gid.decimal_generator TO pg_database_owner;

GRANT SELECT, INSERT ON gid.node_writer TO pg_database_owner;

REVOKE EXECUTE ON FUNCTION gid.authority_generator(int),
	gid.authority_confirm(),
	gid.authority_resume(),
	gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int) FROM PUBLIC;

REVOKE EXECUTE ON FUNCTION gid.stat_get_node_leases() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION gid.stat_get_node_leases() TO pg_monitor;

GRANT SELECT ON gid.stat_node_leases TO pg_monitor;

GRANT SELECT ON gid.metrics TO pg_monitor;
$gid$;
	target CONSTANT pg_catalog.name := pg_catalog.current_schema();
BEGIN
	IF EXISTS (SELECT FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'gid') THEN
		RAISE duplicate_object USING MESSAGE = 'extension "gid" already exists',
			DETAIL = 'It has the same functions as this script.',
			HINT = 'SELECT gid_edition() says which edition it is. To change the edition, see the manual''s chapter "On a managed server".';
	ELSIF EXISTS (SELECT FROM pg_catalog.pg_namespace AS n WHERE n.nspname OPERATOR(pg_catalog.=) 'gid') THEN
		RAISE duplicate_schema USING MESSAGE = 'schema "gid" already exists',
			DETAIL = 'gid keeps its views and helpers in a schema of this name.',
			HINT = 'If an earlier run of this script made it, gid is installed. If its functions were dropped, drop this schema, too. Otherwise rename it.';
	ELSIF target IS NULL THEN
		RAISE invalid_schema_name USING MESSAGE = 'no schema has been selected to create in',
			DETAIL = 'The functions get the first schema of search_path that exists.',
			HINT = 'Create a schema, and SET search_path to it.';
	ELSIF EXISTS (SELECT FROM pg_catalog.pg_extension AS e WHERE e.extname OPERATOR(pg_catalog.=) 'pg_tle') THEN
		PERFORM pgtle.install_extension('gid', '2.1sql', 'identifiers, in SQL alone', script);
		RETURN;
	END IF;
	-- it is not an extension's script here
	script := pg_catalog.regexp_replace(script, '^SELECT pg_catalog\.pg_extension_config_dump\(.*$', '', 'gn');
	EXECUTE pg_catalog.replace(script, '@extschema@', pg_catalog.quote_ident(target));
END
$install$;
