from django.contrib.postgres.operations import CreateExtension
from django.db import migrations, models

from shop.fields import BigIntFromDatabase, UuidFromDatabase


class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    operations = [
        CreateExtension("gid"),
        migrations.CreateModel("Note", [
            ("id", UuidFromDatabase(blank=True, editable=False, primary_key=True,
                                    serialize=False)),
            ("body", models.TextField()),
        ]),
        migrations.CreateModel("Request", [
            ("id", BigIntFromDatabase(blank=True, editable=False, primary_key=True,
                                      serialize=False)),
            ("path", models.TextField()),
        ]),
        migrations.RunSQL(
            ["ALTER TABLE shop_note ALTER id SET DEFAULT gid_uuid_v7()",
             "ALTER TABLE shop_request ALTER id SET DEFAULT gid_trace_id()"],
            migrations.RunSQL.noop),
    ]
