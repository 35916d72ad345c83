from django.db import models
from django.db.models import Func, Value


class Note(models.Model):
    id = models.UUIDField(
        primary_key=True, editable=False,
        db_default=Func(function="gid_uuid_v7", output_field=models.UUIDField()))
    body = models.TextField()


class Order(models.Model):
    id = models.BigIntegerField(
        primary_key=True, editable=False,
        db_default=Func(Value("order_no"), function="gid_next",
                        output_field=models.BigIntegerField()))
    item = models.TextField()
