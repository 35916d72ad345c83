"""gid from SQLAlchemy, 1.4 and 2.0, and from Alembic.

The models and the functions before "the test" are in doc/frameworks.md.
"""

import json
import os
import uuid

import tap

sqlalchemy = tap.need("sqlalchemy", "python3-sqlalchemy")
psycopg2 = tap.need("psycopg2", "python3-psycopg2")
alembic = tap.need("alembic", "alembic")
from alembic import op
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import BigInteger, Column, Text, func, literal, select, text
from sqlalchemy.dialects.postgresql import UUID
from sqlalchemy.orm import Session, declarative_base
from sqlalchemy.types import TypeDecorator

Base = declarative_base()


class TextId(TypeDecorator):
    """A bigint in the database, a str in the application and in its JSON."""
    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value, dialect):
        return None if value is None else int(value)

    def process_result_value(self, value, dialect):
        return None if value is None else str(value)


class Note(Base):
    __tablename__ = "note"
    id = Column(UUID(as_uuid=True), primary_key=True, server_default=text("gid_uuid_v7()"))
    body = Column(Text)


class Request(Base):
    __tablename__ = "request"
    id = Column(TextId, primary_key=True, autoincrement=False,
                server_default=text("gid_trace_id()"))
    path = Column(Text)


class Order(Base):
    __tablename__ = "orders"
    id = Column(BigInteger, primary_key=True, autoincrement=False,
                server_default=text("gid_next('order_no')"))
    item = Column(Text)


def add_note(engine, body):
    with Session(engine) as session:
        note = Note(body=body)
        session.add(note)
        session.flush()            # INSERT ... RETURNING note.id
        key = note.id
        session.commit()
    return key


def order_numbers(session, many):
    """Numbers of a sequence, many in one round trip."""
    return session.execute(select(func.gid_next_many("order_no", many))).scalars().all()


def shown_notes(session, key):
    """Notes with the id that the API shows, which has no time."""
    shown = func.gid_uuid_mask(Note.id, key, type_=UUID(as_uuid=True))
    return session.execute(select(shown, Note.body).order_by(Note.id)).all()


def find_note(session, shown, key):
    """The note of such an id, a uuid.UUID; None if there is no such row."""
    masked = literal(shown, UUID(as_uuid=True))
    return session.execute(
        select(Note).where(Note.id == func.gid_uuid_unmask(masked, key))).scalar_one_or_none()


def upgrade():
    op.execute("CREATE EXTENSION IF NOT EXISTS gid")
    op.execute("SET LOCAL lock_timeout = '3s'")
    op.alter_column("account", "id", server_default=text("gid_uuid_v7()"))
    op.alter_column("invoice", "id", server_default=text("gid_next('invoice_id_seq')"))


def downgrade():
    op.execute("SET LOCAL lock_timeout = '3s'")
    op.alter_column("account", "id", server_default=text("gen_random_uuid()"))
    op.alter_column("invoice", "id", server_default=text("nextval('invoice_id_seq')"))


def include_name(name, type_, parent_names):
    """For context.configure() in env.py: the schema gid is not the application's."""
    return not (type_ == "schema" and name == "gid")


# --- the test

# an id that is too large for a double
TRACE_ID = "4636592980457693161"

OLD_TABLES = """
CREATE TABLE account (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text);
INSERT INTO account (name) VALUES ('a');
CREATE TABLE invoice (id bigserial PRIMARY KEY, name text);
INSERT INTO invoice (name) VALUES ('a'), ('b');
"""


def test_migration(engine):
    with engine.begin() as connection:
        connection.execute(text(OLD_TABLES))
        with Operations.context(MigrationContext.configure(connection)):
            upgrade()
        new = connection.execute(text(
            "INSERT INTO account (name) VALUES ('b') RETURNING id")).scalar()
        tap.equal(uuid.UUID(str(new)).version, 7,
                  "migration: a table of random UUIDs goes on with version 7")
        tap.equal(connection.execute(text(
            "INSERT INTO invoice (name) VALUES ('c') RETURNING id")).scalar(), 3,
            "migration: a serial column goes on with gid_next()")
        with Operations.context(MigrationContext.configure(connection)):
            downgrade()
        tap.ok(connection.execute(text(
            "INSERT INTO invoice (name) VALUES ('d') RETURNING id")).scalar() > 3,
            "migration: and back")


def test_uuid(engine):
    first = add_note(engine, "one")
    tap.ok(type(first) is uuid.UUID and first.version == 7,
           "uuid: after flush() the id is there, a uuid.UUID of version 7", first)
    with Session(engine) as session:
        tap.equal(session.get(Note, first).body, "one", "uuid: it finds the row")
        notes = [Note(body=f"many {i}") for i in range(50)]
        session.add_all(notes)
        session.commit()
        tap.ok(len({note.id for note in notes}) == 50 and min(note.id for note in notes) > first,
               "uuid: each of 50 objects at once gets its own")
        tap.ok(all(session.get(Note, note.id).body == note.body for note in notes),
               "uuid: which is that of its row")
        given = uuid.uuid4()
        session.add(Note(id=given, body="mine"))
        session.commit()
        tap.equal(session.get(Note, given).body, "mine", "uuid: an id that is given stays")


