"""What repositories return: frozen values, free of any connection."""
