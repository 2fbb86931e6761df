"""What the service must never lose: tables, repositories, migrations, blobs."""
