"""Before gid: a table whose ids come from a sequence of its own."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel("Customer", [
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("name", models.TextField()),
        ]),
    ]
