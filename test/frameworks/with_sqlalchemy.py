"""gid from SQLAlchemy, 1.4 and 2.0, and from Alembic.

doc/frameworks.md has the models and functions before "the test", or names them.
"""

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
    op.execute("SET LOCAL lock_timeout = '500ms'")
    op.alter_column("account", "id", server_default=text("gid_uuid_v7()"))
    op.alter_column("invoice", "id", server_default=text("gid_next('invoice_id_seq')"))


def downgrade():
    op.execute("SET LOCAL lock_timeout = '500ms'")
    op.alter_column("account", "id", server_default=text("gen_random_uuid()"))
    op.alter_column("invoice", "id", server_default=text("nextval('invoice_id_seq')"))


def include_name(name, type_, parent_names):
    """For context.configure() in env.py: the schema gid is not the application's."""
    return not (type_ == "schema" and name == "gid")


# --- the test

OLD_TABLES = """
CREATE TABLE account (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text);
CREATE TABLE invoice (id bigserial PRIMARY KEY, name text);
INSERT INTO invoice (name) VALUES ('a'), ('b');
"""


def test_migration(engine):
    def added(table):
        return connection.execute(text(f"INSERT INTO {table} (name) VALUES ('c') RETURNING id")).scalar()

    with engine.begin() as connection:
        connection.execute(text(OLD_TABLES))
        with Operations.context(MigrationContext.configure(connection)):
            upgrade()
        tap.equal(uuid.UUID(str(added("account"))).version, 7,
                  "migration: a table of random UUIDs goes on with version 7")
        tap.equal(added("invoice"), 3, "migration: a serial column goes on with gid_next()")
        with Operations.context(MigrationContext.configure(connection)):
            downgrade()
        tap.ok(added("invoice") > 3, "migration: and back")


def test_models(engine):
    key = os.urandom(16)
    with Session(engine) as session:
        notes = [Note(body=f"many {i}") for i in range(50)]
        session.add_all(notes)
        session.flush()
        ids = {note.id: note.body for note in notes}
        tap.ok(len(ids) == 50 and all(type(id) is uuid.UUID and id.version == 7 for id in ids),
               "uuid: after flush() each of 50 objects has an id, a uuid.UUID of version 7", ids)
        tap.equal(dict(session.execute(select(Note.id, Note.body)).all()), ids, "uuid: that of its row")
        shown = shown_notes(session, key)
        tap.ok(all(masked.version == 4 for masked, _ in shown), "masked: the API shows version 4", shown[:2])
        tap.equal({find_note(session, masked, key).id: body for masked, body in shown}, ids,
                  "masked: which finds the row")

        request = Request(path="/tea")
        session.add(request)
        session.flush()
        tap.ok(type(request.id) is str and int(request.id) > 2 ** 53,
               "bigint: a TextId is a str after flush()", request.id)
        tap.equal(session.get(Request, request.id).path, "/tea", "bigint: which finds the row")
        tap.equal(session.execute(select(func.max(Request.id) > 2 ** 53)).scalar(), True,
                  "bigint: the column is a bigint")

        order = Order(item="tea")
        session.add(order)
        session.flush()
        tap.equal(order.id, 1, "sequence: the first number")
        numbers = order_numbers(session, 100)
        tap.equal(numbers, list(range(numbers[0], numbers[0] + 100)), "sequence: 100 more, drawn ahead")
        session.add_all(Order(id=number, item="milk") for number in numbers)
        session.commit()
        tap.equal(session.get(Order, numbers[0]).item, "milk", "sequence: an id that is given stays")


def test_autogenerate(engine):
    def differences(**options):
        with engine.connect() as connection:
            context = MigrationContext.configure(connection, opts=options)
            return sorted(str(table) for _, table in compare_metadata(context, Base.metadata))

    tap.equal(differences(include_schemas=True, include_name=include_name), ["account", "invoice"],
              "autogenerate: with include_name() it sees the application's tables")
    tap.equal(differences(include_schemas=True),
              ["account", "gid.node_leases", "gid.node_writer", "invoice"],
              "autogenerate: without it also gid's two tables")


def test():
    engine = sqlalchemy.create_engine("postgresql+psycopg2://")
    test_migration(engine)
    with engine.begin() as connection:
        connection.execute(text("CREATE SEQUENCE order_no"))
    Base.metadata.create_all(engine)
    test_models(engine)
    test_autogenerate(engine)
    engine.dispose()


tap.tried(f"SQLAlchemy {sqlalchemy.__version__}, Alembic {alembic.__version__},"
          f" psycopg2 {psycopg2.__version__.split()[0]}")
tap.run(test)
