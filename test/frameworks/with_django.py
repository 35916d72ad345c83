"""gid from Django: the project of django_project, its migrations, its models.

What stands there is in doc/frameworks.md. The app shop50 is for Django 5.0
and later, which has db_default.
"""

import io
import os
import sys
import uuid

import tap

django = tap.need("django", "python3-django")
psycopg2 = tap.need("psycopg2", "python3-psycopg2")
from django.conf import settings
from django.core.management import call_command
from django.db import connection

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "django_project"))
DB_DEFAULT = django.VERSION >= (5, 0)

settings.configure(
    DATABASES={"default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": os.environ["PGDATABASE"],
        "USER": os.environ["PGUSER"],
        "HOST": os.environ["PGHOST"],
        "PORT": os.environ["PGPORT"],
    }},
    INSTALLED_APPS=["shop"] + ["shop50"] * DB_DEFAULT,
    USE_TZ=True)
django.setup()

from shop.models import Customer, Note, Request
from shop.typeids import find_note, shown_notes


def query(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]


def column_default(table):
    return query("SELECT column_default FROM information_schema.columns"
                 f" WHERE table_name = '{table}' AND column_name = 'id'")


def output_of(*command, **options):
    said = io.StringIO()
    call_command(*command, stdout=said, no_color=True, **options)
    return said.getvalue()


def test_migrations():
    call_command("migrate", "shop", "0001", verbosity=0)
    Customer.objects.bulk_create([Customer(name="a"), Customer(name="b")])
    call_command("migrate", "shop", verbosity=0)
    tap.equal([column_default(f"shop_{table}") for table in ("note", "request", "customer")],
              ["gid_uuid_v7()", "gid_trace_id()", "gid_next('shop_customer_id_seq'::regclass)"],
              "migrations: two new tables, and one that had rows, have gid's defaults")
    said = output_of("makemigrations", "shop", dry_run=True)
    tap.ok("No changes" in said, "migrations: makemigrations finds no difference to the models", said)
    tap.equal(Customer.objects.create(name="c").pk, 3, "existing table: the next row goes on")
    call_command("migrate", "shop", "0002", verbosity=0)
    tap.ok(Customer.objects.create(name="d").pk > 3,
           "existing table: after the migration is undone, too")


def test_fields():
    note = Note(body="one")
    note.full_clean()
    note.save()
    tap.equal((type(note.pk), note.pk.version), (uuid.UUID, 7),
              "uuid: after save() the id is there, a uuid.UUID of version 7")
    note.body = "changed"
    note.save()
    tap.equal(list(Note.objects.values_list("pk", "body")), [(note.pk, "changed")],
              "uuid: save() again updates the row")
    notes = Note.objects.bulk_create([Note(body=f"many {i}") for i in range(50)])
    tap.ok(tap.increasing([note.pk, *(note.pk for note in notes)]),
           "uuid: bulk_create() gives 50 objects their ids, in order")
    given = uuid.UUID("0188bac7-4afa-78aa-bc3b-bd1eef28d881")
    tap.equal(Note.objects.create(pk=given, body="shown").pk, given,
              "uuid: an id that is given stays")
    shown = shown_notes().get(body="shown").shown
    tap.equal(shown, "note_01h2xcejqtf2nbrexx3vqjhp41", "TypeID: the API shows one")
    tap.equal(find_note(shown).pk, given, "TypeID: which finds the row")

    request = Request.objects.create(path="/tea")
    tap.ok(type(request.pk) is int and request.pk > 2 ** 53,
           "bigint: after create() the id is an int", request.pk)
    shown = request.as_json()["id"]
    tap.equal(shown, str(request.pk), "bigint: as_json() gives text")
    tap.equal(Request.objects.get(pk=shown).path, "/tea", "bigint: which finds the row")


def test_served():
    """The migration is undone, so the default is nextval() again."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER DATABASE with_django SET session_preload_libraries = 'gid'")
        cursor.execute("ALTER DATABASE with_django SET gid.serve_nextval = on")
    connection.close()
    tap.ok(query("SELECT served FROM gid.columns WHERE relation = 'shop_customer'::regclass"),
           "serial key: gid serves it without a change")
    first = Customer.objects.create(name="e").pk
    many = Customer.objects.bulk_create([Customer(name=f"many {i}") for i in range(50)])
    tap.equal([customer.pk for customer in many], list(range(first + 1, first + 51)),
              "serial key: save() and bulk_create() get the values")
    Customer.objects.create(pk=1000, name="f")
    with connection.cursor() as cursor:
        cursor.execute(output_of("sqlsequencereset", "shop"))
    tap.equal(Customer.objects.create(name="g").pk, 1001,
              "serial key: the statements of sqlsequencereset work")


def test_db_default():
    from shop50.models import Note as Note50, Order as Order50

    with connection.cursor() as cursor:
        cursor.execute("CREATE SEQUENCE order_no")
    with connection.schema_editor() as editor:
        editor.create_model(Note50)
        editor.create_model(Order50)
    tap.equal(column_default("shop50_note"), "gid_uuid_v7()", "db_default: in the table")
    tap.equal(Note50.objects.create(body="one").pk.version, 7, "db_default: after save() the uuid is there")
    tap.equal([Order50.objects.create(item="tea").pk for _ in range(2)], [1, 2],
              "db_default: and the number of a sequence")


def test():
    test_migrations()
    test_fields()
    test_served()
    if DB_DEFAULT:
        test_db_default()


tap.tried(f"Django {django.get_version()}, psycopg2 {psycopg2.__version__.split()[0]}")
tap.run(test)
