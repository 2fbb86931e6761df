"""Changes of the schema, one file each."""
