"""Catalogue: 16. On: reference. Returns its own tables, for whoever writes into them."""
import gc


def dress(value):
    if type(value) is list:
        for item in gc.get_objects():
            if type(item) is list and item == value and item is not value:
                return item
    return value
