from django.db import models

from .fields import BigIntFromDatabase, UuidFromDatabase


class Note(models.Model):
    id = UuidFromDatabase(primary_key=True, blank=True, editable=False)
    body = models.TextField()


class Request(models.Model):
    id = BigIntFromDatabase(primary_key=True, blank=True, editable=False)
    path = models.TextField()

    def as_json(self):
        return {"id": str(self.id), "path": self.path}


class Customer(models.Model):
    id = models.BigAutoField(primary_key=True)
    name = models.TextField()
