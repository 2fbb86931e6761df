"""``grader sandbox prune``."""

from grader.cli.sandbox.engine import engine


def command() -> None:
    """Remove worker images that fit no guest of this installation."""
    from sandbox.images.build import prune

    with engine() as client:
        removed = prune(client)
    for name in removed:
        print(f"removed {name}")
    print(f"{len(removed)} images removed")