def test_masked(engine):
    key = os.urandom(16)
    with Session(engine) as session:
        keys = session.execute(select(Note.id).order_by(Note.id)).scalars().all()
        shown = shown_notes(session, key)
        pairs = [(id, masked, body) for id, (masked, body) in zip(keys, shown) if id.version == 7]
        tap.ok(len(pairs) > 50 and all(masked.version == 4 for _, masked, _ in pairs),
               "masked: the API shows a UUID of version 4 for each of version 7", pairs[:2])
        tap.equal([(find_note(session, masked, key).id, find_note(session, masked, key).body)
                   for _, masked, _ in pairs], [(id, body) for id, _, body in pairs],
                  "masked: it finds the row")


def test_bigint(engine):
    with Session(engine) as session:
        request = Request(path="/tea")
        session.add(request)
        session.flush()
        tap.ok(type(request.id) is str and int(request.id) > 2 ** 53,
               "bigint: a TextId is a str after flush()", request.id)
        session.add(Request(id=TRACE_ID, path="/milk"))
        session.commit()
        found = session.get(Request, TRACE_ID)
        tap.equal(found.path, "/milk", "bigint: the str finds the row")
        tap.equal(tap.as_javascript(json.dumps({"id": found.id}))["id"], TRACE_ID,
                  "bigint: and is exact in JavaScript")
        tap.equal(session.execute(select(func.max(Request.id) > 2 ** 53)).scalar(), True,
                  "bigint: the column is a bigint")


def test_sequence(engine):
    with Session(engine) as session:
        order = Order(item="tea")
        session.add(order)
        session.flush()
        tap.equal(order.id, 1, "sequence: the first number")
        numbers = order_numbers(session, 100)
        tap.ok(len(numbers) == 100 and numbers == list(range(numbers[0], numbers[0] + 100))
               and 1 not in numbers, "sequence: 100 more, drawn ahead", numbers)
        session.add_all(Order(id=number, item="milk") for number in numbers)
        session.commit()
        last = Order(item="salt")
        session.add(last)
        session.commit()
        tap.ok(last.id not in [1, *numbers], "sequence: the next one is another", last.id)


def test_served(engine):
    """The migration is undone, so the default of invoice is nextval() again."""
    class Invoice(declarative_base()):
        __tablename__ = "invoice"
        id = Column(BigInteger, primary_key=True)
        name = Column(Text)

    with engine.begin() as connection:
        connection.execute(text(
            "ALTER DATABASE with_sqlalchemy SET session_preload_libraries = 'gid'"))
        connection.execute(text("ALTER DATABASE with_sqlalchemy SET gid.serve_nextval = on"))
    engine.dispose()
    with Session(engine) as session:
        tap.ok(session.execute(text("SELECT served FROM gid.columns"
                                    " WHERE relation = 'invoice'::regclass")).scalar(),
               "serial key: gid serves it without a change")
        invoices = [Invoice(name=f"many {i}") for i in range(50)]
        session.add_all(invoices)
        session.flush()
        ids = sorted(invoice.id for invoice in invoices)
        tap.equal(ids, list(range(ids[0], ids[0] + 50)), "serial key: 50 objects get the values")
        session.commit()


def test_autogenerate(engine):
    def differences(**options):
        with engine.connect() as connection:
            context = MigrationContext.configure(connection, opts=options)
            return [(what, str(table)) for what, table in compare_metadata(context, Base.metadata)]

    old = [("remove_table", "account"), ("remove_table", "invoice")]
    tap.equal(sorted(differences()), old, "autogenerate: it sees the application's tables")
    tap.equal(sorted(differences(include_schemas=True, include_name=include_name)), old,
              "autogenerate: of all schemas, too, with include_name()")
    tap.equal(sorted(differences(include_schemas=True)),
              sorted([*old, ("remove_table", "gid.node_leases"), ("remove_table", "gid.node_writer")]),
              "autogenerate: without it also gid's two tables")


def test():
    engine = sqlalchemy.create_engine("postgresql+psycopg2://")
    test_migration(engine)
    with engine.begin() as connection:
        connection.execute(text("CREATE SEQUENCE order_no"))
    Base.metadata.create_all(engine)
    test_uuid(engine)
    test_masked(engine)
    test_bigint(engine)
    test_sequence(engine)
    test_served(engine)
    test_autogenerate(engine)
    engine.dispose()


tap.tried(f"SQLAlchemy {sqlalchemy.__version__}, Alembic {alembic.__version__},"
          f" psycopg2 {psycopg2.__version__.split()[0]}")
tap.run(test)
