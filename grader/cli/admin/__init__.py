"""``grader admin``: tenants and keys of a deployment, from its own machine."""

from grader.cli.lazy import Entry, lazy_group

command = lazy_group(
    "admin",
    "Tenants and keys of a deployment, from its own machine.",
    {
        "migrate": Entry("grader.cli.admin.migrate", "Bring the database's schema up."),
        "backup": Entry("grader.cli.admin.backup", "Write everything into a new folder."),
        "restore": Entry("grader.cli.admin.restore", "Fill an empty deployment from a backup."),
        "tenants": Entry("grader.cli.admin.tenants", "List the tenants."),
        "add-tenant": Entry("grader.cli.admin.add_tenant", "Add a tenant and its admin key."),
        "keys": Entry("grader.cli.admin.keys", "List the keys of a tenant."),
        "add-key": Entry("grader.cli.admin.add_key", "Make a key."),
        "revoke-key": Entry("grader.cli.admin.revoke_key", "Shut a key at once."),
    },
)
