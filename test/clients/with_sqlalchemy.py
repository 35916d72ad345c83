"""gid from SQLAlchemy (1.4 and 2), over psycopg2.

The classes and functions before Statements are in doc/applications.md.  The rest
shows that an id that the server makes comes back with the INSERT, that numbers
can be drawn ahead, and that an id survives a browser.
"""

import json
import re
import uuid

import tap

sqlalchemy = tap.need("sqlalchemy", "python3-sqlalchemy")
tap.need("psycopg2", "python3-psycopg2")
from sqlalchemy import (
    BigInteger, Column, Text, TypeDecorator, create_engine, event, func, select, text)
from sqlalchemy.dialects.postgresql import UUID
from sqlalchemy.orm import Session, declarative_base

Base = declarative_base()


class Note(Base):
    __tablename__ = "note"
    id = Column(UUID(as_uuid=True), primary_key=True,
                server_default=text("gid_uuid_v7()"))
    body = Column(Text)


class Order(Base):
    __tablename__ = "orders"
    id = Column(BigInteger, primary_key=True, autoincrement=False,
                server_default=text("gid_next('order_no')"))
    item = Column(Text)


def order_numbers(connection, count):
    """Consecutive numbers, in one round trip, for rows that are to come."""
    return connection.scalars(select(func.gid_next_many("order_no", count))).all()


class TextId(TypeDecorator):
    """A bigint in the database, a str in the application and in its JSON."""
    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value, dialect):
        return None if value is None else int(value)

    def process_result_value(self, value, dialect):
        return None if value is None else str(value)


class Request(Base):
    __tablename__ = "request"
    id = Column(TextId, primary_key=True, autoincrement=False,
                server_default=text("gid_trace_id()"))
    path = Column(Text)


class Statements:
    """The statements that an engine sends while this is open."""

    def __init__(self, engine):
        self.engine = engine

    def __enter__(self):
        self.list = []
        event.listen(self.engine, "before_cursor_execute", self.note)
        return self

    def __exit__(self, *_):
        event.remove(self.engine, "before_cursor_execute", self.note)

    def note(self, connection, cursor, statement, *_):
        self.list.append(statement)


def test_default(engine, session):
    with Statements(engine) as sent:
        note = Note(body="one")
        session.add(note)
        session.flush()
        first = note.id
    tap.equal(type(first), uuid.UUID, "uuid: the server's default comes back as a uuid.UUID")
    tap.equal(first.version, 7, "uuid: of version 7")
    tap.ok(len(sent.list) == 1 and re.search(r"INSERT .* RETURNING note.id", sent.list[0], re.S),
           "uuid: with the INSERT, by RETURNING", sent.list)

    with Statements(engine) as sent:
        order = Order(item="tea")
        session.add(order)
        session.flush()
        tap.equal(type(order.id), int, "bigint: a sequence's value is an int")
    tap.ok(len(sent.list) == 1 and "RETURNING" in sent.list[0]
           and "nextval" not in sent.list[0],
           "bigint: with the INSERT, and no nextval()", sent.list)
    session.commit()
    tap.equal(session.get(Note, first).body, "one", "uuid: get() finds the row")


def test_many(session):
    session.add_all([Note(body=f"many {i}") for i in range(250)])
    session.flush()
    ids = session.scalars(select(Note.id).where(Note.body.like("many %"))).all()
    tap.equal(len(set(ids)), 250, "uuid: 250 rows of one flush have ids of their own")
    rows = session.execute(
        Note.__table__.insert().values([{"body": f"values {i}"} for i in range(100)])
        .returning(Note.id)).scalars().all()
    tap.ok(len(rows) == 100 and tap.increasing(rows),
           "uuid: an INSERT of 100 rows returns their ids in order")


def test_ahead(engine, session):
    numbers = order_numbers(session, 100)
    tap.equal(numbers, list(range(numbers[0], numbers[0] + 100)),
              "batches: 100 consecutive numbers")
    with Statements(engine) as sent:
        session.add_all([Order(id=number, item="milk") for number in numbers])
        session.flush()
    tap.ok(sent.list and not any("RETURNING" in s for s in sent.list),
           "batches: rows that have their ids need no RETURNING", sent.list)
    session.commit()
    tap.equal(session.query(Order).filter(Order.item == "milk").count(), 100,
              "batches: and are there")
    number = order_numbers(session, 1)[0]
    session.rollback()
    tap.ok(order_numbers(session, 1)[0] > number,
           "batches: what was drawn before a rollback does not come again")
    tap.raises(sqlalchemy.exc.DBAPIError, "22023", lambda: order_numbers(session, 0),
               "batches: one of none is refused")
    session.rollback()


# a TraceId, which is too large for a double
TRACE_ID = 4636592980457693161


def test_json(engine, session):
    session.add(Request(id=str(TRACE_ID), path="/tea"))
    session.flush()
    number = session.execute(text("SELECT id FROM request")).scalar()
    tap.equal(number, TRACE_ID, "json: a TraceId is an int, exact")
    wrong = tap.as_javascript(json.dumps(number))
    tap.ok(wrong != TRACE_ID, "json: JavaScript makes another number of it", wrong)
    session.commit()
    request = session.query(Request).one()
    tap.equal(request.id, str(TRACE_ID), "json: with TextId it is a str")
    right = tap.as_javascript(json.dumps({"id": request.id}))["id"]
    tap.equal(right, str(TRACE_ID), "json: which is exact there, too")
    session.expunge_all()
    tap.equal(session.get(Request, right).path, "/tea", "json: and finds the row when it comes back")
    with Statements(engine) as sent:
        session.query(Request).filter(Request.id == right).one()
    tap.ok(len(sent.list) == 1 and "CAST" not in sent.list[0],
           "json: by the column itself, so that its index serves", sent.list)


def test():
    engine = create_engine("postgresql+psycopg2://")
    with engine.begin() as connection:
        connection.execute(text("CREATE EXTENSION gid"))
        connection.execute(text("CREATE SEQUENCE order_no"))
    Base.metadata.create_all(engine)
    with engine.connect() as connection:
        tap.equal(connection.execute(text(
            "SELECT pg_get_serial_sequence('orders', 'id') IS NULL")).scalar(), True,
            "create_all() makes no sequence of its own")
    with Session(engine) as session:
        test_default(engine, session)
        test_many(session)
        test_ahead(engine, session)
        test_json(engine, session)
    engine.dispose()


tap.run(test)
