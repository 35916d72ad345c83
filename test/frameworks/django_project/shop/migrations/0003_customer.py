from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("shop", "0002_gid")]
    operations = [
        migrations.RunSQL([
            "SET LOCAL lock_timeout = '500ms'",
            "LOCK TABLE shop_customer",
            "ALTER SEQUENCE shop_customer_id_seq RENAME TO shop_customer_id_old",
            "CREATE SEQUENCE shop_customer_id_seq OWNED BY shop_customer.id",
            "SELECT setval('shop_customer_id_seq', last_value, is_called)"
            " FROM shop_customer_id_old",
            "ALTER TABLE shop_customer ALTER id DROP IDENTITY IF EXISTS,"
            " ALTER id SET DEFAULT gid_next('shop_customer_id_seq')",
            "DROP SEQUENCE IF EXISTS shop_customer_id_old",
        ], [
            "SET LOCAL lock_timeout = '500ms'",
            "ALTER TABLE shop_customer ALTER id SET DEFAULT nextval('shop_customer_id_seq')",
        ]),
    ]
