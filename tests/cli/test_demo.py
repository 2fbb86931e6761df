"""``grader demo``: the main job on real input, whatever is installed."""


def test_it_prints_cards_writes_the_report_and_names_what_is_absent(run, tmp_path):
    nowhere = {"PATH": str(tmp_path), "DOCKER_HOST": f"unix://{tmp_path}/none.sock"}
    done = run("demo", "--out", "report.html", **nowhere)
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    assert "of 100" in text
    assert "left out: " in text
    assert "bubblewrap" in text
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "<mark>" in page
