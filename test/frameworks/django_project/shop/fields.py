from django.db import models


class Default(models.Expression):
    """The word DEFAULT in an INSERT."""

    def as_sql(self, compiler, connection):
        return "DEFAULT", []


class FromDatabase:
    """For a field whose column has a default: save() brings the value of a new row."""
    db_returning = True

    def pre_save(self, instance, add):
        value = super().pre_save(instance, add)
        return Default() if add and value is None else value


class UuidFromDatabase(FromDatabase, models.UUIDField):
    pass


class BigIntFromDatabase(FromDatabase, models.BigIntegerField):
    pass
