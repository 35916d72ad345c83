from django.db.models import Func, TextField, UUIDField, Value

from .models import Note


def shown_notes():
    """Notes with the id that the API shows, as note.shown."""
    return Note.objects.annotate(
        shown=Func(Value("note"), "id", function="gid_typeid", output_field=TextField()))


def find_note(shown):
    """The note of such an id; a DataError if the text is another."""
    return shown_notes().get(pk=Func(
        Value(shown), Value("note"), function="gid_typeid_uuid", output_field=UUIDField()))
